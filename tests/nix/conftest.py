import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Build:
    """What one Nix command did: its exit code, what it printed, which derivations it ran."""

    code: int
    text: str

    @property
    def built(self) -> list[str]:
        """Names of the derivations that were built, in order."""
        return re.findall(r"building '/nix/store/[a-z0-9]{32}-(.*)\.drv'", self.text)


@dataclass(frozen=True)
class Checkout:
    """A copy of this repository's tracked files that a test may change."""

    root: Path
    settings: dict[str, str]

    def run(self, *command: str) -> Build:
        done = subprocess.run(
            command,
            cwd=self.root,
            env=os.environ | self.settings,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return Build(done.returncode, done.stdout)

    def build(self, output: str, *options: str) -> Build:
        return self.run("nix", "build", f".#{output}", "--no-link", "--print-build-logs", *options)

    def path(self, output: str) -> Path:
        """The store path of an output, built if need be."""
        link = self.root.parent / "result"
        done = self.run("nix", "build", f".#{output}", "-o", str(link))
        assert done.code == 0, done.text
        return link

    def edit(self, file: str, old: str, new: str) -> None:
        path = self.root / file
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))


@pytest.fixture
def checkout(tmp_path):
    if not shutil.which("nix-store"):
        pytest.skip("no nix: not proved that the flake builds")
    root = tmp_path / "checkout"
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    for name in filter(None, tracked):
        if (ROOT / name).is_file():
            target = root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)
    subprocess.run(["git", "init", "-q", "."], cwd=root, check=True)
    subprocess.run(["git", "add", "."], cwd=root, check=True)
    settings = subprocess.run(
        ["sh", "nix/settings.sh"], cwd=root, capture_output=True, text=True, check=True
    ).stdout
    return Checkout(root, {"NIX_CONFIG": settings})
