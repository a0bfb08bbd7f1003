import numpy as np
import pytest

from fieldproof.observe._watching import TRANSITIONS, TopicWatch

from .messages import TYPES, point, text

MS = 1_000_000
S = 1000 * MS
STRING, POINT = "std_msgs/msg/String", "geometry_msgs/msg/PointStamped"


def watching(**observe):
    watch = TopicWatch(observe, TYPES)
    watch.begin(0)
    return watch


def take(watch, topic, type_name, data, *, now_ns=0, latched=False):
    return list(watch.take(topic, type_name, data, now_ns=now_ns, latched=latched))


def value(field, topic="/t", message_type=None):
    return {"topic": topic, "field": field, "message_type": message_type}


def window(window_ns=2 * S, topic="/t", message_type=None):
    return {"topic": topic, "window_ns": window_ns, "message_type": message_type}


def test_each_watched_field_of_a_message_is_a_sample():
    watch = watching(values=[value("point.x"), value("header.frame_id")])
    assert take(watch, "/t", POINT, point(1, x=2.5)) == [
        {"kind": "value", "topic": "/t", "field": "point.x", "value": 2.5},
        {"kind": "value", "topic": "/t", "field": "header.frame_id", "value": "map"},
    ]


def test_what_nobody_watches_is_not_even_decoded():
    assert take(watching(values=[value("data")]), "/other", STRING, b"no message") == []
    assert take(watching(rates=[window()]), "/t", STRING, b"no message") == []


def test_values_of_a_latched_topic_say_so():
    watch = watching(values=[value("data")])
    [sample] = take(watch, "/t", STRING, text("a"), latched=True)
    assert sample["latched"] is True


def test_a_field_that_is_not_there_is_an_error_for_each_message_that_lacks_it():
    watch = watching(values=[value("date")])
    for _ in range(2):
        [sample] = take(watch, "/t", STRING, text("a"))
        assert (sample["kind"], sample["field"]) == ("field_error", "date")
        assert "it has data" in sample["message"]


def test_the_error_of_a_list_that_is_too_short_says_that_another_message_may_do():
    watch = watching(values=[value("data[5]"), value("date")])
    data = TYPES.encode("std_msgs/msg/UInt8MultiArray", _bytes_message())
    short, missing = take(watch, "/t", "std_msgs/msg/UInt8MultiArray", data)
    assert (short["field"], short.get("short")) == ("data[5]", True)
    assert (missing["field"], missing.get("short")) == ("date", None)


def _bytes_message():
    layout = TYPES.message_class("std_msgs/msg/MultiArrayLayout")(dim=[], data_offset=0)
    kind = TYPES.message_class("std_msgs/msg/UInt8MultiArray")
    return kind(layout=layout, data=np.array([1, 2], dtype=np.uint8))


def test_ages_are_counted_from_the_stamp_to_the_receipt():
    watch = watching(latencies=[window()])
    for n, age_ms in enumerate([10, 30, 20]):
        now_ns = S + n * 100 * MS
        assert take(watch, "/t", POINT, point(now_ns - age_ms * MS), now_ns=now_ns) == []
    assert list(watch.due(2 * S, complete=True)) == [
        {
            "kind": "latency",
            "sim": 2.0,
            "topic": "/t",
            "window_s": 2.0,
            "count": 3,
            "mean_ms": 20.0,
            "max_ms": 30.0,
            "min_ms": 10.0,
            "p95_ms": 30.0,
        }
    ]


def test_a_message_stamped_ahead_of_the_clock_has_an_age_below_zero():
    watch = watching(latencies=[window()])
    take(watch, "/t", POINT, point(S + 5 * MS), now_ns=S)
    [sample] = watch.due(2 * S, complete=True)
    assert (sample["min_ms"], sample["max_ms"]) == (-5.0, -5.0)


def test_a_silent_topic_gives_empty_windows_without_figures():
    [first, second] = watching(latencies=[window()]).due(3 * S, complete=True)
    assert (first["sim"], first["count"], first["p95_ms"]) == (2.0, 0, None)
    assert (second["sim"], second["mean_ms"]) == (3.0, None)


def test_a_message_without_a_header_is_one_error_of_its_stamp():
    watch = watching(latencies=[window()])
    [sample] = take(watch, "/t", STRING, text("a"))
    assert (sample["kind"], sample["field"]) == ("field_error", "header.stamp")
    assert "no header.stamp" in sample["message"]
    assert take(watch, "/t", STRING, text("b")) == []


def test_rates_and_ages_come_by_topic_and_window():
    watch = watching(
        latencies=[window(topic="/a")],
        rates=[window(2 * S, "/b"), window(2 * S, "/a"), window(S, "/b")],
    )
    take(watch, "/b", STRING, text("x"), now_ns=3 * S // 2)
    due = [
        (s["kind"], s["topic"], s["window_s"], s["sim"]) for s in watch.due(2 * S, complete=True)
    ]
    assert due == [
        ("rate", "/a", 2.0, 2.0),
        ("rate", "/b", 1.0, 1.0),
        ("rate", "/b", 1.0, 2.0),
        ("rate", "/b", 2.0, 2.0),
        ("latency", "/a", 2.0, 2.0),
    ]
    assert watch.hz == {"/a": 0.0, "/b": 0.5}


def test_a_topic_of_another_type_than_the_scenario_says_is_an_error_and_still_counted():
    watch = watching(
        values=[value("data", message_type=POINT)],
        latencies=[window(message_type=POINT)],
        rates=[window(message_type=POINT)],
    )
    errors = take(watch, "/t", STRING, text("a"), now_ns=S)
    assert [(s["kind"], s["field"]) for s in errors] == [
        ("field_error", "data"),
        ("field_error", "header.stamp"),
    ]
    assert errors[0]["message"] == f"/t carries {STRING}, not {POINT} as the scenario says"
    assert take(watch, "/t", STRING, text("b"), now_ns=S) == []
    assert next(watch.due(2 * S, complete=True))["messages"] == 2


def test_bytes_that_are_no_such_message_are_one_error():
    watch = watching(values=[value("point.x")], latencies=[window()])
    errors = take(watch, "/t", POINT, point(1)[:10])
    assert {s["field"] for s in errors} == {"point.x", "header.stamp"}
    assert take(watch, "/t", POINT, point(1)[:10]) == []


def test_a_transition_is_a_state_of_its_node():
    watch = watching(lifecycles=[{"node": "/ugv1/planner"}])
    state = "lifecycle_msgs/msg/State"
    states = [TYPES.message_class(state)(n, label) for n, label in ((2, "inactive"), (3, "active"))]
    nothing = TYPES.message_class("lifecycle_msgs/msg/Transition")(0, "")
    event = TYPES.message_class("lifecycle_msgs/msg/TransitionEvent")(0, nothing, *states)
    data = TYPES.encode("lifecycle_msgs/msg/TransitionEvent", event)
    topic = "/ugv1/planner" + TRANSITIONS
    assert take(watch, topic, "lifecycle_msgs/msg/TransitionEvent", data) == [
        {"kind": "lifecycle", "node": "/ugv1/planner", "state": "active", "from": "inactive"}
    ]


@pytest.mark.parametrize("before", [0, S])
def test_what_arrived_before_counting_began_is_in_no_window(before):
    watch = TopicWatch({"rates": [window()]}, TYPES)
    take(watch, "/t", STRING, text("a"), now_ns=before)
    watch.begin(before)
    assert [s["messages"] for s in watch.due(before + 2 * S, complete=True)] == [0]
