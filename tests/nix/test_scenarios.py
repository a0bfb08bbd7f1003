"""The derivations of a scenario: what is built again, what fails and how it says so."""

import json
import os
import sys
import time
from pathlib import Path

import pytest

from fieldproof.runs import evidence_digest

pytestmark = [pytest.mark.nix, pytest.mark.slow, pytest.mark.timeout(600)]

_PASSES = "ugv_nav_to_goal"
_FAILS = "ugv_nav_fails_on_time"
_MEASURES_NOTHING = "ugv_gps_denied"  # of the host, that is: no assertion on resources


def _digest(path: Path) -> dict[str, bytes]:
    return {str(p.relative_to(path)): p.read_bytes() for p in path.rglob("*") if p.is_file()}


def test_a_passing_scenario_builds_and_then_answers_from_the_cache(checkout):
    first = checkout.build(_PASSES)
    assert first.code == 0, first.text
    again = checkout.build(_PASSES)
    assert (again.code, again.built) == (0, [])


def test_a_changed_limit_reaches_the_verdict_without_a_new_run(checkout):
    assert checkout.build(_PASSES).code == 0
    # a limit that no build of this test used before
    fresh = f"max_s: {60 + time.time_ns() % 10**9 / 10**9:.9f}s"
    checkout.edit(f"scenarios/{_PASSES}.yaml", "max_s: 60s", fresh)
    changed = checkout.build(_PASSES)
    assert changed.code == 0, changed.text
    assert f"{_PASSES}-verdict" in changed.built
    assert f"{_PASSES}-run" not in changed.built


def test_a_comment_in_a_scenario_builds_the_plan_and_nothing_after_it(checkout):
    assert checkout.build(_PASSES).code == 0
    path = checkout.root / f"scenarios/{_PASSES}.yaml"
    path.write_text(f"# {os.getpid()} {time.time_ns()}\n" + path.read_text())
    changed = checkout.build(_PASSES)
    assert (changed.code, changed.built) == (0, [f"{_PASSES}-plan"])


def test_a_failing_verdict_fails_the_build_with_its_reason_and_the_report_builds(checkout):
    done = checkout.build(_FAILS)
    assert done.code != 0
    assert "arrived_in_time" in done.text
    assert checkout.build(f"{_FAILS}.report").code == 0
    report = checkout.path(f"{_FAILS}.report")
    assert "arrived_in_time" in (report / "report.md").read_text()


def test_a_scenario_that_does_not_validate_fails_with_file_and_line(checkout):
    checkout.edit(f"scenarios/{_PASSES}.yaml", "world: dock_yard", "wrold: dock_yard")
    lines = (checkout.root / f"scenarios/{_PASSES}.yaml").read_text().splitlines()
    line = next(i for i, text in enumerate(lines, 1) if text.startswith("wrold:"))
    done = checkout.build(_PASSES)
    assert done.code != 0
    assert f"scenarios/{_PASSES}.yaml:{line}:" in done.text


def test_an_untracked_scenario_is_answered_with_git_add(checkout):
    (checkout.root / "scenarios/new.yaml").write_text("name: new\n")
    done = checkout.run("sh", "nix/tracked.sh", "scenarios/new.yaml")
    assert done.code == 2
    assert "git add scenarios/new.yaml" in done.text


def test_a_build_takes_from_the_workspace_file_what_a_live_run_takes(checkout):
    checkout.edit(f"scenarios/{_PASSES}.yaml", "  seed: 1\n", "")
    (checkout.root / "places").mkdir()
    (checkout.root / "worlds").rename(checkout.root / "places/mine")
    toml = checkout.root / "fieldproof.toml"
    toml.write_text('[run]\nseed = 41\nrtf = 3.0\n\n[paths]\nworlds = "places/mine"\n')
    tracked = checkout.run("sh", "nix/tracked.sh", f"scenarios/{_PASSES}.yaml", "fieldproof.toml")
    assert tracked.code == 2
    assert "git add fieldproof.toml" in tracked.text
    assert checkout.run("git", "add", "-A").code == 0
    plan = checkout.path(f"{_PASSES}.plan")
    live = checkout.run(
        *(sys.executable, "-B", "-m", "fieldproof.cli"),
        *("run", "--dry-run", "--json", f"scenarios/{_PASSES}.yaml"),
    )
    assert live.code == 0, live.text
    execution = json.loads((plan / "execution/execution.json").read_text())
    evaluation = json.loads((plan / "evaluation/evaluation.json").read_text())
    assert json.loads(live.text) == {"execution": execution, "evaluation": evaluation}
    assert execution["time"]["seed"] == 41
    toml.write_text('[run]\nseeds = 41\n\n[paths]\nworlds = "places/mine"\n')
    wrong = checkout.build(f"{_PASSES}.plan")
    assert wrong.code != 0
    assert "fieldproof.toml:2:1: run.seeds: unknown key (nearest: seed)" in wrong.text
    toml.write_text('[paths]\nworlds = "../elsewhere"\n')
    outside = checkout.build(f"{_PASSES}.plan")
    assert outside.code != 0
    assert "paths.worlds is no folder below it (../elsewhere)" in outside.text


@pytest.mark.parametrize("stage", ["plan", "run", "verdict", "report"])
def test_a_stage_built_again_is_the_same_to_the_bit(checkout, stage):
    assert checkout.build(f"{_MEASURES_NOTHING}.{stage}").code == 0
    done = checkout.build(f"{_MEASURES_NOTHING}.{stage}", "--rebuild")
    assert done.code == 0, done.text


def test_the_plan_holds_both_parts_and_the_report_all_forms(checkout):
    plan = checkout.path(f"{_PASSES}.plan")
    assert (plan / "execution/execution.json").is_file()
    assert (plan / "evaluation/evaluation.json").is_file()
    report = {path.name for path in checkout.path(f"{_PASSES}.report").iterdir()}
    assert {"report.json", "report.md", "junit.xml"} <= report


def test_evidence_names_no_place_of_the_build(checkout):
    evidence = checkout.path(f"{_PASSES}.run")
    for name, content in _digest(evidence).items():
        assert b"/nix/store" not in content, name
        assert b"/build" not in content, name


def test_a_live_run_leaves_the_evidence_that_the_sandbox_leaves(checkout, tmp_path):
    hermetic = evidence_digest(checkout.path(f"{_PASSES}.run"))
    scenario = f"scenarios/{_PASSES}.yaml"
    live = checkout.run(
        sys.executable,
        "-B",
        "-m",
        "fieldproof.cli",
        "run",
        scenario,
        "--runs",
        str(tmp_path / "runs"),
    )
    assert live.code == 0, live.text
    assert evidence_digest((tmp_path / "runs" / "latest").resolve()) == hermetic
