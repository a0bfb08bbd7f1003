"""A stream that passes and one that fails for each built-in type."""

from fieldproof.assertions.conformance import Case

from .streams import (
    ODOM,
    action,
    assertion,
    at,
    clock,
    contact,
    end,
    field_error,
    latency,
    lifecycle,
    no_stamp,
    pose,
    rate,
    resource,
    start,
    value,
)

SQUARE = {"polygon": [[-1, -1], [5, -1], [5, 5], [-1, 5]]}
SIGNALS = {"x": {"metric": "x"}, "v": {"topic": ODOM, "field": "v"}, "r": {"metric": "rtf"}}


def driven(speed=1.0, seconds=6, stop=None):
    """A vehicle on its way along x, with everything that the types look at, twice a second."""
    samples = [value(-1, 0.5), pose(-1, -speed), start()]
    for tick in range(seconds * 2 + 1):
        t = tick / 2
        if t == 0.5:
            samples.append(action(t, "started"))
        x = speed * (t if stop is None else min(t, stop))
        samples += [pose(t, x), pose(t, 5.5, 5.5, model="ugv2"), value(t, speed)]
        if t == 3.5:
            samples.append(action(t, "finished", "ok"))
        if t and t % 1 == 0:
            samples += [
                clock(t), rate(t, 10.0 * speed, 2), latency(t, 40.0 * speed),
                resource(t, 50.0 * speed, 100.0 * speed),
                lifecycle(t, "active" if t >= 2 else "inactive"),
            ]  # fmt: skip
    return [*samples, end(seconds)]


def until(t, samples=None):
    """What a stream has before a time."""
    return [one for one in samples or SLOW if one.sim < at(t)]


SLOW, FAST = driven(0.8), driven(2.0)
OTHERS = (assertion("reach_pose", "first", vehicle="ugv1", target={"x": 4.0, "y": 0.0}),)


def pair(kind, good=SLOW, bad=FAST, others=(), **spec):
    one = assertion(kind, **spec)
    return [
        Case(f"{kind} passes", one, good, "passed", others),
        Case(f"{kind} fails", one, bad, "failed", others),
    ]


CASES = {
    "reach_pose": pair(
        "reach_pose", FAST, SLOW, vehicle="ugv1", target={"frame": "gate"}, within_s=4
    ),
    "within_time": pair(
        "within_time", bad=[*until(3), clock(9), end(9)], action="drive", max_s=3.5
    ),
    "topic_rate": pair("topic_rate", topic="/scan", min_hz=5, max_hz=15, window_s=2),
    "no_collision": pair(
        "no_collision", bad=[*until(1), contact(1), *SLOW[-9:]], vehicle="ugv1", ignore=["floor"]
    ),
    "topic_value": pair(
        "topic_value", topic="odom", vehicle="ugv1", field="v", condition="value < 1"
    ),
    "geofence": pair("geofence", vehicle="ugv1", region=SQUARE, within_s=5.5),
    "min_distance": pair(
        "min_distance", bad=[*until(1), pose(1, 5.0, 5.0), *SLOW[-9:]],
        vehicle="ugv1", to={"vehicle": "ugv2"}, min_m=2,
    ),
    "path_efficiency": pair(
        "path_efficiency", vehicle="ugv1", action="drive", target={"x": 3.0, "y": 0.0},
        min_ratio=0.6, max_path_m=4,
    ),
    "mission_time": pair(
        "mission_time", bad=[*until(1), action(1, "finished", "failed"), *SLOW[-9:]],
        start="drive", end="drive", max_s=4, min_s=1,
    ),
    "message_latency": [
        *pair("message_latency", topic="odom", vehicle="ugv1", max_ms=60, statistic="max"),
        Case(
            "message_latency without stamps",
            assertion("message_latency", topic="odom", vehicle="ugv1", max_ms=60),
            [*until(1), no_stamp(1), *SLOW[-9:]],
            "failed",
        ),
    ],
    "sequence": pair(
        "sequence", bad=[*until(2), end(6)], vehicle="ugv1", others=OTHERS, max_gap_s=4,
        steps=[
            {"action": "drive", "event": "started"},
            {"topic": "odom", "field": "v", "condition": "value > 0.5"},
            {"metric": "x", "condition": "value > 2", "name": "halfway"},
            {"assertion": "first"},
        ],
    ),
    "resource_usage": pair(
        "resource_usage", vehicle="ugv1", max_cpu_pct=60, max_memory_mb=190, window_s=3
    ),
    "lifecycle_state": [
        *pair(
            "lifecycle_state", bad=[*SLOW[:-1], lifecycle(6, "unavailable"), end(6)],
            vehicle="ugv1", node="driver", state="active", mode="always", after_s=2,
        ),
        *pair("lifecycle_state", vehicle="ugv1", node="driver", state="active")[:1],
    ],
    "always": pair("always", vehicle="ugv1", signals=SIGNALS, condition="v < 1 and x < 9 and r == 1"),
    "never": pair("never", vehicle="ugv1", signals=SIGNALS, condition="v >= 1 and x > r - 99"),
    "eventually": [
        *pair(
            "eventually", driven(2.0, stop=2), SLOW, vehicle="ugv1", after_s=1, within_s=5.5,
            signals={"x": {"metric": "x"}}, condition="x > 3.9", for_s=2,
        ),
        *pair(
            "eventually", SLOW, [*until(1), field_error(1), *SLOW[-9:]], vehicle="ugv1",
            signals={"v": {"topic": "odom", "field": "v"}}, condition="v > 0.7", after_s=2,
        ),
    ],
}  # fmt: skip
