"""The life of a failure."""

import pytest

from fieldproof.driving.artefacts import FAILURE_STATUSES, ArtefactError, Failures
from fieldproof.driving.history import fixed, regressed, with_status
from fieldproof.model import validated

NOW = "2026-06-11T05:02:41Z"


def failure(failure_id="fail_001", status="open", scenario="s", **changes):
    return {
        "failure_id": failure_id,
        "run_id": "r1",
        "scenario_id": scenario,
        "sample_id": None,
        "timestamp": 12.4,
        "frame_index": 124,
        "replay_path": "replay/s.timeline.json",
        "replay_url": "/runs/r1/scenarios/s?t=12.4&frame=124",
        "severity": "critical",
        "tags": ["collision", "pedestrian_failure"],
        "notes": "A collision.",
        "owner": None,
        "status": status,
        "fixed_in_run_id": None,
        "regressed_in_run_id": None,
        "status_history": [],
        "created_at": "2026-06-11T04:32:10Z",
        **changes,
    }


def failures(*items):
    return {"schema_version": "1.0", "run_id": "r1", "failures": list(items)}


def changed(data, failure_id="fail_001", **changes):
    fields = {"status": None, "owner": None, "notes": None, **changes}
    result = with_status(data, failure_id, changed_at=NOW, **fields)
    assert validated(Failures, result)
    return result["failures"][0]


@pytest.mark.parametrize("status", [one for one in FAILURE_STATUSES if one != "open"])
def test_a_change_of_status_is_added_to_the_history(status):
    one = changed(failures(failure()), status=status)
    assert one["status"] == status
    assert one["status_history"] == [
        {"changed_at": NOW, "from_status": "open", "to_status": status}
    ]


def test_notes_leave_the_reason_of_a_failure_where_it_is():
    one = changed(failures(failure(reason="A collision.")), notes="look")
    assert (one["reason"], one["notes"]) == ("A collision.", "look")


def test_notes_keep_what_a_run_that_knows_no_reasons_said_as_the_reason():
    data = failures(failure())
    for notes in ("look", "look again"):
        data = with_status(data, "fail_001", status=None, owner=None, notes=notes, changed_at=NOW)
    one = data["failures"][0]
    assert (one["reason"], one["notes"]) == ("A collision.", "look again")


def test_a_status_that_stays_is_no_change():
    assert changed(failures(failure()), status="open")["status_history"] == []


def test_the_history_grows_in_order():
    first = with_status(
        failures(failure()), "fail_001", status="assigned", owner="team", notes=None, changed_at=NOW
    )
    second = changed(first, status="fixed")
    assert [one["to_status"] for one in second["status_history"]] == ["assigned", "fixed"]
    assert second["owner"] == "team"
    assert changed(first, owner="")["owner"] is None


def test_an_unknown_failure_or_status_is_named_with_the_nearest():
    data = failures(failure())
    with pytest.raises(ArtefactError, match=r"unknown failure 'fail_01' \(nearest: fail_001\)"):
        changed(data, "fail_01", status="open")
    with pytest.raises(ArtefactError, match=r"unknown status 'fixd' \(nearest: fixed\)"):
        changed(data, status="fixd")


SUCCEEDS = {"s": {"status": "success"}}
FAILS = {"s": {"status": "failure"}}


@pytest.mark.parametrize(
    ("status", "then"),
    [
        ("open", "fixed"),
        ("acknowledged", "fixed"),
        ("assigned", "fixed"),
        ("in_progress", "fixed"),
        ("regressed", "fixed"),
        ("fixed", "fixed"),
        ("verified", "verified"),
        ("wont_fix", "wont_fix"),
    ],
)
def test_a_failure_whose_scenario_succeeds_now_is_fixed_unless_somebody_decided(status, then):
    (one,) = fixed(failures(failure(status=status)), SUCCEEDS, run_id="r2", changed_at=NOW)[
        "failures"
    ]
    assert (one["status"], one["fixed_in_run_id"]) == (then, "r2")
    assert len(one["status_history"]) == (0 if status == then else 1)


@pytest.mark.parametrize("scenarios", [FAILS, {}])
def test_a_failure_whose_scenario_fails_or_was_not_run_stays(scenarios):
    data = failures(failure())
    assert fixed(data, scenarios, run_id="r2", changed_at=NOW) == data


def test_the_run_that_first_fixed_it_stays_the_one():
    once = fixed(failures(failure()), SUCCEEDS, run_id="r2", changed_at=NOW)
    twice = fixed(once, SUCCEEDS, run_id="r3", changed_at=NOW)
    assert twice == once


@pytest.mark.parametrize(
    ("status", "then"), [("open", "regressed"), ("verified", "verified"), ("wont_fix", "wont_fix")]
)
def test_a_failure_of_a_scenario_that_succeeded_before_is_a_regression(status, then):
    data = failures(failure(status=status))
    (one,) = regressed(data, SUCCEEDS, run_id="r2", changed_at=NOW)["failures"]
    assert (one["status"], one["regressed_in_run_id"]) == (then, "r2")


@pytest.mark.parametrize("baseline", [FAILS, {}])
def test_a_failure_of_a_scenario_that_failed_before_is_none(baseline):
    data = failures(failure())
    assert regressed(data, baseline, run_id="r2", changed_at=NOW) == data
