"""Carries out a run: phases, processes, time, and the evidence that is left.

`live` takes a scenario file to a sealed run directory; `stages` are the same steps one by one, as
the build runs them.
"""

from fieldproof.engine._errors import InfrastructureError, InterruptedRunError
from fieldproof.engine._interrupt import Interrupt

__all__ = ["InfrastructureError", "Interrupt", "InterruptedRunError"]
