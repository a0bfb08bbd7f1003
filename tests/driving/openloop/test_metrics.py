"""Open-loop figures against slow references, and against well-known implementations."""

import contextlib
import io
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldproof.driving.openloop import (
    DatasetMetadata,
    Score,
    boxes_of,
    displacements,
    grid_of,
    iou,
    mean_average_precision,
    overlaps,
    padded,
    points_of,
)

coordinates = st.floats(-1e4, 1e4)
trajectories = st.lists(st.tuples(coordinates, coordinates), min_size=1, max_size=12)


def slow(predicted, truth):
    """ADE and FDE of one sample as their definition says."""
    away = [math.dist(one, other) for one, other in zip(predicted, truth, strict=False)]
    return sum(away) / len(truth), away[-1]


@given(pairs=st.lists(st.tuples(trajectories, trajectories), min_size=1, max_size=8))
def test_displacements_are_those_of_a_slow_reference(pairs):
    pairs = [(predicted, truth[: len(predicted)]) for predicted, truth in pairs]
    lengths = np.array([len(truth) for _, truth in pairs])
    steps = int(lengths.max())
    found = displacements(
        padded([one for one, _ in pairs], steps), padded([one for _, one in pairs], steps), lengths
    )
    for place, (predicted, truth) in enumerate(pairs):
        expected = slow(predicted, truth)
        assert (found.average[place], found.final[place]) == pytest.approx(expected)


def scored(*samples, **metadata):
    score = Score(DatasetMetadata(**metadata))
    each = [score.add(truth, prediction) for truth, prediction in samples]
    return score.finish(), each


def path(*points):
    return {"trajectory": [{"x": x, "y": y} for x, y in points]}


def test_a_miss_is_a_final_displacement_above_the_threshold():
    truth = path((0, 0), (1, 0))
    at, above = path((0, 0), (3, 0)), path((0, 0), (math.nextafter(3, 4), 0))
    figures, each = scored((truth, at), (truth, above))
    assert figures["miss_rate"] == 0.5
    assert [one.metrics["miss"] for one in each] == [False, True]
    assert figures["trajectory_ade"] == pytest.approx(1.0)
    assert figures["trajectory_fde"] == pytest.approx(2.0)


def test_further_points_of_a_prediction_are_not_looked_at_and_fewer_are_missing():
    truth = path((0, 0), (1, 0))
    longer, shorter = path((0, 0), (1, 0), (99, 99)), path((0, 0))
    figures, each = scored((truth, longer), (truth, shorter))
    assert (figures["trajectory_ade"], figures["missing_samples"]) == (0.0, 1)
    assert each[1].lacking == ["trajectory (1 of 2 points)"]
    assert figures["miss_rate"] == 0.5


def test_a_missing_prediction_is_a_miss_and_never_makes_anything_better():
    truth = {
        **path((0, 0), (5, 0)),
        "occupancy_grid": [[1]],
        "detections": [{"bbox": [0, 0, 1, 1]}],
    }
    good = {**path((0, 0), (5, 0)), "occupancy_grid": [[1]], "detections": [{"bbox": [0, 0, 1, 1]}]}
    whole, _ = scored((truth, good), (truth, good))
    lost, _ = scored((truth, good), (truth, None))
    assert lost["missing_samples"] == 1
    assert lost["miss_rate"] > whole["miss_rate"]
    assert lost["occupancy_iou"] < whole["occupancy_iou"]
    assert lost["detection_map"] < whole["detection_map"]


def test_controls_are_compared_key_by_key():
    truth = {"control": {"steer": 0.1, "throttle": 0.4, "brake": 0.0}}
    mine = {"control": {"steer": -0.1, "throttle": 0.4, "brake": 0.3}}
    figures, _ = scored((truth, mine))
    assert figures["steer_mae"] == pytest.approx(0.2)
    assert figures["brake_mae"] == pytest.approx(0.3)
    assert figures["control_error"] == pytest.approx(0.5 / 3)
    lacking, each = scored((truth, {"control": {"steer": 0.1}}))
    assert (lacking["control_error"], each[0].lacking) == (None, ["control (throttle, brake)"])


def test_without_annotations_perception_is_zero_and_the_rest_is_not_measured():
    figures, _ = scored(({}, {"occupancy_iou": 0.9, "detection_map": 0.9}))
    assert (figures["occupancy_iou"], figures["detection_map"]) == (0.0, 0.0)
    assert (figures["trajectory_ade"], figures["miss_rate"], figures["control_error"]) == (
        None,
    ) * 3
    assert figures["missing_samples"] == 0


