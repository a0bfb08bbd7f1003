"""Live runs in lockstep: how fast, how soon, and with what evidence."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fieldproof.runs import EVIDENCE_FILES, RECORDING, evidence_digest
from tests.bench.checkout import SCENARIO, Checkout, MeasurementError
from tests.bench.machine import Watch

_BOUND_S = 240.0
_FIRST = "start simulator"


@dataclass(frozen=True, slots=True)
class LiveRun:
    """A run and its times.

    Attributes:
        folder: the run directory.
        rtf: simulation seconds of the timeline for each second of wall clock.
        start_s: from the command's start to that of the timeline: interpreter, imports, plan
            and the phases up to the readiness gates, whose last wait takes the first ticks.
        parts: seconds of that, by phase.
        tick_s: wall clock of one tick of the timeline.
        digest: of the evidence.
        watch: of the whole command.
    """

    folder: Path
    rtf: float
    start_s: float
    parts: dict[str, float]
    tick_s: float
    digest: str
    watch: Watch


def run_once(checkout: Checkout, runs: Path) -> LiveRun:
    """Run the scenario live, as a user does, into a folder of its own.

    Raises:
        MeasurementError: it did not pass, or its record lacks what is to be read.
    """
    scenario = f"scenarios/{SCENARIO}.yaml"
    spawned = time.time()
    with Watch() as watch:
        checkout.run(
            [checkout.root / "fieldproof", "run", scenario, "--quiet", "--runs", runs],
            bound_s=_BOUND_S,
        )
    folder = (runs / "latest").resolve()
    try:
        return read_run(folder, spawned=spawned, watch=watch)
    except (OSError, KeyError, ValueError, ZeroDivisionError) as error:
        raise MeasurementError(f"the record of {folder.name} cannot be read: {error!r}") from error


def read_run(folder: Path, *, spawned: float, watch: Watch) -> LiveRun:
    """Read a run's times from its envelope, outcome and log.

    Args:
        folder: a run directory.
        spawned: wall clock at which its command was started, seconds of the epoch.
        watch: of the command.

    Raises:
        OSError: A file is missing.
        KeyError, ValueError, ZeroDivisionError: A file lacks what is read.
    """
    outcome, envelope, execution = (
        json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("outcome", "envelope", "execution")
    )
    phases: dict[str, float] = envelope["phases"]
    started = phase_starts((folder / "logs" / "engine.log").read_text(encoding="utf-8"))
    sim_s = (outcome["sim_ns"] - outcome["origin_ns"]) / 1e9
    ticks = round(sim_s * 1e9 / execution["time"]["tick_ns"])
    timeline_s = phases["timeline"]
    parts = {"before the first phase": started[_FIRST] - spawned}
    parts |= {name: phases[name] for name in started if started[name] < started["timeline"]}
    return LiveRun(
        folder=folder,
        rtf=sim_s / timeline_s,
        start_s=started["timeline"] - spawned,
        parts=parts,
        tick_s=timeline_s / ticks,
        digest=evidence_digest(folder),
        watch=watch,
    )


def phase_starts(log: str) -> dict[str, float]:
    """Wall clock at which each phase began, seconds of the epoch, from the text of engine.log."""
    entries: list[dict[str, Any]] = [json.loads(line) for line in log.splitlines()]
    return {entry["phase"]: entry["wall"] for entry in entries if entry["event"] == "phase.start"}


def differing_files(one: Path, other: Path) -> list[str]:
    """Names of the evidence files whose bytes differ; the recording may differ in bytes alone."""
    names = []
    for name in EVIDENCE_FILES:
        first, second = (
            path.read_bytes() if path.is_file() else None for path in (one / name, other / name)
        )
        if first != second:
            names.append(f"{name} (by its bytes)" if name == RECORDING else name)
    return names


def keep_differing(runs: Sequence[LiveRun], reference: Path, digest: str, target: Path) -> str:
    """Copy the first run whose evidence is not the reference's, and say where it differs.

    Returns:
        A sentence, empty if there is no such run.
    """
    odd = next((run for run in runs if run.digest != digest), None)
    if odd is None:
        return ""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(odd.folder, target / "live", symlinks=True)
    shutil.copytree(reference, target / "hermetic", symlinks=True)
    files = ", ".join(differing_files(odd.folder, reference))
    return f"the first that differs, in {files}, is kept in {target.name}"
