"""Fieldproof: tests robot software in simulation and turns a run into evidence."""

__version__ = "0.1.0"
