from pathlib import Path
from typing import Any

from fieldproof.recording import RecordingError, RecordingReader
from fieldproof.runs._directory import RunDirectory
from fieldproof.runs._errors import SealedRunError, UnreadableRunError
from fieldproof.runs._files import read_json, write_bytes, write_json
from fieldproof.runs._load import ENVELOPE

_STREAMS = ("samples.jsonl", "assertions.jsonl", "kpis.jsonl", "resources.jsonl")
_BLANK: dict[str, Any] = {
    "phases": [],
    "sim_ns": 0,
    "origin_ns": None,
    "determinism": None,
    "topics": {},
}


def mark_recovered(run: RunDirectory, reason: str) -> dict[str, Any]:
    """Turn what a dead engine left into a run that can be reported and sealed.

    The outcome becomes an error with incomplete evidence, whatever was written before; a line
    that was cut at the end of a stream goes; what of the recording is readable stays. The
    envelope says that the run was recovered. Reports and seal are the caller's.

    Args:
        run: not sealed, and no longer held by an engine.
        reason: what happened to the engine, as far as is known.

    Returns:
        the content of outcome.json as it is now.

    Raises:
        SealedRunError: The run is sealed.
        RunBusyError: Its engine is alive.
        OSError: A file cannot be written.
    """
    if run.sealed:
        raise SealedRunError(run.path)
    with run.claim():
        before = _read_or_empty(run.path / "outcome.json")
        gaps = list(before.get("gaps", []))
        gaps.append({"what": f"the run was not ended: {reason}"})
        for name in _STREAMS:
            cut = _drop_cut_line(run.path / name)
            if cut:
                lost = "1 byte of it is" if cut == 1 else f"{cut} bytes of it are"
                gaps.append({"what": f"{name} was cut within a line, {lost} lost"})
        gaps += _recording_gaps(run.recording)
        outcome = {
            **_BLANK,
            **before,
            "status": "error",
            "reason": f"recovered: {reason}",
            "complete": False,
            "gaps": gaps,
        }
        write_json(run.path / "outcome.json", outcome)
        if not (run.path / "timeline.json").is_file():
            write_json(run.path / "timeline.json", [])
        envelope = _read_or_empty(run.path / ENVELOPE)
        if envelope:
            write_json(run.path / ENVELOPE, {**envelope, "recovered": reason})
    return outcome


def _read_or_empty(path: Path) -> dict[str, Any]:
    try:
        return read_json(path)
    except UnreadableRunError:
        return {}


def _drop_cut_line(path: Path) -> int:
    """Remove what follows the last line end of a file; return how many bytes it was."""
    if not path.is_file():
        return 0
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if len(whole) < len(data):
        write_bytes(path, whole)
    return len(data) - len(whole)


def _recording_gaps(folder: Path) -> list[dict[str, Any]]:
    if not folder.is_dir():
        return []
    try:
        with RecordingReader(folder) as reader:
            if not reader.unclosed:
                return []
    except (RecordingError, OSError) as error:
        return [{"what": f"the recording cannot be read: {error}"}]
    return [{"what": "the recording was not closed, its last chunk is lost"}]
