"""The files of a run without a seal, each read and checked by itself."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fieldproof.driving.artefacts import (
    ArtefactError,
    Failures,
    Metrics,
    OpenLoopMetrics,
    OpenLoopSummary,
    Regression,
    Summary,
    read_artefact,
    read_json_file,
)
from fieldproof.runs import compose_run_record, list_artefacts, sha256_of

Problems = list[str]
Documents = Mapping[str, Any]

_PLAIN = ("provenance", "execution", "evaluation", "outcome", "timeline", "verdict", "run")
_BETWEEN_WORDS = re.compile(r"[\s,<>]+")
_LINES = ("assertions.jsonl", "kpis.jsonl")


def documents_of(folder: Path, problems: Problems) -> dict[str, Any]:
    """Return the documents of a run by name; what cannot be read is added to the problems."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            problems.append(f"{path.relative_to(folder).as_posix()}: is no plain file")
    try:
        summary = read_json_file(folder / "summary.json")
        is_open_loop = isinstance(summary, dict) and "task" in summary
        kinds: dict[str, Any] = {
            "summary": OpenLoopSummary if is_open_loop else Summary,
            "metrics": OpenLoopMetrics if is_open_loop else Metrics,
            "regression": Regression,
        }
        if not is_open_loop:
            kinds["failures"] = Failures
        for name, kind in kinds.items():
            read_artefact(folder / f"{name}.json", kind)
        for name in (*kinds, *_PLAIN):
            found[f"{name}.json"] = read_json_file(folder / f"{name}.json")
        for name in _LINES:
            found[name] = list(lines_of(folder / name))
    except ArtefactError as error:
        problems.append(str(error).removeprefix(f"{folder}/"))
    except (OSError, ValueError) as error:
        problems.append(str(error))
    return found


def lines_of(path: Path) -> Iterator[Any]:
    """Yield the JSON value of each line of a file.

    Raises:
        OSError: It cannot be read.
        ValueError: A line is no JSON.
    """
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            yield json.loads(line)


def hash_problems(folder: Path, hashes: Mapping[str, str], folders: tuple[str, ...]) -> Problems:
    """Return which files have not the hash that they should, or stand there without one."""
    problems = []
    for name, wanted in sorted(hashes.items()):
        path = folder / name
        if not path.is_file():
            problems.append(f"{name}: missing")
            continue
        found = sha256_of(path)
        if found != wanted:
            problems.append(f"{name}: changed (outcome.json says {wanted}, it is {found})")
    there = {
        path.relative_to(folder).as_posix()
        for name in folders
        for path in (folder / name).rglob("*")
        if path.is_file()
    }
    return problems + [f"{name}: added" for name in sorted(there - set(hashes))]


def record_problems(folder: Path, documents: Documents) -> Problems:
    """Return what of run.json does not follow from the other files."""
    record = compose_run_record(
        documents["execution.json"],
        documents["evaluation.json"],
        documents["outcome.json"],
        documents["timeline.json"],
        documents["assertions.jsonl"],
        documents["kpis.jsonl"],
        None,
        verdict=documents["verdict.json"],
        artefacts=list_artefacts(folder),
    )
    return differing("run.json", documents["run.json"], record, "the other files")


def differing(file: str, found: Any, wanted: Any, source: str, path: str = "") -> Problems:
    """Return where data is not what it should be, the innermost keys of mappings."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        problems = []
        for key in sorted({*found, *wanted}):
            inner = f"{path}.{key}" if path else str(key)
            problems += differing(file, found.get(key), wanted.get(key), source, inner)
        return problems
    if json.dumps(found, sort_keys=True) == json.dumps(wanted, sort_keys=True):
        return []
    said = f"says {_short(found)}, {source} {_short(wanted)}"
    return [f"{file}: {path or 'it'} {said}"]


def report_problems(folder: Path, texts: Mapping[str, str]) -> Problems:
    """Return which reports do not say what they should.

    A document that was read again has its keys in another order, and so has its report: words
    are compared, in whatever order, also where a tag stands right beside them.
    """
    return [
        f"{name}: is not the report of these figures"
        for name, text in texts.items()
        if _words((folder / name).read_text("utf-8")) != _words(text)
    ]


def _words(text: str) -> list[str]:
    return sorted(_BETWEEN_WORDS.split(text))


def _short(value: Any) -> str:
    text = json.dumps(value, sort_keys=True)
    return text if len(text) <= 60 else f"{text[:57]}..."  # noqa: PLR2004 - characters of a line
