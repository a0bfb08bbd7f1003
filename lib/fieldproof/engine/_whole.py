"""Whether the evidence of a run is as its seal says, in words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from fieldproof.engine._stream import RESOURCES
from fieldproof.runs import (
    ENVELOPE,
    EVIDENCE_FILES,
    MANIFEST,
    Difference,
    RunDirectory,
    UnreadableRunError,
    verify_files,
)

EVIDENCE = (*EVIDENCE_FILES, RESOURCES, ENVELOPE)
"""What a verdict rests on, beside the plan that it judges by."""

_IN_STORE = re.compile(r"/nix/store/[0-9a-z]{32}-")


def not_as_sealed(folder: Path, names: Iterable[str] = EVIDENCE) -> list[str]:
    """Return what of a run is not as it was sealed, or that it is not sealed, a sentence each.

    The evidence of a build has no seal: where the Nix store keeps it, nobody can change it, so it
    is as it was made. A copy of it elsewhere is evidence without a seal.

    Args:
        folder: a run directory, or the evidence of a build.
        names: the files that count, relative to it.

    Raises:
        NewerVersionError: it was sealed by a newer Fieldproof.
        OSError: a file cannot be read.
    """
    run = RunDirectory(folder.resolve())
    if not run.sealed:
        if _IN_STORE.match(f"{run.path}/"):
            return []
        return [_unsealed(run)]
    try:
        return [_in_words(each) for each in verify_files(run, names)]
    except UnreadableRunError as error:
        why = f"{MANIFEST}, the seal, cannot be read ({error.reason})"
        return [f"{why}: nothing says whether the evidence is as it was"]


def _unsealed(run: RunDirectory) -> str:
    if run.claimed:
        return "the run is not sealed: it has not ended yet"
    return f"the run is not sealed: it has no {MANIFEST}, so it was cut short, or the seal is gone"


def _in_words(difference: Difference) -> str:
    path = difference.path
    if path == MANIFEST:
        return f"{path}, the seal, was changed: its digest does not follow from the files it lists"
    if difference.kind == "missing":
        return f"{path} is missing, and was there when the run was sealed"
    if difference.kind == "added":
        return f"{path} was added after the run was sealed"
    before, after = (_size(text) for text in (difference.expected, difference.found))
    if before == after:
        return f"{path} was changed after the run was sealed: {after} as before, other content"
    return f"{path} was changed after the run was sealed: {before} then, {after} now"


def _size(text: str) -> str:
    """The size in what a difference says of a file; the checksum tells a person nothing."""
    return text.rpartition(" ")[0] if " bytes " in text else text
