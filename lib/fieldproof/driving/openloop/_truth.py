"""Whether what a dataset holds as truth can be measured against."""

from collections.abc import Iterator, Mapping
from typing import Any

from fieldproof.driving.openloop._detection import LISTS, boxes_of
from fieldproof.driving.openloop._occupancy import KEYS, grid_of
from fieldproof.driving.openloop._trajectories import is_number, points_of
from fieldproof.model import Problem

CONTROLS = ("steer", "throttle", "brake")
_TRAJECTORY, _CONTROL = "trajectory", "control"


def is_measurable(truth: Mapping[str, Any]) -> bool:
    """Return whether a prediction can be compared with any part of a sound truth."""
    control = truth.get(_CONTROL)
    return (
        truth.get(_TRAJECTORY) is not None
        or (isinstance(control, Mapping) and any(key in control for key in CONTROLS))
        or grid_of(truth) is not None
        or boxes_of(truth) is not None
    )


def truth_problems(truth: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what of a truth would be passed over in silence; null counts as not there."""
    trajectory = truth.get(_TRAJECTORY)
    if trajectory is not None and points_of(trajectory) is None:
        what = "is no list of points with finite x and y, at least one"
        yield Problem(f"{what}; give such a list, or leave it out", (_TRAJECTORY,))
    yield from _control_problems(truth.get(_CONTROL))
    grids = [key for key in KEYS if truth.get(key) is not None]
    if grids and grid_of(truth) is None:
        what = "is no grid of finite numbers with rows of one length"
        yield Problem(f"{what}; give such a grid, or leave it out", (grids[0],))
    yield from _box_problems(truth)


def _control_problems(control: Any) -> Iterator[Problem]:
    if control is None:
        return
    if not isinstance(control, Mapping):
        yield Problem(f"must be a mapping of {', '.join(CONTROLS)}", (_CONTROL,))
        return
    for key in CONTROLS:
        if key in control and not is_number(control[key]):
            yield Problem("must be a finite number", (_CONTROL, key))


def _box_problems(truth: Mapping[str, Any]) -> Iterator[Problem]:
    given = [key for key in LISTS if truth.get(key) is not None]
    if not given:
        return
    if boxes_of(truth) is None:
        yield Problem("must be a list of boxes", (given[0],))
        return
    key = next(key for key in given if isinstance(truth[key], list))
    for place, one in enumerate(truth[key]):
        if not boxes_of({key: [one]}):
            what = "has no bbox of four finite numbers; give it one, or leave the object out"
            yield Problem(what, (key, place))
