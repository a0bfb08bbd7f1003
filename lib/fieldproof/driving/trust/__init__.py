"""Whether what a run says can be believed: as sealed, or else in agreement with itself."""

from fieldproof.driving.trust._check import UNSEALED, check_run

__all__ = ["UNSEALED", "check_run"]
