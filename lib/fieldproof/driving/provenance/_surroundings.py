import platform
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path

_GIT_S = 10.0


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where and when something runs; None is what is not known.

    Attributes:
        created_at: ISO 8601 in UTC.
        hostname: of this machine.
        git_commit_sha, git_branch, dirty: of the checkout.
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


def collect_surroundings(folder: Path, *, created_at: str) -> Surroundings:
    """Find out where a run takes place; what cannot be found out is an error in the result.

    Args:
        folder: in the checkout.
        created_at: ISO 8601 in UTC.
    """
    errors: list[str] = []

    def git(*arguments: str) -> str | None:
        try:
            done = subprocess.run(
                ["git", "-C", str(folder), *arguments],
                capture_output=True,
                text=True,
                check=True,
                timeout=_GIT_S,
            )
        except (OSError, subprocess.SubprocessError) as error:
            said = getattr(error, "stderr", "") or str(error)
            errors.append(f"git {arguments[0]}: {' '.join(str(said).split())[:200]}")
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
    dirty = None if changes is None else bool(changes)
    return Surroundings(created_at, hostname, commit, branch, dirty, tuple(errors))


def python_version() -> str:
    """Return the version of this Python."""
    return platform.python_version()
