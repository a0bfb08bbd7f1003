import json
import math

import pytest
from jsonschema import Draft202012Validator

from fieldproof.kpis import CollectorType, Rate, kpi_registry, kpi_types
from fieldproof.kpis._registry import BUILT_IN
from fieldproof.model import KpiBase, ScenarioError
from tests.assertions.streams import (
    action,
    assertion,
    clock,
    collector,
    end,
    evaluator,
    field_error,
    latency,
    measured,
    pose,
    rate,
    resource,
    start,
    value,
)

WINDOW = {"after_s": 1, "within_s": 3}


@pytest.mark.parametrize(
    ("one", "samples", "metrics"),
    [
        (
            collector("path", vehicle="ugv1", action="drive", target={"x": 4, "y": 0}),
            [pose(0, 9.0), action(1, "started"), pose(1, 0.0), pose(2, 0.0, 3.0), pose(4, 4.0),
             action(4, "finished", "ok"), pose(5, 9.0)],
            {"path_m": 8.0, "straight_m": 4.0, "efficiency": 0.5, "max_speed_mps": 3.0,
             "mean_speed_mps": 2.666667},
        ),
        (
            collector("path", vehicle="ugv1", **WINDOW),
            [pose(t, float(t)) for t in range(6)],
            {"path_m": 2.0, "straight_m": 2.0, "efficiency": 1.0, "max_speed_mps": 1.0,
             "mean_speed_mps": 1.0},
        ),
        (collector("mission_time"), [clock(3)], {"duration_s": 9.0}),
        (
            collector("mission_time", start="drive", end="back"),
            [action(1, "started"), action(5, "finished", "ok", label="back")],
            {"duration_s": 4.0},
        ),
        (
            collector("distance", vehicle="ugv1", to={"vehicle": "ugv2"}, **WINDOW),
            [pose(0, 0.0), pose(0, 1.0, model="ugv2"), pose(1, 0.0), pose(1, 7.0, model="ugv2"),
             pose(2, 4.0), pose(2, 7.0, model="ugv2"), pose(3, 2.0), pose(9, 7.0)],
            {"closest_m": 3.0, "closest_at_s": 2.0, "final_m": 5.0},
        ),
        (
            collector("distance", vehicle="ugv1", to={"target": {"frame": "gate"}}),
            [pose(1, 1.0), pose(2, 3.5), pose(3, 3.0), end(9)],
            {"closest_m": 0.5, "closest_at_s": 2.0, "final_m": 1.0},
        ),
        (
            collector("rate", topic="/scan", window_s=2, after_s=1),
            [rate(2, 9.0, 2), rate(3, 10.0, 2), rate(4, 4.0, 2), rate(5, 7.0, 2), rate(5, 1.0, 9)],
            {"mean_hz": 7.0, "lowest_hz": 4.0, "highest_hz": 10.0, "messages": 34},
        ),
        (
            collector("latency", topic="odom", vehicle="ugv1"),
            [latency(2, 5.0, max_ms=9.0), latency(3, 7.0), latency(4, 1.0, mean_ms=3.0),
             latency(5, 0.0, count=0)],
            {"p95_ms": 7.0, "max_ms": 9.0, "mean_ms": 4.0, "messages": 200},
        ),
        (
            collector("resources", vehicle="ugv1", after_s=2),
            [resource(1, 900.0, 900.0), resource(2, 10.0, 100.0), resource(3, 30.0, 110.0),
             resource(3, 999.0, role="bridge")],
            {"peak_cpu_pct": 30.0, "mean_cpu_pct": 20.0, "peak_memory_mb": 110.0,
             "mean_memory_mb": 105.0, "samples": 2},
        ),
        (
            collector("value", topic="odom", vehicle="ugv1", field="v", count_if="value > 1",
                      **WINDOW),
            [value(0, 99), value(1, 1), value(2, 4.0), value(3, 2), value(4, 99)],
            {"samples": 3, "min": 1, "max": 4.0, "mean": 2.333333, "last": 2, "count": 2},
        ),
        (
            collector("value", topic="odom", vehicle="ugv1", field="v"),
            [value(1, True), value(2, "x"), value(3, math.nan), value(4, 3)],
            {"samples": 4, "min": 3, "max": 3, "mean": 3.0, "last": 3, "count": None},
        ),
    ],
    ids=["path-of-action", "path-in-window", "timeline", "span", "vehicles", "target", "rate",
         "latency", "resources", "value", "values-of-any-kind"],
)  # fmt: skip
def test_what_is_measured(one, samples, metrics):
    result = measured(one, [*samples, end(9)])
    assert (result.status, result.reason) == ("measured", "")
    assert result.metrics == metrics
    assert json.loads(result.to_line())["metrics"] == metrics


