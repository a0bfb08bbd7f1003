"""Brings the files that nix/lock.json names into the Nix store: `make nix-import`.

Nothing is downloaded that the store already has. A file is added only after its hash was checked,
so a cut leaves the store as it was; files already downloaded are kept and used by the next try.
"""

from __future__ import annotations

import hashlib
import io
import json
import lzma
import shutil
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import _apt
import _pip
import _store

if TYPE_CHECKING:
    from collections.abc import Callable

_ROOT = Path(__file__).parent.parent
LOCK = _ROOT / "nix/lock.json"
SCRATCH = _ROOT / "build/inputs"
_BATCH = 16
_SEED_FILE = "bin/busybox"


class InputError(Exception):
    """An input could not be had or is not what the lock says."""


@dataclass(frozen=True)
class Input:
    """One file of the lock."""

    kind: str  # "deb" or "wheel"
    name: str
    version: str
    file: str
    sha256: str
    size: int

    @property
    def local(self) -> Path:
        """Where the file is kept between download and import, under its name in the store."""
        return SCRATCH / self.file


def read_lock(path: Path) -> list[Input]:
    """The inputs of a lock file."""
    lock = json.loads(path.read_text())
    return [
        Input(kind, name, **entry)
        for kind in ("deb", "wheel")
        for name, entry in lock[f"{kind}s"].items()
    ]


def is_intact(path: Path, sha256: str) -> bool:
    """Whether the file is there with this hash."""
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == sha256


def fetch(inputs: list[Input], suite: str) -> None:
    """Downloads what is not yet in the scratch folder, debs and wheels at the same time."""
    SCRATCH.mkdir(parents=True, exist_ok=True)
    absent = [each for each in inputs if not is_intact(each.local, each.sha256)]
    if not absent:
        return
    total = sum(each.size for each in absent)
    _say(f"downloading {len(absent)} files, {total / 1e6:.0f} MB")
    by_kind = {kind: [each for each in absent if each.kind == kind] for kind in ("deb", "wheel")}
    apt = _apt.Apt(_ROOT / "build/apt", suite)
    with ThreadPoolExecutor(2) as pool:
        jobs = [
            pool.submit(_fetch_debs, apt, by_kind["deb"]),
            pool.submit(_fetch_wheels, by_kind["wheel"]),
        ]
        errors = [str(error) for job in jobs if (error := job.exception())]
    if errors:
        raise InputError("\n".join(errors))


def seed_folder(deb: Path, into: Path) -> Path:
    """Takes the static busybox out of its package, as a folder with ``bin/busybox``."""
    blob = deb.read_bytes()
    offset = 8  # past "!<arch>\n"; then members: 60 bytes of header, name first, size at 48
    while not blob.startswith(b"data.tar.xz", offset):
        offset += 60 + -(-int(blob[offset + 48 : offset + 58]) // 2) * 2
    data = lzma.decompress(blob[offset + 60 : offset + 60 + int(blob[offset + 48 : offset + 58])])
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        member = archive.extractfile(f"./{_SEED_FILE}")
        if member is None:
            raise InputError(f"{deb.name} holds no {_SEED_FILE}")
        shutil.rmtree(into, ignore_errors=True)
        target = into / _SEED_FILE
        target.parent.mkdir(parents=True)
        target.write_bytes(member.read())
        target.chmod(0o555)
    return into


def import_all(lock: dict[str, Any], inputs: list[Input]) -> None:
    """Makes every input and the seed valid in the store."""
    paths = {_store.flat_path(each.file, each.sha256): each for each in inputs}
    seed = _store.tree_path(lock["seed"]["name"], lock["seed"]["narSha256"])
    missing = _store.missing([*paths, seed])
    wanted = [paths[path] for path in missing if path != seed]
    source = next(each for each in inputs if each.name == lock["seed"]["deb"])
    fetch([*wanted, *([source] if seed in missing and source not in wanted else [])], lock["suite"])
    if seed in missing:
        folder = seed_folder(source.local, SCRATCH / lock["seed"]["name"])
        if _store.add([folder], recursive=True) != [seed]:
            raise InputError(f"{source.file}: its busybox is not the one that the lock names")
    if wanted:
        added = set(_store.add([each.local for each in wanted]))
        if wrong := missing - {seed} - added:
            raise InputError(f"added under another path: {', '.join(sorted(wrong))}")
        for each in wanted:
            each.local.unlink()
        _say(f"{len(wanted)} files added to the Nix store")


def _fetch_debs(apt: _apt.Apt, debs: list[Input]) -> None:
    if debs:
        _fetch_batch(
            debs, lambda batch, to: apt.download([(d.name, d.version) for d in batch], to), "debs"
        )


def _fetch_wheels(wheels: list[Input]) -> None:
    def download(batch: list[Input], to: Path) -> None:
        _pip.download([_pip.Requirement(w.name, w.version, w.file, w.sha256) for w in batch], to)

    # large files first: a cut loses at most the current batch
    ordered = sorted(wheels, key=lambda each: -each.size)
    for start in range(0, len(ordered), _BATCH):
        _fetch_batch(ordered[start : start + _BATCH], download, "wheels")
        _say(f"wheels: {min(start + _BATCH, len(ordered))} of {len(ordered)}")


def _fetch_batch(
    batch: list[Input], download: Callable[[list[Input], Path], None], kind: str
) -> None:
    for each in batch:
        each.local.unlink(missing_ok=True)  # of another hash, or it would not be fetched
    folder = SCRATCH / f"incoming-{kind}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    failure: Exception | None = None
    try:
        download(batch, folder)
    except (_apt.AptError, _pip.PipError) as error:
        failure = error
    # by content: the clients' file names may hold characters that the store's may not
    arrived = {hashlib.sha256(path.read_bytes()).hexdigest(): path for path in folder.iterdir()}
    for each in batch:
        if each.sha256 in arrived:
            arrived.pop(each.sha256).rename(each.local)
    strangers = f" (got {', '.join(sorted(path.name for path in arrived.values()))})"
    wrong = [
        f"{each.file}: no file with the sha256 of nix/lock.json{strangers if arrived else ''}"
        for each in batch
        if not each.local.exists()
    ]
    shutil.rmtree(folder)
    if wrong and failure and len(batch) > 1:  # one at a time, so that the error names the file
        for each in batch:
            if not each.local.exists():
                _fetch_batch([each], download, kind)
    elif wrong:
        raise InputError("\n".join(wrong + ([str(failure)] if failure else [])))


def _say(text: str) -> None:
    print(f"nix-import: {text}", file=sys.stderr, flush=True)


def main() -> int:
    """Imports everything; returns the exit code."""
    inputs = read_lock(LOCK)
    try:
        import_all(json.loads(LOCK.read_text()), inputs)
    except (InputError, _apt.AptError, _store.StoreError) as error:
        _say(str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
