"""Messages that an operator sends, to real nodes."""

import msgpack
import pytest

pytest.importorskip("rclpy", reason="not proved without ROS: that an operator's message is heard")

from tests.observe.peer import of_kind

pytestmark = pytest.mark.ros
VALUES = {"values": [{"topic": "/say", "field": "data", "message_type": None}]}


@pytest.fixture(scope="module")
def listener(node):
    process = node("listener")
    process.tell("subscribe", topic="/say", type="std_msgs/msg/String")
    return process


def say(operator, text, topic="/say"):
    operator.call(
        "publish",
        topic=topic,
        message_type="std_msgs/msg/String",
        fields={"data": text},
        timeout_s=20.0,
    )


@pytest.fixture(scope="module")
def operator(observer, listener):
    process = observer("lockstep", observe=VALUES)
    process.call("release")
    while not listener.tell("heard", topic="/say"):
        say(process, "are you there?")  # before the first tick of a run, everybody knows everybody
    say(process, "then listen")
    while "then listen" not in listener.tell("heard", topic="/say")[-1]:
        pass
    return process


def test_a_message_is_with_its_subscribers_before_the_answer_and_counts_at_once(operator, listener):
    before = operator.tick()
    heard = len(listener.tell("heard", topic="/say"))
    say(operator, "a")
    say(operator, "b")
    assert listener.tell("heard", topic="/say", at_least=heard + 2)[heard:] == [
        "std_msgs.msg.String(data='a')",
        "std_msgs.msg.String(data='b')",
    ]
    samples = of_kind(operator.tick()["samples"], "value")
    assert [(s["value"], s["sim"]) for s in samples] == [
        ("a", before["time_ns"] / 1e9),
        ("b", before["time_ns"] / 1e9),
    ]


def test_a_topic_that_an_operator_made_is_not_late_and_loses_nothing(observer):
    operator = observer("lockstep", observe={"rates": [{"topic": "/new", "window_ns": 10**9}]})
    operator.call("release")
    operator.tick()
    say(operator, "a", topic="/new")
    operator.tick()
    account = operator.call("finish")
    assert account["late"] == []
    assert account["topics"] == {"/new": {"messages": 1, "lost": 0}}


@pytest.mark.parametrize(
    ("topic", "message_type", "fields", "refusal"),
    [
        ("/say", "std_msgs/msg/String", {"text": "a"}, ("bad_request", "no field text")),
        ("/say", "std_msgs/msg/Bool", {}, ("bad_request", "carries std_msgs/msg/String")),
        ("/say", "std_msgs/msg/Strin", {"data": "a"}, ("topic", "not installed")),
        ("/say", "std_msgs/String", {"data": "a"}, ("topic", "not installed")),
        ("/other", "no_msgs/msg/Thing", {}, ("topic", "no_msgs/msg/Thing is not installed")),
        ("/a b", "std_msgs/msg/String", {}, ("bad_request", "cannot be published on")),
        ("say", "std_msgs/msg/String", {}, ("bad_request", "must be absolute, such as /say")),
        (
            "/deep",
            "std_msgs/msg/Float32",
            {"data": 1e300},
            ("bad_request", "at most 3.4028235e+38"),
        ),
    ],
)
def test_what_cannot_be_sent_is_refused_with_the_topic(
    operator, topic, message_type, fields, refusal
):
    say(operator, "before")
    reply = operator.ask(
        "publish", topic=topic, message_type=message_type, fields=fields, timeout_s=5.0
    )
    code, said = refusal
    assert (reply["ok"], reply["code"]) == (False, code)
    assert topic in reply["message"]
    assert said in reply["message"]


def test_a_topic_of_a_node_is_not_published_with_another_type(counted):
    process, speaker = counted
    for message_type in ("std_msgs/msg/Bool", "geometry_msgs/msg/Twist", "std_msgs/msg/Bool"):
        reply = process.ask(
            "publish", topic="/counted", message_type=message_type, fields={}, timeout_s=5.0
        )
        assert (reply["ok"], reply["code"]) == (False, "bad_request")
        assert reply["message"] == f"/counted carries std_msgs/msg/String, not {message_type}"
    speaker.tell("publish", topic="/counted", fields={"data": "goes on"})
    told = process.tick(arrivals={"/counted": 1})["samples"]
    assert [s["value"] for s in of_kind(told, "value")] == ["goes on"]


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        (b"\xc1", "bad_request"),
        (b"", "bad_request"),
        (msgpack.packb(["hello"]), "unknown_op"),
        (msgpack.packb({"op": "fly"}), "unknown_op"),
        (msgpack.packb({"op": ["hello"]}), "internal"),
        (msgpack.packb({"op": "publish", "topic": "/say"}), "internal"),
        (msgpack.packb({"op": "navigate_cancel", "id": "nobody's", "timeout_s": 1.0}), "internal"),
        (msgpack.packb({"op": "lifecycle", "node": "/a b", "timeout_s": 1.0}), "internal"),
    ],
)
def test_no_request_ends_the_observer(operator, payload, code):
    reply = operator.ask.raw(payload)
    assert (reply["ok"], reply["code"]) == (False, code)
    assert reply["message"]
    operator.tick()


@pytest.fixture(scope="module")
def counted(observer, node):
    """An observer of a topic that one node publishes, and that node."""
    values = {"values": [{"topic": "/counted", "field": "data", "message_type": None}]}
    process, speaker = observer("lockstep", observe=values), node("speaker")
    speaker.tell("advertise", topic="/counted", type="std_msgs/msg/String")
    process.match("/counted")
    process.call("release")
    return process, speaker


def test_messages_that_bridges_count_are_waited_for(counted):
    process, speaker = counted
    speaker.send("publish", topic="/counted", fields={"data": "a"}, count=200)
    samples = process.tick(arrivals={"/counted": 200, "/nobody_watches": 5})["samples"]
    assert len(of_kind(samples, "value")) == 200
    speaker.receive()


def test_messages_that_never_come_are_named_with_how_many_did(counted):
    process, speaker = counted
    speaker.tell("publish", topic="/counted", fields={"data": "a"})
    reply = process.ask(
        "collect",
        goals=[],
        calls=[],
        side=[],
        timeout_s=0.5,
        time_ns=1,
        frames={},
        arrivals={"/counted": 3},
    )
    assert (reply["ok"], reply["code"]) == (False, "topic")
    assert "/counted: 1 of 3" in reply["message"]