@pytest.mark.parametrize(
    ("one", "samples", "why"),
    [
        (collector("path", vehicle="ugv1", action="drive"), [pose(1, 0.0), pose(2, 1.0)],
         "drive never started"),
        (collector("path", vehicle="ugv1"), [pose(1, 0.0)], "1 pose of ugv1 in the window"),
        (collector("path", vehicle="ugv1"), [pose(1, math.nan), pose(2, math.nan)],
         "no poses of ugv1 in the window"),
        (collector("mission_time", start="drive"), [], "drive never started"),
        (collector("mission_time", end="drive"), [action(1, "finished", "failed")],
         "drive ended failed"),
        (collector("mission_time", end="drive"), [action(1, "started")],
         "drive did not complete"),
        (collector("distance", vehicle="ugv1", to={"vehicle": "ugv2"}), [pose(1, 0.0)],
         "no pose of ugv2 was seen"),
        (collector("distance", vehicle="ugv1", to={"target": {"x": 0, "y": 0}}),
         [pose(1, math.nan)],
         "no distance from ugv1 was measured in the window: its poses are no finite numbers"),
        (collector("rate", topic="/scan"), [rate(1, 10.0)],
         "no window of 5 s over /scan was measured"),
        (collector("latency", topic="odom", vehicle="ugv1"), [latency(2, 0.0, count=0)],
         "/ugv1/odom was silent"),
        (collector("resources", vehicle="ugv1", container="bridge"), [resource(1)],
         "the bridge of ugv1 was not sampled"),
        (collector("value", topic="odom", vehicle="ugv1", field="v"), [],
         "no message of /ugv1/odom v was seen"),
        (collector("value", topic="odom", vehicle="ugv1", field="v"), [field_error(1)],
         "/ugv1/odom v: no field 'v'"),
    ],
)  # fmt: skip
def test_what_could_not_be_measured_is_missing_and_says_why(one, samples, why):
    result = measured(one, [*samples, end(9)])
    assert (result.status, result.reason) == ("missing", why)
    assert [name for name, one in result.metrics.items() if one not in (None, 0)] == []


def test_a_run_that_broke_off_keeps_what_was_measured_but_no_mission_time():
    way = collector("path", name="way", vehicle="ugv1")
    mission = collector("mission_time", name="mission")
    judge = evaluator(kpis=[way, mission])
    for sample in [start(), pose(0, 0.0), pose(1, 1.0), end(2, "failed")]:
        assert judge.feed(sample) == []
    assert [(one.status, one.reason) for one in judge.collectors()] == [
        ("measured", ""), ("missing", "the timeline did not complete"),
    ]  # fmt: skip


def test_figures_of_assertions_and_collectors_stand_in_one_map():
    judge = evaluator(
        assertion("path_efficiency", "judged", vehicle="ugv1"),
        kpis=[collector("path", name="way", vehicle="ugv1")],
    )
    for sample in [start(), pose(0, 0.0), pose(1, 1.0), end(2)]:
        judge.feed(sample)
    kpis = judge.kpis()
    assert kpis["way.path_m"] == {"value": 1.0, "unit": "m", "source": "kpi:path"}
    assert kpis["judged.path_m"] == {
        "value": 1.0, "unit": "m", "source": "assertion:path_efficiency",
    }  # fmt: skip
    assert list(kpis).index("judged.samples") < list(kpis).index("way.path_m")


def test_values_that_count_if_cannot_take_are_not_counted_and_told():
    one = collector("value", topic="odom", vehicle="ugv1", field="v", count_if="value > 1")
    result = measured(one, [value(1, "fast"), value(2, 2), end(3)])
    assert (result.metrics["samples"], result.metrics["count"]) == (2, 1)
    assert "value > 1" in result.evidence["not_counted"]


def test_a_collector_that_raises_has_measured_nothing_and_fails_nothing():
    class Broken(type(kpi_types()["value"])):
        def collector(self, planned):
            one = super().collector(planned)
            one.on_sample = lambda sample, t: 1 / 0
            return one

    plan = {"assertions": [], "kpis": [collector("value", topic="/odom", field="v")]}
    judge = type(evaluator())(plan, "lockstep", collectors={"value": Broken()})
    for sample in [start(), value(1, 2, topic="/odom"), value(2, 2, topic="/odom"), end(3)]:
        judge.feed(sample)
    (result,) = judge.collectors()
    assert (result.status, result.reason) == (
        "missing", "its collector raised ZeroDivisionError: division by zero",
    )  # fmt: skip
    assert judge.kpis() == {}


