"""The hashes of a manifest, found out and written for whoever makes a pack."""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fieldproof.driving.loading import MANIFEST, mapping_in
from fieldproof.driving.packs._error import PackError
from fieldproof.model import Document, Problem, read_yaml

_HASH = "sha256"
_WRITTEN = re.compile(r"""["']?sha256["']?[ ]*:[ ]*("[^"\n]*"|'[^'\n]*'|[^\s,}#]*)""")


def pack_hashes(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file that the manifest in a folder names, in its order.

    Of the manifest only the files are looked at; what else is wrong with it does not matter here.

    Raises:
        PackError: It names no file, or one that is not in the pack.
        ScenarioError: It is no YAML, or no mapping.
        OSError: A file cannot be read.
    """
    return dict(_hashed(folder, mapping_in(folder / MANIFEST, None)).values())


def write_hashes(folder: Path) -> int:
    """Write the hashes into the manifest, which else stays as it is; return how many changed.

    Raises:
        PackError: As `pack_hashes`, or the manifest is written in a way that hashes cannot be put
            into.
        ScenarioError: It is no YAML, or no mapping.
        OSError: A file cannot be read or written.
    """
    path = folder / MANIFEST
    document = mapping_in(path, None)
    hashed = _hashed(folder, document)
    entries = document.value["scenarios"]
    text = path.read_bytes().decode("utf-8")
    lines = text.splitlines(keepends=True)
    differing = [place for place in hashed if entries[place].get(_HASH) != hashed[place][1]]
    for place in reversed(differing):
        _write(lines, document, place, hashed[place][1])
    written = "".join(lines)
    found = read_yaml(written.removeprefix("\ufeff"), file=str(path)).value["scenarios"]
    if any(str(found[place].get(_HASH)) != digest for place, (_, digest) in hashed.items()):
        raise PackError(f"{path}: the hashes cannot be put into it; write them by hand")
    if differing:
        path.write_bytes(written.encode("utf-8"))
    return len(differing)


def _hashed(folder: Path, document: Document) -> dict[int, tuple[str, str]]:
    """Return file and hash of each entry by its place."""
    manifest = folder / MANIFEST
    entries: Any = document.value.get("scenarios")
    found: dict[int, tuple[str, str]] = {}
    for place, entry in enumerate(entries if isinstance(entries, list) else ()):
        file = entry.get("file") if isinstance(entry, Mapping) else None
        if not isinstance(file, str):
            line, _ = document.source.locate(("scenarios", place))
            raise PackError(f"{manifest}:{line}: scenarios[{place}] names no file")
        path = folder / file
        if not path.is_file() or not path.resolve().is_relative_to(folder.resolve()):
            line, _ = document.source.locate(("scenarios", place, "file"))
            where = f"{manifest}:{line}: scenarios[{place}].file"
            raise PackError(f"{where}: {path} is not in the pack")
        found[place] = (file, hashlib.sha256(path.read_bytes()).hexdigest())
    if not found:
        raise PackError(f"{manifest} names no scenarios: give each an id, a file and tags")
    return found


def _write(lines: list[str], document: Document, place: int, digest: str) -> None:
    """Write the hash of one entry: in the place of the one there, or before its file."""
    has = _HASH in document.value["scenarios"][place]
    path = ("scenarios", place, _HASH if has else "file")
    at = document.source.place(Problem("", path), on_key=True)
    line, column = at.line - 1, at.column - 1
    before, after = lines[line][:column], lines[line][column:]
    if has:
        after = _WRITTEN.sub(f"{_HASH}: {digest}", after, count=1)
    elif before.rstrip().endswith(("{", ",")):
        after = f"{_HASH}: {digest}, {after}"
    else:
        after = f"{_HASH}: {digest}\n{' ' * column}{after}"
    lines[line] = before + after
