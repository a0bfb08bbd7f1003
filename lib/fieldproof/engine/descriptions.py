"""Reads the geometry that a plan names as the simulator will, before anything starts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fieldproof.engine.resolve import Resolved
from fieldproof.model import Problem, ScenarioError
from fieldproof_sim.sdf import SdfError, World, parse_model_file, parse_world
from fieldproof_sim.urdf import UrdfError, parse_robot

_SAME_DEGREES = 1e-9
_SAME_M = 1e-3


def check_descriptions(resolved: Resolved) -> None:
    """Read the SDF of the world and of what is spawned, and every vehicle's URDF, at their source.

    Raises:
        ScenarioError: everything malformed, missing or outside the supported subset, and a
            geodetic origin that world.yaml and the SDF do not agree on.
        OSError: a file cannot be read.
    """
    problems: list[Problem] = []
    execution = resolved.execution
    sdf = _source(resolved, execution["world"]["sdf"])
    try:
        problems += _origin_problems(parse_world(sdf), execution["world"]["origin"], sdf)
    except SdfError as error:
        problems += _problems(error)
    for urdf in dict.fromkeys(vehicle["urdf"] for vehicle in execution["vehicles"]):
        try:
            parse_robot(_source(resolved, urdf))
        except UrdfError as error:
            problems += _problems(error)
    for model in dict.fromkeys(_spawned(execution["timeline"])):
        try:
            parse_model_file(_source(resolved, model))
        except SdfError as error:
            problems += _problems(error)
    if problems:
        raise ScenarioError(problems)


def _spawned(timeline: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The files of the models that a timeline puts into the world, as the plan names them."""
    for entry in timeline:
        request = entry["resolved"].get("request", {})
        if "sdf" in request:
            yield request["sdf"]


def _source(resolved: Resolved, bundled: str) -> Path:
    return resolved.plan.files[bundled]


def _problems(error: SdfError | UrdfError) -> list[Problem]:
    return [
        Problem(each.what, file=str(each.file), line=each.line, column=1 if each.line else 0)
        for each in error.problems
    ]


def _origin_problems(world: World, origin: dict[str, float], sdf: Path) -> list[Problem]:
    if world.origin is None:
        return []
    pairs = (
        ("latitude_deg", world.origin.latitude_deg, _SAME_DEGREES),
        ("longitude_deg", world.origin.longitude_deg, _SAME_DEGREES),
        ("altitude_m", world.origin.altitude_m, _SAME_M),
    )
    return [
        Problem(
            f"<spherical_coordinates> has {name} {value:g}, world.yaml has {origin[name]:g}",
            file=str(sdf),
            hint="they are one place: make them equal",
        )
        for name, value, same in pairs
        if not math.isclose(value, origin[name], rel_tol=0.0, abs_tol=same)
    ]
