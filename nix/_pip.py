"""Wheels through pip: resolved once for the lock, downloaded by hash ever after."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable

PYTHON = (3, 11)
_PLATFORMS = (
    *(f"manylinux_2_{minor}_x86_64" for minor in (28, 27, 26, 24, 17, 12, 5)),
    *(f"manylinux{year}_x86_64" for year in ("2014", "2010", "1")),
)
# the target is the flake's python, whatever python runs pip
_TARGET = [
    f"--python-version={PYTHON[0]}.{PYTHON[1]}",
    "--implementation=cp",
    *(f"--abi={abi}" for abi in ("cp311", "abi3", "none")),
    *(f"--platform={platform}" for platform in _PLATFORMS),
]


class PipError(Exception):
    """pip failed; the text is for the user."""


@dataclass(frozen=True)
class Requirement:
    """One distribution as the resolver chose it."""

    name: str
    version: str
    file: str
    sha256: str


def normalized(name: str) -> str:
    """The name by which an index knows a distribution."""
    return re.sub(r"[-_.]+", "-", name).lower()


def resolve(requirements: Iterable[str], pins: Iterable[Requirement] = ()) -> list[Requirement]:
    """Everything that ``requirements`` need, with what is in ``pins`` held at its version.

    Raises:
        PipError: nothing satisfies them, or this is not the python that markers are read for.
    """
    if sys.version_info[:2] != PYTHON:
        raise PipError("the lock is resolved for python 3.11: run it with that python")
    with tempfile.TemporaryDirectory() as scratch:
        report, constraints = Path(scratch, "report.json"), Path(scratch, "constraints.txt")
        constraints.write_text("".join(f"{pin.name}=={pin.version}\n" for pin in pins))
        _pip(
            "install",
            "--dry-run",
            "--ignore-installed",
            f"--report={report}",
            f"--constraint={constraints}",
            *requirements,
        )
        installs = json.loads(report.read_text())["install"]
    return [
        Requirement(
            normalized(each["metadata"]["name"]),
            each["metadata"]["version"],
            unquote(Path(urlsplit(each["download_info"]["url"]).path).name),
            each["download_info"]["archive_info"]["hashes"]["sha256"],
        )
        for each in installs
    ]


def download(wanted: Iterable[Requirement], folder: Path) -> None:
    """Downloads exactly these wheels into ``folder``."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as listing:
        for each in wanted:
            listing.write(f"{each.name}=={each.version} --hash=sha256:{each.sha256}\n")
        listing.flush()
        _pip(
            "download",
            "--no-deps",
            "--only-binary=:all:",
            "--require-hashes",
            *_TARGET,
            f"--dest={folder}",
            f"--requirement={listing.name}",
        )


def _pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", arguments[0], "--quiet", "--no-input"]
    command += ["--disable-pip-version-check", "--retries=3", *arguments[1:]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "WARNING" not in line]
        raise PipError(f"pip {arguments[0]} failed:\n" + "\n".join(errors))
