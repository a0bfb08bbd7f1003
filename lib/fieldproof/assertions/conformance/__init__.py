"""Checks of assertion types for those who write them; needs no test framework.

A type is checked on cases: an assertion as a scenario writes it, a stream, and the verdict that
the stream must bring. `check_conformance` then puts the same stream to the type in other ways, in
which the verdict must be the same, and in damaged ones, which must bring some verdict. The calls
in order: `facts` and `planned` make the assertion, `Case` names the stream, `check_conformance`
raises what is wrong.
"""

from fieldproof.assertions.conformance._scenario import facts, planned
from fieldproof.assertions.conformance._trial import Case, ConformanceError, check_conformance

__all__ = ["Case", "ConformanceError", "check_conformance", "facts", "planned"]
