"""Puts resolved parts into the two documents. What a verdict alone needs stays out of the first."""

from collections.abc import Iterable, Sequence
from typing import Any

from fieldproof.model import AssertionBase, Scenario, TimeSettings, World
from fieldproof.plan._planned import PlannedAssertion, PlannedVehicle
from fieldproof.plan._timeline import PlannedEntry
from fieldproof.plan._watches import Watch, observation

SCHEMA_VERSION = 1


def compose_execution(
    scenario: Scenario,
    *,
    world: World,
    vehicles: Sequence[PlannedVehicle],
    entries: Sequence[PlannedEntry],
    watches: Iterable[Watch],
    assertions: Sequence[PlannedAssertion],
    topics: Iterable[str],
) -> dict[str, Any]:
    """Return `execution.json`: all that can change what happens in a run, and nothing else.

    Every vehicle's ground truth is streamed whether or not anything judges it. An assertion that
    may end the timeline is part of what happens and stands here too, with those that it waits for.
    """
    ground_truth = [Watch("model", model=vehicle.name) for vehicle in vehicles]
    aborting = _aborting(assertions)
    return {
        "schema_version": SCHEMA_VERSION,
        "scenario": {"name": scenario.name},
        "world": _world(world),
        "time": _time(scenario.time),
        "vehicles": [_vehicle(vehicle) for vehicle in vehicles],
        "timeline": [entry.to_data() for entry in entries],
        "observe": observation([*ground_truth, *watches]),
        "record": {"enabled": scenario.outputs.record, "topics": sorted(set(topics))},
        "abort_assertions": [one.at("").to_data() for one in aborting],
        "budget": {"timeout_ns": scenario.budget.timeout_s.ns},
    }


def compose_evaluation(
    scenario: Scenario,
    assertions: Iterable[PlannedAssertion],
    kpis: Iterable[PlannedAssertion],
) -> dict[str, Any]:
    """Return `evaluation.json`: every assertion and collector, resolved, in the file's order."""
    return {
        "schema_version": SCHEMA_VERSION,
        "scenario": {"name": scenario.name},
        "assertions": [one.to_data() for one in assertions],
        "kpis": [one.to_data() for one in kpis],
    }


def _aborting(assertions: Sequence[PlannedAssertion]) -> list[PlannedAssertion]:
    """Return the assertions that may end the timeline and those that they wait for."""
    by_name = {one.spec.name: one for one in assertions}
    wanted: set[str] = set()
    found = [one.spec.name for one in assertions if _aborts(one)]
    while found:
        name = found.pop()
        if name in by_name and name not in wanted:
            wanted.add(name)
            found.extend(by_name[name].depends_on)
    return [one for one in assertions if one.spec.name in wanted]


def _aborts(planned: PlannedAssertion) -> bool:
    return isinstance(planned.spec, AssertionBase) and planned.spec.on_fail == "abort"


def _world(world: World) -> dict[str, Any]:
    return {
        "name": world.name,
        "sdf": f"worlds/{world.name}/{world.sdf}",
        "frames": {name: frame.pose().to_data() for name, frame in world.frames.items()},
        "origin": world.origin.model_dump(mode="json"),
        "physics": {"step_ns": world.physics.step_s.ns},
    }


def _time(time: TimeSettings) -> dict[str, Any]:
    factor = None if time.mode == "lockstep" else float(time.rtf or 1.0)
    return {"mode": time.mode, "tick_ns": time.tick.ns, "rtf": factor, "seed": time.seed}


def _vehicle(vehicle: PlannedVehicle) -> dict[str, Any]:
    manifest = vehicle.manifest.to_data()
    manifest.pop("description", None)
    return {
        "name": vehicle.name,
        "namespace": vehicle.namespace,
        "robot": vehicle.robot,
        "urdf": f"robots/{vehicle.robot}/{vehicle.manifest.model.urdf}",
        "manifest": manifest,
        "spawn": vehicle.spawn.to_data(),
    }
