"""Mean average precision of detections, as COCO defines it at the given overlaps."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldproof.driving.openloop._trajectories import is_number

Floats = NDArray[np.float64]

LISTS = ("detections", "objects", "boxes")
_BOXES = ("bbox", "box", "bounding_box")
_CLASSES = ("class", "label", "category", "type")
_SCORES = ("score", "confidence")
_ANY_CLASS = "object"
MOST_PER_IMAGE = 100
_RECALLS = np.linspace(0.0, 1.0, 101)
_CORNERS = 4


@dataclass(frozen=True, slots=True)
class Box:
    """One detection or one object.

    Attributes:
        kind: its class.
        corners: x1, y1, x2, y2.
        score: of a detection; 1 where it says none.
    """

    kind: str
    corners: tuple[float, float, float, float]
    score: float


def boxes_of(data: Mapping[str, Any]) -> list[Box] | None:
    """Return the boxes of a prediction or a truth, None where there is no list of them.

    An entry without a box of four finite numbers is left out. A box is a list x1, y1, x2, y2, or
    a mapping of these, or of x, y, width, height.
    """
    for key in LISTS:
        value = data.get(key)
        if isinstance(value, list):
            found = (_box(one) for one in value if isinstance(one, dict))
            return [one for one in found if one is not None]
    return None


def mean_average_precision(
    images: Iterable[tuple[Sequence[Box], Sequence[Box]]], thresholds: Sequence[float]
) -> float:
    """Return the mean, over classes and overlaps, of the average precision; 0 without objects.

    Within a class, detections are taken by falling score, at most 100 of an image; each is right
    if it overlaps an object that none before it took by at least the threshold, and takes the one
    that it overlaps most. Precision is made monotone and averaged at the 101 recalls from 0 to 1.
    Classes without an object do not count.

    Args:
        images: of each image the detections and the objects.
        thresholds: the overlaps, intersection over union.
    """
    found: dict[str, list[tuple[Floats, Floats, Floats]]] = defaultdict(list)
    for detections, objects in images:
        for kind in dict.fromkeys(one.kind for one in (*detections, *objects)):
            mine = [one for one in detections if one.kind == kind]
            mine.sort(key=lambda one: -one.score)
            theirs = [one for one in objects if one.kind == kind]
            mine = mine[:MOST_PER_IMAGE]
            scores = np.array([one.score for one in mine])
            found[kind].append((_corners(mine), _corners(theirs), scores))
    precisions = [
        _average_precision(entries, threshold)
        for entries in found.values()
        if any(len(objects) for _, objects, _ in entries)
        for threshold in thresholds
    ]
    return float(np.mean(precisions)) if precisions else 0.0


def overlaps(one: Floats, other: Floats) -> Floats:
    """Return intersection over union of every box with every other, n x m; 0 for flat boxes."""
    low = np.maximum(one[:, None, :2], other[None, :, :2])
    high = np.minimum(one[:, None, 2:], other[None, :, 2:])
    common = np.prod(np.clip(high - low, 0.0, None), axis=2)
    union = _area(one)[:, None] + _area(other)[None, :] - common
    shares: Floats = np.divide(common, union, out=np.zeros_like(common), where=union > 0)
    return shares


def _average_precision(entries: Sequence[tuple[Floats, Floats, Floats]], threshold: float) -> float:
    scores = np.concatenate([each for _, _, each in entries])
    right = np.concatenate([_matches(mine, theirs, threshold) for mine, theirs, _ in entries])
    objects = sum(len(theirs) for _, theirs, _ in entries)
    order = np.argsort(-scores, kind="stable")
    hits = np.cumsum(right[order])
    if not len(hits):
        return 0.0
    recall = hits / objects
    precision = hits / np.arange(1, len(hits) + 1)
    envelope = np.maximum.accumulate(precision[::-1])[::-1]
    places = np.searchsorted(recall, _RECALLS, side="left")
    reached = places < len(envelope)
    return float(np.where(reached, envelope[np.minimum(places, len(envelope) - 1)], 0.0).mean())


def _matches(mine: Floats, theirs: Floats, threshold: float) -> NDArray[np.bool_]:
    """Return which detections, by falling score, are right."""
    right = np.zeros(len(mine), dtype=bool)
    if not len(mine) or not len(theirs):
        return right
    table = overlaps(mine, theirs)
    free = np.ones(len(theirs), dtype=bool)
    for place, row in enumerate(table):
        candidates = np.where(free, row, -1.0)
        best = len(candidates) - 1 - int(np.argmax(candidates[::-1]))  # of equals the last, as COCO
        if candidates[best] >= min(threshold, 1 - 1e-10):
            right[place], free[best] = True, False
    return right


def _corners(boxes: Sequence[Box]) -> Floats:
    return np.array([one.corners for one in boxes], dtype=np.float64).reshape(-1, _CORNERS)


def _area(boxes: Floats) -> Floats:
    area: Floats = np.prod(np.clip(boxes[:, 2:] - boxes[:, :2], 0.0, None), axis=1)
    return area


def _box(data: Mapping[str, Any]) -> Box | None:
    corners = next((_numbers(data[key]) for key in _BOXES if key in data), None)
    if corners is None:
        return None
    kind = next((str(data[key]) for key in _CLASSES if data.get(key) is not None), _ANY_CLASS)
    score = next((data[key] for key in _SCORES if is_number(data.get(key))), 1.0)
    return Box(kind, corners, float(score))


def _numbers(value: Any) -> tuple[float, float, float, float] | None:
    if isinstance(value, dict):
        if all(key in value for key in ("x1", "y1", "x2", "y2")):
            value = [value[key] for key in ("x1", "y1", "x2", "y2")]
        elif all(is_number(value.get(key)) for key in ("x", "y", "width", "height")):
            x, y = value["x"], value["y"]
            value = [x, y, x + value["width"], y + value["height"]]
    if not isinstance(value, list) or len(value) != _CORNERS or not all(map(is_number, value)):
        return None
    x1, y1, x2, y2 = map(float, value)
    return (x1, y1, x2, y2)
