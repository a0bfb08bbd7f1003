import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest
from click.testing import CliRunner

from fieldproof.cli import main
from fieldproof.model import canonical_document
from fieldproof.runs import RunsFolder, compose_invalid_record, make_run_id, seal

ROOT = Path(__file__).parents[2]


@pytest.fixture
def root():
    return ROOT


@pytest.fixture
def call(monkeypatch):
    """Calls the command in this process, in the repository."""
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)

    def call(*arguments, cwd=ROOT, **options):
        monkeypatch.chdir(cwd)
        return CliRunner().invoke(main, list(map(str, arguments)), **options)

    return call


@pytest.fixture
def process():
    """Runs the command as a process of its own, in the repository."""

    def process(*arguments, path=(), cwd=ROOT, stdout=subprocess.PIPE, environment=(), **options):
        folders = [*map(str, path), *(str(ROOT / name) for name in SOURCES), str(PLUGINS)]
        return subprocess.run(
            [sys.executable, "-B", "-m", "fieldproof.cli", *map(str, arguments)],
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(folders),
                "TERM": "xterm",
                **dict(environment),
            },
            cwd=cwd,
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=120,
            **options,
        )

    return process


TAKES = """
from fieldproof.events import NavigateToPoseEvent

class Event(NavigateToPoseEvent):
    pass
"""
SOURCES = ("lib", "sim", "bridge", "robots", "reports")
PLUGINS = ROOT / "build" / "plugins"


@pytest.fixture
def broken_plugins(tmp_path):
    """A folder with installed distributions whose plugins cannot be used, one way each."""
    folder = tmp_path / "site"
    folder.mkdir()
    plugins = {
        "acme-missing": ("events", "acme.missing", "acme_nowhere:Event", ""),
        "acme-raises": (
            "events",
            "acme.raises",
            "acme_raises:Event",
            "raise OSError('no licence')",
        ),
        "acme-other": ("assertions", "acme.other", "acme_other:Event", "Event = 3"),
        "acme-takes": ("events", "acme.takes", "acme_takes:Event", TAKES),
    }
    for distribution, (group, name, value, source) in plugins.items():
        information = folder / f"{distribution.replace('-', '_')}-1.0.dist-info"
        information.mkdir()
        (information / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n"
        )
        (information / "entry_points.txt").write_text(f"[fieldproof.{group}]\n{name} = {value}\n")
        if source:
            (folder / f"{value.partition(':')[0]}.py").write_text(source)
    return folder


@pytest.fixture
def sealed(tmp_path):
    """A sealed run made of a record alone."""
    folder = RunsFolder(tmp_path / "runs")
    run = folder.create(
        make_run_id("a" * 64, now=datetime(2026, 3, 1, tzinfo=UTC), unique=UUID(int=7))
    )
    run.write_text("run.json", canonical_document(compose_invalid_record("s", ["s.yaml:1:1: bad"])))
    run.write_text("report.md", "an old report\n")
    with run.claim():
        seal(run)
    folder.enter(run)
    return folder, run
