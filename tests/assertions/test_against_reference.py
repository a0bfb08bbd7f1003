import itertools
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from fieldproof.samples import Sample, format_sample, parse_samples

from . import reference
from .streams import (
    action,
    assertion,
    at,
    clock,
    collector,
    contact,
    end,
    evaluator,
    field_error,
    latency,
    lifecycle,
    no_collision,
    pose,
    rate,
    reach_pose,
    resource,
    start,
    topic_rate,
    topic_value,
    value,
    within_time,
)

many = settings(max_examples=300, deadline=None)
some = settings(max_examples=120, deadline=None)
halves = st.integers(0, 12).map(lambda n: n / 2)
ends = st.integers(0, 4).map(lambda n: 6 - n) | halves
near = st.integers(-6, 6).map(lambda n: n / 4)


def times(content, most=12, least=0):
    """Entries at half-second steps, in order; several may share a moment."""
    return st.lists(st.tuples(halves, content), min_size=least, max_size=most).map(
        lambda found: sorted(found, key=lambda one: one[0])
    )


def optional(**fields):
    return st.fixed_dictionaries({}, optional=fields)


def judged(one, samples, t_end):
    judge = evaluator(one)
    stream = [start(), *samples, *([end(t_end)] if t_end is not None else [])]
    for sample in stream:
        judge.feed(sample)
    (result,) = judge.results()
    return (result.status, result.t_s)


def until(entries, t_end):
    return [one for one in entries if one[0] <= t_end]


@many
@given(
    times(st.tuples(near, near, st.integers(-40, 40).map(lambda n: n / 4))),
    halves,
    optional(within_s=st.sampled_from([0.5, 2.0, 4.5]), yaw_tolerance_rad=st.just(0.6)),
)
def test_reach_pose(entries, t_end, spec):
    poses = [(t, *rest) for t, rest in until(entries, t_end)]
    spec = {"tolerance_m": 0.6, **spec}
    found = judged(reach_pose(**spec), [pose(*one) for one in poses], t_end)
    assert found == reference.reach_pose(spec, poses, t_end)


@many
@given(
    st.permutations(["started", "finished", "other"]),
    st.lists(halves, max_size=3).map(sorted),
    st.sampled_from(["ok", "ok", "failed", "skipped"]),
    st.sampled_from([0.5, 1.0, 3.0]),
    halves,
)
def test_within_time(events, moments, status, max_s, t_end):
    actions = [
        (t, "other" if event == "other" else "drive", event.replace("other", "finished"), status)
        for t, event in zip(moments, events, strict=False)
    ]
    actions = until(actions, t_end)
    samples = [action(t, event, how, label) for t, label, event, how in actions]
    found = judged(within_time(max_s), samples, t_end)
    assert found == reference.within_time({"max_s": max_s}, actions, t_end)


@many
@given(
    st.lists(st.tuples(halves, st.sampled_from([0.0, 4.0, 5.0, 6.0, 9.0])), max_size=8).map(
        lambda found: sorted(dict(found).items())
    ),
    halves,
    optional(max_hz=st.just(8.0)),
    st.sampled_from([0.0, 1.0, 2.5]),
    st.sampled_from([1.0, 2.0]),
)
def test_topic_rate(rates, t_end, limits, after_s, window_s):
    rates = until(rates, t_end)
    spec = {"min_hz": 5.0, "after_s": after_s, "window_s": window_s, **limits}
    found = judged(topic_rate(**spec), [rate(t, hz, window_s) for t, hz in rates], t_end)
    assert found == reference.topic_rate(spec, rates, t_end)


@many
@given(
    times(st.sampled_from(["crate", "wall", "door"])),
    halves,
    st.sets(st.sampled_from(["crate", "wall"])),
)
def test_no_collision(contacts, t_end, ignore):
    contacts = until(contacts, t_end)
    samples = [contact(t, other=f"{other}::link::box") for t, other in contacts]
    found = judged(no_collision(ignore=sorted(ignore)), samples, t_end)
    assert found == reference.no_collision({"ignore": ignore}, contacts, t_end)


