import json
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest
from click.testing import CliRunner

from fieldproof.cli import main
from fieldproof.model import canonical_document
from fieldproof.runs import RunsFolder, compose_invalid_record, make_run_id, seal

ROOT = Path(__file__).parents[2]
SCENARIO = ROOT / "scenarios" / "ugv_nav_to_goal.yaml"


@pytest.fixture
def call(monkeypatch):
    monkeypatch.chdir(ROOT)
    return lambda *arguments: CliRunner().invoke(main, list(map(str, arguments)))


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


def test_valid_scenarios_are_said_to_be_valid(call):
    result = call("validate", SCENARIO, ROOT / "scenarios" / "ugv_nav_fails_on_time.yaml")
    assert result.exit_code == 0
    assert result.stdout.count(": valid") == 2


def test_every_problem_of_every_file_is_printed_with_its_position(call, tmp_path):
    broken = tmp_path / "broken.yaml"
    text = SCENARIO.read_text()
    broken.write_text(text.replace("dock_yard", "dock_yrd").replace("tolerance_m", "tolerance"))
    missing = tmp_path / "missing.yaml"
    result = call("validate", broken, SCENARIO, missing)
    assert result.exit_code == 2
    assert f"{broken}:7:8: world: unknown world 'dock_yrd' (nearest: dock_yard)" in result.stderr
    assert "tolerance: unknown key" in result.stderr
    assert f"{missing}: No such file" in result.stderr
    assert f"{SCENARIO}: valid" in result.stdout


def test_a_dry_run_shows_what_each_entry_resolved_and_starts_nothing(call, tmp_path):
    result = call("run", "--dry-run", SCENARIO, "--runs", tmp_path / "runs")
    assert result.exit_code == 0
    assert '"frame_id": "map"' in result.stdout
    assert "drive_ahead: navigate_to_pose, at 0 s" in result.stdout
    assert not (tmp_path / "runs").exists()


def test_a_rewritten_report_is_sealed_again(call, sealed):
    folder, run = sealed
    result = call("report", run.run_id, "--runs", folder.path, "--write")
    assert result.exit_code == 0
    assert "bad" in (run.path / "report.md").read_text()
    assert call("runs", "verify", run.run_id, "--runs", folder.path).exit_code == 0


def test_a_tampered_run_is_named_and_not_sealed_anew(call, sealed):
    folder, run = sealed
    (run.path / "report.md").write_text("a better report\n")
    verified = call("runs", "verify", run.run_id, "--runs", folder.path)
    assert verified.exit_code == 1
    assert "report.md: changed" in verified.stderr
    rewritten = call("report", run.run_id, "--runs", folder.path, "--write")
    assert rewritten.exit_code == 1
    assert "report.md: changed" in rewritten.stderr
    assert (run.path / "report.md").read_text() == "a better report\n"


def test_the_schema_is_json_and_names_the_assertion_types(call):
    schema = json.loads(call("schema").stdout)
    assert "reach_pose" in json.dumps(schema)


def test_an_unknown_run_is_named_with_what_there_is(call, sealed):
    folder, _ = sealed
    result = call("report", "ffffffff", "--runs", folder.path)
    assert result.exit_code == 1
    assert "ffffffff" in result.stderr