@pytest.mark.parametrize("kind", BUILT_IN, ids=lambda kind: kind.type)
def test_a_collector_says_when_it_is_missing_and_measures_what_it_declares(kind):
    assert issubclass(kind, CollectorType)
    assert issubclass(kind.Spec, KpiBase)
    assert "Missing:" in kind.__doc__
    spec = {
        "path": {"vehicle": "ugv1"},
        "mission_time": {},
        "distance": {"vehicle": "ugv1", "to": {"model": "crate"}},
        "rate": {"topic": "/scan"},
        "latency": {"topic": "/scan"},
        "resources": {"vehicle": "ugv1"},
        "value": {"topic": "/scan", "field": "a"},
    }[kind.type]
    (one,) = evaluator(kpis=[collector(kind.type, **spec)])._collectors
    assert set(one.metrics()) == set(kind.metrics)


def test_the_seven_collectors_are_known():
    registry = kpi_registry()
    assert set(registry.kinds) == {
        "path", "mission_time", "distance", "rate", "latency", "resources", "value",
    }  # fmt: skip
    assert set(registry.distributions.values()) == {"fieldproof"}
    assert registry.problems == ()


@pytest.mark.parametrize(
    ("kind", "spec", "what"),
    [
        ("path", {"vehicle": "ugv3"}, "ugv3"),
        ("path", {"vehicle": "ugv1", "action": "drve"}, "nearest: drive"),
        ("path", {"vehicle": "ugv1", "action": "drive", "after_s": 1}, "does not go with action"),
        ("path", {"vehicle": "ugv1", "after_s": 3, "within_s": 2}, "later than after_s"),
        ("mission_time", {"start": "drve"}, "start: unknown timeline entry 'drve'"),
        ("distance", {"vehicle": "ugv1", "to": {}}, "must have one of vehicle, model and target"),
        ("distance", {"vehicle": "ugv1", "to": {"vehicle": "ugv1"}}, "no distance to itself"),
        ("distance", {"vehicle": "ugv1", "to": {"vehicle": "ugv9"}}, "to.vehicle: unknown vehicle"),
        ("distance", {"vehicle": "ugv1", "to": {"target": {"frame": "gte"}}}, "nearest: gate"),
        ("rate", {"topic": "scan"}, "relative to a vehicle"),
        ("latency", {"topic": "/scan", "within_s": 3}, "unknown key"),
        ("resources", {"vehicle": "ugv1", "container": "stack"}, "must be one of vehicle, bridge"),
        ("value", {"topic": "/a", "field": "b", "count_if": "x > 1"}, "unknown name x"),
    ],
)
def test_what_a_collector_cannot_measure_is_refused(kind, spec, what):
    with pytest.raises(ScenarioError) as refusal:
        collector(kind, **spec)
    assert what in str(refusal.value)


SHORT = pytest.mark.parametrize("window", [0.5, "999ms", "0.999999999s", 1e-9])


@SHORT
@pytest.mark.parametrize("kind", ["rate", "latency"])
def test_a_window_shorter_than_the_time_between_two_looks_is_refused(kind, window):
    with pytest.raises(ScenarioError, match=r"window_s: must be at least 1s .*once a second"):
        collector(kind, topic="/scan", window_s=window)


@SHORT
@pytest.mark.parametrize(
    ("kind", "limit"), [("topic_rate", "min_hz"), ("message_latency", "max_ms")]
)
def test_an_assertion_refuses_such_a_window_too(kind, limit, window):
    with pytest.raises(ScenarioError, match=r"window_s: must be at least 1s .*once a second"):
        assertion(kind, topic="/scan", window_s=window, **{limit: 5})


@pytest.mark.parametrize("window", [1, 1.5, "1s", "1000ms", "01.5 s", "0.5m", "1h"])
def test_the_schema_of_a_window_takes_what_the_reader_takes(window):
    assert collector("rate", topic="/scan", window_s=window)
    schema = Rate.model_json_schema()["properties"]["window_s"]
    assert Draft202012Validator(schema).is_valid(window)


@pytest.mark.parametrize("window", [0.5, "999ms", "0.999s", ".5s", "0999 ms", "-2s"])
def test_the_schema_of_a_window_refuses_one_that_is_too_short(window):
    schema = Rate.model_json_schema()["properties"]["window_s"]
    assert not Draft202012Validator(schema).is_valid(window)
