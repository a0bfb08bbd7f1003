"""A suite's run: what it leaves, what faulty agents do to it, and that it repeats to the byte."""

import html
import json
import os
import textwrap
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4
from xml.etree import ElementTree as ET

import jsonschema
import pytest
import yaml

from fieldproof.driving.agents import Limits, find_agent
from fieldproof.driving.artefacts import ArtefactError, schema_of
from fieldproof.driving.history import BaselinesFolder, compare_finished, set_failure
from fieldproof.driving.loading import load_suite
from fieldproof.driving.provenance import collect_surroundings
from fieldproof.driving.suite import SuiteOptions, run_suite, run_suite_into
from fieldproof.model import ScenarioError
from fieldproof.runs import (
    RunsFolder,
    RunsFolderError,
    UnwritableRunError,
    load,
    read_manifest,
    verify,
)
from fieldproof_reports import render_all
from tests.driving.builders import EXAMPLES, SMOKE, actor, scenario_data, suite_of

RULES, RECKLESS = EXAMPLES / "rule_based_agent.py", EXAMPLES / "reckless_agent.py"
NOW = datetime(2026, 6, 11, 5, 32, 19, tzinfo=UTC)


def options(agent=RULES, **changes):
    return SuiteOptions(agent=find_agent(str(agent)), host=os.environ, **changes)


def live(folder, suite, how=None):
    return run_suite(
        suite,
        how or options(),
        runs=RunsFolder(folder / "runs"),
        surroundings=collect_surroundings(folder, created_at=NOW.isoformat()),
        now=NOW,
        unique=uuid4(),
        command=("fieldproof", "suite"),
    )


def agent_file(folder, act, name="agent.py"):
    path = folder / name
    body = textwrap.indent(textwrap.dedent(act), " " * 8)
    path.write_text(
        "import os, time\n\n\nclass Agent:\n"
        "    def reset(self, scenario):\n        self.id = scenario['id']\n\n"
        f"    def act(self, seen):\n{body}\n",
        "utf-8",
    )
    return path


def valid(name, data):
    jsonschema.Draft202012Validator(schema_of(name)).validate(data)
    return data


def read(path):
    return json.loads(path.read_text("utf-8"))


