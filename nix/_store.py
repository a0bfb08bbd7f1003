"""Content-addressed files in a Nix store: where they go, whether they are there, adding them."""

from __future__ import annotations

import hashlib
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_ALPHABET = "0123456789abcdfghijklmnpqrsvwxyz"


class StoreError(Exception):
    """A Nix command failed; the text is for the user."""


def flat_path(name: str, sha256: str) -> str:
    """The store path of a file with this hash (hex), as `nix-store --add-fixed sha256` makes it."""
    inner = hashlib.sha256(f"fixed:out:sha256:{sha256}:".encode()).hexdigest()
    return _path("output:out", inner, name)


def tree_path(name: str, nar_sha256: str) -> str:
    """The same for a folder, whose hash is that of its archive."""
    return _path("source", nar_sha256, name)


def missing(paths: Sequence[str]) -> set[str]:
    """Those of ``paths`` that are not valid in the store."""
    if not paths:
        return set()
    return set(_nix_store("--check-validity", "--print-invalid", *paths).split())


def add(sources: Sequence[Path], *, recursive: bool = False) -> list[str]:
    """Adds files, or folders, under their own names; returns the store paths."""
    mode = ["--recursive"] if recursive else []
    return _nix_store("--add-fixed", *mode, "sha256", *map(str, sources)).split()


def nar_sha256(folder: Path) -> str:
    """The hash (hex) of a folder's archive."""
    command = ["nix-hash", "--type", "sha256", str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _nix_store(*arguments: str) -> str:
    done = subprocess.run(["nix-store", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise StoreError(f"nix-store {arguments[0]} failed:\n{done.stderr.strip()}")
    return done.stdout


def _path(kind: str, inner: str, name: str) -> str:
    digest = hashlib.sha256(f"{kind}:sha256:{inner}:/nix/store:{name}".encode()).digest()
    folded = bytearray(20)
    for index, byte in enumerate(digest):
        folded[index % 20] ^= byte
    number = int.from_bytes(folded, "little")
    return (
        "/nix/store/"
        + "".join(_ALPHABET[number >> 5 * i & 31] for i in range(31, -1, -1))
        + (f"-{name}")
    )
