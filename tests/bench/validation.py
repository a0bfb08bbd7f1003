"""How long a long scenario takes from its file to its plan, every check included."""

from __future__ import annotations

import time
from pathlib import Path

from fieldproof.engine.resolve import resolve
from tests.bench.checkout import ROOT

_HEAD = """\
apiVersion: fieldproof.dev/v0alpha1
kind: Scenario
name: long
world: dock_yard
time: { mode: lockstep }
vehicles:
  - { name: ugv1, manifest: ugv_ref, spawn: { frame: spawn_dock } }
timeline:
"""
_KINDS = (
    "action: set_wind\n    velocity: [1.0, 0.5, 0.0]\n    at: {n}s\n",
    "action: gps.deny\n    vehicle: ugv1\n    duration_s: 5s\n    after: e{before}\n",
    (
        "action: param.set\n    vehicle: ugv1\n    node: link_monitor\n    parameter: p\n"
        "    value: 2.5\n    within_s: 30m\n    when: {{ metric: distance_to, "
        "target: {{ frame: door }}, condition: value < {n}.5 and value > 0.1 }}\n"
    ),
    (
        "action: teleport\n    model: crate\n    pose: {{ x: 1.5, y: {n} }}\n"
        "    every: 30s\n    count: 3\n"
    ),
)


def long_scenario(entries: int) -> str:
    """The text of a scenario with so many entries, of four kinds and every trigger."""
    rows = [
        f"  - name: e{n}\n    " + _KINDS[n % 4].format(n=n, before=n - 1) for n in range(entries)
    ]
    return _HEAD + "".join(rows)


def measure_validation(folder: Path, entries: int = 2000) -> float:
    """Seconds from the file to the plan.

    Args:
        folder: where the scenario is written.
        entries: how many entries its timeline has.
    """
    path = folder / "long.yaml"
    path.write_text(long_scenario(entries), encoding="utf-8")
    started = time.perf_counter()
    resolved = resolve(path, ROOT / "worlds", ROOT / "robots")
    took = time.perf_counter() - started
    assert len(resolved.execution["timeline"]) == entries
    return took
