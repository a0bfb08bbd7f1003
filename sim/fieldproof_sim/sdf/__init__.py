"""The subset of SDF 1.11 that worlds are written in, as frozen values."""

from fieldproof_sim._problems import SdfError
from fieldproof_sim.sdf._model import GeodeticOrigin, Link, Model, World
from fieldproof_sim.sdf._parse import parse_model_file, parse_world

__all__ = [
    "GeodeticOrigin",
    "Link",
    "Model",
    "SdfError",
    "World",
    "parse_model_file",
    "parse_world",
]
