from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fieldproof.runs._files import SCHEMA_VERSION, regular_files
from fieldproof.runs._seal import EVIDENCE_FILES, RECORDING
from fieldproof.runs._status import Status, Verdict, gap_text, verdict_of

_NS_PER_S = 1_000_000_000
_VERDICT_FILES = frozenset({"evaluation.json", "assertions.jsonl", "kpis.jsonl", "verdict.json"})


@dataclass(frozen=True, slots=True)
class Envelope:
    """What of a run depends on when, where and by whom it was run.

    Attributes:
        run_id: the run's id.
        started_at: ISO 8601, UTC.
        ended_at: the same, empty while the run goes on.
        host: name of the machine.
        pid: the engine's process id.
        engine_version: of Fieldproof.
        command: the command line, program first.
        scenario_path: as it was given.
        scenario_sha256: of the scenario file.
        phases: seconds of wall clock by phase.
        timeline: when each occurrence started, epoch seconds by label.
        recovered: why the run had to be recovered, empty if it had not.
    """

    run_id: str
    started_at: str
    host: str
    pid: int
    engine_version: str
    ended_at: str = ""
    command: tuple[str, ...] = ()
    scenario_path: str = ""
    scenario_sha256: str = ""
    phases: Mapping[str, float] = field(default_factory=dict)
    timeline: Mapping[str, float] = field(default_factory=dict)
    recovered: str = ""

    def to_data(self) -> dict[str, Any]:
        """Return the content of envelope.json."""
        return {
            "schema_version": SCHEMA_VERSION,
            **asdict(self),
            "command": list(self.command),
            "phases": dict(self.phases),
            "timeline": dict(self.timeline),
        }