def test_a_scalar_in_the_agent_s_answer_is_not_taken_for_a_figure():
    truth = {"occupancy_grid": [[1, 0]], "detections": [{"class": "car", "bbox": [0, 0, 2, 2]}]}
    mine = {
        "occupancy_grid": [[0, 1]],
        "detections": [],
        "occupancy_iou": 1.0,
        "detection_map": 1.0,
    }
    figures, _ = scored((truth, mine))
    assert (figures["occupancy_iou"], figures["detection_map"]) == (0.0, 0.0)


@pytest.mark.parametrize("key", ["occupancy_grid", "occupancy_mask", "occupancy_map", "occupancy"])
def test_a_grid_is_found_under_each_of_its_names(key):
    assert grid_of({key: [[0, 0.6], [1, 0.5]]}).tolist() == [[False, True], [True, False]]


@pytest.mark.parametrize("value", [0.7, [], "x", [[1], [1, 2]], [["a"]], [None, {}]])
def test_what_is_no_grid_is_none(value):
    assert grid_of({"occupancy": value}) is None


masks = st.integers(1, 6).flatmap(
    lambda n: st.tuples(
        *(st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=1, max_size=5),) * 2
    )
)


@given(masks)
def test_occupancy_is_intersection_over_union_by_cells(pair):
    one, other = pair
    rows = min(len(one), len(other))
    one, other = one[:rows], other[:rows]
    cells = [
        (a, b)
        for first, second in zip(one, other, strict=True)
        for a, b in zip(first, second, strict=True)
    ]
    either = sum(a or b for a, b in cells)
    expected = sum(a and b for a, b in cells) / either if either else 1.0
    assert iou(np.array(one), np.array(other)) == expected


def test_grids_of_different_shapes_have_nothing_in_common():
    assert iou(np.ones((2, 2), bool), np.ones((2, 3), bool)) == 0.0


BOXES = [
    {"class": "car", "bbox": [0, 0, 2, 2], "score": 0.5},
    {"label": "car", "box": {"x1": 0, "y1": 0, "x2": 2, "y2": 2}, "confidence": 0.5},
    {"category": "car", "bounding_box": {"x": 0, "y": 0, "width": 2, "height": 2}, "score": 0.5},
]


@pytest.mark.parametrize("data", BOXES)
@pytest.mark.parametrize("key", ["detections", "objects", "boxes"])
def test_a_box_is_read_in_each_of_its_forms(key, data):
    (box,) = boxes_of({key: [data]})
    assert (box.kind, box.corners, box.score) == ("car", (0, 0, 2, 2), 0.5)


@pytest.mark.parametrize("bbox", [None, [1, 2, 3], [0, 0, 1, float("nan")], ["a", 0, 1, 1], 3])
def test_a_detection_without_a_box_is_left_out(bbox):
    assert boxes_of({"detections": [{"bbox": bbox}, "x", {}]}) == []


def test_points_are_mappings_or_lists_of_finite_numbers():
    assert points_of([{"x": 1, "y": 2}, [3, 4, 5]]) == [(1, 2), (3, 4)]
    for bad in (None, [], "x", [{"x": 1}], [[1]], [{"x": 1, "y": float("nan")}], [True]):
        assert points_of(bad) is None


corner = st.integers(0, 40)
sizes = st.integers(1, 20)
kinds = st.sampled_from(["car", "person"])
scores = st.sampled_from([0.1, 0.3, 0.5, 0.7, 0.9])


def box(kind, x, y, width, height, score=None):  # noqa: PLR0917 - as it is drawn
    data = {"class": kind, "bbox": [x, y, x + width, y + height]}
    return data if score is None else {**data, "score": score}


objects = st.lists(st.builds(box, kinds, corner, corner, sizes, sizes), max_size=5)
found_boxes = st.lists(st.builds(box, kinds, corner, corner, sizes, sizes, scores), max_size=8)
images = st.lists(st.tuples(found_boxes, objects), min_size=1, max_size=4)


def mine(pairs, thresholds):
    return mean_average_precision(
        [(boxes_of({"boxes": a}), boxes_of({"boxes": b})) for a, b in pairs], thresholds
    )


