from importlib.metadata import EntryPoint

import pytest

from fieldproof.events import NavigateToPoseEvent, event_registry, event_types

from . import plugins

MODULE = plugins.__name__

BUILT_IN_ACTIONS = {
    "navigate_to_pose",
    *("container.pause", "container.resume", "container.kill", "param.set"),
    *("sim.pause", "sim.resume", "sim.step"),
    *("spawn_object", "remove_object", "teleport", "set_wind"),
    *("gps.deny", "gps.offset", "imu.bias", "sensor.dropout", "sensor.freeze", "sensor.noise"),
    *("actuator.limit", "battery.drain", "link.set", "link.drop", "link.restore"),
}


def point(name, value):
    return EntryPoint(name, value, "fieldproof.events")


def test_the_built_in_events_are_known_without_any_plugin():
    registry = event_registry([])
    assert set(registry.kinds) == BUILT_IN_ACTIONS
    assert registry.distributions == dict.fromkeys(BUILT_IN_ACTIONS, "fieldproof")
    assert "navigate_to_pose" in event_types()


def test_a_plugin_is_registered_under_its_action():
    registry = event_registry([point("example.announce", f"{MODULE}:AnnounceEvent")])
    assert isinstance(registry.kinds["example.announce"], plugins.AnnounceEvent)
    assert registry.problems == ()


def test_an_entry_point_that_names_a_built_in_is_no_plugin():
    value = f"{NavigateToPoseEvent.__module__}:NavigateToPoseEvent"
    registry = event_registry([point("navigate_to_pose", value)])
    assert registry.problems == ()
    assert set(registry.kinds) == BUILT_IN_ACTIONS


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (f"{MODULE}:not_a_class", "not a class"),
        (f"{MODULE}:Announce", "not a class that derives"),
        (f"{MODULE}:Bare", "action must be a name"),
        (f"{MODULE}:BadName", "action must be a name"),
        (f"{MODULE}:NoEntry", "does not derive from TimelineBase"),
        (f"{MODULE}:OtherLiteral", 'must be Literal["example.other"]'),
        (f"{MODULE}:NoSummary", "no summary"),
        (f"{MODULE}:NoHook", "neither apply nor start"),
        (f"{MODULE}:Missing", "cannot be loaded: AttributeError"),
        ("no_such_module_anywhere:Event", "cannot be loaded: ModuleNotFoundError"),
    ],
)
def test_a_malformed_plugin_is_left_out_and_reported_with_its_origin(value, what):
    registry = event_registry([point("example.bad", value)])
    assert set(registry.kinds) == BUILT_IN_ACTIONS
    (problem,) = registry.problems
    assert what in problem.what
    assert str(problem).startswith("example.bad of an unknown distribution: ")


def test_the_second_event_of_a_name_is_left_out():
    registry = event_registry(
        [point("a", f"{MODULE}:AnnounceEvent"), point("b", f"{MODULE}:Taken")]
    )
    assert type(registry.kinds["example.announce"]) is plugins.AnnounceEvent
    assert "already registered" in registry.problems[0].what
