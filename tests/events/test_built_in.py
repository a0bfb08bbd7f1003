"""What each built-in event asks of a run, and how it ends."""

import pytest

from fieldproof.events import ParameterOutcome

from .context import Occurrence, ScriptedContext

UGV = {"vehicle": "ugv1"}


def test_a_pause_with_a_duration_resumes_and_ends_then():
    run = Occurrence(ScriptedContext(), {"action": "container.pause", "duration_s": "3s"} | UGV)
    assert [run.until(t) for t in (0.0, 2.95, 3.0)] == [False, False, True]
    assert run.context.asked == [(0.0, "pause", "ugv1"), (3.0, "resume", "ugv1")]
    assert run.end == ("ok", "paused for 3 s, resumed")
    assert [line[0] for line in run.context.lines] == ["container.paused", "container.resumed"]


def test_a_pause_without_one_is_over_at_once_and_leaves_the_software_frozen():
    run = Occurrence(ScriptedContext(), {"action": "container.pause"} | UGV)
    assert run.until(0.0)
    assert run.context.asked == [(0.0, "pause", "ugv1")]
    assert run.end == ("ok", "paused")


def test_a_cancelled_pause_resumes_the_software():
    run = Occurrence(ScriptedContext(), {"action": "container.pause", "duration_s": "3s"} | UGV)
    run.context.t = 1.0
    run.running.cancel()
    assert run.context.asked[-1] == (1.0, "resume", "ugv1")


@pytest.mark.parametrize("meanwhile", ["running", "gone"])
def test_a_pause_that_somebody_else_ended_is_not_ended_again(meanwhile):
    run = Occurrence(ScriptedContext(), {"action": "container.pause", "duration_s": "3s"} | UGV)
    run.context.states["ugv1"] = meanwhile
    assert run.until(3.0)
    assert run.context.asked == [(0.0, "pause", "ugv1")]


@pytest.mark.parametrize(
    ("entry", "asked", "detail", "line"),
    [
        ({"action": "container.resume"}, ("resume", "ugv1"), "resumed", "container.resumed"),
        (
            {"action": "container.kill"},
            ("kill", "ugv1", "SIGKILL"),
            "killed with SIGKILL",
            "container.killed",
        ),
        (
            {"action": "container.kill", "signal": "SIGTERM"},
            ("kill", "ugv1", "SIGTERM"),
            "killed with SIGTERM",
            "container.killed",
        ),
    ],
)
def test_software_is_resumed_and_ended(entry, asked, detail, line):
    run = Occurrence(ScriptedContext(), entry | UGV)
    assert run.until(0.0)
    assert run.context.asked == [(0.0, *asked)]
    assert run.end == ("ok", detail)
    assert [each[0] for each in run.context.lines] == [line]


@pytest.mark.parametrize(
    ("entry", "call"),
    [
        ({"action": "container.pause"}, "pause"),
        ({"action": "container.resume"}, "resume"),
        ({"action": "container.kill"}, "kill"),
        ({"action": "sim.pause"}, "simulate"),
        ({"action": "remove_object", "model": "crate"}, "simulate"),
    ],
)
def test_what_the_run_refuses_fails_with_its_reason(entry, call):
    context = ScriptedContext(refusals={call: "it is gone already"})
    resolved = {"request": {"model": "crate"}}
    vehicle = UGV if entry["action"].startswith("container") else {}
    run = Occurrence(context, entry | vehicle, resolved)
    assert run.until(0.0)
    assert run.end == ("failed", "it is gone already")
    assert context.lines == []


class Parameter:
    """A node that answers after so many questions."""

    def __init__(self, answer=None, *, after=0, found=True):
        self.answer, self.after, self.found = answer, after, found

    def result(self):
        self.after -= 1
        return self.answer if self.after < 0 else None


SET = {"action": "param.set", "node": "link_monitor", "parameter": "p", "value": 5.0} | UGV
NODE = {"node": "/ugv1/link_monitor"}