def coco(pairs, thresholds):
    """The same by pycocotools; NaN stands for no objects there."""
    from pycocotools.coco import COCO  # noqa: PLC0415 - an optional package
    from pycocotools.cocoeval import COCOeval  # noqa: PLC0415

    numbers = {"car": 1, "person": 2}

    def annotation(image, data, **more):
        x1, y1, x2, y2 = data["bbox"]
        width, height = x2 - x1, y2 - y1
        return {
            "image_id": image,
            "category_id": numbers[data["class"]],
            "bbox": [x1, y1, width, height],
            "area": width * height,
            "iscrowd": 0,
            **more,
        }

    truth, results = [], []
    for image, (detections, things) in enumerate(pairs, 1):
        truth += [annotation(image, one, id=len(truth) + n) for n, one in enumerate(things, 1)]
        results += [annotation(image, one, score=one["score"]) for one in detections]
    with contextlib.redirect_stdout(io.StringIO()):
        reference = COCO()
        reference.dataset = {
            "images": [{"id": n} for n in range(1, len(pairs) + 1)],
            "annotations": truth,
            "categories": [{"id": n, "name": name} for name, n in numbers.items()],
        }
        reference.createIndex()
        if not truth:
            return 0.0
        if not results:
            return 0.0
        evaluation = COCOeval(reference, reference.loadRes(results), "bbox")
        evaluation.params.iouThrs = np.array(thresholds)
        evaluation.params.areaRng = [[0, 1e10]]
        evaluation.params.areaRngLbl = ["all"]
        evaluation.params.maxDets = [100]
        evaluation.evaluate()
        evaluation.accumulate()
    precision = evaluation.eval["precision"][:, :, :, 0, 0]
    known = precision[precision > -1]
    return float(known.mean()) if known.size else 0.0


@settings(max_examples=120, deadline=None)
@given(pairs=images, thresholds=st.sampled_from([[0.5], [0.3, 0.5], [0.5, 0.75, 0.95]]))
def test_average_precision_is_that_of_pycocotools(pairs, thresholds):
    pytest.importorskip("pycocotools", reason="that the precision is COCO's stays unproved here")
    assert mine(pairs, thresholds) == pytest.approx(coco(pairs, thresholds), abs=1e-9)


@settings(max_examples=100, deadline=None)
@given(pairs=images)
def test_overlaps_are_those_of_shapely(pairs):
    shapely = pytest.importorskip("shapely", reason="that overlaps are areas stays unproved here")
    for detections, things in pairs:
        if detections and things:
            one = np.array([each["bbox"] for each in detections], float)
            other = np.array([each["bbox"] for each in things], float)
            a = np.array([shapely.box(*each) for each in one])[:, None]
            b = np.array([shapely.box(*each) for each in other])[None, :]
            expected = shapely.area(shapely.intersection(a, b)) / shapely.area(shapely.union(a, b))
            assert overlaps(one, other) == pytest.approx(expected)


def slow_precision(pairs, threshold):
    """Average precision of one class as COCO's rules say it, with loops."""
    values = []
    for kind in ("car", "person"):
        ranked, total = [], 0
        for detections, things in pairs:
            theirs = [one["bbox"] for one in things if one["class"] == kind]
            total += len(theirs)
            free = list(range(len(theirs)))
            own = sorted(
                (one for one in detections if one["class"] == kind), key=lambda one: -one["score"]
            )
            for one in own:
                table = [(overlaps(*(np.array([c], float) for c in (one["bbox"], theirs[n])))[0, 0], n) for n in free]  # fmt: skip
                best = max(table, default=(0, -1))
                hit = best[0] >= threshold
                if hit:
                    free.remove(best[1])
                ranked.append((one["score"], hit))
        if not total:
            continue
        ranked.sort(key=lambda one: -one[0])
        hits, points = 0, []
        for place, (_, hit) in enumerate(ranked, 1):
            hits += hit
            points.append((hits / total, hits / place))
        levels = [n / 100 for n in range(101)]
        values.append(
            sum(max((p for r, p in points if r >= level - 1e-12), default=0) for level in levels)
            / 101
        )
    return sum(values) / len(values) if values else 0.0


@settings(max_examples=100, deadline=None)
@given(pairs=images)
def test_average_precision_is_that_of_a_slow_reference(pairs):
    assert mine(pairs, [0.5]) == pytest.approx(slow_precision(pairs, 0.5), abs=0.011)


@given(pairs=images)
def test_average_precision_is_a_share_and_the_truth_itself_is_perfect(pairs):
    assert 0 <= mine(pairs, [0.5]) <= 1
    truth = [([{**one, "score": 1.0} for one in things], things) for _, things in pairs]
    distinct = [(a, b) for a, b in truth if len({tuple(one["bbox"]) for one in b}) == len(b)]
    if any(things for _, things in distinct):
        assert mine(distinct, [0.5]) == pytest.approx(1.0)


def test_a_dataset_is_scored_in_chunks_with_the_same_result():
    rng = np.random.default_rng(3)
    samples = []
    for _ in range(5000):
        truth = path(*rng.normal(size=(6, 2)).tolist())
        samples.append((truth, path(*rng.normal(size=(6, 2)).tolist())))
    figures, each = scored(*samples)
    assert figures["trajectory_ade"] == pytest.approx(
        sum(one.metrics["ade"] for one in each) / len(each)
    )
    expected = [slow(points_of(b["trajectory"]), points_of(a["trajectory"])) for a, b in samples]
    assert [one.metrics["fde"] for one in each] == pytest.approx([one[1] for one in expected])
