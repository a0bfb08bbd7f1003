import copy
from xml.etree import ElementTree as ET

import pytest

from fieldproof_reports import RecordVersionError, render_junit

from .conftest import RECORDS, RUN_ID, compose, outcome, verdict
from .schemas import SCHEMAS, faults

each_record = pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS.keys())


def parse(record):
    return ET.fromstring(render_junit(record))


def cases_of(root):
    return {(case.get("classname"), case.get("name")): case for case in root.iter("testcase")}


@each_record
@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS.keys())
def test_the_document_is_valid_by_every_common_schema(record, schema):
    assert faults(parse(record), schema) == []


def test_the_checks_of_the_schemas_find_faults():
    root = parse(RECORDS["failed"])
    for change in (
        lambda r: r.set("skipped", "0"),
        lambda r: r[0].set("time", "1e-05"),
        lambda r: (
            (r[0][0].tail and r[0].remove(r[0].find("testcase[1]")))
            or r[0].insert(
                0, ET.Element("testcase", {"name": "x", "classname": "y", "time": "0.0"})
            )
        ),
        lambda r: ET.SubElement(r[0].find("testcase"), "skipped").set("message", "x"),
        lambda r: r[0].attrib.pop("name"),
        lambda r: r[0].set("timestamp", "2026-03-01T12:00:00+00:00"),
    ):
        damaged = copy.deepcopy(root)
        change(damaged)
        assert any(faults(damaged, schema) for schema in SCHEMAS.values())


@each_record
def test_the_counts_of_root_and_suite_are_those_of_the_testcases(record):
    root = parse(record)
    (suite,) = root
    cases = list(suite.iter("testcase"))
    counted = {
        "tests": len(cases),
        "failures": sum(case.find("failure") is not None for case in cases),
        "errors": sum(case.find("error") is not None for case in cases),
    }
    for element in (root, suite):
        assert {key: int(element.get(key)) for key in counted} == counted
    assert int(suite.get("skipped")) == sum(case.find("skipped") is not None for case in cases)


@each_record
def test_the_text_of_a_problem_stands_in_the_message_and_in_the_body(record):
    for kind in ("failure", "error"):
        for element in parse(record).iter(kind):
            assert element.get("message")
            assert element.get("message") in " ".join(element.text.split())


@each_record
def test_every_run_has_a_testcase_of_its_own(record):
    case = cases_of(parse(record))["ugv_nav_to_goal", "run"]
    kinds = [child.tag for child in case]
    expected = {"passed": [], "failed": ["failure"]}.get(record["status"], ["error"])
    assert kinds == expected
    if kinds:
        assert case[0].get("type") == record["status"]


def test_a_stack_that_dies_at_once_gives_a_test_and_an_error():
    root = parse(RECORDS["error"])
    assert int(root.get("tests")) >= 1
    assert int(root.get("errors")) == 1
    error = cases_of(root)["ugv_nav_to_goal", "run"].find("error")
    assert error.get("message").startswith("start bridges: bridge ugv1 died with code 1")
    assert "ImportError: no `nav2_msgs`" in error.text.splitlines()[-1]


def test_an_invalid_scenario_gives_a_test_with_every_problem():
    root = parse(RECORDS["invalid"])
    assert root.get("tests") == "1"
    error = root.find(".//error")
    assert "ugv.yaml:4:3" in error.text
    assert "ugv.yaml:12:7" in error.text


def test_a_failed_assertion_tells_reason_source_evidence_and_excerpt():
    case = cases_of(parse(RECORDS["failed"]))["ugv_nav_to_goal.assertions", "arrived_in_time"]
    failure = case.find("failure")
    assert failure.get("message") == "drive_ahead has not completed 1 s after its start"
    assert failure.get("type") == "within_time"
    assert failure.text.splitlines() == [
        "drive_ahead has not completed 1 s after its start",
        "source: assertions[1]",
        "elapsed_s: 1.0",
        "started_t_s: 0.0",
        "excerpt:",
        '  {"event": "running", "sim_s": 1.4, "t_s": 0.9}',
        '  {"event": "running", "sim_s": 1.5, "t_s": 1.0}',
    ]
    assert case.get("time") == "1.000"


def test_an_undecided_assertion_is_skipped():
    cases = cases_of(parse(RECORDS["timeout"]))
    for name in ("reached_goal", "arrived_in_time", "clear"):
        assert cases["ugv_nav_to_goal.assertions", name].find("skipped").text


def test_a_timeline_entry_that_is_not_ok_is_a_failure():
    case = cases_of(parse(RECORDS["timeout"]))["ugv_nav_to_goal.timeline", "drive_ahead"]
    assert case.find("failure").get("message") == "timeout: the scenario's budget ran out"
    passed = cases_of(parse(RECORDS["passed"]))["ugv_nav_to_goal.timeline", "drive_ahead"]
    assert list(passed) == []
    assert passed.get("time") == "9.400"


def test_the_properties_tell_the_facts_of_the_run():
    properties = {
        each.get("name"): each.get("value") for each in parse(RECORDS["failed"]).iter("property")
    }
    assert properties == {
        "run_id": RUN_ID,
        "verdict": "FAIL",
        "status": "failed",
        "exit_code": "1",
        "reason": "assertion arrived_in_time failed: drive_ahead has not completed 1 s after its"
        " start",
        "scenario.path": "scenarios/ugv_nav_to_goal.yaml",
        "scenario.sha256": "ab" * 32,
        "world": "dock_yard",
        "engine_version": "0.1.0",
        "determinism": "exact",
        "duration.wall_s": "3.5",
        "duration.timeline_s": "12",
        "duration.sim_s": "12.5",
        "recording": "recording/recording_0.mcap",
        "kpi.clear.contacts": "0",
        "kpi.drive.path_m": "4.62",
        "kpi.reached_goal.closest_m": "0.123457",
    }


def test_a_hermetic_report_carries_no_time_and_no_host():
    (suite,) = parse(RECORDS["passed"])
    assert suite.get("timestamp") is None
    assert suite.get("hostname") == "localhost"
    (live,) = parse(RECORDS["failed"])
    assert (live.get("timestamp"), live.get("hostname")) == ("2026-03-01T12:00:00", "bench")


def test_names_that_become_equal_are_told_apart():
    twins = [
        verdict("a\x01", "demo"),
        verdict("a", "demo"),
        verdict(" a ", "demo"),
        verdict("", "demo"),
        verdict("\x02", "demo"),
    ]
    root = parse(compose(outcome(), assertions=twins))
    pairs = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    assert len(set(pairs)) == len(pairs)
    names = {name for class_name, name in pairs if class_name.endswith(".assertions")}
    assert {"a", "a (2)", "a (3)", "unnamed", "unnamed (2)"} <= names


@pytest.mark.parametrize("t_s", [1e-7, 12345678.9, None, float("nan"), float("inf"), -1.0, True])
def test_times_are_plain_decimals(t_s):
    root = parse(
        compose(outcome(), assertions=[verdict("reached_goal", "x", t_s=t_s or 0.0) | {"t_s": t_s}])
    )
    assert all(faults(root, schema) == [] for schema in SCHEMAS.values())


def test_a_record_of_a_newer_version_is_refused():
    with pytest.raises(RecordVersionError, match="version 2"):
        render_junit(RECORDS["passed"] | {"schema_version": 2})
