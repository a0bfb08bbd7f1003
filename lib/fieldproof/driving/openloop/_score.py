"""What the predictions of a dataset measure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fieldproof.driving.openloop._dataset import DatasetMetadata
from fieldproof.driving.openloop._detection import Box, boxes_of, mean_average_precision
from fieldproof.driving.openloop._occupancy import grid_of, iou
from fieldproof.driving.openloop._trajectories import (
    displacements,
    is_number,
    padded,
    points_of,
)
from fieldproof.driving.openloop._truth import CONTROLS

_CHUNK = 4096


def definitions(metadata: DatasetMetadata) -> dict[str, str]:
    """Return how each figure is defined, with this dataset's thresholds."""
    at = ", ".join(f"{one:g}" for one in metadata.iou_thresholds)
    return {
        "trajectory_ade": "mean over samples of the mean distance in x and y at each step of the "
        "truth, metres; further steps of the prediction are not looked at",
        "trajectory_fde": "mean over samples of the distance in x and y at the truth's last step, "
        "metres",
        "miss_rate": f"share of the samples with a trajectory whose distance at the truth's last "
        f"step is above {metadata.miss_threshold_m:g} m; a missing prediction is a miss",
        "control_error": "mean over samples of the mean absolute error of the truth's controls",
        "steer_mae": "mean absolute error of steer",
        "throttle_mae": "mean absolute error of throttle",
        "brake_mae": "mean absolute error of brake",
        "occupancy_iou": "mean over samples with a grid of the cells occupied in both over those "
        "occupied in either, occupied above 0.5; 1 if neither has any, 0 without a prediction; 0 "
        "without such samples",
        "detection_map": f"mean over classes and overlaps of COCO's average precision at 101 "
        f"recalls, at most 100 detections an image, overlap {at}; 0 without objects",
        "sample_count": "samples of the dataset",
        "missing_samples": "samples without a whole prediction",
        "prediction_latency_ms": "mean wall-clock time of a prediction, milliseconds",
    }


@dataclass(slots=True)
class Scored:
    """A sample's own figures.

    Attributes:
        metrics: by name.
        lacking: what the truth has and the prediction does not, for people.
    """

    metrics: dict[str, Any] = field(default_factory=dict)
    lacking: list[str] = field(default_factory=list)


class Score:
    """Adds up the figures of samples, the trajectories a chunk at a time."""

    def __init__(self, metadata: DatasetMetadata) -> None:
        """Take the dataset's thresholds."""
        self._metadata = metadata
        self._pending: list[tuple[Scored, list[Any], list[Any]]] = []
        self._ade: list[float] = []
        self._fde: list[float] = []
        self._missed = 0
        self._trajectories = 0
        self._control: list[float] = []
        self._errors: dict[str, list[float]] = {key: [] for key in CONTROLS}
        self._ious: list[float] = []
        self._images: list[tuple[list[Box], list[Box]]] = []
        self._count = 0
        self._missing = 0

    def add(self, truth: Mapping[str, Any], prediction: Mapping[str, Any] | None) -> Scored:
        """Take a sample; None is a prediction that is missing.

        The sample's trajectory figures are there once `finish` was called.
        """
        scored, mine = Scored(), prediction or {}
        self._count += 1
        self._trajectory(scored, truth, mine)
        self._controls(scored, truth, mine)
        self._occupancy(scored, truth, mine)
        objects = boxes_of(truth)
        if objects is not None:
            detections = boxes_of(mine)
            if detections is None:
                scored.lacking.append("detections")
            self._images.append((detections or [], objects))
        if prediction is None or scored.lacking:
            self._missing += 1
        return scored

    def finish(self) -> dict[str, Any]:
        """Return the figures of all samples."""
        self._measure()
        return {
            "trajectory_ade": _mean(self._ade),
            "trajectory_fde": _mean(self._fde),
            "miss_rate": self._missed / self._trajectories if self._trajectories else None,
            "control_error": _mean(self._control),
            **{f"{key}_mae": _mean(values) for key, values in self._errors.items()},
            "occupancy_iou": _mean(self._ious) or 0.0,
            "detection_map": mean_average_precision(self._images, self._metadata.iou_thresholds),
            "sample_count": self._count,
            "missing_samples": self._missing,
        }

    def _trajectory(
        self, scored: Scored, truth: Mapping[str, Any], mine: Mapping[str, Any]
    ) -> None:
        wanted = points_of(truth.get("trajectory"))
        if wanted is None:
            return
        self._trajectories += 1
        points = points_of(mine.get("trajectory"))
        if points is None or len(points) < len(wanted):
            got = "no trajectory" if points is None else f"{len(points)} of {len(wanted)} points"
            scored.lacking.append(f"trajectory ({got})")
            scored.metrics["miss"] = True
            self._missed += 1
            return
        self._pending.append((scored, points, wanted))
        if len(self._pending) >= _CHUNK:
            self._measure()

    def _measure(self) -> None:
        if not self._pending:
            return
        lengths = np.array([len(wanted) for _, _, wanted in self._pending])
        steps = int(lengths.max())
        found = displacements(
            padded([points for _, points, _ in self._pending], steps),
            padded([wanted for _, _, wanted in self._pending], steps),
            lengths,
        )
        misses = found.final > self._metadata.miss_threshold_m
        self._ade += found.average.tolist()
        self._fde += found.final.tolist()
        self._missed += int(misses.sum())
        rows = zip(self._pending, found.average.tolist(), found.final.tolist(), misses, strict=True)
        for (scored, _, _), average, final, miss in rows:
            scored.metrics |= {"ade": average, "fde": final, "miss": bool(miss)}
        self._pending.clear()

    def _controls(self, scored: Scored, truth: Mapping[str, Any], mine: Mapping[str, Any]) -> None:
        wanted = truth.get("control")
        if not isinstance(wanted, Mapping):
            return
        keys = [key for key in CONTROLS if is_number(wanted.get(key))]
        given = mine.get("control")
        given = given if isinstance(given, Mapping) else {}
        lacking = [key for key in keys if not is_number(given.get(key))]
        if lacking:
            scored.lacking.append(f"control ({', '.join(lacking)})")
            return
        errors = {key: abs(given[key] - wanted[key]) for key in keys}
        for key, error in errors.items():
            self._errors[key].append(error)
            scored.metrics[f"{key}_error"] = error
        if errors:
            scored.metrics["control_error"] = sum(errors.values()) / len(errors)
            self._control.append(scored.metrics["control_error"])

    def _occupancy(self, scored: Scored, truth: Mapping[str, Any], mine: Mapping[str, Any]) -> None:
        wanted = grid_of(truth)
        if wanted is None:
            return
        given = grid_of(mine)
        if given is None:
            scored.lacking.append("occupancy grid")
        scored.metrics["occupancy_iou"] = 0.0 if given is None else iou(given, wanted)
        self._ious.append(scored.metrics["occupancy_iou"])


def _mean(values: list[float]) -> float | None:
    return float(np.mean(values)) if values else None