@many
@given(
    times(st.integers(-2, 3) | st.none()),
    halves,
    st.sampled_from(["always", "eventually"]),
    st.sampled_from([(0.0, None), (1.0, None), (0.0, 2.0), (1.5, 4.0), (0.0, 0.5)]),
    st.integers(-1, 2),
)
def test_topic_value(values, t_end, mode, window, threshold):
    values = until(values, t_end)
    after_s, within_s = window
    limits = {} if within_s is None else {"within_s": within_s}
    samples = [field_error(t) if content is None else value(t, content) for t, content in values]
    one = topic_value(f"value > {threshold}", mode=mode, after_s=after_s, **limits)
    spec = {"mode": mode, "after_s": after_s, "threshold": threshold, **limits}
    assert judged(one, samples, t_end) == reference.topic_value(spec, values, t_end)


ALL = (
    reach_pose("reach", within_s=5),
    within_time(2, "in_time"),
    topic_rate(5, "rate", window_s=1),
    no_collision("touch", ignore=["wall"]),
    topic_value("value > 0", "value", after_s=0.5, within_s=4),
    topic_value("value > 1", "some", mode="eventually"),
    assertion("geofence", "fence", vehicle="ugv1", within_s=5,
              region={"circle": {"x": 0, "y": 0, "radius_m": 1}}),
    assertion("min_distance", "apart", vehicle="ugv1", to={"vehicle": "ugv2"}, min_m=0.5),
    assertion("path_efficiency", "direct", vehicle="ugv1", action="drive", max_path_m=3),
    assertion("mission_time", "mission", start="drive", end="drive", max_s=3, min_s=0.5),
    assertion("message_latency", "fresh", topic="odom", vehicle="ugv1", max_ms=50, window_s=1),
    assertion("sequence", "second", vehicle="ugv1", max_gap_s=3, steps=[
        {"action": "drive", "event": "started"}, {"metric": "x", "condition": "value < 1"},
        {"assertion": "first"}]),
    assertion("resource_usage", "usage", vehicle="ugv1", max_cpu_pct=60, max_memory_mb=200,
              window_s=2),
    assertion("lifecycle_state", "managed", vehicle="ugv1", node="driver", state="active"),
    assertion("always", "first", vehicle="ugv1", condition="v > 0 or x < 2",
              signals={"v": {"topic": "odom", "field": "v"}, "x": {"metric": "x"}}),
    assertion("eventually", "held", vehicle="ugv1", condition="v > 0", for_s=1, within_s=6,
              signals={"v": {"topic": "odom", "field": "v"}}),
)  # fmt: skip
KPIS = (
    collector("path", "way", vehicle="ugv1"),
    collector("distance", "gap", vehicle="ugv1", to={"vehicle": "ugv2"}, after_s=1),
    collector("latency", "age", topic="odom", vehicle="ugv1", window_s=1),
    collector("resources", "stack", vehicle="ugv1"),
    collector("value", "speed", topic="odom", vehicle="ugv1", field="v", count_if="value > 0"),
)


def partner(t, x):
    return pose(t, x, model="ugv2")


contents = st.one_of(
    st.tuples(st.just(pose), st.tuples(near, near)),
    st.tuples(st.just(action), st.tuples(st.sampled_from(["started", "finished"]), st.just("ok"))),
    st.tuples(st.just(rate), st.tuples(st.sampled_from([0.0, 5.0, float("nan")]), st.just(1))),
    st.tuples(st.just(contact), st.tuples(st.just("a"), st.sampled_from(["wall::x", "door::x"]))),
    st.tuples(st.just(value), st.tuples(st.integers(-1, 2) | st.floats() | st.text(max_size=3))),
    st.tuples(st.just(clock), st.just(())),
    st.tuples(st.just(partner), st.tuples(near)),
    st.tuples(st.just(latency), st.tuples(st.sampled_from([5.0, 60.0]), st.just(9), st.just(1))),
    st.tuples(st.just(resource), st.tuples(st.sampled_from([5.0, 90.0]), st.just(100.0))),
    st.tuples(st.just(lifecycle), st.tuples(st.sampled_from(["active", "inactive"]))),
)


