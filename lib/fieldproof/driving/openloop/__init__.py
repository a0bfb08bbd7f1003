"""Open loop: an agent's predictions on logged data, and how far they are from what happened."""

from fieldproof.driving.openloop._dataset import (
    Dataset,
    DatasetMetadata,
    Sample,
    SampleFile,
    load_dataset,
)
from fieldproof.driving.openloop._detection import (
    Box,
    boxes_of,
    mean_average_precision,
    overlaps,
)
from fieldproof.driving.openloop._occupancy import grid_of, iou
from fieldproof.driving.openloop._run import (
    FinishedOpenLoop,
    OpenLoopOptions,
    run_openloop,
    run_openloop_into,
)
from fieldproof.driving.openloop._score import Score, definitions
from fieldproof.driving.openloop._trajectories import displacements, padded, points_of

__all__ = [
    "Box",
    "Dataset",
    "DatasetMetadata",
    "FinishedOpenLoop",
    "OpenLoopOptions",
    "Sample",
    "SampleFile",
    "Score",
    "boxes_of",
    "definitions",
    "displacements",
    "grid_of",
    "iou",
    "load_dataset",
    "mean_average_precision",
    "overlaps",
    "padded",
    "points_of",
    "run_openloop",
    "run_openloop_into",
]