def compose_run_record(  # noqa: PLR0917  # the files of a run, in their order
    execution: Mapping[str, Any],
    evaluation: Mapping[str, Any],
    outcome: Mapping[str, Any],
    timeline: Sequence[Mapping[str, Any]],
    assertions: Sequence[Mapping[str, Any]],
    kpis: Iterable[Mapping[str, Any]],
    envelope: Mapping[str, Any] | None = None,
    *,
    verdict: Mapping[str, Any] | None = None,
    artefacts: Sequence[Mapping[str, Any]] = (),
    resources: Iterable[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Put together run.json, from which every report is rendered.

    The same evidence and verdict give the same record; only the envelope brings in time and place.
    Every assertion and timeline entry of the plans is in it: one that never came to a verdict or
    a start is `skipped`.

    Args:
        execution: execution.json.
        evaluation: evaluation.json.
        outcome: outcome.json.
        timeline: timeline.json, one object per occurrence.
        assertions: assertions.jsonl, in the order in which the verdicts were given.
        kpis: kpis.jsonl, the collectors' results and the map (`kind: kpis`, under `kpis`).
        envelope: envelope.json, None in a hermetic run.
        verdict: verdict.json, None to judge anew.
        artefacts: as `list_artefacts` gives them.
        resources: the samples of resources.jsonl.
    """
    planned = [each["name"] for each in evaluation.get("assertions", ())]
    judged = (
        verdict_of(outcome, assertions, planned=planned)
        if verdict is None
        else Verdict(Status(verdict["status"]), verdict["reason"])
    )
    lines = list(kpis)
    record = {
        **_head(judged),
        "scenario": {"name": execution["scenario"]["name"]},
        "world": execution["world"]["name"],
        "vehicles": [
            {key: vehicle.get(key) for key in ("name", "namespace", "robot")}
            for vehicle in execution["vehicles"]
        ],
        "time": dict(execution["time"]),
        "determinism": outcome.get("determinism"),
        "durations": {
            "wall_s": None,
            "timeline_s": _timeline_s(execution, outcome),
            "sim_s": _seconds(outcome.get("sim_ns")),
        },
        "phases": [dict(phase) for phase in outcome.get("phases", ())],
        "timeline": _whole_timeline(execution, timeline),
        "assertions": _all_assertions(evaluation, assertions),
        "kpis": _kpi_map(lines),
        "kpi_collectors": [dict(line) for line in lines if line.get("kind") != "kpis"],
        "evidence": {
            "complete": outcome.get("complete", False),
            "gaps": [{**gap, "text": gap_text(gap)} for gap in outcome.get("gaps", ())],
            "topics": dict(outcome.get("topics", {})),
        },
        "resources": _resources(resources),
        "artefacts": [dict(each) for each in artefacts],
        "problems": [],
    }
    return merge_envelope(record, envelope) if envelope is not None else record


def _resources(samples: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return each container with its number of samples and the last of them."""
    found: dict[str, dict[str, Any]] = {}
    for sample in samples:
        name = sample["container"]
        count = found[name]["samples"] if name in found else 0
        found[name] = {"container": name, "samples": count + 1, "last": dict(sample)}
    return list(found.values())


def compose_invalid_record(
    scenario: str, problems: Sequence[str], envelope: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Put together the record of a scenario that does not validate, so that reports can say so.

    Args:
        scenario: the scenario's name, or its file's without the ending.
        problems: one line each, `file:line:column: path: what`.
        envelope: envelope.json where there is one.
    """
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    reason = problems[0] + more if problems else "the scenario is not valid"
    record: dict[str, Any] = {
        **_head(Verdict(Status.INVALID, reason)),
        "scenario": {"name": scenario},
        "world": None,
        "vehicles": [],
        "time": {},
        "determinism": None,
        "durations": {"wall_s": None, "timeline_s": None, "sim_s": None},
        "phases": [],
        "timeline": [],
        "assertions": [],
        "kpis": {},
        "kpi_collectors": [],
        "evidence": {"complete": False, "gaps": [], "topics": {}},
        "resources": [],
        "artefacts": [],
        "problems": list(problems),
    }
    return merge_envelope(record, envelope) if envelope is not None else record


def merge_envelope(record: Mapping[str, Any], envelope: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with the time and place of an envelope. Merging again changes nothing."""
    merged = dict(record)
    merged["run_id"] = envelope["run_id"]
    merged["started_at"] = envelope["started_at"] or None
    merged["ended_at"] = envelope.get("ended_at") or None
    merged["host"] = envelope.get("host") or None
    merged["engine_version"] = envelope.get("engine_version")
    merged["recovered"] = envelope.get("recovered") or None
    merged["scenario"] = {
        **record["scenario"],
        "path": envelope.get("scenario_path") or None,
        "sha256": envelope.get("scenario_sha256") or None,
    }
    durations = dict(record["durations"])
    durations["wall_s"] = _between(merged["started_at"], merged["ended_at"])
    phases = envelope.get("phases", {})
    if durations["timeline_s"] is None:
        durations["timeline_s"] = phases.get("timeline")
    merged["durations"] = durations
    merged["phases"] = [
        {**phase, "duration_s": phases.get(phase["name"])} for phase in record["phases"]
    ]
    started = envelope.get("timeline", {})
    merged["timeline"] = [
        {**entry, "started_at": _utc(started.get(entry["name"]))} for entry in record["timeline"]
    ]
    return merged


def list_artefacts(*folders: Path) -> list[dict[str, Any]]:
    """Return what a run left, the recording first: path, kind and size in bytes.

    Args:
        folders: looked through in order; of two files with one relative path the first counts.
    """
    found: dict[str, Path] = {}
    for folder in folders:
        for path in regular_files(folder):
            found.setdefault(path.relative_to(folder).as_posix(), path)
    ranked = sorted((rank, name) for name in found if (rank := _rank(name)) is not None)
    return [
        {"path": name, "kind": _KINDS[rank], "size": found[name].stat().st_size}
        for rank, name in ranked
    ]


_KINDS = ("recording", "evidence", "resources", "derived", "verdict", "video", "log")
_FILES: Mapping[str, int] = {
    **dict.fromkeys(EVIDENCE_FILES, 1),
    **dict.fromkeys(_VERDICT_FILES, 4),
    RECORDING: 0,
    "resources.jsonl": 2,
}
# what lies beside a recording is made of it: its index
_FOLDERS: Mapping[str, int] = {"recording/": 3, "video/": 5, "logs/": 6}


def _rank(name: str) -> int | None:
    if name in _FILES:
        return _FILES[name]
    return next((rank for folder, rank in _FOLDERS.items() if name.startswith(folder)), None)


def _head(verdict: Verdict) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA_VERSION,
        "run_id": None,
        "started_at": None,
        "ended_at": None,
        "host": None,
        "engine_version": None,
        "recovered": None,
        **verdict.to_data(),
    }


def _whole_timeline(
    execution: Mapping[str, Any], timeline: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    entries = [dict(entry) for entry in timeline]
    known = {entry["name"].split("#")[0] for entry in entries}
    never = [each for each in execution.get("timeline", ()) if each["label"] not in known]
    return entries + [
        {
            "name": planned["label"],
            "action": planned["action"],
            "vehicle": planned.get("vehicle"),
            "status": "skipped",
            "detail": "the timeline did not come to it",
            "params": dict(planned.get("params", {})),
        }
        for planned in never
    ]


def _all_assertions(
    evaluation: Mapping[str, Any], results: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    given = {each["name"]: each for each in results}
    entries = []
    for planned in evaluation.get("assertions", ()):
        about = {key: planned.get(key) for key in ("type", "on_fail", "source")}
        result = given.pop(planned["name"], None)
        entries.append(
            {
                "name": planned["name"],
                **about,
                **(result or _NO_RESULT),
            }
        )
    return entries + [dict(each) for each in given.values()]


_NO_RESULT: Mapping[str, Any] = {
    "status": "skipped",
    "reason": "the run ended before it was decided",
    "t_s": None,
    "sim_s": None,
    "evidence": {},
    "metrics": {},
}


def _kpi_map(lines: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    for line in lines:
        if line.get("kind") == "kpis":
            return dict(line["kpis"])
    return {}


def _timeline_s(execution: Mapping[str, Any], outcome: Mapping[str, Any]) -> float | None:
    """Return the timeline's length where it is counted in simulation time."""
    origin, end = outcome.get("origin_ns"), outcome.get("sim_ns")
    if execution["time"].get("mode") != "lockstep" or origin is None or end is None:
        return None
    return float((end - origin) / _NS_PER_S)


def _seconds(time_ns: int | None) -> float | None:
    return None if time_ns is None else time_ns / _NS_PER_S


def _between(start: str | None, end: str | None) -> float | None:
    if not start or not end:
        return None
    length = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    return round(length.total_seconds(), 6)


def _utc(epoch_s: float | None) -> str | None:
    if epoch_s is None:
        return None
    return datetime.fromtimestamp(epoch_s, UTC).isoformat(timespec="milliseconds")
