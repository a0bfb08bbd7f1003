"""Debian packages of one suite, through apt with a state of its own.

The host may run another release, have pins, or hold stale lists: none of that matters here. Only
the mirror, its keyring and the connection settings come from the host's own apt configuration.
"""

from __future__ import annotations

import platform
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_RELEASE_ALIASES = {"stable", "oldstable", "testing", "unstable", "sid"}


class AptError(Exception):
    """An apt client failed or knows no usable mirror; the text is for the user."""


@dataclass(frozen=True)
class Candidate:
    """What the suite offers under a package's name."""

    name: str
    version: str
    file: str
    sha256: str
    size: int


class Apt:
    """An apt whose lists, cache and sources live in ``folder``."""

    def __init__(self, folder: Path, suite: str) -> None:
        self.folder = folder.resolve()
        self.suite = suite

    def refresh(self) -> None:
        """Fetches the suite's package list when there is none yet."""
        lists = self.folder / "state/lists"
        if any(lists.glob("*_Packages*")):
            return
        for name in ("state/lists/partial", "cache/archives/partial", "none"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        (self.folder / "status").touch()
        mirror, keyring = _host_mirror()
        options = " ".join(["arch=amd64", *([f"signed-by={keyring}"] if keyring else [])])
        sources = self.folder / "sources.list"
        sources.write_text(f"deb [{options}] {mirror} {self.suite} main\n")
        (self.folder / "apt.conf").write_text(
            f"""
            #clear APT::Update::Post-Invoke;
            #clear APT::Update::Post-Invoke-Success;
            #clear DPkg::Post-Invoke;
            APT {{ Architecture "amd64"; Architectures {{ "amd64"; }}; Sandbox::User ""; }};
            Acquire {{ Languages "none"; Retries "3"; IndexTargets::deb {{
              DEP-11::DefaultEnabled "false"; DEP-11-icons::DefaultEnabled "false";
              CNF::DefaultEnabled "false"; Contents-deb::DefaultEnabled "false"; }}; }};
            Dir::State "{self.folder}/state"; Dir::State::status "{self.folder}/status";
            Dir::Cache "{self.folder}/cache";
            Dir::Etc::sourcelist "{sources}"; Dir::Etc::sourceparts "{self.folder}/none";
            Dir::Etc::preferences "{self.folder}/none/preferences";
            Dir::Etc::preferencesparts "{self.folder}/none";
            """
        )
        self._run("update", "--error-on=any")

    def candidates(self, names: Iterable[str]) -> list[Candidate]:
        """The suite's version, file, hash and size of each of ``names``."""
        self.refresh()
        found = []
        for line in self._run("download", "--print-uris", *names).splitlines():
            match = re.fullmatch(r"'[^']+' (\S+) (\d+) SHA256:([0-9a-f]{64})", line.strip())
            if match:
                file, size, sha256 = match.groups()
                name, version, _ = file.replace("%3a", ":").split("_")
                found.append(Candidate(name, version, file, sha256, int(size)))
        if unknown := sorted(set(names) - {each.name for each in found}):
            raise AptError(f"{self.suite} offers no {', '.join(unknown)}")
        return found

    def download(self, wanted: Iterable[tuple[str, str]], folder: Path) -> None:
        """Downloads each (name, version) into ``folder``."""
        self.refresh()
        self._run("download", *(f"{name}={version}" for name, version in wanted), cwd=folder)

    def _run(self, *arguments: str, cwd: Path | None = None) -> str:
        command = ["apt-get", "-c", str(self.folder / "apt.conf"), "-q", *arguments]
        try:
            done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
        except FileNotFoundError as error:
            raise AptError("apt-get is not on this machine; it fetches the Debian packages") from (
                error
            )
        if done.returncode:
            raise AptError(f"apt-get {arguments[0]} failed:\n{done.stderr.strip()}")
        return done.stdout


def _host_mirror() -> tuple[str, str | None]:
    """The Debian mirror that the host itself uses, and its keyring if the source names one."""
    releases = {platform.freedesktop_os_release().get("VERSION_CODENAME"), *_RELEASE_ALIASES}
    try:
        listing = subprocess.run(
            ["apt-get", "indextargets", "--no-release-info"],
            capture_output=True,
            text=True,
            check=False,
        ).stdout
    except FileNotFoundError as error:
        raise AptError("apt-get is not on this machine; it fetches the Debian packages") from error
    for stanza in listing.split("\n\n"):
        fields = dict(re.findall(r"^([\w-]+): (.*)$", stanza, flags=re.MULTILINE))
        if (
            fields.get("Created-By") == "Packages"
            and fields.get("Component") == "main"
            and fields.get("Release") in releases
        ):
            source = Path(fields["Sourcesentry"].rpartition(":")[0])
            keyring = re.search(
                r"signed-by\s*[:=]\s*(/[^\s\]]+)", source.read_text(), re.IGNORECASE
            )
            return fields["Repo-URI"], keyring[1] if keyring else None
    raise AptError("apt's sources name no Debian mirror with the component main")
