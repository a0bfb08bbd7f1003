"""What events may do, against a session and a world that only note what they are asked."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from fieldproof.engine._context import RunContext
from fieldproof.engine._errors import InfrastructureError
from fieldproof.engine._workers import Workers
from fieldproof.events import ParameterOutcome, Refused

SPAWN = {"x": 1.0, "y": 2.0, "z": 0.0, "yaw": 0.0}


class Channel:
    def __init__(self, *replies):
        self.replies = list(replies)
        self.asked = []

    def request(self, op, *, bound_s, **fields):
        self.asked.append((op, fields))
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply


class Session:
    plan = Path("/where/the/plan/lies")
    program_path = "/nowhere"

    def __init__(self, mode="lockstep", observer=(), bridge=()):
        vehicle = {"name": "ugv1", "namespace": "fleet/ugv1", "spawn": SPAWN}
        self.execution = {"time": {"mode": mode}}
        self.vehicles = [vehicle]
        self.observer = Channel(*observer)
        self.channel = Channel(*bridge)
        self.calls, self.found, self.goals = {}, set(), {}

    def bridge(self, vehicle):
        assert vehicle == "ugv1"
        return self.channel

    def send_goal(self, vehicle, *, timeout_s, action, goal):
        self.sent = (vehicle, action, goal)
        self.goals["g"] = None
        return "g"


class World:
    sim_ns = 7_000_000_000

    def __init__(self, reply="done"):
        self.reply = reply
        self.asked = []

    def simulate(self, op, **fields):
        self.asked.append((op, fields))
        if isinstance(self.reply, Exception):
            raise self.reply
        return self.reply


class Stacks:
    def __init__(self, state="running"):
        self.value = state

    def state(self, _vehicle):
        return self.value

    def need_running(self, _vehicle, what):
        if self.value != "running":
            raise Refused(f"{what}: {self.value}")


def make(session=None, world=None, stacks=None):
    workers = Workers(wait=True, check=lambda: None)
    log = SimpleNamespace(write=lambda *_, **__: None)
    return RunContext(
        session or Session(),
        world or World(),
        stacks or Stacks(),
        workers,
        log,
        now_ns=lambda: 2_500_000_000,
    )


def test_times_are_seconds_on_the_timeline_and_in_the_simulation():
    context = make()
    assert (context.clock(), context.sim_s()) == (2.5, 7.0)


def test_a_vehicle_has_its_namespace_and_a_stranger_is_refused():
    context = make()
    assert context.vehicle("ugv1").topic("announce") == "/fleet/ugv1/announce"
    assert context.vehicle("ugv1").topic("/clock") == "/clock"
    with pytest.raises(Refused, match=r"no vehicle ugv2 \(known: ugv1\)"):
        context.vehicle("ugv2")


def test_a_refusal_of_the_simulator_reaches_the_event_without_our_paths():
    answer = "/where/the/plan/lies/worlds/models/a/model.sdf:3: not XML"
    error = InfrastructureError(f"simulator: {answer}", code="bad_world", answer=answer)
    world = World(error)
    with pytest.raises(Refused, match=r"^worlds/models/a/model\.sdf:3: not XML$"):
        make(world=world).simulate("spawn", sdf="worlds/models/a/model.sdf")
    assert world.asked == [("spawn", {"sdf": "/where/the/plan/lies/worlds/models/a/model.sdf"})]


def test_a_process_that_does_not_answer_is_no_refusal():
    with pytest.raises(InfrastructureError):
        make(world=World(InfrastructureError("simulator did not answer"))).simulate("remove")


def test_a_fault_says_from_when_it_acts():
    session = Session(bridge=[{"time_ns": 1_250_000_000}])
    context = make(session)
    vehicle = context.vehicle("ugv1")
    assert context.set_fault(vehicle, "gps", "deny", {}) == 1.25
    asked = {"route": "gps", "fault": "deny", "parameters": {}, "holder": ""}
    assert session.channel.asked == [("fault", asked)]


def test_the_faults_of_an_occurrence_are_held_by_its_label():
    session = Session(bridge=[{"time_ns": 0}, {"time_ns": 0}, {"time_ns": 0}])
    context = make(session)
    for label in ("jam", "jam#2"):
        own = context.of(label)
        own.set_fault(own.vehicle("ugv1"), "gps", "deny", {})
    own.set_fault(own.vehicle("ugv1"), "gps", "deny", None)
    assert [fields["holder"] for _, fields in session.channel.asked] == ["jam", "jam#2", "jam#2"]
    assert (own.clock(), own.sim_s()) == (context.clock(), context.sim_s())


def test_the_charge_is_that_of_the_vehicles_bridge():
    session = Session(bridge=[{"time_ns": 0, "percent": 42.5}])
    context = make(session)
    assert context.charge_pct(context.vehicle("ugv1")) == 42.5
    assert session.channel.asked == [("charge", {})]


@pytest.mark.parametrize(("mode", "wait_s"), [("lockstep", 10.0), ("realtime", 0.0)])
def test_a_parameter_is_waited_for_between_ticks_and_asked_for_where_time_runs(mode, wait_s):
    pending = {"done": False, "found": True, "accepted": False, "reason": "", "id": "p1"}
    session = Session(mode, observer=[pending])
    context = make(session)
    call = context.set_parameter(context.vehicle("ugv1"), "/n", "p", 1.5, timeout_s=30.0)
    [(_, fields)] = session.observer.asked
    assert fields == {"node": "/n", "parameter": "p", "value": 1.5, "wait_s": wait_s}
    assert (call.found, call.result()) == (True, None)
    session.calls["p1"] = {"accepted": False, "reason": "too big"}
    assert call.result() == ParameterOutcome(accepted=False, reason="too big")


def test_a_parameter_that_is_answered_at_once_is_answered():
    answer = {"done": True, "found": True, "accepted": True, "reason": ""}
    context = make(Session(observer=[answer]))
    call = context.set_parameter(context.vehicle("ugv1"), "/n", "p", "x", timeout_s=1.0)
    assert call.result() == ParameterOutcome(accepted=True)


def test_a_node_that_appears_later_is_found_later():
    pending = {"done": False, "found": False, "accepted": False, "reason": "", "id": "p1"}
    session = Session("sim", observer=[pending])
    context = make(session)
    call = context.set_parameter(context.vehicle("ugv1"), "/n", "p", 1, timeout_s=1.0)
    assert not call.found
    session.found.add("p1")
    assert call.found


@pytest.mark.parametrize("state", ["paused", "gone"])
def test_software_that_cannot_answer_is_not_asked(state):
    context = make(stacks=Stacks(state))
    vehicle = context.vehicle("ugv1")
    for call in (
        lambda: context.navigate(vehicle, {"x": 1}, timeout_s=1.0),
        lambda: context.set_parameter(vehicle, "/n", "p", 1, timeout_s=1.0),
        lambda: context.run(vehicle, ["true"], timeout_s=1.0),
    ):
        with pytest.raises(Refused, match=state):
            call()
    assert context.stack_state(vehicle) == state


def test_a_goal_carries_the_time_of_the_simulation_and_ends_as_the_session_learns():
    session = Session()
    context = make(session)
    drive = context.navigate(context.vehicle("ugv1"), {"x": 1.0}, timeout_s=5.0)
    assert session.sent == (
        "ugv1",
        "/fleet/ugv1/navigate_to_pose",
        {"x": 1.0, "stamp_ns": 7_000_000_000},
    )
    assert drive.result() is None
    session.goals["g"] = "SUCCEEDED"
    assert drive.result() == "SUCCEEDED"
    drive.cancel()  # it is over: nobody is asked
    assert session.observer.asked == []


def test_without_a_ros2_command_an_event_is_told_what_to_use_instead():
    context = make()
    with pytest.raises(Refused, match="publish, set_parameter or navigate"):
        context.ros2(context.vehicle("ugv1"), ["topic", "list"], timeout_s=1.0)