@pytest.mark.parametrize(
    ("parameter", "end"),
    [
        (Parameter(ParameterOutcome(accepted=True)), ("ok", "/ugv1/link_monitor p set to 5.0")),
        (
            Parameter(ParameterOutcome(accepted=False, reason="too big"), after=3),
            ("failed", "/ugv1/link_monitor p refused: too big"),
        ),
        (
            Parameter(ParameterOutcome(accepted=False)),
            ("failed", "/ugv1/link_monitor p refused: it gave no reason"),
        ),
        (Parameter(), ("timeout", "/ugv1/link_monitor p: no answer within 2 s")),
        (Parameter(found=False), ("failed", "/ugv1/link_monitor p: no such node within 2 s")),
    ],
    ids=["accepted", "refused", "refused_without_reason", "silent", "absent"],
)
def test_a_parameter_ends_as_its_node_answers(parameter, end):
    run = Occurrence(ScriptedContext(parameter=parameter), SET, NODE, limit_s=2.0)
    t = 0.0
    while not run.until(t):
        t += 0.5
        assert t < 5.0
    assert run.end == end
    assert run.context.asked == [(0.0, "set_parameter", "/ugv1/link_monitor", "p", 5.0)]


@pytest.mark.parametrize("value", [True, 5, 5.0, "5", ""])
def test_a_parameters_value_keeps_its_type(value):
    context = ScriptedContext(parameter=Parameter(ParameterOutcome(accepted=True)))
    Occurrence(context, SET | {"value": value}, NODE)
    (asked,) = context.asked
    assert asked[-1] == value
    assert type(asked[-1]) is type(value)


def test_a_pause_of_the_simulation_resumes_it():
    run = Occurrence(ScriptedContext(), {"action": "sim.pause", "duration_s": "0.5s"})
    assert [run.until(t) for t in (0.4, 0.5)] == [False, True]
    assert [each[1:3] for each in run.context.asked] == [
        ("simulate", "pause"),
        ("simulate", "resume"),
    ]
    assert [line[0] for line in run.context.lines] == ["sim.paused", "sim.resumed"]


def test_a_pause_of_the_simulation_that_another_ended_does_not_end_a_later_one():
    run = Occurrence(ScriptedContext(), {"action": "sim.pause", "duration_s": "3s"})
    assert not run.until(1.0)
    run.context.time = "running"
    assert run.until(1.05)
    assert run.end == ("ok", "paused, resumed by another")
    run.running.cancel()
    assert [each[2] for each in run.context.asked] == ["pause"]


def test_a_step_advances_by_what_was_planned_and_is_over_when_time_stands():
    resolved = {"steps": 10, "advance_ns": 20_000_000}
    run = Occurrence(ScriptedContext(), {"action": "sim.step", "steps": 10}, resolved)
    assert run.context.asked == [(0.0, "simulate", "step", {"advance_ns": 20_000_000})]
    assert not run.until(0.01)
    run.context.time = "paused"
    assert run.until(0.02)
    assert run.end == ("ok", "stepped 10 steps (0.02 s)")


def test_a_step_that_is_resumed_meanwhile_is_over_and_says_so():
    resolved = {"steps": 10, "advance_ns": 20_000_000}
    run = Occurrence(ScriptedContext(), {"action": "sim.step", "steps": 10}, resolved)
    run.context.time = "running"
    assert run.until(0.01)
    assert run.end == ("ok", "stepped, resumed by another meanwhile")


@pytest.mark.parametrize(
    ("entry", "op"),
    [
        ({"action": "spawn_object", "model": "c", "pose": {"x": 1, "y": 2}, "shape": "sphere",
          "radius": 0.5}, "spawn"),
        ({"action": "remove_object", "model": "c"}, "remove"),
        ({"action": "teleport", "model": "c", "pose": {"x": 1, "y": 2}}, "teleport"),
        ({"action": "set_wind", "velocity": [1, 2, 3]}, "wind"),
    ],
)  # fmt: skip
def test_a_change_of_the_world_is_one_request_and_its_report_the_detail(entry, op):
    run = Occurrence(ScriptedContext(), entry, {"request": {"a": 1}})
    assert run.until(0.0)
    assert run.context.asked == [(0.0, "simulate", op, {"a": 1})]
    assert run.end == ("ok", f"{op} done")
    assert run.context.lines == [("world.changed", f"{op} done", {})]


