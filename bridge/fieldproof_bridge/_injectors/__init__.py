"""The faults that routes carry, a module a family, each a pure function of a reading."""

from fieldproof_bridge._injectors._battery import Drain
from fieldproof_bridge._injectors._command import Limit
from fieldproof_bridge._injectors._gnss import Deny, Offset, moved
from fieldproof_bridge._injectors._imu import Bias
from fieldproof_bridge._injectors._noise import NOISES, Noise
from fieldproof_bridge._injectors._stream import Dropout, Freeze

__all__ = [
    "NOISES",
    "Bias",
    "Deny",
    "Drain",
    "Dropout",
    "Freeze",
    "Limit",
    "Noise",
    "Offset",
    "moved",
]
