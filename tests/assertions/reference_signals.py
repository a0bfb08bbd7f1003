"""Types that judge what topics, nodes and containers say, decided with hindsight."""

import math


def closes(spec, end):
    return min(spec.get("within_s", math.inf), end)


def message_latency(spec, windows, end):
    """Windows are (t, p95 or None for none without messages); "no stamp" for a field error."""
    last = closes(spec, end)
    counted = []
    for t, p95 in windows:
        if p95 == "no stamp" and t <= last:
            return ("failed", t)
        if p95 == "no stamp" or t > last or t - spec["window_s"] < spec["after_s"]:
            continue
        counted.append(t)
        if p95 is None or not p95 <= spec["max_ms"]:
            return ("failed", t)
    if not counted or last - counted[-1] > 2:
        return ("failed", last)
    return ("passed", last)


def resource_usage(spec, samples, end):
    """Samples are (t, cpu, memory), one an instant."""
    last = closes(spec, end)
    seen = [one for one in samples if spec["after_s"] <= one[0] <= last]
    window = spec["window_s"]
    covered = False
    for t, _, memory in seen:
        if memory > spec.get("max_memory_mb", math.inf):
            return ("failed", t)
        if t - window < max(spec["after_s"], seen[0][0] - 1):
            continue
        covered = True
        mean = average(seen, t - window, t)
        if mean > spec.get("max_cpu_pct", math.inf):
            return ("failed", t)
    if not seen:
        return ("failed", last)
    if not covered and average(seen, seen[-1][0] - window, last) > spec.get(
        "max_cpu_pct", math.inf
    ):
        return ("failed", last)
    return ("passed", last)


def average(samples, begin, end):
    inside = [cpu for t, cpu, _ in samples if begin < t <= end]
    return sum(inside) / len(inside)


def lifecycle_state(spec, states, end):
    last = closes(spec, end)
    seen = [(t, state) for t, state in states if spec["after_s"] <= t <= last]
    for t, state in seen:
        if spec["mode"] == "eventually" and state == "active":
            return ("passed", t)
        if spec["mode"] == "always" and state != "active":
            return ("failed", t)
    return ("passed" if seen and spec["mode"] == "always" else "failed", last)


def temporal(kind, spec, events, end):
    """The condition `a > b`; events are (t, name, value), None for a field error.

    A value "gone" says that the model which it was read of is.
    """
    last = closes(spec, end)
    known, evaluations, broken = {}, [], math.inf
    for t, name, value in events:
        if t > last:
            break
        if value is None:
            broken = t
            break
        if value == "gone":
            known.pop(name, None)
            evaluations.append((t, None))
            continue
        known[name] = value
        if len(known) == 2 and t >= spec["after_s"]:
            evaluations.append((t, known["a"] > known["b"]))
    status, t = judged(kind, spec, evaluations, last)
    held = spec.get("for_s") is not None and status == "passed"
    if broken < t or (broken == t and not held and broken <= last and undecided(kind, status)):
        return ("failed", broken)
    return (status, t)


def undecided(kind, status):
    """Whether a verdict is one that only the window's end brings."""
    return status == ("failed" if kind == "eventually" else "passed")


def judged(kind, spec, evaluations, last):
    if all(holds is None for _, holds in evaluations):
        return ("failed", last)
    if kind in {"always", "never"}:
        for t, holds in evaluations:
            if holds is not None and holds != (kind == "always"):
                return ("failed", t)
        return ("passed", last)
    for n, (t, holds) in enumerate(evaluations):
        due = t + spec.get("for_s", 0)
        breaks = next((at for at, still in evaluations[n:] if not still), math.inf)
        if holds and due <= last and breaks >= due:
            return ("passed", due)
    return ("failed", last)
