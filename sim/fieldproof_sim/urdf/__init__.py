"""The subset of URDF that robots are described in, as frozen values."""

from fieldproof_sim._problems import UrdfError
from fieldproof_sim.urdf._model import Joint, Link, Robot
from fieldproof_sim.urdf._parse import parse_robot

__all__ = ["Joint", "Link", "Robot", "UrdfError", "parse_robot"]