@st.composite
def streams(draw, disorder=True):
    """Whole runs: samples before the start, out of order, of every kind, and any ending."""
    before = draw(st.lists(contents, max_size=3))
    entries = draw(times(contents, most=25))
    if disorder and entries and draw(st.booleans()):
        entries.insert(draw(st.integers(0, len(entries))), draw(st.sampled_from(entries)))
    samples = [make(-1.0, *args) for make, args in before]
    samples.append(start())
    samples += [make(t, *args) for t, (make, args) in entries]
    ending = draw(st.sampled_from(["completed", "failed", None]))
    return samples if ending is None else [*samples, end(7, ending)]


def lines(samples, assertions=ALL):
    """assertions.jsonl and kpis.jsonl of a stream, as bytes."""
    judge = evaluator(*assertions, kpis=KPIS)
    given_out = [result for sample in samples for result in judge.feed(sample)]
    given_out += judge.finish(None, completed=False)
    assert given_out == judge.resolved()
    told = [*given_out, *judge.collectors()]
    text = "".join(result.to_line() for result in told) + json.dumps(judge.kpis())
    return text.encode()


@some
@given(streams(), st.lists(st.integers(0, 6000), max_size=10))
def test_recorded_samples_give_the_live_verdicts_to_the_byte_however_they_are_cut(samples, cuts):
    recorded = "".join(map(format_sample, samples)).encode()
    edges = [0, *sorted(min(cut, len(recorded)) for cut in cuts), len(recorded)]
    chunks = [recorded[left:right] for left, right in itertools.pairwise(edges)]
    assert lines(parse_samples(chunks)) == lines(samples)


@some
@given(streams())
def test_every_assertion_gets_exactly_one_verdict(samples):
    judge = evaluator(*ALL)
    for sample in samples:
        judge.feed(sample)
    judge.finish(None, completed=False)
    assert sorted(one.name for one in judge.resolved()) == sorted(one["name"] for one in ALL)
    assert all(one.status in {"passed", "failed", "skipped"} for one in judge.results())
    assert not any("its checker" in one.reason for one in judge.results())
    for result in judge.results():
        assert json.loads(result.to_line())["name"] == result.name
        assert "NaN" not in result.to_line()
        assert len(result.evidence["excerpt"]) <= 6


def shifted(sample, seconds):
    return Sample(sample.kind, sample.wall, at(sample.sim - at(0) + seconds), sample.data)


def without_sim(value):
    if isinstance(value, dict):
        return {key: without_sim(item) for key, item in value.items() if key != "sim_s"}
    return [without_sim(item) for item in value] if isinstance(value, list) else value


@some
@given(streams(), st.integers(0, 10_000))
def test_verdicts_do_not_depend_on_when_the_timeline_started(samples, ticks):
    def told(stream):
        judge = evaluator(*ALL)
        news = [result for sample in stream for result in judge.feed(sample)]
        return [without_sim(result.to_data()) for result in news]

    assert told([shifted(one, ticks * 0.05) for one in samples]) == told(samples)


@some
@given(streams(disorder=False), st.lists(st.tuples(halves, st.integers(0, 3)), max_size=6))
def test_samples_that_nobody_watches_change_nothing(samples, foreign):
    kinds = (
        lambda t: pose(t, 0.0, model="ugv3"),
        lambda t: contact(t, vehicle="ugv2"),
        lambda t: value(t, 1, field="w"),
        clock,
    )
    mixed = list(samples)
    for t, kind in foreign:
        place = next(
            (n for n, one in enumerate(mixed) if one.sim >= at(t) and n > mixed.index(start())),
            None,
        )
        if place is not None:
            mixed.insert(place, kinds[kind](t))
    assert sorted(lines(mixed).splitlines()) == sorted(lines(samples).splitlines())
