"""What `suite run --out` writes: where it may, and the same bits wherever and however it is asked."""

import hashlib
import os
import shutil
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner

from fieldproof.cli import main
from tests.driving.builders import EXAMPLES, scenario_data, suite_of

PRINTS = (
    "\n\n_act = Agent.act\nAgent.act = lambda self, seen: print(seen['t']) or _act(self, seen)\n"
)


def run(*arguments):
    result = CliRunner().invoke(main, ["suite", "run", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def digests(folder):
    """Kind, mode and SHA-256 of everything in a folder, itself included."""
    found = {".": oct(folder.stat().st_mode)}
    for path in folder.rglob("*"):
        data = path.read_bytes() if path.is_file() else b""
        name = path.relative_to(folder).as_posix()
        found[name] = (oct(path.lstat().st_mode), hashlib.sha256(data).hexdigest())
    return found


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    """A workspace with a suite, an agent that prints, and links to both."""
    folder = tmp_path_factory.mktemp("workspace")
    root = folder / "work"
    (root / "suites").mkdir(parents=True)
    suite_of(root / "suites", [scenario_data(), scenario_data(id="other")])
    agent = root / "agent.py"
    shutil.copy(EXAMPLES / "rule_based_agent.py", agent)
    agent.write_text(agent.read_text("utf-8") + PRINTS, "utf-8")
    (folder / "link").symlink_to("work")
    (root / "suites" / "link.yaml").symlink_to("suite.yaml")
    (root / "link.py").symlink_to("agent.py")
    return folder


@pytest.fixture(scope="module")
def usual(workspace):
    root = workspace / "work"
    run(root / "suites" / "suite.yaml", "--agent", root / "agent.py", "--out", workspace / "usual")
    return digests(workspace / "usual")


@pytest.fixture
def desk(workspace, tmp_path, monkeypatch):
    monkeypatch.chdir(workspace / "work")
    return tmp_path


PLACES = {
    "relative": ("work", "suites/suite.yaml", "agent.py"),
    "dotted": ("work", "./suites/../suites/./suite.yaml", "./agent.py"),
    "inside": ("work/suites", "suite.yaml", "../agent.py"),
    "outside": (".", "work/suites/suite.yaml", "work/agent.py"),
    "absolute": (".", "{}/work/suites/suite.yaml", "{}/work/agent.py"),
    "linked_folder": (".", "link/suites/suite.yaml", "link/agent.py"),
    "linked_files": ("link", "suites/link.yaml", "link.py"),
}


@pytest.mark.parametrize("place", PLACES)
def test_the_bits_do_not_depend_on_the_working_directory_or_on_how_files_are_named(
    desk, workspace, usual, place, monkeypatch
):
    folder, suite, agent = PLACES[place]
    monkeypatch.chdir(workspace / folder)
    out = desk / "out"
    done = run(
        suite.format(workspace), "--agent", agent.format(workspace), "--out", os.path.relpath(out)
    )
    assert done.exit_code == 0
    assert digests(out) == usual
    for path in out.rglob("*"):
        assert path.is_dir() or str(workspace).encode() not in path.read_bytes()


@pytest.mark.parametrize("mask", [0o000, 0o027, 0o077], ids=oct)
def test_the_modes_do_not_depend_on_the_umask(desk, usual, mask):
    before = os.umask(mask)
    try:
        run("suites/suite.yaml", "--agent", "agent.py", "--out", desk / "out")
    finally:
        os.umask(before)
    assert digests(desk / "out") == usual
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (desk / "out").rglob("*")}
    assert modes == {0o755, 0o644}


def test_the_class_of_an_agent_stays_part_of_its_name(desk):
    done = run(
        "suites/suite.yaml", "--agent", f"{Path.cwd()}/agent.py:Agent", "--out", desk / "out"
    )
    assert done.exit_code == 0
    assert '"agent_path":"agent.py:Agent"' in (desk / "out" / "provenance.json").read_text("utf-8")


def a_folder(path):
    path.mkdir()
    (path / "mine").write_text("mine", "utf-8")


def a_file(path):
    path.write_text("mine", "utf-8")


def a_link_to_nowhere(path):
    path.symlink_to("nowhere")


@pytest.mark.parametrize("kind", [a_folder, a_file, a_link_to_nowhere])
def test_what_is_there_already_is_not_written_over_and_named(desk, kind):
    kind(desk / "out")
    before = (desk / "out").is_dir() and digests(desk / "out")
    done = run("suites/suite.yaml", "--agent", "agent.py", "--out", desk / "out")
    assert done.exit_code == 2
    assert (
        f"{desk / 'out'} exists already, and nothing is written over: name a folder" in done.stderr
    )
    assert not before or digests(desk / "out") == before


def test_a_folder_that_cannot_be_made_is_named_with_what_to_do(desk):
    (desk / "file").write_text("", "utf-8")
    done = run("suites/suite.yaml", "--agent", "agent.py", "--out", desk / "file" / "out")
    assert done.exit_code == 2
    assert f"{desk / 'file' / 'out'} cannot be made: Not a directory; name a folder" in done.stderr
    assert "Errno" not in done.stderr
