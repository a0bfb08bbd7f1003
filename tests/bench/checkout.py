"""A scratch copy of this repository in which things are built and run, unmoved by later edits."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCENARIO = "ugv_nav_to_goal"

_ENVIRONMENT = ("env", "nix.env")  # what set-up leaves in build/
_BOUND_S = 600.0
_TEARDOWN_S = 60.0
_TAIL = 12
_IDENTITY = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
_LIMIT = re.compile(r"(?<=\bmax_s: )\S+")
_BUILDING = re.compile(r"building '[^']*/[a-z0-9]{32}-(.*)\.drv'")


class MeasurementError(Exception):
    """Something could not be measured; the text says what and why."""


@dataclass(frozen=True, slots=True)
class Checkout:
    """The copy: a clean clone, as far as Nix can see, with the environment that is built here.

    Attributes:
        root: its folder.
        environment: variables that every command in it gets.
    """

    root: Path
    environment: dict[str, str]

    @classmethod
    def copy(cls, source: Path, target: Path) -> Checkout:
        """Copy the files that git tracks in `source`, as they are now, and commit them.

        Raises:
            MeasurementError: git or the environment is missing.
        """
        here = cls(source, dict(os.environ))
        for name in _ENVIRONMENT:
            if not os.path.lexists(source / "build" / name):
                raise MeasurementError(f"build/{name} is missing: run `make setup`")
        listed = here.run(["git", "ls-files", "-z"]).split("\0")
        for name in filter(None, listed):
            if (source / name).is_file():
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source / name, target / name)
        settings = here.run(["sh", "nix/settings.sh"])
        copied = cls(target, {**os.environ, "NIX_CONFIG": settings})
        (target / "build").mkdir(parents=True, exist_ok=True)
        for name in _ENVIRONMENT:
            shutil.copy2(source / "build" / name, target / "build" / name, follow_symlinks=False)
        copied.run(["git", "init", "-q", "."])
        copied.run(["git", "add", "."])
        copied.run(["git", *_IDENTITY, "commit", "-q", "--no-verify", "-m", "As measured"])
        return copied

    def run(self, command: Sequence[str | Path], *, bound_s: float = _BOUND_S) -> str:
        """Run a command to its end and return what it printed, errors included.

        One that takes too long is interrupted as by Ctrl-C, so that it can end what it started.

        Raises:
            MeasurementError: it cannot be started, failed or took too long.
        """
        words = " ".join(map(str, command))
        try:
            process = subprocess.Popen(
                [*map(str, command)],
                cwd=self.root,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
        except OSError as error:
            raise MeasurementError(f"`{words}`: {error.strerror}") from error
        with process:
            try:
                output, _ = process.communicate(timeout=bound_s)
            except subprocess.TimeoutExpired as error:
                self._interrupt(process)
                raise MeasurementError(f"`{words}` took over {bound_s:g} s") from error
        if process.returncode:
            raise MeasurementError(f"`{words}` exited {process.returncode}: {tail(output)}")
        return output

    def _interrupt(self, process: subprocess.Popen[str]) -> None:
        process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=_TEARDOWN_S)
        except subprocess.TimeoutExpired:
            process.kill()

    def build(self, output: str) -> str:
        """`nix build .#OUTPUT`, as a user types it; `result` then leads to it."""
        return self.run(["nix", "build", f".#{output}"])

    def path(self, output: str) -> Path:
        """The store path of an output, built if need be."""
        link = self.root / "build" / "looked-at"
        self.run(["nix", "build", f".#{output}", "-o", link])
        return link.resolve()

    def uncommit(self) -> None:
        """Leave a change that no build looks at uncommitted, so that Nix cannot use its memory."""
        with (self.root / ".gitignore").open("a", encoding="utf-8") as file:
            file.write("#\n")

    def change_limit(self, limit: str) -> None:
        """Give the scenario's time limit another value, such as `59.5s`."""
        file = self.root / "scenarios" / f"{SCENARIO}.yaml"
        text = file.read_text(encoding="utf-8")
        file.write_text(with_limit(text, limit), encoding="utf-8")


def with_limit(scenario: str, limit: str) -> str:
    """The text of a scenario with another `max_s`.

    Raises:
        MeasurementError: it has none.
    """
    changed, count = _LIMIT.subn(limit, scenario, count=1)
    if not count:
        raise MeasurementError("the scenario has no max_s to change")
    return changed


def built(output: str) -> list[str]:
    """Names of the derivations that a Nix command says it builds, in order."""
    return _BUILDING.findall(output)


def tail(output: str) -> str:
    """The last lines of an output, as one."""
    return " | ".join(line.strip() for line in output.splitlines()[-_TAIL:] if line.strip())
