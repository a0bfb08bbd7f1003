"""Each driving assertion by hand-made frames, and the counts of them."""

import math

import pytest

from fieldproof.driving.evidence import episode_samples
from fieldproof.driving.files import ASSERTION_SPECS
from fieldproof.driving.judge import AssertionMonitor, summary
from fieldproof.driving.loading import load_scenario
from fieldproof.model import validated
from tests.driving.builders import scenario_data, written


def spec(kind, **fields):
    return validated(ASSERTION_SPECS[kind], {"name": "it", "type": kind, **fields})


def frame(index, *, speed=0.0, actors=(), events=(), ego=None):
    return {
        "t": (index + 1) / 10,
        "frame_index": index,
        "ego": {"x": 0.0, "y": 0.0, "yaw": 0.0, "speed": speed, **(ego or {})},
        "actors": [
            {"id": f"a{n}", "type": kind, "x": x, "y": 0.0, "z": 0.0, "yaw": 0.0, "speed": 0.0}
            for n, (kind, x) in enumerate(actors)
        ],
        "action": {},
        "events": list(events),
    }


def judged(one, frames):
    monitor = AssertionMonitor([one], frame(-1))
    for each in frames:
        monitor.take(each)
    (entry,) = monitor.results(completed=True)
    return entry


def verdict(one, frames):
    entry = judged(one, frames)
    return entry["status"], entry["actual"], entry["expected"]


BROKEN_OFF = [
    ("no_collision", {}, "not_applicable"),
    ("min_distance", {"threshold": 1}, "not_applicable"),
    ("min_distance", {"threshold": 1, "actor_type": "van"}, "fail"),
    ("min_distance", {"threshold": 9}, "fail"),
    ("max_speed", {"max_speed": 5}, "not_applicable"),
    ("max_speed", {"max_speed": 1}, "fail"),
    ("max_speed_when_actor_near", {"distance": 9, "max_speed": 5}, "not_applicable"),
    ("goal_reached", {}, "fail"),
]


@pytest.mark.parametrize(("kind", "fields", "status"), BROKEN_OFF)
def test_an_assertion_of_an_episode_that_broke_off_fails_or_is_undecided(kind, fields, status):
    monitor = AssertionMonitor([spec(kind, **fields)], frame(-1, actors=[("car", 4.0)]))
    monitor.take(frame(0, speed=2.0, actors=[("car", 4.0)]))
    (entry,) = monitor.results(completed=False)
    assert (entry["status"], entry["passed"]) == (status, False if status == "fail" else None)
    if status == "not_applicable":
        assert "undecided when the episode broke off after 0.1 s" in entry["message"]


@pytest.mark.parametrize(("kind", "fields", "_status"), BROKEN_OFF)
def test_an_assertion_of_an_episode_without_frames_never_passes(kind, fields, _status):
    monitor = AssertionMonitor([spec(kind, **fields)], frame(-1, actors=[("car", 4.0)]))
    (entry,) = monitor.results(completed=False)
    assert entry["status"] in {"fail", "not_applicable"}
    assert entry["actual"] in {None, False}
    assert summary([entry])["passed"] == 0


COLLISION = {"type": "collision", "actor_id": "a0", "actor_type": "pedestrian"}


CROWD = [("car", 3.0), ("pedestrian", 9.0), ("pedestrian", 2.0)]


@pytest.mark.parametrize(
    ("one", "whom"),
    [
        (spec("min_distance", threshold=5), "a2"),
        (spec("min_distance", threshold=5, actor_type="car"), "a0"),
        (spec("min_distance", threshold=5, actor_type="van"), None),
        (spec("max_speed_when_actor_near", distance=9, max_speed=1), "a2"),
        (spec("max_speed_when_actor_near", distance=9, max_speed=1, actor_type="car"), "a0"),
        (spec("no_collision"), "a0"),
        (spec("no_collision", actor_type="car"), None),
        (spec("max_speed", max_speed=1), None),
        (spec("goal_reached"), None),
    ],
)
def test_an_assertion_that_failed_names_the_actor_with_whom_it_first_did(one, whom):
    frames = [
        frame(0, actors=[("car", 30.0), ("pedestrian", 30.0), ("pedestrian", 30.0)]),
        frame(1, speed=2, actors=CROWD, events=[COLLISION]),
        frame(2, speed=2, actors=[("car", 1.0), ("pedestrian", 0.5), ("pedestrian", 9.0)]),
    ]
    assert judged(one, frames)["actor_id"] == whom


def test_no_collision_counts_those_of_its_type():
    frames = [frame(0, events=[COLLISION])]
    assert verdict(spec("no_collision"), frames) == ("fail", 1, "== 0")
    assert verdict(spec("no_collision", actor_type="pedestrian"), frames)[0] == "fail"
    assert verdict(spec("no_collision", actor_type="vehicle"), frames) == ("pass", 0, "== 0")
    assert verdict(spec("no_collision"), [frame(0)]) == ("pass", 0, "== 0")


