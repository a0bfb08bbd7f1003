import json

import pytest

from fieldproof.cli._exit_codes import BISECT_SKIP, FAILED, INTERRUPTED, INVALID, PASSED
from fieldproof.runs import Status


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


def test_the_exit_codes_are_those_of_a_runs_status():
    codes = {status: status.exit_code for status in Status}
    assert (codes[Status.PASSED], codes[Status.INVALID]) == (PASSED, INVALID)
    assert codes[Status.INTERRUPTED] == INTERRUPTED
    assert {codes[each] for each in Status if each not in {"passed", "invalid", "interrupted"}} == {
        FAILED
    }
    assert Status.ERROR.bisect_code == BISECT_SKIP


@pytest.mark.parametrize(
    ("command", "path"),
    [
        (("run", "nowhere.yaml"), "nowhere.yaml"),
        (("validate", "nowhere.yaml"), "nowhere.yaml"),
        (("run", "--dry-run", "scenarios"), "scenarios"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(call, command, path):
    result = call(*command)
    assert result.exit_code == INVALID
    assert path in result.stderr
    assert "Traceback" not in result.output


def test_the_list_of_runs_names_each_with_its_status(call, sealed):
    folder, run = sealed
    result = call("runs", "list", "--runs", folder.path)
    assert result.stdout == f"{run.run_id}  s  invalid\n"


def test_an_interrupt_before_a_run_began_ends_with_130(call, monkeypatch):
    def interrupted(*_arguments, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("fieldproof.engine.resolve.resolve", interrupted)
    result = call("validate", "scenarios/ugv_nav_to_goal.yaml")
    assert (result.exit_code, result.stderr) == (INTERRUPTED, "interrupted\n")
