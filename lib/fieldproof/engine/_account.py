"""What became of a run, as its evidence says it."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fieldproof.runs import write_json


@dataclass(slots=True)
class Account:
    """How a run ended and what is missing from its evidence; the last end counts.

    Attributes:
        status: completed, failed, timeout, error or interrupted.
        reason: why, for people; empty when the timeline completed.
        origin_ns: simulation time of the timeline's start; None if it did not come to it.
        gaps: what was lost or came too late.
        topics: messages taken and lost by topic.
        observed: whether the observer gave its account.
    """

    status: str = "error"
    reason: str = "the run did not come to its timeline"
    origin_ns: int | None = None
    gaps: list[dict[str, Any]] = field(default_factory=list)
    topics: dict[str, dict[str, int]] = field(default_factory=dict)
    observed: bool = False

    def end(self, status: str, reason: str) -> None:
        """Say how the run ended."""
        self.status, self.reason = status, reason

    def take(self, observer: Mapping[str, Any]) -> None:
        """Take the observer's own account of what it has seen."""
        self.topics = observer["topics"]
        self.observed = True
        self.gaps += [
            {"topic": topic, "lost": counts["lost"]}
            for topic, counts in self.topics.items()
            if counts["lost"]
        ]
        self.gaps += [
            {"frames": topic, "lost": lost} for topic, lost in observer["frame_gaps"].items()
        ]
        self.gaps += [
            {"topic": topic, "what": "appeared only after the first tick, its beginning is missing"}
            for topic in observer["late"]
        ]

    def outcome(
        self, *, phases: Sequence[Mapping[str, str]], sim_ns: int, determinism: str
    ) -> dict[str, Any]:
        """Return the content of outcome.json."""
        return {
            "status": self.status,
            "reason": self.reason,
            "phases": list(phases),
            "sim_ns": sim_ns,
            "origin_ns": self.origin_ns,
            "determinism": determinism,
            "complete": self.observed and not self.gaps,
            "gaps": self.gaps,
            "topics": self.topics,
        }


def determinism(execution: Mapping[str, Any], *, thawed: bool, given_up: bool) -> str:
    """Return how far a run repeats: `exact`, `stepped` or `wall`.

    Args:
        execution: the execution plan.
        thawed: whether a frozen stack was let go on: what it does first is up to the host.
        given_up: whether a blocking event was no longer waited for.
    """
    if execution["time"]["mode"] != "lockstep":
        return "wall"
    if thawed or given_up:
        return "stepped"
    return "exact" if all(map(_acknowledges_wholly, execution["vehicles"])) else "stepped"


def _acknowledges_wholly(vehicle: Mapping[str, Any]) -> bool:
    """Whether every process of the stack says when it is done with a tick."""
    lockstep = vehicle["manifest"]["lockstep"]
    nodes = {process["node"] for process in vehicle["manifest"]["stack"]["processes"]}
    return bool(lockstep.get("ack")) and nodes <= set(lockstep.get("nodes") or ())


def write_evidence(
    folder: Path,
    *,
    plan: Path,
    observe: Mapping[str, Any],
    outcome: Mapping[str, Any],
    timeline: Sequence[Mapping[str, Any]],
) -> None:
    """Write the evidence's own documents, beside samples and recording.

    Args:
        folder: the evidence.
        plan: folder with execution.json, which is copied unless the evidence has it.
        observe: what was observed, as the plan says it.
        outcome: see `Account.outcome`.
        timeline: the record of every occurrence.
    """
    write_json(folder / "outcome.json", outcome)
    write_json(folder / "timeline.json", timeline)
    write_json(folder / "observe.json", observe)
    target = folder / "execution.json"
    if not target.exists():
        shutil.copyfile(plan / "execution.json", target)