@pytest.mark.parametrize(
    ("nearest", "status"), [(1.5, "pass"), (math.nextafter(1.5, 0), "fail"), (9.0, "pass")]
)
def test_min_distance_holds_at_its_threshold(nearest, status):
    frames = [frame(0, actors=[("pedestrian", 9.0)]), frame(1, actors=[("pedestrian", nearest)])]
    one = spec("min_distance", actor_type="pedestrian", threshold=1.5)
    assert verdict(one, frames) == (status, min(9.0, nearest), ">= 1.5")


def test_min_distance_fails_when_no_actor_of_the_type_is_observed():
    one = spec("min_distance", actor_type="pedestrian", threshold=1.5)
    entry = judged(one, [frame(0, actors=[("vehicle", 0.1)])])
    assert (entry["status"], entry["passed"], entry["actual"]) == ("fail", False, None)
    assert entry["message"] == "it fail: no pedestrian was observed, expected >= 1.5"


def test_min_distance_is_in_space_for_what_flies():
    up = {"z": 10.0, "altitude": 10.0}
    frames = [frame(0, actors=[("tower", 0.0)], ego=up)]
    assert verdict(spec("min_distance", threshold=5), frames)[:2] == ("pass", 10.0)


@pytest.mark.parametrize("key", ["max_speed", "threshold"])
@pytest.mark.parametrize(("speed", "status"), [(3.0, "pass"), (math.nextafter(3.0, 4.0), "fail")])
def test_max_speed_holds_at_its_limit(key, speed, status):
    one = spec("max_speed", **{key: 3})
    assert verdict(one, [frame(0, speed=speed), frame(1)]) == (status, speed, "<= 3")


def near(**fields):
    base = {"actor_type": "pedestrian", "distance": 10, "max_speed": 2.0}
    return spec("max_speed_when_actor_near", **{**base, **fields})


@pytest.mark.parametrize(
    ("away", "speed", "status", "actual"),
    [
        (10.0, 2.0, "pass", 2.0),
        (10.0, math.nextafter(2.0, 3.0), "fail", math.nextafter(2.0, 3.0)),
        (math.nextafter(10.0, 11.0), 20.0, "pass", None),
    ],
)
def test_speed_near_an_actor_counts_up_to_the_distance(away, speed, status, actual):
    frames = [frame(0, speed=speed, actors=[("pedestrian", away)])]
    assert verdict(near(), frames) == (status, actual, "<= 2")


def test_speed_near_an_actor_is_not_applicable_without_one_of_the_type():
    entry = judged(near(), [frame(0, speed=20.0, actors=[("vehicle", 1.0)])])
    assert (entry["status"], entry["passed"]) == ("not_applicable", None)
    assert entry["message"] == "it not_applicable: no pedestrian was observed, expected <= 2"


def test_speed_near_an_actor_passes_when_one_is_there_and_never_near():
    entry = judged(near(), [frame(0, speed=20.0, actors=[("pedestrian", 50.0)])])
    assert (entry["status"], entry["passed"], entry["actual"]) == ("pass", True, None)


def test_the_goal_is_reached_by_the_event_of_it():
    reached = [frame(0), frame(1, events=[{"type": "goal_reached"}]), frame(2)]
    assert verdict(spec("goal_reached"), reached) == ("pass", True, "true")
    assert verdict(spec("goal_reached"), reached[:1]) == ("fail", False, "true")


def test_a_failure_says_where_it_began():
    frames = [frame(0, speed=1), frame(1, speed=5), frame(2, speed=9)]
    entry = judged(spec("max_speed", max_speed=4), frames)
    assert (entry["timestamp"], entry["frame_index"], entry["actual"]) == (0.2, 1, 9)
    assert entry["message"].startswith("it fail: actual 9, expected <= 4 (first violated after ")
    fine = judged(spec("max_speed", max_speed=9), frames)
    assert (fine["timestamp"], fine["frame_index"]) == (None, None)


@pytest.mark.parametrize("kind", sorted(ASSERTION_SPECS))
def test_an_episode_without_a_frame_is_judged(kind):
    fields = {"min_distance": {"threshold": 1}, "max_speed": {"max_speed": 1}}
    fields["max_speed_when_actor_near"] = {"distance": 1, "max_speed": 1}
    entry = judged(spec(kind, **fields.get(kind, {})), [])
    expected = {
        "no_collision": "pass",
        "min_distance": "fail",
        "max_speed": "pass",
        "max_speed_when_actor_near": "not_applicable",
        "goal_reached": "fail",
    }
    assert entry["status"] == expected[kind]


def test_what_is_not_applicable_counts_in_the_total_only():
    entries = [
        {"status": "pass", "severity": "high"},
        {"status": "fail", "severity": "critical"},
        {"status": "fail", "severity": "high"},
        {"status": "fail", "severity": "medium"},
        {"status": "fail", "severity": "low"},
        {"status": "not_applicable", "severity": "critical"},
    ]
    assert summary(entries) == {
        "total": 6,
        "passed": 1,
        "failed": 4,
        "blocking_failed": 2,
        "not_applicable": 1,
    }


