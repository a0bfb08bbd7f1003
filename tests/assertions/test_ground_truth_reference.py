"""Types that read ground truth, against the slow reference, over any stream."""

from hypothesis import given
from hypothesis import strategies as st

from . import reference_ground_truth as reference
from .streams import action, assertion, gone, pose, put
from .test_against_reference import ends, halves, judged, many, near, times, until

windows = st.sampled_from(
    [{"after_s": 0.0}, {"after_s": 1.5}, {"after_s": 0.0, "within_s": 2.5},
     {"after_s": 1.0, "within_s": 4.0}],
)  # fmt: skip
coarse = st.integers(-4, 4).map(float)


@many
@given(
    times(st.tuples(coarse, coarse), 14, 4), ends, windows, st.sampled_from(["inside", "outside"])
)
def test_geofence(entries, t_end, window, mode):
    poses = [(t, *place) for t, place in until(entries, t_end)]
    spec = {**window, "mode": mode}
    one = assertion(
        "geofence", vehicle="ugv1", region={"circle": {"x": 0, "y": 0, "radius_m": 2}}, **spec
    )
    found = judged(one, [pose(*each) for each in poses], t_end)
    assert found == reference.geofence(spec, poses, t_end)


@many
@given(
    st.dictionaries(
        st.tuples(halves, st.sampled_from(["ugv1", "ugv2"])),
        st.one_of(coarse, coarse, coarse, st.none()),
        min_size=4,
        max_size=20,
    ),
    ends,
    windows,
    st.randoms(use_true_random=False),
)
def test_min_distance(entries, t_end, window, random):
    poses = [(t, model, x) for (t, model), x in entries.items() if t <= t_end]
    random.shuffle(poses)
    poses.sort(key=lambda one: one[0])
    one = assertion("min_distance", vehicle="ugv1", to={"vehicle": "ugv2"}, min_m=2, **window)
    samples = [gone(t, model) if x is None else pose(t, x, model=model) for t, model, x in poses]
    found = judged(one, samples, t_end)
    assert found == reference.min_distance({**window, "min_m": 2}, poses, t_end)


actions = st.lists(
    st.tuples(
        st.integers(0, 10).map(lambda n: n / 2 + 0.25), st.sampled_from(["started", "finished"]),
        st.sampled_from(["ok", "failed"]),
    ),
    max_size=3, unique_by=(lambda one: one[0], lambda one: one[1]),
).map(sorted)  # fmt: skip


@many
@given(
    times(st.tuples(near, near, st.sampled_from([False, False, False, True])), 14, 3),
    ends,
    st.none() | actions,
    windows,
    st.fixed_dictionaries(
        {"min_ratio": st.sampled_from([0.3, 0.5, 0.9])},
        optional={
            "max_path_m": st.sampled_from([1.0, 4.0]),
            "at": st.sampled_from([(1.0, 0.5), (0.0, 0.0)]),
        },
    ),
)
def test_path_efficiency(entries, t_end, acts, window, limits):
    poses = [(t, *place) for t, place in until(entries, t_end)]
    spec = {**limits, **({} if acts else window)}
    written = {key: item for key, item in spec.items() if key != "at"}
    if "at" in spec:
        written["target"] = {"x": spec["at"][0], "y": spec["at"][1]}
    acts = None if acts is None else until(acts, t_end)
    if acts is None:
        spec = {"after_s": 0.0, **window, **spec}
        written |= window
    else:
        written["action"] = "drive"
        written.pop("after_s", None)
        written.pop("within_s", None)
    samples = [(put if jumped else pose)(*each) for *each, jumped in poses]
    samples += [action(*each) for each in acts or ()]
    samples.sort(key=lambda one: one.sim)
    one = assertion("path_efficiency", vehicle="ugv1", **written)
    assert judged(one, samples, t_end) == reference.path_efficiency(spec, poses, acts, t_end)
