from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from fieldproof.model import digest_of
from fieldproof.recording import RecordingError, recording_digest
from fieldproof.runs._directory import MANIFEST, RunDirectory
from fieldproof.runs._errors import SealedRunError, UnreadableRunError
from fieldproof.runs._files import (
    SCHEMA_VERSION,
    is_part,
    read_versioned,
    regular_files,
    sha256_of,
    special_files,
    write_json,
)

RECORDING = "recording/recording_0.mcap"
EVIDENCE_FILES = (
    "execution.json",
    "observe.json",
    "outcome.json",
    RECORDING,
    "samples.jsonl",
    "timeline.json",
)
"""What a run produced, as far as it does not depend on when and where it ran."""
_NO_FILE = "not a file"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a seal says of a run.

    Attributes:
        files: path, size in bytes and SHA-256 of every file but the manifest, by path.
        evidence_digest: of what the run produced, without times, hosts and process ids.
        digest: of everything.
    """

    files: tuple[tuple[str, int, str], ...]
    evidence_digest: str
    digest: str

    def to_data(self) -> dict[str, Any]:
        """Return the content of manifest.json."""
        return {
            "schema_version": SCHEMA_VERSION,
            "files": [
                {"path": path, "size": size, "sha256": sha256} for path, size, sha256 in self.files
            ],
            "evidence_digest": self.evidence_digest,
            "digest": self.digest,
        }


@dataclass(frozen=True, slots=True)
class Difference:
    """A file that is not as the seal says.

    Attributes:
        path: relative to the run's folder.
        kind: what happened to it.
        expected: size and SHA-256, or the digest, of the seal; empty for an added file.
        found: the same as it is now; empty for a missing file.
    """

    path: str
    kind: Literal["missing", "changed", "added"]
    expected: str = ""
    found: str = ""

    def __str__(self) -> str:
        if self.kind == "changed":
            return f"{self.path}: changed (sealed {self.expected}, now {self.found})"
        return f"{self.path}: {self.kind}"


def evidence_digest(folder: Path) -> str:
    """Return the digest of the evidence in a folder, of a run in progress or a build's output.

    Files count by their bytes, the recording by its messages (`recording_digest`); one whose
    messages cannot be read counts by its bytes as well. A file that is not there is left out.

    Raises:
        OSError: A file cannot be read.
    """
    parts = []
    for name in EVIDENCE_FILES:
        path = folder / name
        if path.is_file():
            form, digest = _evidence_of(path) if name == RECORDING else ("bytes", sha256_of(path))
            parts.append({"path": name, "form": form, "sha256": digest})
    return digest_of({"form": 1, "evidence": parts})


def seal(run: RunDirectory) -> Manifest:
    """Write manifest.json, after which the run is complete and is not changed any more.

    Raises:
        SealedRunError: It is sealed already.
        OSError: A file cannot be read, or the manifest cannot be written.
    """
    if run.sealed:
        raise SealedRunError(run.path)
    for path in run.path.rglob(".*"):
        if is_part(path):
            path.unlink()
    manifest = _manifest_of(run.path)
    write_json(run.path / MANIFEST, manifest.to_data())
    return manifest


def read_manifest(run: RunDirectory) -> Manifest:
    """Return what the seal says.

    Raises:
        UnreadableRunError: The run has no manifest, or not one of this form.
        NewerVersionError: It was sealed by a newer Fieldproof.
    """
    path = run.path / MANIFEST
    data = read_versioned(path)
    try:
        return Manifest(
            files=tuple((each["path"], each["size"], each["sha256"]) for each in data["files"]),
            evidence_digest=data["evidence_digest"],
            digest=data["digest"],
        )
    except (KeyError, TypeError) as error:
        raise UnreadableRunError(path, f"not a manifest: {error}") from error


def verify(run: RunDirectory) -> tuple[Difference, ...]:
    """Compare a sealed run with its manifest; return every file that differs, none if all agree.

    Everything is computed anew; nothing but plain files is opened, and pipes, sockets and devices
    are named as differences. `manifest.json` itself is named when its digests do not follow
    from the files that it lists.

    Raises:
        UnreadableRunError: The run has no manifest, or not one of this form.
        NewerVersionError: It was sealed by a newer Fieldproof.
        OSError: A file cannot be read.
    """
    sealed = read_manifest(run)
    now = _manifest_of(run.path)
    before = {path: f"{size} bytes {sha256}" for path, size, sha256 in sealed.files}
    after = {path: f"{size} bytes {sha256}" for path, size, sha256 in now.files}
    after |= {path.relative_to(run.path).as_posix(): _NO_FILE for path in special_files(run.path)}
    differences = [
        _difference(path, before, after)
        for path in sorted(before | after)
        if before.get(path) != after.get(path)
    ]
    claimed = _whole_digest(sealed.files, sealed.evidence_digest)
    if claimed != sealed.digest:
        differences.append(Difference(MANIFEST, "changed", sealed.digest, claimed))
    elif not differences and now.evidence_digest != sealed.evidence_digest:
        differences.append(
            Difference(MANIFEST, "changed", sealed.evidence_digest, now.evidence_digest)
        )
    return tuple(differences)


def verify_files(run: RunDirectory, names: Iterable[str]) -> tuple[Difference, ...]:
    """Compare some files of a sealed run with its manifest, by their bytes alone.

    No message is decoded, so this takes as long as it takes to read the files. The manifest is
    named as well when its digest does not follow from what it lists.

    Args:
        run: the run.
        names: paths relative to its folder. One that is neither sealed nor there is as sealed.

    Raises:
        UnreadableRunError: The run has no manifest, or not one of this form.
        NewerVersionError: It was sealed by a newer Fieldproof.
        OSError: A file cannot be read.
    """
    sealed = read_manifest(run)
    try:
        claimed = _whole_digest(sealed.files, sealed.evidence_digest)
    except (TypeError, ValueError) as error:
        raise UnreadableRunError(run.path / MANIFEST, f"not a manifest: {error}") from error
    listed = [(path, f"{size} bytes {sha256}") for path, size, sha256 in sealed.files]
    wanted = tuple(names)
    before = {path: what for path, what in listed if path in wanted}
    paths = {name: run.path / name for name in wanted}
    after = {name: _bytes_of(path) for name, path in paths.items() if path.exists()}
    differences = [
        _difference(name, before, after) for name in wanted if before.get(name) != after.get(name)
    ]
    if claimed != sealed.digest:
        differences.append(Difference(MANIFEST, "changed", str(sealed.digest), claimed))
    return tuple(differences)


def _bytes_of(path: Path) -> str:
    if not path.is_file():
        return _NO_FILE
    return f"{path.stat().st_size} bytes {sha256_of(path)}"


def _difference(path: str, before: Mapping[str, str], after: Mapping[str, str]) -> Difference:
    if path not in after:
        return Difference(path, "missing", expected=before[path])
    if path not in before:
        return Difference(path, "added", found=after[path])
    return Difference(path, "changed", expected=before[path], found=after[path])


def _manifest_of(folder: Path) -> Manifest:
    files = tuple(
        (path.relative_to(folder).as_posix(), path.stat().st_size, sha256_of(path))
        for path in regular_files(folder)
        if path != folder / MANIFEST
    )
    evidence = evidence_digest(folder)
    return Manifest(files, evidence, _whole_digest(files, evidence))


def _whole_digest(files: tuple[tuple[str, int, str], ...], evidence: str) -> str:
    return digest_of({"form": 1, "files": [list(each) for each in files], "evidence": evidence})


def _evidence_of(recording: Path) -> tuple[str, str]:
    try:
        return "messages", recording_digest(recording)
    except RecordingError:
        return "bytes", sha256_of(recording)