def robot(folder, *assertions):
    return load_scenario(written(folder, scenario_data(assertions=list(assertions)))).assertions


def test_an_assertion_of_a_robot_scenario_judges_the_frames(tmp_path):
    target = {"x": 3.0, "y": 0.0}
    there = {"name": "there", "type": "reach_pose", "vehicle": "ego", "target": target}
    slow = {"name": "slow", "type": "topic_value", "vehicle": "ego", "topic": "state"}
    slow |= {"field": "speed", "condition": "value < 4", "severity": "medium"}
    drives = {"name": "drives", "type": "within_time", "action": "drive", "max_s": "5s"}
    touches = {"name": "touches", "type": "robot.no_collision", "vehicle": "ego"}
    monitor = AssertionMonitor(robot(tmp_path, there, slow, drives, touches), frame(-1))
    frames = [frame(n, speed=2.0 * n, ego={"x": 1.0 * n}) for n in range(4)]
    frames[2]["events"].append({**COLLISION})
    frames[3]["events"].append({"type": "goal_reached"})
    for one in frames:
        monitor.take(one)
    entries = {one["name"]: one for one in monitor.results(completed=True)}
    assert {name: one["status"] for name, one in entries.items()} == {
        "there": "pass",
        "slow": "fail",
        "drives": "pass",
        "touches": "fail",
    }
    assert (entries["slow"]["timestamp"], entries["slow"]["frame_index"]) == (0.3, 2)
    assert (entries["touches"]["type"], entries["slow"]["severity"]) == (
        "robot.no_collision",
        "medium",
    )


def test_an_actor_that_the_frames_no_longer_have_is_gone():
    there, away = [("vehicle", 9.0), ("vehicle", 5.0)], [("vehicle", 9.0)]
    frames = [frame(0, actors=there), frame(1, actors=away), frame(2, actors=away)]
    told = list(episode_samples(frame(-1, actors=there), frames, completed=True))
    gone = [(one.sim, one.data["model"]) for one in told if one.kind == "gone"]
    assert gone == [(0.2, "a1")]
    after = next(place for place, one in enumerate(told) if one.kind == "gone")
    assert {one.sim for one in told[after:]} == {0.2, 0.3}


def test_what_a_robot_assertion_left_undecided_has_failed(tmp_path):
    target = {"x": 3.0, "y": 0.0}
    there = {"name": "there", "type": "reach_pose", "vehicle": "ego", "target": target}
    monitor = AssertionMonitor(robot(tmp_path, there), frame(-1))
    monitor.take(frame(0))
    (entry,) = monitor.results(completed=False)
    assert entry["status"] == "fail"
    assert "the run ended before it was decided" in entry["message"]


def test_a_distance_is_the_smallest_since_the_frame_before():
    one = spec("min_distance", actor_type="car", threshold=1.5)
    frames = [frame(0, actors=[("car", 15.0)]), frame(1, actors=[("car", -15.0)])]
    entry = judged(one, frames)
    assert (entry["status"], entry["actual"], entry["frame_index"]) == ("fail", 0.0, 1)
    slow = spec("max_speed_when_actor_near", actor_type="car", distance=2, max_speed=1)
    assert judged(slow, [frames[0], frame(1, speed=9.0, actors=[("car", -15.0)])])["status"] == (
        "fail"
    )


def test_an_assertion_that_failed_says_when_first_and_when_worst_each_with_its_figure():
    frames = [frame(index, speed=speed) for index, speed in enumerate([1.0, 5.4, 9.39, 3.0])]
    entry = judged(spec("max_speed", max_speed=2), frames)
    assert (entry["timestamp"], entry["frame_index"]) == (0.2, 1)
    assert (entry["actual"], entry["actual_timestamp"]) == (9.39, 0.3)
    assert entry["message"] == (
        "it fail: actual 9.39, expected <= 2 (first violated after 0.2 s, with 5.4; "
        "9.39 after 0.3 s)"
    )


def test_an_assertion_that_was_worst_when_it_was_first_violated_says_one_time():
    entry = judged(spec("max_speed", max_speed=2), [frame(0, speed=5.4), frame(1)])
    assert (entry["timestamp"], entry["actual_timestamp"]) == (0.1, 0.1)
    assert entry["message"].endswith("actual 5.4, expected <= 2 (first violated after 0.1 s)")


@pytest.mark.parametrize(
    ("speed", "text"),
    [(15.469999999999988, "15.47"), (math.nextafter(2.0, 3.0), "2.0000000000000004")],
    ids=["rounded", "not to the limit"],
)
def test_a_figure_is_rounded_in_the_message_but_never_to_the_limit(speed, text):
    entry = judged(spec("max_speed", max_speed=2), [frame(0, speed=speed)])
    assert f": actual {text}, expected <= 2" in entry["message"]
    assert entry["actual"] == speed
