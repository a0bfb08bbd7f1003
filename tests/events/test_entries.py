"""What may be written of each event, and what the world and the vehicles make of it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from fieldproof.engine.resolve import registries, resolve
from fieldproof.events import Event, ModelChanges, event_types
from fieldproof.model import ScenarioError, TimelineBase, validated

ROOT = Path(__file__).parents[2]
BOX = {"action": "spawn_object", "model": "c", "pose": {"x": 1, "y": 2}, "shape": "box"}
SIZE = {"size": [1, 1, 1]}
URI = {"action": "spawn_object", "model": "c", "pose": {"x": 1, "y": 2}, "uri": "model://a"}
UGV = {"vehicle": "ugv1"}


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"action": "container.pause"}, "vehicle: is missing"),
        ({"action": "container.pause", "duration_s": "0s"} | UGV, "duration_s: must be positive"),
        ({"action": "container.kill", "signal": "SIGSTOP"} | UGV, "signal: must be one of SIGKILL"),
        ({"action": "param.set", "node": "n", "parameter": "p"} | UGV, "value: is missing"),
        ({"action": "param.set", "node": "n n", "parameter": "p", "value": 1} | UGV, "node: must"),
        ({"action": "param.set", "node": "n", "parameter": "p", "value": [1]} | UGV, "value"),
        ({"action": "param.set", "node": "n", "parameter": "1p", "value": 1} | UGV, "parameter"),
        ({"action": "sim.step"}, "needs steps or duration_s"),
        ({"action": "sim.step", "steps": 1, "duration_s": "1s"}, "duration_s: does not go with"),
        ({"action": "sim.step", "steps": 0}, "steps: must be at least 1"),
        (BOX, "size: is missing for a box"),
        (BOX | SIZE | {"radius": 1}, "radius: does not go with box (it takes size)"),
        (BOX | {"size": [1, 1]}, "size: must have at least 3"),
        (BOX | {"size": [1, 1, 0]}, "size[2]: must be"),
        (BOX | {"shape": "cylinder", "radius": 1}, "length: is missing for a cylinder"),
        (BOX | {"shape": "cone"}, "shape: must be one of box, cylinder, sphere"),
        (BOX | SIZE | {"uri": "model://a"}, "uri: does not go with shape"),
        (BOX | SIZE | {"mass_kg": 2}, "mass_kg: only goes with static: false"),
        (BOX | SIZE | {"color": [0, 0, 2]}, "color[2]: must be at most 1"),
        (BOX | {"shape": None}, "needs a shape or a uri"),
        (URI | {"static": False}, "static: does not go with uri"),
        (URI | {"radius": 1}, "radius: does not go with uri (the model has its own)"),
        ({"action": "remove_object"}, "model: is missing"),
        ({"action": "teleport", "pose": {"x": 1, "y": 1}}, "needs a vehicle or a model"),
        (
            {"action": "teleport", "pose": {"x": 1, "y": 1}, "model": "c"} | UGV,
            "model: does not go",
        ),
        ({"action": "set_wind", "velocity": [1, 2]}, "velocity: must have at least 3"),
        ({"action": "set_wind", "velocity": [1, 2, 300]}, "velocity[2]: must be at most 200"),
        ({"action": "sensor.dropout"} | UGV, "sensor: is missing"),
        ({"action": "sensor.dropout", "sensor": "a", "probability": 0} | UGV, "probability: must"),
        ({"action": "sensor.noise", "sensor": "a"} | UGV, "needs a standard deviation"),
        ({"action": "actuator.limit"} | UGV, "needs max_linear_mps or max_angular_radps"),
        ({"action": "actuator.limit", "max_linear_mps": -1} | UGV, "max_linear_mps: must be"),
        ({"action": "battery.drain"} | UGV, "duration_s: is missing"),
        ({"action": "battery.drain", "duration_s": "1s", "to_pct": 101} | UGV, "to_pct: must be"),
        ({"action": "imu.bias", "gyro_radps": [0, 0]} | UGV, "gyro_radps: must have at least 3"),
        ({"action": "gps.offset"} | UGV, "needs east_m, north_m or up_m other than 0"),
        ({"action": "gps.offset", "up_m": 0.0} | UGV, "needs east_m, north_m or up_m other than 0"),
        ({"action": "imu.bias", "gyro_radps": [0, 0, 0]} | UGV, "needs gyro_radps or accel_mps2"),
        (
            {"action": "param.set", "node": "n", "parameter": "", "value": 1} | UGV,
            "parameter: must",
        ),
        (BOX | {"size": [1, 1, 1e-7]}, "size[2]: must be at least 0.001"),
        (BOX | {"shape": "sphere", "radius": 1e-7}, "radius: must be at least 0.001"),
        (BOX | SIZE | {"static": False, "mass_kg": 1e-6}, "mass_kg: must be at least 0.001"),
        ({"action": "link.set"} | UGV, "profile: is missing"),
    ],
)
def test_an_entry_that_makes_no_sense_is_refused_at_its_field(entry, said):
    kind = event_types()[entry["action"]].Entry
    given = {key: value for key, value in entry.items() if value is not None}
    with pytest.raises(ScenarioError) as caught:
        validated(kind, given)
    assert said in str(caught.value)


def planned(tmp_path, *timeline, mode="lockstep", known=None):
    document = {
        "apiVersion": "fieldproof.dev/v0alpha1",
        "kind": "Scenario",
        "name": "e",
        "world": "dock_yard",
        "time": {"mode": mode},
        "vehicles": [{"name": "ugv1", "manifest": "ugv_ref", "spawn": {"frame": "spawn_dock"}}],
        "timeline": list(timeline),
    }
    path = tmp_path / "e.yaml"
    path.write_text(json.dumps(document))
    return resolve(path, ROOT / "worlds", ROOT / "robots", known=known)


@pytest.mark.parametrize(
    ("entry", "resolved"),
    [
        ({"action": "container.kill"} | UGV, {"vehicle": "ugv1", "signal": "SIGKILL"}),
        (
            {"action": "param.set", "node": "link_monitor", "parameter": "p", "value": 1} | UGV,
            {"node": "/ugv1/link_monitor"},
        ),
        (
            BOX | SIZE | {"pose": {"frame": "door"}, "static": False, "mass_kg": 3},
            {
                "request": {
                    "model": "c",
                    "pose": {"x": 10.0, "y": 0.0, "z": 0.0, "yaw": -1.5707963267948966},
                    "shape": {"type": "box", "size": [1.0, 1.0, 1.0]},
                    "static": False,
                    "mass_kg": 3.0,
                }
            },
        ),
        (
            {"action": "teleport", "pose": {"x": 1, "y": 2}} | UGV,
            {
                "request": {
                    "model": "ugv1",
                    "pose": {"x": 1.0, "y": 2.0, "z": 0.0, "yaw": 0.0},
                }
            },
        ),
        (
            {"action": "gps.deny"} | UGV,
            {"route": "gps", "topic": "/ugv1/gps/fix", "fault": "deny", "parameters": {}},
        ),
        (
            {"action": "sensor.dropout", "sensor": "scan", "probability": 0.5} | UGV,
            {
                "route": "lidar",
                "topic": "/ugv1/scan",
                "fault": "dropout",
                "parameters": {"probability": 0.5},
            },
        ),
        (
            {"action": "sensor.freeze", "sensor": "command"} | UGV,
            {"route": "command", "topic": "/ugv1/cmd_vel", "fault": "freeze", "parameters": {}},
        ),
        (
            {"action": "battery.drain", "duration_s": "1m"} | UGV,
            {
                "route": "battery",
                "topic": "/ugv1/battery_state",
                "fault": "drain",
                "parameters": {"to_pct": 0.0, "duration_s": 60.0},
            },
        ),
    ],
    ids=lambda value: value.get("action", "") if isinstance(value, dict) else "",
)
def test_an_entry_resolves_when_the_scenario_is_validated(tmp_path, entry, resolved):
    (found,) = planned(tmp_path, entry).execution["timeline"]
    assert found["resolved"] == resolved


def test_a_model_to_spawn_comes_into_the_plan_with_its_files(tmp_path):
    resolved = planned(tmp_path, URI | {"uri": "model://traffic_cone"})
    (entry,) = resolved.execution["timeline"]
    path = entry["resolved"]["request"]["sdf"]
    assert path == "worlds/models/traffic_cone/model.sdf"
    assert resolved.plan.files[path] == ROOT / path


def test_a_step_may_be_given_as_time(tmp_path):
    entry = {"action": "sim.step", "duration_s": "0.1s"}
    (found,) = planned(tmp_path, entry, mode="sim").execution["timeline"]
    assert found["resolved"] == {"steps": 50, "advance_ns": 100_000_000}


@pytest.mark.parametrize(
    ("entry", "mode", "said"),
    [
        ({"action": "sim.pause"}, "lockstep", "action: cannot be used in lockstep"),
        ({"action": "sim.resume"}, "lockstep", "action: cannot be used in lockstep"),
        ({"action": "sim.step", "steps": 1}, "lockstep", "action: cannot be used in lockstep"),
        (
            {"action": "sim.step", "duration_s": "0.001s"},
            "sim",
            "duration_s: is no whole number of steps (a step is 0.002 s)",
        ),
        (BOX | SIZE | {"model": "ugv1"}, "sim", "model: ugv1 is a vehicle"),
        ({"action": "remove_object", "model": "ugv1"}, "sim", "model: ugv1 is a vehicle"),
        (BOX | SIZE | {"pose": {"frame": "dor"}}, "sim", "pose.frame: unknown frame 'dor'"),
        (
            URI | {"uri": "model://trafic_cone"},
            "sim",
            "uri: unknown model 'trafic_cone' (nearest: traffic_cone)",
        ),
        (URI | {"uri": "https://a/b"}, "sim", "uri: must be model://NAME"),
        ({"action": "gps.deny", "vehicle": "ugv2"}, "sim", "vehicle: unknown vehicle 'ugv2'"),
        (
            {"action": "gps.deny", "sensor": "imu"} | UGV,
            "sim",
            "sensor: imu does not take the fault deny",
        ),
        (
            {"action": "sensor.dropout", "sensor": "chassis_contact"} | UGV,
            "sim",
            "sensor: chassis_contact does not pass through an injector of the bridge",
        ),
        (
            {"action": "sensor.dropout", "sensor": "lidr"} | UGV,
            "sim",
            "sensor: unknown sensor 'lidr' of ugv1 (nearest: lidar)",
        ),
        (
            {"action": "sensor.noise", "sensor": "imu", "range_m": 0.1} | UGV,
            "sim",
            "range_m: is not what imu measures (its noise is gyro_radps and accel_mps2)",
        ),
        (
            {"action": "battery.drain", "duration_s": "1s", "to_pct": 100} | UGV,
            "sim",
            "to_pct: must be below the 100 % that the battery begins with (got 100)",
        ),
        (
            {"action": "actuator.limit", "max_linear_mps": 0.1, "max_angular_radps": 50} | UGV,
            "sim",
            "max_angular_radps: limits nothing: the drive has",
        ),
        (
            {"action": "remove_object", "model": "pallet_9"},
            "sim",
            "model: unknown model 'pallet_9' (nearest: pallet_",
        ),
        (
            {"action": "teleport", "model": "palet_1", "pose": {"x": 1, "y": 2}},
            "sim",
            "model: unknown model 'palet_1' (nearest: pallet_",
        ),
        (
            BOX | SIZE | {"model": "warehouse"},
            "sim",
            "model: the world dock_yard has a model warehouse of its own",
        ),
        ({"action": "link.drop"} | UGV, "sim", "action: needs a network section"),
        ({"action": "link.restore"} | UGV, "sim", "action: needs a network section"),
        (
            {"action": "link.set", "profile": "lossy"} | UGV,
            "sim",
            "action: needs a network section",
        ),
    ],
)
def test_what_cannot_be_carried_out_is_refused_when_the_scenario_is_validated(
    tmp_path, entry, mode, said
):
    with pytest.raises(ScenarioError) as caught:
        planned(tmp_path, entry, mode=mode)
    text = str(caught.value)
    assert f"timeline[0].{said}" in text, text


REMOVE = {"action": "remove_object", "model": "c"}
ELSEWHERE = {"pose": {"x": 1, "y": 2}}


@pytest.mark.parametrize(
    "timeline",
    [
        [BOX | SIZE, REMOVE],
        [REMOVE | {"at": "9s"}, BOX | SIZE],  # which comes first is up to the triggers
        [REMOVE | {"model": "pallet_1"}, BOX | SIZE | {"model": "pallet_1"}],
        [REMOVE | {"model": "pallet_1"}],
        [{"action": "teleport", "model": "pallet_1"} | ELSEWHERE],
        [{"action": "teleport", "model": "ugv1"} | ELSEWHERE],
        [BOX | SIZE, {"action": "teleport", "model": "c"} | ELSEWHERE],
    ],
)
def test_models_of_the_world_and_of_the_timeline_are_known(tmp_path, timeline):
    found = planned(tmp_path, *timeline, mode="sim").execution["timeline"]
    assert [entry["action"] for entry in found] == [entry["action"] for entry in timeline]


class Conjure(TimelineBase):
    action: Literal["example.conjure"]


class ConjureEvent(Event):
    action = "example.conjure"
    Entry = Conjure
    summary = "Bring something."

    def apply(self, entry, resolved, context, record): ...


class TellingEvent(ConjureEvent):
    def models(self, entry):
        return ModelChanges(spawns=frozenset({"genie"}))


def conjured(tmp_path, event, model):
    known = replace(registries(), events={**event_types(), "example.conjure": event})
    timeline = ({"action": "example.conjure"}, REMOVE | {"model": model})
    return planned(tmp_path, *timeline, mode="sim", known=known)


def test_what_a_plugin_may_bring_is_not_known_unless_it_says_so(tmp_path):
    assert conjured(tmp_path, ConjureEvent(), "anything")
    assert conjured(tmp_path, TellingEvent(), "genie")
    with pytest.raises(ScenarioError, match=r"timeline\[1\]\.model: unknown model 'anything'"):
        conjured(tmp_path, TellingEvent(), "anything")


def test_every_parameter_of_every_event_is_described():
    for action, event in event_types().items():
        for name, field in event.Entry.model_fields.items():
            assert field.description or name == "action", f"{action}.{name}"
