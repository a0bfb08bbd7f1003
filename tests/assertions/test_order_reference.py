"""Types that judge the order and the duration of things, against the slow reference."""

from hypothesis import given
from hypothesis import strategies as st

from . import reference_order as reference
from .streams import action, assertion, end, evaluator, pose, reach_pose, start, value
from .test_against_reference import ends, halves, judged, many, optional, times, until

runs = st.lists(
    st.tuples(
        halves, st.sampled_from(["drive", "back"]), st.sampled_from(["started", "finished"]),
        st.sampled_from(["ok", "ok", "failed"]),
    ),
    max_size=6,
).map(lambda found: sorted(found, key=lambda one: one[0]))  # fmt: skip
labels = st.sampled_from(["drive", "back"])


@many
@given(
    runs,
    ends,
    optional(start=labels, end=labels, min_s=st.sampled_from([0.5, 1.0])),
    st.sampled_from([1.0, 2.5, 4.0]),
)
def test_mission_time(actions, t_end, spec, max_s):
    actions = until(actions, t_end)
    samples = [action(t, event, status, label) for t, label, event, status in actions]
    found = judged(assertion("mission_time", max_s=max_s, **spec), samples, t_end)
    assert found == reference.mission_time({**spec, "max_s": max_s}, actions, t_end)


WRITTEN = {
    "action": lambda event: {"action": "drive", "event": event},
    "signal": lambda least: {"topic": "odom", "field": "v", "condition": f"value > {least}"},
    "assertion": lambda: {"assertion": "first"},
}
MADE = {
    "value": value,
    "pose": pose,
    "action": lambda t, content: action(t, *content),
}
steps = st.one_of(
    st.tuples(st.just("action"), st.sampled_from(["started", "finished"])),
    st.tuples(st.just("signal"), st.sampled_from([0, 1])),
    st.just(("assertion",)),
)
events = times(
    st.one_of(
        st.tuples(st.just("value"), st.sampled_from([0, 1, 2, 2, "text"])),
        st.tuples(st.just("pose"), st.sampled_from([0.0, 3.0])),
        st.tuples(
            st.just("action"),
            st.tuples(
                st.sampled_from(["started", "finished"]), st.sampled_from(["ok", "ok", "failed"])
            ),
        ),
    ),
    16,
    4,
)


@many
@given(
    st.lists(steps, min_size=1, max_size=4),
    events,
    ends,
    optional(within_s=st.sampled_from([1.0, 3.0]), max_gap_s=st.sampled_from([0.5, 1.5])),
)
def test_sequence(chosen, entries, t_end, spec):
    stream = [(t, what, content) for t, (what, content) in until(entries, t_end)]
    one = assertion(
        "sequence", vehicle="ugv1", steps=[WRITTEN[kind](*rest) for kind, *rest in chosen], **spec
    )
    judge = evaluator(one, reach_pose("first", within_s=3))
    samples = [MADE[what](t, content) for t, what, content in stream]
    for sample in [start(), *samples, end(t_end)]:
        judge.feed(sample)
    result = judge.results()[0]
    expected = reference.sequence({**spec, "steps": chosen}, stream, t_end)
    assert (result.status, result.t_s) == expected
