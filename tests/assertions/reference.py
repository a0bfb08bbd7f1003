"""The five types decided with hindsight, from the whole stream at once, as the rules read."""

import math


def reach_pose(spec, poses, end):
    within = spec.get("within_s", math.inf)
    for t, x, y, yaw in poses:
        near = math.sqrt(x * x + y * y) <= spec["tolerance_m"]
        turn = abs(math.atan2(math.sin(yaw), math.cos(yaw)))
        limit = spec.get("yaw_tolerance_rad")
        if 0 <= t <= min(within, end) and near and (limit is None or turn <= limit):
            return ("passed", t)
    return ("failed", min(within, end))


def within_time(spec, actions, end):
    events = [one for one in actions if one[1] == "drive"]
    start = next((t for t, _, event, _ in events if event == "started"), None)
    finish = next(((t, status) for t, _, event, status in events if event == "finished"), None)
    if start is None or (finish and events[0][2] == "finished"):
        return ("failed", end if finish is None else finish[0])
    deadline = start + spec["max_s"]
    if finish and finish[0] <= deadline:
        return ("passed" if finish[1] == "ok" else "failed", finish[0])
    return ("failed", min(deadline, end))


def topic_rate(spec, rates, end):
    judged = [(t, hz) for t, hz in rates if t - spec["window_s"] >= spec["after_s"]]
    for t, hz in judged:
        if not spec["min_hz"] <= hz <= spec.get("max_hz", math.inf):
            return ("failed", t)
    if not judged or end - judged[-1][0] > 2:
        return ("failed", end)
    return ("passed", end)


def no_collision(spec, contacts, end):
    for t, other in contacts:
        if other not in spec["ignore"]:
            return ("failed", t)
    return ("passed", end)


def topic_value(spec, values, end):
    """`values` holds (t, value); None stands for a field error."""
    closes = min(spec.get("within_s", math.inf), end)
    threshold = spec["threshold"]
    seen = False
    for t, value in values:
        if t > closes:
            break
        if value is None:
            return ("failed", t)
        if t < spec["after_s"]:
            continue
        seen = True
        if spec["mode"] == "always" and not value > threshold:
            return ("failed", t)
        if spec["mode"] == "eventually" and value > threshold:
            return ("passed", t)
    return ("passed" if seen and spec["mode"] == "always" else "failed", closes)
