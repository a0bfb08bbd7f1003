"""The derivations of driving suites: the gate, the run behind it, and that both repeat."""

import json
import os
import subprocess
import sys

import pytest

from .conftest import ROOT

pytestmark = [pytest.mark.nix, pytest.mark.slow, pytest.mark.timeout(600)]

_SMOKE = "urban_driving_smoke"
_SUITES = sorted(path.stem for path in (ROOT / "scenarios" / "suites").glob("*.yaml"))


def _files(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("suite", _SUITES)
def test_a_suite_that_passes_its_gates_builds_and_then_answers_from_the_cache(checkout, suite):
    first = checkout.build(f"suites.{suite}")
    assert first.code == 0, first.text
    again = checkout.build(f"suites.{suite}")
    assert (again.code, again.built) == (0, [])


def test_a_suite_in_the_sandbox_leaves_what_it_leaves_outside_to_the_byte(checkout, tmp_path):
    inside = checkout.path(f"suites.{_SMOKE}.run")
    command = [sys.executable, "-B", "-m", "fieldproof.cli", "suite", "run"]
    outside = tmp_path / "outside"
    suite = f"scenarios/suites/{_SMOKE}.yaml"
    subprocess.run([*command, suite, "--out", outside], cwd=checkout.root, check=True)
    assert _files(inside.resolve()) == _files(outside)


def test_a_gate_that_is_not_passed_fails_the_build_with_the_reason_and_the_run_is_there(checkout):
    # nobody arrives within a second: a scenario that no build of this test had before
    unique = f"max_time_seconds: 1.{os.getpid()}"
    checkout.edit("scenarios/driving/simple_lane_follow.yaml", "max_time_seconds: 30", unique)
    gate = checkout.build(f"suites.{_SMOKE}")
    assert gate.code != 0
    assert "FAIL" in gate.text
    assert "success_rate 0.6667 is below the gate of 0.95" in gate.text
    run = checkout.path(f"suites.{_SMOKE}.run")
    summary = json.loads((run / "summary.json").read_text())
    assert summary["status"] == "fail"


def test_a_suite_that_is_not_valid_fails_with_file_and_line(checkout):
    checkout.edit(f"scenarios/suites/{_SMOKE}.yaml", "min_success_rate", "min_succes_rate")
    done = checkout.build(f"suites.{_SMOKE}")
    assert done.code != 0
    assert f"scenarios/suites/{_SMOKE}.yaml:" in done.text
    assert "nearest: min_success_rate" in done.text
