import json

import pytest

from fieldproof.model import canonical_json
from fieldproof.runs import (
    Envelope,
    NewerVersionError,
    UnreadableRunError,
    compose_invalid_record,
    compose_run_record,
    list_artefacts,
    load,
    merge_envelope,
)

from .conftest import fill, outcome, result, run_id

EXECUTION = {
    "schema_version": 1,
    "scenario": {"name": "ugv_nav_to_goal"},
    "world": {"name": "dock_yard"},
    "time": {"mode": "lockstep", "tick_ns": 50_000_000, "rtf": None, "seed": 7},
    "vehicles": [{"name": "ugv1", "namespace": "ugv1", "robot": "ugv_ref", "manifest": {}}],
    "timeline": [
        {"label": "drive_ahead", "action": "navigate_to", "vehicle": "ugv1", "params": {"x": 1}},
        {"label": "say", "action": "publish", "vehicle": "ugv1"},
    ],
}
EVALUATION = {
    "assertions": [
        {
            "name": "reached_goal",
            "type": "reach_pose",
            "on_fail": "continue",
            "source": "assertions[0]",
        },
        {"name": "clear", "type": "no_collision", "on_fail": "abort", "source": "assertions[1]"},
    ],
    "kpis": [],
}
TIMELINE = [
    {"name": "drive_ahead", "action": "navigate_to", "status": "ok", "t_s": 0.0, "duration_s": 9.0},
    {
        "name": "drive_ahead#2",
        "action": "navigate_to",
        "status": "ok",
        "t_s": 9.0,
        "duration_s": 1.0,
    },
]
KPIS = [
    {"name": "drive", "type": "path", "status": "measured", "metrics": {}},
    {"kind": "kpis", "kpis": {"drive.path_m": {"value": 4.5, "unit": "m", "source": "kpi"}}},
]
ENVELOPE = Envelope(
    run_id=run_id(),
    started_at="2026-03-01T12:00:00+00:00",
    ended_at="2026-03-01T12:00:03.5+00:00",
    host="bench",
    pid=42,
    engine_version="0.1.0",
    scenario_path="scenarios/ugv_nav_to_goal.yaml",
    scenario_sha256="ab" * 32,
    phases={"timeline": 2.25},
    timeline={"drive_ahead": 1772366401.25},
).to_data()


def compose(envelope=None, **changes):
    given = {
        "execution": EXECUTION,
        "evaluation": EVALUATION,
        "outcome": outcome(),
        "timeline": TIMELINE,
        "assertions": [result("clear"), result("reached_goal")],
        "kpis": KPIS,
    } | changes
    return compose_run_record(**given, envelope=envelope)


def test_a_record_without_an_envelope_has_no_time_and_place():
    record = compose()
    assert (record["status"], record["exit_code"]) == ("passed", 0)
    assert record["run_id"] is record["started_at"] is record["durations"]["wall_s"] is None
    assert record["durations"] == {"wall_s": None, "timeline_s": 12.0, "sim_s": 12.5}
    assert record["scenario"] == {"name": "ugv_nav_to_goal"}
    assert "duration_s" not in record["phases"][0]


def test_the_envelope_brings_time_and_place():
    record = compose(ENVELOPE)
    assert record["run_id"] == run_id()
    assert record["durations"]["wall_s"] == 3.5
    assert record["phases"] == [{"name": "timeline", "status": "ok", "duration_s": 2.25}]
    assert record["scenario"]["path"] == "scenarios/ugv_nav_to_goal.yaml"
    assert record["timeline"][0]["started_at"] == "2026-03-01T12:00:01.250+00:00"
    assert record["timeline"][1]["started_at"] is None


def test_merging_an_envelope_twice_changes_nothing():
    once = compose(ENVELOPE)
    assert merge_envelope(once, ENVELOPE) == once


def test_the_same_files_give_the_same_record():
    assert canonical_json(compose()) == canonical_json(compose())


def test_assertions_stand_in_the_order_of_the_scenario_with_their_source():
    names = [(each["name"], each["source"], each["on_fail"]) for each in compose()["assertions"]]
    assert names == [
        ("reached_goal", "assertions[0]", "continue"),
        ("clear", "assertions[1]", "abort"),
    ]


def test_the_reason_names_the_assertion_that_failed_first_in_time():
    record = compose(
        assertions=[
            result("clear", "failed", "hit a pallet"),
            result("reached_goal", "failed", "x"),
        ]
    )
    assert record["reason"] == "assertion clear failed: hit a pallet (and 1 more)"


