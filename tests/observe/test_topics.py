"""Subscriptions to real publishers: what they can give, what they lose, and how old it is."""

import os
import signal

import pytest

pytest.importorskip(
    "rclpy", reason="not proved without ROS: that publishers of every kind are heard"
)

from tests.observe.peer import TICK_NS, of_kind

pytestmark = pytest.mark.ros
STRING, POINT = "std_msgs/msg/String", "geometry_msgs/msg/PointStamped"


def values(topic, field="data"):
    return {"values": [{"topic": topic, "field": field, "message_type": None}]}


@pytest.fixture(scope="module")
def talker(node):
    return node("talker")


@pytest.fixture
def free(observer):
    """Start observers of worlds that run free."""
    started = []

    def start(**observe):
        started.append(observer("sim", observe=observe))
        return started[-1]

    yield start
    for process in started:
        process.stop()


def stop(process):
    os.kill(process.pid, signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)


def test_a_publisher_that_offers_less_than_the_first_is_heard_as_well(free, talker, node):
    process = free(**values("/mixed"))
    talker.tell("advertise", topic="/mixed", type=STRING, latched=True)
    talker.tell("publish", topic="/mixed", fields={"data": "latched"}, heard=False)
    process.watch(lambda samples: [s["value"] for s in of_kind(samples, "value")] == ["latched"])
    other = node("other")
    other.tell("advertise", topic="/mixed", type=STRING, reliable=False)

    def heard(samples):
        other.tell("publish", topic="/mixed", fields={"data": "weak"}, heard=False)
        return "weak" in [s["value"] for s in of_kind(samples, "value")]

    process.watch(heard)
    talker.tell("publish", topic="/mixed", fields={"data": "strong"})
    process.watch(lambda samples: "strong" in [s["value"] for s in of_kind(samples, "value")])


def test_what_a_publisher_that_outruns_us_loses_is_counted(free, talker):
    process = free(**values("/flood"))
    talker.tell("advertise", topic="/flood", type=STRING, depth=10)
    process.match("/flood")
    process.call("release")
    stop(process.process)
    talker.tell("publish", topic="/flood", fields={"data": "many"}, count=20_000, heard=False)
    process.process.send_signal(signal.SIGCONT)
    talker.tell("publish", topic="/flood", fields={"data": "last"})
    samples = process.watch(lambda samples: "last" in [s.get("value") for s in samples])
    taken = len(of_kind(samples, "value"))
    account = process.call("finish")["topics"]["/flood"]
    assert account == {"messages": taken, "lost": 20_001 - taken}
    assert account["lost"] > 0


def test_a_publisher_that_never_pauses_cannot_keep_the_observer_from_answering(free, talker):
    process = free(**values("/endless"))
    talker.tell("advertise", topic="/endless", type=STRING, depth=10)
    process.match("/endless")
    process.call("release")
    talker.send("publish", topic="/endless", fields={"data": "x"}, count=100_000, heard=False)
    taken = 0
    while taken < 2_000:
        taken += len(of_kind(process.collect()["samples"], "value"))
    talker.receive()
    talker.tell("publish", topic="/endless", fields={"data": "last"})
    samples = process.watch(lambda samples: "last" in [s.get("value") for s in samples])
    account = process.call("finish")["topics"]["/endless"]
    assert account["messages"] == taken + len(of_kind(samples, "value"))
    assert account["messages"] + account["lost"] == 100_001


def test_a_topic_of_two_types_is_a_fault_that_the_next_request_is_told(free, talker, node):
    process = free(**values("/twofold"))
    talker.tell("advertise", topic="/twofold", type=STRING)
    node("quarreller").tell("advertise", topic="/twofold", type=POINT)
    reply = {"ok": True}
    while reply["ok"]:
        reply = process.ask("collect", goals=[], calls=[], side=[], timeout_s=1.0)
    assert reply["code"] == "topic"
    assert POINT in reply["message"]
    assert STRING in reply["message"]


def test_in_lockstep_a_message_is_as_old_as_the_tick_that_it_arrives_in(observer, node):
    stamped = node("stamped")
    stamped.tell("advertise", topic="/stamped", type=POINT)
    window = {"topic": "/stamped", "window_ns": 10**9, "message_type": None}
    process = observer("lockstep", observe={"latencies": [window]})
    process.match("/stamped")
    process.call("release")
    samples = []
    for tick in range(1, 21):
        stamp = {"sec": 0, "nanosec": tick * TICK_NS - tick * 1_000_000}
        stamped.tell("publish", topic="/stamped", fields={"header": {"stamp": stamp}})
        samples += process.tick()["samples"]
    [latency] = of_kind(samples, "latency")
    assert {key: latency[key] for key in ("sim", "count", "min_ms", "max_ms", "mean_ms")} == {
        "sim": 1.0,
        "count": 20,
        "min_ms": 1.0,
        "max_ms": 20.0,
        "mean_ms": 10.5,
    }
    assert latency["p95_ms"] == 19.0


def test_latched_messages_from_before_the_first_tick_are_values_that_say_so(observer, node):
    early = node("early")
    early.tell("advertise", topic="/early", type=STRING, latched=True)
    early.tell("publish", topic="/early", fields={"data": "was there"}, heard=False)
    process = observer("lockstep", observe=values("/early"))
    process.match("/early")
    process.call("release")
    [sample] = of_kind(process.tick()["samples"], "value")
    assert (sample["value"], sample["latched"], sample["sim"]) == ("was there", True, 0.0)


def test_a_publisher_that_others_know_of_is_waited_for_and_connected(observer, node):
    process = observer("lockstep", observe=values("/rare"))

    def behind(**known):
        asked = {"topics": [], "required": [], "heard": [], "timeout_s": 30.0}
        return process.call("match", known={f"/{topic}": n for topic, n in known.items()}, **asked)

    assert behind(rare=1)["behind"] == ["/rare"]  # it may have gone: whoever asks finds out
    assert behind(not_wanted=3)["behind"] == []
    rare = node("rare")
    rare.tell("advertise", topic="/rare", type=STRING)
    while (answer := behind(rare=1))["behind"]:
        assert answer["behind"] == ["/rare"]
    assert answer["unmatched"] == []
    process.call("release")
    rare.tell("publish", topic="/rare", fields={"data": "once"})
    [sample] = of_kind(process.tick(arrivals={"/rare": 1})["samples"], "value")
    assert sample["value"] == "once"
