"""geofence, min_distance and path_efficiency decided with hindsight, as the rules read."""

import itertools
import math


def closes(spec, end):
    return min(spec.get("within_s", math.inf), end)


def geofence(spec, poses, end):
    """A disc of radius 2 around the origin; poses are (t, x, y)."""
    last = closes(spec, end)
    seen = [(t, x * x + y * y <= 4) for t, x, y in poses if spec["after_s"] <= t <= last]
    for t, inside in seen:
        if inside != (spec["mode"] == "inside"):
            return ("failed", t)
    return ("passed" if seen else "failed", last)


def distances(poses, end):
    """(t, distance) of each measurement; poses are (t, model, x), one a model and instant.

    An x of None says that the model is gone.
    """
    known, found = {}, []
    for t in sorted({t for t, _, _ in poses}):
        now = {model: x for at, model, x in poses if at == t}
        known = {model: x for model, x in (known | now).items() if x is not None}
        if len(known) == 2 and now.keys() & known.keys():
            found.append((t, abs(known["ugv1"] - known["ugv2"])))
    return [one for one in found if one[0] <= end]


def min_distance(spec, poses, end):
    last = closes(spec, end)
    found = [one for one in distances(poses, end) if spec["after_s"] <= one[0] <= last]
    for t, metres in found:
        if metres < spec["min_m"]:
            return ("failed", t)
    return ("passed" if found else "failed", last)


def run_of(actions, end):
    """The run of the first occurrence: its start, its end, and when it is judged."""
    started = next((t for t, event, _ in actions if event == "started"), None)
    finished = next((t for t, event, _ in actions if event == "finished"), None)
    if finished is not None and (started is None or finished < started):
        return None, None, finished
    return started, end if finished is None else finished, end if finished is None else finished


def efficiency(places, target):
    """None with fewer than two places; of stretches that a teleport parts, each is a list."""
    if sum(map(len, places)) < 2:
        return None
    *before, last = places
    goal = target or last[-1]
    left, begun = math.dist(last[-1], goal), math.dist(last[0], goal)
    earlier = sum(math.dist(one[0], one[-1]) for one in before)
    if all(math.dist(one[0], place) <= 0.05 for one in places for place in one):
        return 1.0 if target is None or begun <= 0.05 else 0.0
    if target is not None and left >= begun and not (earlier and left <= 0.05):
        return 0.0
    path = sum(math.dist(a, b) for one in places for a, b in itertools.pairwise(one))
    return min(1.0, (earlier + begun) / path)


def path_efficiency(spec, poses, actions, end):
    """Poses are (t, x, y, whether a teleport came before), actions (t, event, status) or None."""
    if actions is None:
        first, last = spec["after_s"], closes(spec, end)
        judged = last
    else:
        first, last, judged = run_of(actions, end)
    places, path = [[]], 0.0
    for t, x, y, teleported in poses:
        if first is None or not first <= t <= last:
            continue
        if teleported and places[-1]:
            places.append([])
        if places[-1]:
            path += math.dist(places[-1][-1], (x, y))
        places[-1].append((x, y))
        if path > spec.get("max_path_m", math.inf):
            return ("failed", t)
    ratio = efficiency(places, spec.get("at"))
    return ("passed" if ratio is not None and ratio >= spec["min_ratio"] else "failed", judged)
