import hashlib
from datetime import UTC, datetime
from uuid import UUID

import click
import pytest

from fieldproof.cli._places import places_of
from fieldproof.cli._summary import summary
from fieldproof.engine.live import LiveRun
from fieldproof.runs import RunsFolder, make_run_id, read_manifest, seal

SCENARIO = """\
name: drive
timeline:
  - { name: first, action: navigate_to_pose }

  - action: navigate_to_pose
    every: 3s
assertions:
  - name: arrived
    type: within_time
  - { name: first, type: no_collision }
"""


def result(name, status, reason, source):
    return {
        "name": name,
        "type": "within_time",
        "status": status,
        "reason": reason,
        "source": source,
        "t_s": 1.0,
    }


def occurrence(name, status, detail):
    return {"name": name, "status": status, "detail": detail}


@pytest.fixture
def scenario(tmp_path):
    path = tmp_path / "drive.yaml"
    path.write_text(SCENARIO)
    return path


@pytest.fixture
def done(tmp_path, scenario):
    """A sealed run of the scenario that failed."""
    folder = RunsFolder(tmp_path / "runs")
    run = folder.create(
        make_run_id("a" * 64, now=datetime(2026, 3, 1, tzinfo=UTC), unique=UUID(int=7))
    )
    record = {
        "schema_version": 1,
        "status": "failed",
        "reason": "assertion arrived failed: too late",
        "scenario": {
            "name": "drive",
            "sha256": hashlib.sha256(scenario.read_bytes()).hexdigest(),
        },
        "assertions": [
            result("arrived", "failed", "too late", "assertions[0]"),
            result("first", "passed", "touched nothing", "assertions[1]"),
        ],
        "timeline": [
            occurrence("first", "ok", "goal SUCCEEDED"),
            occurrence("navigate_to_pose@0s", "ok", "goal SUCCEEDED"),
            occurrence("navigate_to_pose@0s#2", "timeout", "no result"),
        ],
        "problems": [],
        "evidence": {"gaps": []},
        "kpis": {"arrived.duration_s": {}, "first.contacts": {}},
    }
    run.write_json("run.json", record)
    labels = [{"label": "first"}, {"label": "navigate_to_pose@0s"}]
    run.write_json("execution.json", {"timeline": labels})
    run.write_json("outcome.json", {"status": "failed"})
    with run.claim():
        seal(run)
    return LiveRun(run, record)


def test_the_summary_names_what_failed_with_its_line_and_where_everything_is(
    done, scenario, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    run_id = done.directory.run_id
    digest = read_manifest(done.directory).evidence_digest
    plain = click.unstyle(summary(done, scenario)).splitlines()
    assert plain == [
        "FAIL  drive: assertion arrived failed: too late",
        f"  FAIL  arrived  too late (at 1.000 s)  {scenario}:8",
        "  PASS  first    touched nothing (at 1.000 s)",
        f"  TIMEOUT  navigate_to_pose@0s#2  no result  {scenario}:5",
        f"  report    runs/{run_id}/report.md",
        f"  junit     runs/{run_id}/junit.xml",
        f"  kpis      2 in runs/{run_id}/kpis.jsonl",
        f"  run       runs/{run_id}",
        f"  evidence  {digest}",
    ]


def test_the_first_word_of_a_line_has_the_colour_of_the_verdict(done, scenario):
    lines = summary(done, scenario).splitlines()
    assert lines[0].startswith("\x1b[31mFAIL\x1b[0m  drive")
    assert lines[2].startswith("  \x1b[32mPASS\x1b[0m  first")
    assert "\x1b" not in lines[-1]


def test_an_assertion_and_an_entry_of_the_same_name_have_lines_of_their_own(done, scenario):
    places = places_of(done.record, done.directory, scenario)
    assert places.assertions == {"arrived": f"{scenario}:8", "first": f"{scenario}:10"}
    assert places.timeline == {"first": f"{scenario}:3", "navigate_to_pose@0s": f"{scenario}:5"}


def test_a_scenario_that_was_changed_or_removed_since_has_no_lines(done, scenario):
    scenario.write_text(SCENARIO + "# changed\n")
    assert dict(places_of(done.record, done.directory, scenario).assertions) == {}
    scenario.unlink()
    assert dict(places_of(done.record, done.directory, scenario).assertions) == {}
    assert "arrived  too late (at 1.000 s)\n" in click.unstyle(summary(done, scenario))