def lines(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def smoke(tmp_path_factory):
    return live(tmp_path_factory.mktemp("smoke"), load_suite(SMOKE))


@pytest.fixture(scope="module")
def reckless(tmp_path_factory):
    return live(tmp_path_factory.mktemp("reckless"), load_suite(SMOKE), options(RECKLESS))


def test_the_rule_based_agent_passes_the_smoke_suite(smoke):
    assert smoke.passed
    assert smoke.summary["status"] == "pass"
    assert smoke.summary["safety_score"] == 100
    assert (smoke.summary["passed_scenarios"], smoke.summary["total_scenarios"]) == (3, 3)


def test_the_reckless_agent_fails_it_with_reasons(reckless):
    assert not reckless.passed
    assert reckless.summary["collision_count"] == 2
    assert reckless.regression["failures"] == [
        "success_rate 0 is below the gate of 0.95",
        "collision_count 2 is above the gate of 0",
        "safety_score 0 is below the gate of 80",
    ]
    tags = {tag for one in reckless.failures["failures"] for tag in one["tags"]}
    assert {"collision", "pedestrian_failure", "vehicle_failure", "assertion"} <= tags


@pytest.mark.parametrize("name", ["smoke", "reckless"])
def test_every_file_of_a_run_is_there_and_valid_by_its_schema(name, request):
    finished = request.getfixturevalue(name)
    folder = finished.folder
    for each in ("summary", "provenance", "metrics", "regression", "failures"):
        valid(each, read(folder / f"{each}.json"))
    valid("config", yaml.safe_load((folder / "config.yaml").read_text("utf-8")))
    for scenario in finished.metrics["scenarios"].values():
        frames = lines(folder / scenario["episode_path"])
        steps = lines(folder / scenario["steps_path"])
        timeline = valid("timeline", read(folder / scenario["replay_timeline_path"]))
        events = valid("timeline_events", read(folder / scenario["replay_timeline_events_path"]))
        valid("geojson", read(folder / scenario["replay_geojson_path"]))
        for frame, step in zip(frames, steps, strict=True):
            valid("frame", frame)
            valid("step", step)
        assert timeline["frames"] == frames
        assert all({"steer", "throttle", "brake"} <= set(one["action"]) for one in frames)
        assert [one["frame_index"] for one in frames] == list(range(len(frames)))
        assert timeline["events"] == [event for frame in frames for event in frame["events"]]
        assert events[0]["type"] == "scenario_start"
        assert (events[0]["timestamp"], events[0]["frame_index"]) == (frames[0]["t"], 0)
        times = [one["timestamp"] for one in events]
        assert times == sorted(times)
    assert not list(folder.rglob(".*"))


def test_the_summary_carries_the_provenance_and_the_hashes_of_what_was_run(smoke):
    provenance = read(smoke.folder / "provenance.json")
    assert smoke.summary["provenance"] == provenance
    assert provenance["suite_file_hash"] == load_suite(SMOKE).sha256
    assert len(provenance["scenario_file_hashes"]) == 3
    assert provenance["agent_version"] == "1.0.0"
    assert provenance["simulator_name"] == "mock"


def test_what_cannot_be_found_out_is_said_and_fails_nothing(tmp_path):
    surroundings = collect_surroundings(tmp_path / "nowhere", created_at=NOW.isoformat())
    assert surroundings.git_commit_sha is None
    assert surroundings.errors
    assert surroundings.errors[0].startswith("git rev-parse: ")


def test_a_run_is_sealed_listed_digested_and_reported_as_every_other(smoke):
    runs = RunsFolder(smoke.folder.parent)
    directory = runs.find("latest")
    assert directory.path == smoke.folder
    assert verify(directory) == ()
    record = load(directory)
    assert (record["scenario"]["name"], record["status"]) == ("urban_driving_smoke", "passed")
    assert record["determinism"] == "exact"
    assert [one["status"] for one in record["timeline"]] == ["ok"] * 3
    assert record["kpis"]["suite.safety_score"]["value"] == 100
    assert "PASS" in render_all(record)["report.md"]
    evidence = read_manifest(directory).evidence_digest
    assert runs.find(evidence).path == smoke.folder


def test_a_changed_episode_is_told_by_the_seal(tmp_path):
    finished = live(tmp_path, suite_of(tmp_path, [scenario_data()]))
    episode = finished.folder / "episodes" / "plain.jsonl"
    episode.write_text(episode.read_text("utf-8") + "{}\n", "utf-8")
    (difference,) = verify(RunsFolder(finished.folder.parent).find("latest"))
    assert (difference.path, difference.kind) == ("episodes/plain.jsonl", "changed")


def everything(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_run_without_time_and_place_repeats_to_the_byte_in_any_order_and_number(tmp_path):
    suite = load_suite(SMOKE)
    one = run_suite_into(suite, options(jobs=1), tmp_path / "one")
    two = run_suite_into(suite, options(jobs=3), tmp_path / "two")
    assert everything(one.folder) == everything(two.folder)
    order = (2, 0, 1)
    turned = type(suite)(
        suite.file, tuple(suite.scenarios[n] for n in order), suite.path, suite.sha256
    )
    three = run_suite_into(turned, options(jobs=1), tmp_path / "three")
    assert three.metrics == one.metrics
    episodes = {name: data for name, data in everything(one.folder).items() if "/" in name}
    assert {n: d for n, d in everything(three.folder).items() if "/" in n} == episodes


def test_two_live_runs_have_the_same_evidence(tmp_path):
    suite = suite_of(tmp_path, [scenario_data()])
    digests = {
        read_manifest(RunsFolder(tmp_path / "runs").find(live(tmp_path, suite).folder.name))
        .evidence_digest
        for _ in range(2)
    }  # fmt: skip
    assert len(digests) == 1


FAULTS = [
    ("raises", "raise ValueError('no map')", "raised", "The agent failed: act raised ValueError: no map."),
    ("nan", "return {'steer': float('nan')}", "nonsense", "The agent failed: act answered nan for steer, not a finite number."),
    ("huge", "return {'throttle': 10**400}", "nonsense", "The agent failed: act answered an integer of 1329 bits, larger than any number."),
    ("surrogate", "raise ValueError(chr(0xd800) + chr(0) + ']]>')", "raised", "The agent failed: act raised ValueError: \\xd800\\x00]]>."),
    ("nonsense", "return 'left'", "nonsense", "The agent failed: act answered 'left', not a mapping of commands."),
    ("hangs", "time.sleep(600)", "hung", "The agent failed: act gave no answer within 0.3 s."),
    ("dies", "os._exit(1)", "died", "The agent failed: it ended itself with exit code 1 during act."),
]  # fmt: skip


def test_an_agent_s_fault_fails_its_scenario_with_a_reason_and_the_suite_goes_on(tmp_path):
    scenarios = [scenario_data(id=name) for name, *_ in FAULTS] + [scenario_data(id="fine")]
    cases = "\n".join(f"if self.id == '{name}': {act}" for name, act, *_ in FAULTS)
    agent = agent_file(tmp_path, f"{cases}\nreturn {{'throttle': 0.3}}")
    how = options(agent, limits=Limits(act_s=0.3))
    finished = live(tmp_path, suite_of(tmp_path, scenarios), how)
    found = finished.metrics["scenarios"]
    assert found["fine"]["status"] == "success"
    for name, _, kind, text in FAULTS:
        entry = found[name]
        assert (entry["status"], entry["agent_fault"]["kind"]) == ("failure", kind)
        assert entry["reasons"][0]["text"] == text
    assert finished.metrics["aggregate"]["agent_fault_count"] == len(FAULTS)
    assert load(RunsFolder(tmp_path / "runs").find("latest"))["determinism"] == "wall"


def test_an_agent_that_fails_in_mid_drive_leaves_what_was_driven(tmp_path):
    agent = agent_file(tmp_path, "if seen['t'] >= 0.5: raise RuntimeError('late')\nreturn {}")
    finished = live(tmp_path, suite_of(tmp_path, [scenario_data()]), options(agent))
    entry = finished.metrics["scenarios"]["plain"]
    assert entry["frame_count"] == 5
    assert len(lines(finished.folder / entry["episode_path"])) == 5
    assert "raise RuntimeError('late')" in entry["agent_fault"]["trace"]
    assert entry["reasons"][0]["timestamp"] == 0.5


def test_an_agent_that_cannot_be_loaded_leaves_a_whole_run(tmp_path):
    agent = tmp_path / "broken.py"
    agent.write_text("def f(:\n", "utf-8")
    finished = live(tmp_path, suite_of(tmp_path, [scenario_data()]), options(agent))
    entry = finished.metrics["scenarios"]["plain"]
    assert (entry["agent_fault"]["kind"], entry["frame_count"]) == ("load", 0)
    assert (finished.summary["safety_score"], entry["metrics"]["safety_score"]) == (0, 0)
    assert read(finished.folder / "replay" / "plain.timeline.json")["frames"] == []
    assert finished.summary["provenance"]["collection_errors"][-1].startswith("the agent cannot be")
    assert verify(RunsFolder(tmp_path / "runs").find("latest")) == ()


def test_nothing_is_written_outside_the_run_and_nothing_is_left_of_the_agents(tmp_path):
    before = set(tmp_path.rglob("*"))
    suite = suite_of(tmp_path, [scenario_data()])
    suite_files = set(tmp_path.rglob("*"))
    agent = agent_file(tmp_path, "open('scratch', 'w').write('x')\nprint('here')\nreturn {}")
    finished = live(tmp_path, suite, options(agent))
    written = set(tmp_path.rglob("*")) - before - suite_files - {agent}
    runs = tmp_path / "runs"
    outside = {path for path in written if path != runs and runs not in path.parents}
    assert outside == set()
    assert not list(finished.folder.rglob("scratch"))
    assert (finished.folder / "logs" / "plain.agent.log").read_text().startswith("here\nhere\n")


def test_a_runs_folder_that_cannot_be_made_is_an_error_before_anything_is_run(tmp_path):
    (tmp_path / "runs").write_text("a file", "utf-8")
    suite = suite_of(tmp_path, [scenario_data()])
    with pytest.raises(RunsFolderError, match="it is not a folder"):
        live(tmp_path, suite)


def junit_of(finished):
    return ET.fromstring((finished.folder / "junit.xml").read_text("utf-8"))


def test_junit_counts_scenarios_and_the_gates_with_text_in_message_and_body(smoke, reckless):
    assert junit_of(smoke).attrib["tests"] == "4"
    assert junit_of(smoke).attrib["failures"] == "0"
    root = junit_of(reckless)
    assert (root.attrib["tests"], root.attrib["failures"], root.attrib["errors"]) == ("4", "4", "0")
    assert set(root.attrib) == {"name", "tests", "failures", "errors", "time"}
    for case in root.iter("testcase"):
        failure = case.find("failure")
        assert failure.attrib["message"]
        assert failure.text.startswith(failure.attrib["message"])
    pairs = [(case.attrib["classname"], case.attrib["name"]) for case in root.iter("testcase")]
    assert len(set(pairs)) == len(pairs)


def test_a_simulator_that_is_not_there_is_refused_before_anything_is_run(tmp_path):
    scenarios = [
        scenario_data(id="gone", simulator={"name": "gazebo"}),
        scenario_data(id="path", simulator="sims/mine.py"),
        scenario_data(id="ros", simulator="ros2"),
        scenario_data(id="mock"),
    ]
    suite = suite_of(tmp_path, scenarios)
    for start in (live, lambda folder, one: run_suite_into(one, options(), folder / "out")):
        with pytest.raises(ScenarioError) as caught:
            start(tmp_path, suite)
        said = [str(one).removeprefix(f"{tmp_path}/") for one in caught.value.problems]
        assert [one.split(" cannot be used")[0] for one in said] == [
            "driving/gone.yaml:15:9: simulator.name: Gazebo",
            "driving/path.yaml:14:12: simulator: the simulator sims/mine.py",
            "driving/ros.yaml:14:12: simulator: ROS 2",
        ]
        assert "the Python package gz.transport13 is not installed" in said[0]
    assert not (tmp_path / "out").exists()
    assert not list(tmp_path.glob("runs/*"))


def test_a_simulator_that_breaks_off_is_an_error_of_its_own_and_not_the_agent_s(
    tmp_path, monkeypatch
):
    monkeypatch.setattr("fieldproof.driving.suite._run.check_simulators", lambda _scenarios: None)
    scenarios = [scenario_data(id="gone", simulator="gazebo"), scenario_data()]
    finished = live(tmp_path, suite_of(tmp_path, scenarios, {"min_success_rate": 0}))
    entry, total = finished.metrics["scenarios"]["gone"], finished.metrics["aggregate"]
    assert entry["agent_fault"] is None
    assert entry["reasons"][0]["code"] == "simulator_fault"
    assert entry["simulator_fault"]["text"].startswith("The simulator failed: Gazebo cannot be")
    assert (total["agent_fault_count"], total["simulator_fault_count"]) == (0, 1)
    assert entry["metrics"]["safety_score"] == 0
    assert total["safety_score"] == 50
    assert finished.metrics["scenarios"]["plain"]["status"] == "success"
    assert finished.failures["failures"][0]["tags"] == ["simulator_fault"]
    assert finished.verdict.status.value == "error"
    assert finished.verdict.reason.startswith("scenario gone: The simulator failed: Gazebo")
    events = read(finished.folder / "replay" / "gone.timeline_events.json")
    assert [one["type"] for one in events] == ["scenario_start", "simulator_fault"]
    assert read(finished.folder / "outcome.json")["determinism"] == "wall"
    assert junit_of(finished).attrib["errors"] == "1"
    valid("metrics", finished.metrics)


HOSTILE = "<script>alert(1)</script>\u202e|`x`"


def test_hostile_texts_stay_text_in_every_report(tmp_path):
    scenario = scenario_data(name=HOSTILE, description=HOSTILE)
    finished = live(tmp_path, suite_of(tmp_path, [scenario], name=HOSTILE), options(RECKLESS))
    page = (finished.folder / "report.html").read_text("utf-8")
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    for form in ("report.html", "report.md", "junit.xml"):
        assert "\u202e" not in (finished.folder / form).read_text("utf-8")
    assert "<script" not in (finished.folder / "report.md").read_text("utf-8")


def test_the_html_report_fetches_nothing(smoke):
    page = (smoke.folder / "report.html").read_text("utf-8")
    for mark in ("http://", "https://", "<link", "src=", "url(", "@import", "<script"):
        assert mark not in page
    assert "default-src 'none'" in page
    assert "<svg" in page


def test_the_documents_of_a_replay_say_their_version(smoke):
    for name in ("timeline.json", "geojson"):
        assert (
            read(smoke.folder / "replay" / f"simple_lane_follow.{name}")["schema_version"] == "1.0"
        )
    events = read(smoke.folder / "replay" / "simple_lane_follow.timeline_events.json")
    assert isinstance(events, list)


def test_geojson_is_in_local_metres_unless_the_scenario_says_how_to_place_it(smoke):
    local = read(smoke.folder / "replay" / "pedestrian_crossing_001.geojson")
    assert local["crs"]["name"] == "urn:roboci:crs:local-simulator-meters"
    assert "not degrees" in local["coordinate_system"]
    way = local["features"][0]["geometry"]["coordinates"]
    assert way[0] == [0, 0]
    placed = read(smoke.folder / "replay" / "simple_lane_follow.geojson")
    assert placed["crs"]["name"] == "urn:ogc:def:crs:OGC:1.3:CRS84"
    longitude, latitude = placed["features"][0]["geometry"]["coordinates"][0]
    assert (longitude, latitude) == pytest.approx((-122.0840575, 37.4219999), abs=1e-8)
    east = placed["features"][0]["geometry"]["coordinates"][-1]
    assert east[0] > longitude
    assert east[1] == pytest.approx(latitude, abs=1e-7)
    assert placed["coordinate_transform"]["origin"]["latitude"] == 37.4219999


def test_where_a_scenario_comes_from_is_passed_on(tmp_path):
    about = {
        "marketplace_pack": "some_pack",
        "marketplace_pack_version": "2.1.0",
        "marketplace_pack_domain": "urban",
        "domain_metrics": ["gap"],
        "domain_metadata": {"lanes": 2},
    }
    finished = live(tmp_path, suite_of(tmp_path, [scenario_data(environment=about)]))
    entry = finished.metrics["scenarios"]["plain"]
    assert {key: entry[key] for key in about} == about
    assert finished.summary["marketplace"] == [{**about, "scenarios": ["plain"]}]
    assert finished.summary["provenance"]["marketplace"] == finished.summary["marketplace"]
    for name in ("report.md", "report.html"):
        text = html.unescape((finished.folder / name).read_text("utf-8")).replace("\\", "")
        for said in ("some_pack", '["gap"]', '{"lanes": 2}'):
            assert text.count(said) == 2  # of the suite, and of the scenario


def test_every_scenario_s_origin_is_passed_on_and_the_same_once(tmp_path):
    one = {"marketplace_pack": "some_pack", "metric_group": "a", "domain_metrics": {"b": 1, "a": 2}}
    same = {
        "domain_metrics": {"a": 2, "b": 1},
        "metric_group": "a",
        "marketplace_pack": "some_pack",
    }
    group, packless = {**one, "metric_group": "b"}, {"domain_metadata": {"x": [1]}}
    origins = {"first": one, "again": same, "group": group, "packless": packless, "none": {}}
    scenarios = [scenario_data(id=name, environment=said) for name, said in origins.items()]
    finished = run_suite_into(suite_of(tmp_path, scenarios), options(), tmp_path / "out")
    assert finished.summary["marketplace"] == [
        {**one, "scenarios": ["first", "again"]},
        {**group, "scenarios": ["group"]},
        {**packless, "scenarios": ["packless"]},
    ]


def test_a_failed_assertion_in_the_timeline_names_its_actor(tmp_path):
    near = {"name": "slow", "type": "max_speed_when_actor_near", "distance": 50, "max_speed": 1}
    scenario = scenario_data(
        actors=[actor(), actor(id="close", start={"x": 15, "y": 8})],
        assertions=[near, {"name": "fast", "type": "max_speed", "max_speed": 1}],
    )
    finished = live(tmp_path, suite_of(tmp_path, [scenario]))
    events = read(finished.folder / "replay" / "plain.timeline_events.json")
    told = [one for one in events if one["type"] == "assertion_failure"]
    assert [one.get("actor_id") for one in told] == ["close", None]
    assert told[0]["related_actor_id"] == "close"
    assert "actor_id" not in told[1]
    valid("timeline_events", events)


def test_severity_decides_whether_a_failed_assertion_fails_the_scenario(tmp_path):
    slow = {"type": "max_speed", "max_speed": 1}
    scenarios = [
        scenario_data(id=severity, assertions=[{"name": "slow", "severity": severity, **slow}])
        for severity in ("critical", "high", "medium", "low")
    ]
    found = live(tmp_path, suite_of(tmp_path, scenarios)).metrics["scenarios"]
    assert {name: one["status"] for name, one in found.items()} == {
        "critical": "failure",
        "high": "failure",
        "medium": "success",
        "low": "success",
    }
    assert all(one["assertion_summary"]["failed"] == 1 for one in found.values())


def test_criteria_fail_a_scenario_each_with_its_reason(tmp_path):
    near = actor(start={"x": 8, "y": 0})
    ahead = {"start": {"x": 0, "y": 0, "speed": 5}, "goal": {"x": 15, "y": 0}}
    away = {"start": {"x": 0, "y": 0, "yaw": 90, "speed": 5}, "goal": {"x": 99, "y": 0}}
    no = {"collision": False, "offroad": False, "timeout": False}
    base = {"duration_seconds": 4}
    scenarios = [
        scenario_data(id="collision", actors=[near], ego=ahead, **base),
        scenario_data(id="offroad", ego=away, **base),
        scenario_data(id="timeout", ego={"goal": {"x": 99, "y": 0}}, **base),
        scenario_data(
            id="counted", actors=[near], ego=ahead, failure_criteria=no,
            success_criteria={"max_collisions": 0, "must_reach_goal": True}, **base,
        ),
        scenario_data(
            id="late", ego=ahead, failure_criteria=no, success_criteria={"max_time_seconds": 1}, **base
        ),
        scenario_data(id="allowed", actors=[near], ego=ahead, failure_criteria=no, **base),
        scenario_data(id="not_there", failure_criteria=no, ego={"goal": {"x": 99, "y": 0}},
            success_criteria={"must_reach_goal": True}, **base),
    ]  # fmt: skip
    agent = agent_file(tmp_path, "return {}")
    found = live(tmp_path, suite_of(tmp_path, scenarios), options(agent)).metrics["scenarios"]
    codes = {name: [one["code"] for one in entry["reasons"]] for name, entry in found.items()}
    assert codes == {
        "collision": ["collision"],
        "offroad": ["offroad"],
        "timeout": ["timeout"],
        "counted": ["max_collisions"],
        "late": ["max_time_seconds"],
        "allowed": [],
        "not_there": ["goal_not_reached"],
    }
    assert found["collision"]["ended_by"] == "collision"
    assert found["counted"]["ended_by"] == "goal_reached"


def test_a_baseline_is_a_copy_of_a_run_s_documents_and_names_its_source(smoke, tmp_path):
    baselines = BaselinesFolder(tmp_path / "baselines")
    runs = RunsFolder(smoke.folder.parent)
    made = baselines.create(
        "smoke", runs.find("latest"), created_at="t", description="good", replace=False
    )
    marker = valid("baseline", read(tmp_path / "baselines" / "smoke" / "baseline.json"))
    assert marker["source_run_dir"] == str(smoke.folder.resolve())
    assert marker["source_run_id"] == smoke.folder.name
    (tmp_path / "baselines" / "no_marker").mkdir()
    assert baselines.list() == [made]


def test_a_run_is_compared_with_a_baseline_and_failures_follow(tmp_path):
    """A good run is the baseline of a bad one, and the bad one the baseline of a good one."""
    suite = load_suite(SMOKE)
    runs, baselines = RunsFolder(tmp_path / "runs"), BaselinesFolder(tmp_path / "baselines")

    def keep(name, finished):
        run = runs.find(finished.folder.name)
        baselines.create(name, run, created_at="t", description="", replace=False)

    good = live(tmp_path, suite)
    keep("good", good)
    bad = live(tmp_path, suite, options(RECKLESS, baseline=baselines.find("good")))
    assert {one["status"] for one in bad.failures["failures"]} == {"regressed"}
    assert {one["regressed_in_run_id"] for one in bad.failures["failures"]} == {bad.folder.name}
    assert bad.regression["deltas"]["collision_count"]["percent"] is None
    assert "collision_count regressed from 0 to 2" in bad.regression["failures"]
    keep("bad", bad)

    again = live(tmp_path, suite)
    found = compare_finished(
        runs,
        runs.find(again.folder.name),
        baselines.find("bad"),
        changed_at="now",
        max_regression_percent=None,
    )
    assert found["status"] == "pass"
    assert valid("regression", read(again.folder / "regression.json")) == found
    kept = baselines.find("bad").failures()
    assert {one["status"] for one in kept["failures"]} == {"fixed"}
    assert {one["fixed_in_run_id"] for one in kept["failures"]} == {again.folder.name}
    assert verify(runs.find(again.folder.name)) == ()


def test_a_failure_is_changed_in_a_sealed_run_and_its_evidence_stays(tmp_path):
    suite = suite_of(tmp_path, [scenario_data(actors=[actor(start={"x": 9, "y": 0})])])
    finished = live(tmp_path, suite, options(RECKLESS))
    runs = RunsFolder(tmp_path / "runs")
    run = runs.find("latest")
    before = read_manifest(run).evidence_digest
    changed = set_failure(
        runs, run, "fail_001", changed_at="now", status="acknowledged", owner="team"
    )
    assert (changed["status"], changed["owner"]) == ("acknowledged", "team")
    data = valid("failures", read(finished.folder / "failures.json"))
    assert data["failures"][0] == changed
    assert verify(run) == ()
    assert read_manifest(run).evidence_digest == before


def test_a_failure_leads_to_its_moment(reckless):
    for one in reckless.failures["failures"]:
        assert (reckless.folder / one["replay_path"]).is_file()
        if one["timestamp"] is not None:
            timeline = read(reckless.folder / one["replay_path"])
            assert timeline["frames"][one["frame_index"]]["t"] == one["timestamp"]
            query = f"?t={one['timestamp']}&frame={one['frame_index']}"
            assert one["replay_url"].endswith(f"/scenarios/{one['scenario_id']}{query}")


def test_the_runs_here_are_found_again_by_their_folder(smoke):
    assert Path(smoke.folder).name == smoke.summary["run_id"]


def test_an_agent_works_in_a_folder_outside_the_run_that_goes_with_it(tmp_path):
    act = "os.makedirs('shut', mode=0, exist_ok=True)\nprint(os.getcwd(), flush=True)\nreturn {}"
    agent = agent_file(tmp_path, act)
    finished = live(tmp_path, suite_of(tmp_path, [scenario_data()]), options(agent))
    place = Path((finished.folder / "logs" / "plain.agent.log").read_text().splitlines()[0])
    assert not place.is_relative_to(tmp_path)
    assert not place.exists()


TAMPERED = [
    ("os.unlink(path)", "is missing"),
    ("open(path, 'w').write('{}')", "is not what was written"),
    ("os.unlink(path); os.mkfifo(path)", "is no plain file"),
    ("os.unlink(path); os.mkdir(path)", "first.jsonl is no plain file"),
    ("os.rename(path, OUT); os.symlink(OUT, path)", "lies behind a link"),
]


@pytest.mark.parametrize(("deed", "said"), TAMPERED, ids=[row[1] for row in TAMPERED])
def test_a_run_whose_files_were_changed_under_it_is_an_error_that_names_the_file(
    tmp_path, deed, said
):
    """Whoever finds the run's folder may write there; what was written then proves nothing."""
    runs = tmp_path / "runs"
    act = f"""
import glob
if self.id == "second":
    OUT = {str(tmp_path / "elsewhere")!r}
    for path in glob.glob({str(runs)!r} + "/*-*/episodes/first.jsonl"):
        {deed}
    self.id = "done"
return {{"throttle": 0.3}}
"""
    suite = suite_of(tmp_path, [scenario_data(id="first"), scenario_data(id="second")])
    finished = live(tmp_path, suite, options(agent_file(tmp_path, act), jobs=1))
    assert not finished.passed
    assert "first" in finished.summary["reason"]
    assert said in finished.summary["reason"]
    run = RunsFolder(runs).find("latest")
    record = load(run)
    assert record["status"] == "error"
    assert said in record["reason"]
    assert read(run.path / "outcome.json")["complete"] is False


def test_a_run_whose_folders_were_led_elsewhere_is_not_written_on(tmp_path):
    runs = tmp_path / "runs"
    out = tmp_path / "elsewhere"
    act = f"""
import glob
for path in glob.glob({str(runs)!r} + "/*-*/episodes"):
    if not os.path.islink(path):
        os.rename(path, {str(out)!r})
        os.symlink({str(out)!r}, path)
return {{"throttle": 0.3}}
"""
    suite = suite_of(tmp_path, [scenario_data(id="first"), scenario_data(id="second")])
    with pytest.raises(UnwritableRunError, match=r"second\.jsonl .*outside the run's folder"):
        live(tmp_path, suite, options(agent_file(tmp_path, act), jobs=1))
    assert {path.name for path in out.iterdir()} == {"first.jsonl", "first.steps.jsonl"}


QUITS = 'if observation["t"] >= 0.3:\n    raise RuntimeError("no more")\nreturn {"throttle": 1.0}'


def test_what_an_agent_broke_off_passes_no_gate_of_collisions(tmp_path):
    suite = suite_of(
        tmp_path, [scenario_data()], gates={"min_success_rate": 0.0, "max_collisions": 0}
    )
    finished = live(tmp_path, suite, options(agent_file(tmp_path, QUITS)))
    assert not finished.passed
    assert finished.regression["gates"] == [
        "collision_count 0 is not all: that of a scenario that broke off is not known",
        "no scenario was driven to its end",
    ]


def test_a_suite_in_which_no_scenario_was_driven_to_its_end_never_passes(tmp_path):
    suite = suite_of(tmp_path, [scenario_data()], gates={"min_success_rate": 0.0})
    finished = live(tmp_path, suite, options(agent_file(tmp_path, QUITS)))
    assert not finished.passed


@pytest.mark.parametrize(
    "deed",
    [
        "open(folder + '/evidence.json', 'w').write('{}')",
        "os.mkfifo(folder + '/logs.pipe')",
        "os.symlink('/nowhere', folder + '/episodes/other.jsonl')",
    ],
)
def test_a_run_to_which_files_were_added_is_an_error_that_names_them(tmp_path, deed):
    runs = tmp_path / "runs"
    act = f"""
import glob
for folder in glob.glob({str(runs)!r} + "/*-*"):
    if self.id and os.path.isdir(folder + "/episodes"):
        {deed}
        self.id = ""
return {{"throttle": 0.3}}
"""
    suite = suite_of(tmp_path, [scenario_data(id="first"), scenario_data(id="second")])
    finished = live(tmp_path, suite, options(agent_file(tmp_path, act), jobs=1))
    assert not finished.passed
    assert "was added" in finished.summary["reason"]
    assert verify(RunsFolder(runs).find("latest")) == () or "pipe" in deed


def test_a_run_whose_agent_is_another_at_its_end_is_an_error(tmp_path):
    agent = agent_file(tmp_path, 'return {"throttle": 0.3}')
    how = options(agent)
    how.agent.path.write_text(how.agent.path.read_text() + "# another\n")
    finished = live(tmp_path, suite_of(tmp_path, [scenario_data()]), how)
    assert not finished.passed
    assert "the agent's file is another now" in finished.summary["reason"]


def test_a_baseline_counts_as_it_was_before_the_agent_drove(tmp_path):
    suite = suite_of(
        tmp_path, [scenario_data(duration_seconds=1.0)], gates={"min_success_rate": 0.0}
    )
    live(tmp_path, suite, options(agent_file(tmp_path, 'return {"throttle": 0.3}')))
    baselines = BaselinesFolder(tmp_path / "baselines")
    run = RunsFolder(tmp_path / "runs").find("latest")
    kept = {"created_at": "2026-01-01T00:00:00+00:00", "description": "", "replace": False}
    baselines.create("one", run, **kept)
    folder = baselines.find("one")
    before = folder.metrics()
    remembered = folder.remembered()
    (folder.path / "metrics.json").write_text("{}")
    assert remembered.metrics() == before
    with pytest.raises(ArtefactError):
        folder.metrics()
