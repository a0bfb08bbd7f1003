"""Whether what a run was made of is what the commit has."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from fieldproof.cli import main
from fieldproof.driving.provenance import collect_surroundings
from tests.driving.builders import EXAMPLES, scenario_data, suite_of, written

pytestmark = pytest.mark.skipif(
    not shutil.which("git"), reason="no git: not proved what a provenance says of a checkout"
)
MINE = {"user.name": "a", "user.email": "a@example.org", "commit.gpgsign": "false"}


def git(folder, *arguments):
    settings = [word for key, value in MINE.items() for word in ("-c", f"{key}={value}")]
    subprocess.run(["git", *settings, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path):
    """A checkout with a suite, a pack, a dataset and an agent, all of it committed."""
    root = tmp_path / "checkout"
    suite_of(root, [scenario_data()], id="s")
    shutil.copy(EXAMPLES / "rule_based_agent.py", root / "agent.py")
    (root / "data" / "samples").mkdir(parents=True)
    sample = {"sample_id": "1", "input": {}, "ground_truth": {"control": {"steer": 0}}}
    (root / "data" / "samples" / "1.json").write_text(json.dumps(sample), "utf-8")
    (root / ".gitignore").write_text("ignored*\nruns\n", "utf-8")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "All")
    return root


def dirty(checkout, *names):
    files = [checkout / name for name in names]
    found = collect_surroundings(checkout, created_at="now", files=files)
    assert not found.errors
    return found.dirty


FILES = ("suite.yaml", "driving/plain.yaml", "agent.py")


def changed(root):
    (root / "agent.py").write_text("changed", "utf-8")


def changed_and_staged(root):
    changed(root)
    git(root, "add", "agent.py")


def changed_unseen_by_the_index(root):
    git(root, "update-index", "--assume-unchanged", "agent.py")
    changed(root)


def no_longer_tracked(root):
    git(root, "rm", "-q", "--cached", "agent.py")


def replaced_by_a_link_that_leads_out(root):
    (root / "agent.py").rename(root.parent / "agent.py")
    (root / "agent.py").symlink_to(root.parent / "agent.py")


@pytest.mark.parametrize(
    "change",
    [
        changed,
        changed_and_staged,
        changed_unseen_by_the_index,
        no_longer_tracked,
        replaced_by_a_link_that_leads_out,
    ],
)
def test_what_was_run_and_is_not_as_committed_makes_it_dirty(checkout, change):
    assert dirty(checkout, *FILES) is False
    change(checkout)
    assert dirty(checkout, *FILES) is True


@pytest.mark.parametrize("name", ["new.yaml", "ignored.yaml", "../outside.yaml", "new/a\nb.yaml"])
def test_what_was_run_and_was_never_committed_makes_it_dirty(checkout, name):
    written(checkout, scenario_data(), name)
    assert dirty(checkout, *FILES) is False
    assert dirty(checkout, *FILES, name) is True


def test_what_is_there_and_was_not_run_does_not_make_it_dirty_unless_it_is_tracked(checkout):
    (checkout / "notes.txt").write_text("mine", "utf-8")
    assert dirty(checkout, *FILES) is False
    (checkout / ".gitignore").write_text("", "utf-8")
    assert dirty(checkout, *FILES) is True


def test_a_link_that_is_committed_and_leads_to_what_is_is_as_committed(checkout):
    (checkout / "link.yaml").symlink_to("suite.yaml")
    assert dirty(checkout, "link.yaml") is True
    git(checkout, "add", "link.yaml")
    git(checkout, "commit", "-q", "-m", "Link")
    assert dirty(checkout, "link.yaml") is False
    assert dirty(checkout / "driving", "../link.yaml") is False


def test_line_ends_that_git_changes_in_a_checkout_do_not_make_it_dirty(checkout):
    (checkout / ".gitattributes").write_text("*.txt text eol=crlf\n", "utf-8")
    (checkout / "a.txt").write_bytes(b"a\r\n")
    git(checkout, "add", "-A")
    git(checkout, "commit", "-q", "-m", "Lines")
    assert dirty(checkout, "a.txt") is False


def provenance_of(*command):
    """The provenance of a run from within the checkout."""
    done = CliRunner().invoke(main, [*command, "--runs", "runs"])
    assert done.exit_code == 0, done.output
    return json.loads(Path("runs/latest/provenance.json").read_text("utf-8"))


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["suite", "run", "suite.yaml", "--agent", "agent.py"], id="suite"),
        pytest.param(["openloop", "run", "data", "agent.py"], id="openloop"),
    ],
)
def test_a_run_says_whether_what_it_was_made_of_is_committed(checkout, monkeypatch, command):
    monkeypatch.chdir(checkout)
    assert provenance_of(*command)["dirty_working_tree"] is False
    git(checkout, "rm", "-q", "-r", "--cached", "driving", "data")
    git(checkout, "commit", "-q", "-m", "Untrack")
    assert provenance_of(*command)["dirty_working_tree"] is True


def test_suite_and_agent_are_named_as_they_were_given(checkout, monkeypatch):
    monkeypatch.chdir(checkout)
    for folder in (".", str(checkout), f"../{checkout.name}"):
        suite, agent = f"{folder}/suite.yaml", f"{folder}/agent.py"
        said = provenance_of("suite", "run", suite, "--agent", agent)
        assert said["agent_path"] == agent
        assert os.path.normpath(said["suite_path"]) == os.path.normpath(suite)
