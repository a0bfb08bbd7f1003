import os
import platform
import socket
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

_GIT_S = 10.0


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where and when something runs; None is what is not known.

    Attributes:
        created_at: ISO 8601 in UTC.
        hostname: of this machine.
        git_commit_sha, git_branch: of the checkout.
        dirty: whether anything in it, or any file that the run was made of, is not as committed.
        errors: what could not be found out, a sentence each.
    """

    created_at: str | None
    hostname: str | None
    git_commit_sha: str | None
    git_branch: str | None
    dirty: bool | None
    errors: tuple[str, ...] = ()


HERMETIC = Surroundings(None, None, None, None, None)
"""Those of a run that must not depend on them."""


def collect_surroundings(
    folder: Path, *, created_at: str, files: Iterable[Path] = ()
) -> Surroundings:
    """Find out where a run takes place; what cannot be found out is an error in the result.

    Args:
        folder: in the checkout.
        created_at: ISO 8601 in UTC.
        files: what the run is made of, wherever it lies.
    """
    errors: list[str] = []

    def git(verb: str, *arguments: str, at: str = ".", told: str = "") -> str | None:
        try:
            done = subprocess.run(
                ["git", "-C", str(folder), "-C", at, verb, *arguments],
                input=told,
                capture_output=True,
                text=True,
                errors="surrogateescape",
                check=True,
                timeout=_GIT_S,
            )
        except (OSError, subprocess.SubprocessError) as error:
            said = getattr(error, "stderr", "") or str(error)
            errors.append(f"git {verb}: {' '.join(str(said).split())[:200]}")
            return None
        return done.stdout.strip()

    commit = git("rev-parse", "HEAD")
    branch = git("rev-parse", "--abbrev-ref", "HEAD") if commit else None
    changes = git("status", "--porcelain", "--untracked-files=no") if commit else None
    try:
        hostname: str | None = socket.gethostname()
    except OSError as error:
        hostname = None
        errors.append(f"hostname: {error}")
    dirty = None if changes is None else bool(changes) or not _are_committed(files, git)
    return Surroundings(created_at, hostname, commit, branch, dirty, tuple(errors))


def _are_committed(files: Iterable[Path], git: Callable[..., str | None]) -> bool:
    """Return whether files are what the commit has at their places.

    Untracked and ignored ones are not, nor what lies outside of the checkout; of a link, both it
    and what it leads to must be there.
    """
    wanted = set(files)
    top = git("rev-parse", "--show-toplevel") if wanted else None
    listed = None if top is None else git("ls-tree", "-r", "-z", "--full-tree", "HEAD")
    if top is None or listed is None:
        return not wanted
    heads = [one.partition("\t") for one in listed.split("\0") if one]
    committed = {name: head.split()[2] for head, _, name in heads}
    found: set[str] = set()
    for file in wanted:
        path = file.resolve()
        for one in {path, file.parent.resolve() / file.name}:
            name = os.path.relpath(one, top)
            if name not in committed or "\n" in name:
                return False
        if not path.is_file():
            return False
        found.add(os.path.relpath(path, top))
    names = sorted(found)
    told = "".join(f"{name}\n" for name in names)
    hashes = git("hash-object", "--stdin-paths", at=top, told=told) or ""
    return hashes.split() == [committed[name] for name in names]


def python_version() -> str:
    """Return the version of this Python."""
    return platform.python_version()
