"""Scenario before flags before fieldproof.toml before defaults."""

import json
from pathlib import Path

import pytest

from fieldproof.cli._workspace import workspace_of
from fieldproof.model import Overlay, ScenarioError

OPEN = """\
apiVersion: fieldproof.dev/v0alpha1
kind: Scenario
name: open
world: dock_yard
vehicles: [{ name: ugv1, manifest: ugv_ref, spawn: { frame: spawn_dock } }]
"""
CLOSED = (
    OPEN
    + """\
time: { mode: lockstep, seed: 1 }
outputs: { record: true }
budget: { timeout_s: 30s }
"""
)


@pytest.fixture
def project(root, tmp_path):
    """A project's folder, with the repository's worlds and robots under other names."""
    (tmp_path / "places").symlink_to(root / "worlds")
    (tmp_path / "machines").symlink_to(root / "robots")
    (tmp_path / "open.yaml").write_text(OPEN)
    (tmp_path / "closed.yaml").write_text(CLOSED)
    return tmp_path


PATHS = '[paths]\nworlds = "places"\nrobots = "machines"\n'


@pytest.fixture
def plan(call, project):
    """Returns what a dry run in the project plans, and what it warns of."""

    def plan(scenario, *flags, toml=""):
        (project / "fieldproof.toml").write_text(toml + PATHS)
        result = call("run", "--dry-run", "--json", scenario, *flags, cwd=project)
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout)["execution"], result.stderr.splitlines()

    return plan


def test_without_flags_and_settings_the_defaults_hold(plan):
    execution, warnings = plan("open.yaml")
    assert execution["time"] == {"mode": "sim", "tick_ns": 50_000_000, "rtf": 1.0, "seed": 0}
    assert execution["record"] == {"enabled": False, "topics": []}
    assert execution["budget"] == {"timeout_ns": 600_000_000_000}
    assert warnings == []


def test_the_workspace_file_comes_before_the_defaults(plan):
    toml = '[run]\nrtf = 2.0\nseed = 5\nrecord = true\ntopics = ["odom"]\ntimeout_s = "90s"\n'
    execution, warnings = plan("open.yaml", toml=toml)
    assert execution["time"] == {"mode": "sim", "tick_ns": 50_000_000, "rtf": 2.0, "seed": 5}
    assert execution["record"] == {"enabled": True, "topics": ["/ugv1/odom"]}
    assert execution["budget"] == {"timeout_ns": 90_000_000_000}
    assert warnings == []


