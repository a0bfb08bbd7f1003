"""mission_time and sequence decided with hindsight, as the rules read."""

import math


def mission_time(spec, actions, end):
    """Actions are (t, label, event, status), in order."""
    first, last = spec.get("start"), spec.get("end")
    starts = [n for n, one in enumerate(actions) if one[1] == first and one[2] == "started"]
    skipped = [
        n for n, one in enumerate(actions)
        if one[1] == first and one[2] == "finished" and not any(s < n for s in starts)
    ]  # fmt: skip
    ends = [n for n, one in enumerate(actions) if one[1] == last and one[2] == "finished"]
    opened = 0.0 if first is None else actions[starts[0]][0] if starts else None
    began = -1 if first is None else starts[0] if starts else math.inf
    closing = [n for n in ends if actions[n][3] == "ok" and n > began]
    closed = actions[closing[0]][0] if closing else None
    if last is None:
        closed = end if opened is not None else None
    missed = [
        *(actions[n][0] for n in ends if actions[n][3] != "ok" and (not closing or n < closing[0])),
        *(actions[n][0] for n in skipped[:1]),
    ]
    deadline = math.inf if opened is None else opened + spec["max_s"]
    missed_s = min(missed, default=math.inf)
    if missed_s <= min(deadline, end, math.inf if closed is None else closed):
        return ("failed", missed_s)
    if closed is None or closed > deadline:
        return ("failed", min(deadline, end))
    return ("failed" if closed - opened < spec.get("min_s", 0) else "passed", closed)


def sequence(spec, events, end):
    """Events are (t, what, content), in order: what is value, action or pose.

    Steps are ("action", event), ("signal", threshold) and ("assertion",): that of a vehicle which
    must come to x = 0 by 3 s.
    """
    passed = next(
        (n for n, one in enumerate(events) if one[1] == "pose" and one[2] == 0 and one[0] <= 3),
        None,
    )
    place, time, started = -1, 0.0, False
    for step in spec["steps"]:
        limit = spec.get("within_s", math.inf)
        if started and "max_gap_s" in spec:
            limit = min(limit, time + spec["max_gap_s"])
        status, when, place = happening(step, events, (place, time), passed, end)
        if when > limit:
            return ("failed", min(limit, end))
        if status == "failed":
            return ("failed", when)
        time, started = when, True
    return ("passed", time)


def happening(step, events, before, passed, end):
    """How a step ends, when, and which event it was."""
    place, time = before
    if step[0] == "assertion":
        if passed is None:
            return "failed", max(time, min(3.0, end)), place
        return "passed", max(time, events[passed][0]), max(place, passed)
    for n in range(place + 1, len(events)):
        t, what, content = events[n]
        if step[0] == "signal" and what == "value" and (content == "text" or content > step[1]):
            return "failed" if content == "text" else "passed", t, n
        if step[0] == "action" and what == "action":
            event, status = content
            if event == "finished" and status != "ok":
                return "failed", t, n
            if event == step[1]:
                return "passed", t, n
    return "failed", end, place
