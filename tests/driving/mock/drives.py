"""Drives of the mock simulator for tests."""

from fieldproof.driving.loading import load_scenario
from fieldproof_sim.mock import MockSimulator
from tests.driving.builders import scenario_data, written


def simulator(folder, **changes):
    return MockSimulator(load_scenario(written(folder, scenario_data(**changes))).to_data())


def drive(folder, steps, action=None, **changes):
    """Every step of a drive with one action, or with one for each step."""
    one = simulator(folder, **changes)
    actions = action if isinstance(action, list) else [action or {}] * steps
    return [one.step(each) for each in actions]


def events_of(steps, kind=None):
    return [
        (index, event)
        for index, step in enumerate(steps)
        for event in step.events
        if kind is None or event["type"] == kind
    ]


STANDING = {"start": {"x": 0, "y": 0, "yaw": 0, "speed": 0}, "goal": {"x": 1000, "y": 0}}
