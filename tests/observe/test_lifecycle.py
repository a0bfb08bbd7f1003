"""States of real managed nodes, asked at ticks and as they go."""

import pytest

pytest.importorskip(
    "rclpy", reason="not proved without ROS: that managed nodes are asked and heard"
)

from tests.observe.peer import of_kind

pytestmark = pytest.mark.ros
MANAGED, ABSENT = "/ugv1/managed", "/ugv1/nobody"


def watching(*nodes):
    return {"lifecycles": [{"node": node} for node in nodes]}


def states(reply_or_samples):
    samples = (
        reply_or_samples["samples"] if isinstance(reply_or_samples, dict) else reply_or_samples
    )
    return [(s["node"], s["state"]) for s in of_kind(samples, "lifecycle")]


@pytest.fixture
def managed(node):
    process = node("managed")
    yield process
    process.stop()


@pytest.fixture
def ticked(observer, managed):
    """An observer in lockstep that has been through its first tick and knows the node."""
    process = observer("lockstep", observe=watching(MANAGED, ABSENT))
    while process.call("lifecycle", node=MANAGED, timeout_s=10.0)["state"] != "unconfigured":
        pass
    process.call("release")
    yield process
    process.stop()


def test_in_lockstep_a_state_is_told_once_a_second_and_in_the_tick_in_which_it_changes(
    ticked, managed
):
    assert states(ticked.tick()) == [(MANAGED, "unconfigured"), (ABSENT, "unavailable")]
    told = {}
    for tick in range(2, 50):
        if tick == 7:
            managed.tell("transition", name="configure")
        if tick == 31:
            managed.tell("transition", name="activate")
        if found := states(ticked.tick()):
            told[tick] = found
    assert told == {
        7: [(MANAGED, "inactive")],
        20: [(MANAGED, "inactive"), (ABSENT, "unavailable")],
        31: [(MANAGED, "active")],
        40: [(MANAGED, "active"), (ABSENT, "unavailable")],
    }


def test_in_lockstep_a_frozen_node_is_waited_for_once_until_it_answers(ticked, managed):
    ticked.tick()
    managed.freeze()
    assert states(ticked.tick(timeout_s=0.3)) == [(MANAGED, "unresponsive")]
    for _ in range(3, 100):  # if each waited, the test would never end
        ticked.tick()
    assert states(ticked.tick()) == [(MANAGED, "unresponsive"), (ABSENT, "unavailable")]
    managed.thaw()
    told = []
    while (MANAGED, "unconfigured") not in told:
        told += states(ticked.tick(timeout_s=0.3))
    *before, last = [state for node, state in told if node == MANAGED]
    assert last == "unconfigured"
    assert set(before) <= {"unresponsive"}  # ticks are quick, and it may need some to wake up


def test_the_engine_may_say_what_cannot_be_asked(ticked, managed):
    ticked.tick()
    managed.freeze()
    assert states(ticked.tick(silent={MANAGED: "unresponsive"})) == [(MANAGED, "unresponsive")]
    assert states(ticked.tick(silent={MANAGED: "unavailable"})) == [(MANAGED, "unavailable")]
    managed.thaw()
    assert states(ticked.tick()) == [(MANAGED, "unconfigured")]


def test_a_free_world_is_told_of_each_answer_and_of_every_transition(observer, managed):
    process = observer("sim", observe=watching(MANAGED))
    process.match()
    process.watch(lambda samples: (MANAGED, "unconfigured") in states(samples))
    process.match(f"{MANAGED}/transition_event")
    managed.tell("await_listener", topic=f"{MANAGED}/transition_event")
    managed.tell("transition", name="configure")
    managed.tell("transition", name="activate")
    samples = process.watch(
        lambda samples: any(
            s["state"] == "active" and "from" not in s for s in samples if "node" in s
        )
    )
    seen = [(s["from"], s["state"]) for s in of_kind(samples, "lifecycle") if "from" in s]
    assert seen == [
        ("unconfigured", "configuring"),
        ("configuring", "inactive"),
        ("inactive", "activating"),
        ("activating", "active"),
    ]
    process.stop()


def test_a_free_world_is_told_of_a_node_that_falls_silent_and_of_one_that_never_was(
    observer, managed
):
    process = observer("sim", observe=watching(MANAGED, ABSENT))
    process.watch(lambda samples: (MANAGED, "unconfigured") in states(samples))
    managed.freeze()
    samples = process.watch(lambda samples: (MANAGED, "unresponsive") in states(samples))
    assert (ABSENT, "unavailable") in states(samples)
    managed.thaw()
    process.watch(lambda samples: (MANAGED, "unconfigured") in states(samples))
    process.stop()
