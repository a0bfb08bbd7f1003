"""Comparing finished runs: where they may lie, and that nothing is left half done."""

import os
import shutil

import pytest
from click.testing import CliRunner

from fieldproof.cli import main
from fieldproof.driving.agents import find_agent
from fieldproof.driving.suite import SuiteOptions, run_suite_into
from fieldproof.runs import RunDirectory, RunsFolder, UnwritableRunError, _directory, _files, verify
from tests.driving.builders import EXAMPLES, actor, scenario_data, suite_of

RULES, RECKLESS = (str(EXAMPLES / f"{name}_agent.py") for name in ("rule_based", "reckless"))


def fieldproof(*arguments):
    result = CliRunner().invoke(main, [str(one) for one in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A suite's run, its baseline, and what `--out` leaves of it."""
    folder = tmp_path_factory.mktemp("kept")
    suite_of(folder, [scenario_data()])
    places = ("--runs", folder / "runs", "--baselines", folder / "baselines")
    suite = ("suite", "run", folder / "suite.yaml", "--agent", RULES)
    assert fieldproof(*suite, *places).exit_code == 0
    assert fieldproof("baseline", "create", "good", *places).exit_code == 0
    assert fieldproof(*suite, "--out", folder / "out").exit_code == 0
    return folder


@pytest.fixture
def desk(kept, tmp_path, monkeypatch):
    """A working directory of its own with a copy of these."""
    folder = tmp_path / "desk"
    shutil.copytree(kept, folder, symlinks=True)
    monkeypatch.chdir(folder)
    return folder


def content(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


def test_a_run_outside_the_folder_of_runs_is_compared_and_sealed_again(desk):
    run = RunsFolder(desk / "runs").find("latest")
    moved = desk / "elsewhere" / run.run_id
    moved.parent.mkdir()
    run.path.rename(moved)
    shutil.rmtree(desk / "runs")
    done = fieldproof("compare", moved, "good")
    assert (done.exit_code, done.output) == (0, "PASS\n")
    assert verify(RunDirectory(moved)) == ()
    assert RunDirectory(moved).read_json("regression.json")["baseline"] == "good"
    assert sorted(path.name for path in moved.parent.iterdir()) == [moved.name]
    assert not (desk / "runs").exists()


def test_a_run_of_another_folder_of_runs_is_entered_there(desk):
    other = desk / "other" / "runs"
    shutil.copytree(desk / "runs", other, symlinks=True)
    run = RunsFolder(other).find("latest")
    before = sorted(path.name for path in (desk / "runs" / "by-digest").iterdir())
    assert fieldproof("compare", run.path, "good").exit_code == 0
    assert sorted(path.name for path in (desk / "runs" / "by-digest").iterdir()) == before
    for link in (other / "by-digest").iterdir():
        assert link.resolve() == run.path.resolve()
        assert link.name in (run.path / "manifest.json").read_text("utf-8")


@pytest.mark.parametrize("command", ["compare", "failures"])
def test_a_run_without_a_seal_is_refused_as_invalid_and_stays_as_it_is(desk, command):
    before = content(desk)
    arguments = {
        "compare": ("compare", desk / "out", "good"),
        "failures": ("failures", "set", "fail_001", "--run", desk / "out", "--status", "fixed"),
    }
    done = fieldproof(*arguments[command])
    assert done.exit_code == 2
    assert f"{desk / 'out'} has no seal" in done.stderr
    assert content(desk) == before


def test_a_run_that_is_not_as_it_was_sealed_is_refused_as_invalid(desk):
    run = RunsFolder(desk / "runs").find("latest")
    path = run.path / "metrics.json"
    path.write_text(path.read_text("utf-8") + "\n", "utf-8")
    before = content(desk)
    done = fieldproof("compare", "latest", "good")
    assert done.exit_code == 2
    assert "is not as it was sealed" in done.stderr
    assert content(desk) == before


@pytest.mark.parametrize(
    "wanted", ["nothing", "runs/nothing", "./baselines/good", "latest/x"], ids=str
)
def test_what_is_no_run_is_refused_as_invalid(desk, wanted):
    before = content(desk)
    done = fieldproof("compare", wanted, "good")
    assert done.exit_code == 2
    assert wanted.rpartition("/")[2] in done.stderr
    assert "Errno" not in done.stderr
    assert content(desk) == before


def test_a_baseline_that_cannot_be_written_is_named_and_nothing_is_changed(desk):
    (desk / "baselines" / "good" / ".failures.json.part").mkdir()
    before = content(desk)
    done = fieldproof("compare", "latest", "good")
    assert done.exit_code == 2
    assert "good/failures.json cannot be written: Is a directory" in done.stderr
    assert content(desk) == before


@pytest.mark.parametrize("name", ["regression.json", "failures.json", "manifest.json"])
def test_a_rewrite_that_fails_in_the_middle_leaves_the_run_as_it_was(desk, name, monkeypatch):
    run = RunsFolder(desk / "runs").find("latest")
    before = content(run.path)
    write, failed = _files.write_bytes, []

    def full(path, data):
        if path.name == name and not failed:
            failed.append(path)
            raise UnwritableRunError(path, "No space left on device")
        write(path, data)

    monkeypatch.setattr(_directory, "write_bytes", full)
    monkeypatch.setattr(_files, "write_bytes", full)
    done = fieldproof("compare", "latest", "good", "--max-regression-percent", "7")
    assert failed
    assert done.exit_code == 2
    assert f"{name} cannot be written: No space left on device" in done.stderr
    assert content(run.path) == before
    assert verify(run) == ()


@pytest.mark.parametrize("asked", [True, False], ids=["interrupted", "failed"])
def test_a_suite_that_was_interrupted_is_no_baseline_and_one_that_failed_may_be(tmp_path, asked):
    suite = suite_of(tmp_path, [scenario_data(actors=[actor(start={"x": 9, "y": 0})])])
    how = SuiteOptions(find_agent(RECKLESS), host=os.environ, asked=lambda: asked)
    made = run_suite_into(suite, how, tmp_path / "out")
    create = ("baseline", "create", "new", "--from", made.folder, "--baselines", tmp_path / "b")
    done = fieldproof(*create)
    assert not made.passed
    assert (tmp_path / "b").exists() is not asked
    assert done.exit_code == (2 if asked else 0)
    said = "cannot be a baseline, since something is missing in it: interrupted: the scenario plain"
    assert (said in done.stderr) is asked
