"""Carries out a run: phases, processes, time, and the evidence that is left."""