FAULTS = {
    "gps.deny": ({}, "deny", {}),
    "gps.offset": ({"east_m": 3.0}, "offset", {"east_m": 3.0, "north_m": 0.0, "up_m": 0.0}),
    "imu.bias": (
        {"gyro_radps": [0, 0, 1]},
        "bias",
        {"gyro_radps": [0, 0, 1], "accel_mps2": [0, 0, 0]},
    ),
    "sensor.dropout": ({"sensor": "scan"}, "dropout", {"probability": 1.0}),
    "sensor.freeze": ({"sensor": "imu"}, "freeze", {}),
    "sensor.noise": ({"sensor": "lidar", "range_m": 0.1}, "noise", {"range_m": 0.1}),
    "actuator.limit": ({"max_linear_mps": 0.2}, "limit", {"max_linear_mps": 0.2}),
}


@pytest.mark.parametrize("action", FAULTS)
def test_a_fault_with_a_duration_is_lifted_at_its_end(action):
    fields, fault, parameters = FAULTS[action]
    resolved = {"route": "r", "topic": "/t", "fault": fault, "parameters": parameters}
    entry = {"action": action, "duration_s": "20s"} | fields | UGV
    run = Occurrence(ScriptedContext(), entry, resolved)
    assert [run.until(t) for t in (0.0, 19.95, 20.0)] == [False, False, True]
    assert run.context.asked == [
        (0.0, "set_fault", "ugv1", "r", fault, parameters),
        (20.0, "set_fault", "ugv1", "r", fault, None),
    ]
    assert run.record.status == "ok"
    assert run.record.detail.endswith("for 20 s, lifted")
    (injected, _, fields), (lifted, _, _) = run.context.lines
    assert (injected, lifted) == ("fault.injected", "fault.lifted")
    assert fields["acts_from_s"] == 10.0
    assert (fields["vehicle"], fields["route"], fields["fault"]) == ("ugv1", "r", fault)


@pytest.mark.parametrize("action", FAULTS)
def test_a_fault_without_a_duration_stays_and_one_that_is_cancelled_is_lifted(action):
    fields, fault, parameters = FAULTS[action]
    resolved = {"route": "r", "topic": "/t", "fault": fault, "parameters": parameters}
    stays = Occurrence(ScriptedContext(), {"action": action} | fields | UGV, resolved)
    assert stays.until(0.0)
    assert len(stays.context.asked) == 1
    entry = {"action": action, "duration_s": "9s"} | fields | UGV
    cancelled = Occurrence(ScriptedContext(), entry, resolved)
    cancelled.running.cancel()
    assert cancelled.context.asked[-1][-1] is None


def test_a_drain_lasts_as_long_as_the_fall_in_simulation_time_and_stays_down():
    entry = {"action": "battery.drain", "to_pct": 5.0, "duration_s": "60s"} | UGV
    parameters = {"to_pct": 5.0, "duration_s": 60.0}
    resolved = {"route": "battery", "topic": "/b", "fault": "drain", "parameters": parameters}
    run = Occurrence(ScriptedContext(), entry, resolved)
    assert [run.until(t) for t in (59.9, 60.0)] == [False, True]
    assert run.context.asked == [(0.0, "set_fault", "ugv1", "battery", "drain", parameters)]
    assert run.end == ("ok", "drained to 5 % over 60 s")


def drained(context, to_pct):
    entry = {"action": "battery.drain", "to_pct": to_pct, "duration_s": "60s"} | UGV
    parameters = {"to_pct": to_pct, "duration_s": 60.0}
    resolved = {"route": "battery", "topic": "/b", "fault": "drain", "parameters": parameters}
    return Occurrence(context, entry, resolved)


@pytest.mark.parametrize("charge", [50.0, 90.0])
def test_a_drain_to_where_the_battery_is_says_that_it_drained_nothing(charge):
    run = drained(ScriptedContext(charge=charge), 90.0)
    assert [run.until(t) for t in (59.9, 60.0)] == [False, True]
    assert (run.context.asked, run.context.lines) == ([], [])
    assert run.end == ("ok", f"not drained: the charge is {charge:g} %, not above 90 %")


def test_a_drain_that_another_overtook_says_where_the_charge_is():
    run = drained(ScriptedContext(), 40.0)
    run.context.charge = 12.5
    assert run.until(60.0)
    assert run.end == ("ok", "drained to 40 % over 60 s; another drain has taken it to 12.5 %")