@pytest.mark.parametrize(
    ("flags", "part", "expected"),
    [
        (["--mode", "lockstep", "--tick", "20ms"], "time", {"mode": "lockstep", "tick_ns": 20_000_000, "rtf": None, "seed": 5}),
        (["--rtf", "4"], "time", {"mode": "sim", "tick_ns": 50_000_000, "rtf": 4.0, "seed": 5}),
        (["--seed", "0"], "time", {"mode": "sim", "tick_ns": 50_000_000, "rtf": 2.0, "seed": 0}),
        (["--no-record"], "record", {"enabled": False, "topics": []}),
        (["--topic", "/clock", "--topic", "scan"], "record", {"enabled": True, "topics": ["/clock", "/ugv1/scan"]}),
        (["--timeout", "2m"], "budget", {"timeout_ns": 120_000_000_000}),
        (["--timeout", "45"], "budget", {"timeout_ns": 45_000_000_000}),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)  # fmt: skip
def test_a_flag_comes_before_the_workspace_file(plan, flags, part, expected):
    toml = '[run]\nrtf = 2.0\nseed = 5\nrecord = true\ntimeout_s = "90s"\n'
    execution, warnings = plan("open.yaml", *flags, toml=toml)
    assert execution[part] == expected
    assert warnings == []


@pytest.mark.parametrize(
    ("flags", "warning"),
    [
        (["--mode", "sim"], "--mode has no effect: the scenario sets time.mode itself"),
        (["--seed", "9"], "--seed has no effect: the scenario sets time.seed itself"),
        (["--record"], "--record has no effect: the scenario sets outputs.record itself"),
        (["--no-record"], "--no-record has no effect: the scenario sets outputs.record itself"),
        (["--timeout", "9m"], "--timeout has no effect: the scenario sets budget.timeout_s itself"),
        (["--rtf", "9"], "--rtf has no effect: it does not go with time.mode lockstep"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_flag_that_the_scenario_makes_void_is_told_of(plan, flags, warning):
    unchanged, _ = plan("closed.yaml", toml='[run]\nmode = "sim"\nseed = 5\n')
    execution, warnings = plan("closed.yaml", *flags, toml='[run]\nmode = "sim"\nseed = 5\n')
    assert execution == unchanged
    assert warnings == [f"warning: {warning}"]


def test_what_the_workspace_file_cannot_change_is_nobodys_fault(plan):
    _, warnings = plan("closed.yaml", toml="[run]\nseed = 5\n")
    assert warnings == []


def test_a_mode_from_the_workspace_file_decides_what_goes_with_it(plan):
    execution, warnings = plan("open.yaml", "--rtf", "3", toml='[run]\nmode = "lockstep"\n')
    assert execution["time"]["mode"] == "lockstep"
    assert warnings == ["warning: --rtf has no effect: it does not go with time.mode lockstep"]


@pytest.mark.parametrize(
    ("flags", "what"),
    [
        (["--seed", "-1"], "--seed: must be zero or more (got -1)"),
        (["--rtf", "0"], "--rtf: must be positive (got 0.0)"),
        (["--rtf", "nan"], "--rtf: "),
        (["--timeout", "5 parsecs"], "--timeout: must be a duration (got '5 parsecs')"),
        (["--timeout", "-3s"], "--timeout: must be positive"),
        (["--tick", "0"], "--tick: must be positive"),
        (["--topic", "not a topic"], "--topic: must be a ROS name"),
        (["--mode", "warp"], "'warp' is not one of"),
    ],
    ids=" ".join,
)
def test_a_flag_with_a_value_that_is_none_is_refused_by_name(call, flags, what):
    result = call("run", "--dry-run", "scenarios/ugv_nav_to_goal.yaml", *flags)
    assert result.exit_code == 2
    assert what in " ".join(result.stderr.split())


@pytest.mark.parametrize("command", [["run", "--dry-run"], ["validate"], ["runs", "list"]])
def test_a_workspace_file_that_is_wrong_is_told_with_its_position(call, project, command):
    (project / "fieldproof.toml").write_text("[run]\nsede = 5\n\n[paths]\nworlds = 3\n")
    arguments = [*command] if command[0] == "runs" else [*command, "open.yaml"]
    result = call(*arguments, cwd=project)
    assert result.exit_code == 2
    lines = result.stderr.splitlines()
    assert lines[0] == "fieldproof.toml:2:1: run.sede: unknown key (nearest: seed)"
    assert lines[1].startswith("fieldproof.toml:5:10: paths.worlds: must be text")


def test_validate_takes_the_workspace_file_into_account(call, project):
    (project / "fieldproof.toml").write_text('[run]\nmode = "lockstep"\ntick_s = "3ms"\n' + PATHS)
    result = call("validate", "open.yaml", cwd=project)
    assert result.exit_code == 2
    assert "time.tick_s: must be a multiple of the world's physics step" in result.stderr


def test_folders_of_the_file_are_relative_to_it_and_flags_come_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert workspace_of().runs == Path("runs")
    there = tmp_path / "project"
    there.mkdir()
    file = there / "fieldproof.toml"
    file.write_text('[paths]\nworlds = "places"\nruns = "/data/runs"\n')
    found = workspace_of(robots=Path("mine"), file=file)
    assert found.worlds == there / "places"
    assert found.robots == Path("mine")
    assert found.runs == Path("/data/runs")
    assert workspace_of(file=file).robots == there / "robots"
    assert found.settings == Overlay()
    file.write_text("[paths")
    with pytest.raises(ScenarioError, match="is no TOML"):
        workspace_of(file=file)


def test_a_workspace_file_that_is_wrong_offers_no_runs_to_complete(process, project):
    (project / "fieldproof.toml").write_text("[paths")
    done = process(
        cwd=project,
        environment={
            "_FIELDPROOF_COMPLETE": "bash_complete",
            "COMP_WORDS": "fieldproof report l",
            "COMP_CWORD": "2",
        },
    )
    assert (done.stdout.strip(), done.stderr) == ("", "")
