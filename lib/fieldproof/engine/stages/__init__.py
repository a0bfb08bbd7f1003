"""The stages of a scenario as the build runs them: each reads folders and writes one.

A module a stage, so that a stage needs no more of the sources than it uses.
"""