def test_what_never_came_to_its_turn_is_skipped():
    record = compose(
        outcome=outcome(status="error", reason="start bridges: no answer", complete=False),
        timeline=[],
        assertions=[],
        kpis=[],
    )
    assert [each["status"] for each in record["assertions"]] == ["skipped", "skipped"]
    assert [(each["name"], each["status"]) for each in record["timeline"]] == [
        ("drive_ahead", "skipped"),
        ("say", "skipped"),
    ]
    assert (record["status"], record["exit_code"]) == ("error", 1)


def test_an_entry_that_happened_more_than_once_is_not_skipped_as_well():
    assert [each["name"] for each in compose()["timeline"]] == [
        "drive_ahead",
        "drive_ahead#2",
        "say",
    ]


def test_the_map_of_kpis_is_apart_from_the_collectors():
    record = compose()
    assert record["kpis"] == {"drive.path_m": {"value": 4.5, "unit": "m", "source": "kpi"}}
    assert [each["name"] for each in record["kpi_collectors"]] == ["drive"]


def test_wall_clock_runs_take_the_length_of_the_timeline_from_the_envelope():
    execution = EXECUTION | {"time": {"mode": "sim"}}
    assert compose(execution=execution)["durations"]["timeline_s"] is None
    assert compose(ENVELOPE, execution=execution)["durations"]["timeline_s"] == 2.25


def test_a_scenario_that_does_not_validate_has_a_record_too():
    record = compose_invalid_record("broken", ["a.yaml:1:2: world: unknown", "a.yaml:3:1: x"])
    assert (record["status"], record["exit_code"]) == ("invalid", 2)
    assert record["reason"] == "a.yaml:1:2: world: unknown (and 1 more)"
    assert record["problems"] == ["a.yaml:1:2: world: unknown", "a.yaml:3:1: x"]
    assert set(record) == set(compose())


def test_the_recording_is_the_first_artefact_and_each_has_the_kind_of_its_part(runs):
    run = fill(runs.create(run_id()))
    run.write_text("assertions.jsonl", "")
    run.write_text("resources.jsonl", "")
    found = list_artefacts(run.path)
    assert [(each["path"], each["kind"]) for each in found] == [
        ("recording/recording_0.mcap", "recording"),
        ("execution.json", "evidence"),
        ("observe.json", "evidence"),
        ("outcome.json", "evidence"),
        ("samples.jsonl", "evidence"),
        ("timeline.json", "evidence"),
        ("resources.jsonl", "resources"),
        ("recording/metadata.yaml", "derived"),
        ("assertions.jsonl", "verdict"),
        ("logs/engine.log", "log"),
    ]
    assert found[0]["size"] == (run.recording / "recording_0.mcap").stat().st_size


def test_loading_joins_record_and_envelope(runs):
    run = runs.create(run_id())
    run.write_json("run.json", compose())
    assert load(run) == compose()
    run.write_json("envelope.json", ENVELOPE)
    assert load(run) == compose(ENVELOPE)


@pytest.mark.parametrize("name", ["run.json", "envelope.json"])
def test_a_file_of_a_newer_version_is_refused_by_name(runs, name):
    run = runs.create(run_id())
    run.write_json("run.json", compose())
    run.write_json("envelope.json", ENVELOPE)
    (run.path / name).write_text(json.dumps({"schema_version": 2}))
    with pytest.raises(NewerVersionError, match=f"{name} has version 2.*up to 1") as caught:
        load(run)
    assert (caught.value.version, caught.value.known) == (2, 1)


def test_an_envelope_without_a_run_is_refused(runs):
    run = runs.create(run_id())
    run.write_json("run.json", compose())
    run.write_json("envelope.json", {"schema_version": 1})
    with pytest.raises(UnreadableRunError, match="do not fit together"):
        load(run)


@pytest.mark.parametrize("version", [None, "1", 0, -1, True, 1.5])
def test_a_file_without_a_proper_version_is_refused(runs, version):
    run = runs.create(run_id())
    (run.path / "run.json").write_text(json.dumps({"schema_version": version}))
    with pytest.raises(UnreadableRunError, match="schema_version"):
        load(run)


def test_a_run_without_a_record_is_named(runs):
    with pytest.raises(UnreadableRunError, match=r"run\.json: there is no such file"):
        load(runs.create(run_id()))


def test_the_record_tells_of_each_container_how_often_it_was_measured_and_the_last_time():
    from fieldproof.runs._record import _resources  # noqa: PLC0415

    samples = [
        {"container": "ugv1", "cpu_pct": 10.0, "sim": 1.0},
        {"container": "simulator", "cpu_pct": 5.0, "sim": 1.0},
        {"container": "ugv1", "cpu_pct": 20.0, "sim": 2.0},
    ]
    assert _resources(samples) == [
        {"container": "ugv1", "samples": 2, "last": samples[2]},
        {"container": "simulator", "samples": 1, "last": samples[1]},
    ]
