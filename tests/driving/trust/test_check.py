"""Which runs are believed: as sealed, or without a seal in agreement with themselves."""

import hashlib
import json
import os
import shutil
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from click.testing import CliRunner

from fieldproof.cli import main
from fieldproof.driving.agents import find_agent
from fieldproof.driving.loading import load_suite
from fieldproof.driving.openloop import OpenLoopOptions, load_dataset, run_openloop_into
from fieldproof.driving.provenance import collect_surroundings
from fieldproof.driving.suite import SuiteOptions, run_suite, run_suite_into
from fieldproof.driving.trust import check_run
from fieldproof.runs import RunDirectory, RunError, RunsFolder
from tests.driving.builders import EXAMPLES, ROOT, actor, scenario_data, suite_of

NOW = datetime(2026, 6, 11, 5, 32, 19, tzinfo=UTC)
RECKLESS = EXAMPLES / "reckless_agent.py"
RULES = EXAMPLES / "rule_based_agent.py"
GATES = {"max_collisions": 0, "min_safety_score": 80}


def failing_suite(folder):
    blocked = scenario_data(id="blocked", actors=[actor(start={"x": 9, "y": 0})])
    return suite_of(folder, [blocked, scenario_data()], gates=GATES)


def options(agent=RECKLESS):
    return SuiteOptions(agent=find_agent(str(agent)), host=os.environ)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A run that failed: live and sealed, and as `--out` leaves it."""
    folder = tmp_path_factory.mktemp("kept")
    suite = failing_suite(folder)
    live = run_suite(
        suite,
        options(),
        runs=RunsFolder(folder / "runs"),
        surroundings=collect_surroundings(folder, created_at=NOW.isoformat()),
        now=NOW,
        unique=uuid4(),
    )
    return {"live": live.folder, "out": run_suite_into(suite, options(), folder / "out").folder}


@pytest.fixture
def run(kept, tmp_path):
    def copy(kind):
        target = tmp_path / kind / kept[kind].name
        shutil.copytree(kept[kind], target)
        return RunDirectory(target)

    return copy


def edit(run, name, change):
    path = run.path / name
    data = json.loads(path.read_text("utf-8"))
    change(data)
    path.write_text(json.dumps(data), "utf-8")


def verdict(run):
    return CliRunner().invoke(main, ["suite", "verdict", str(run.path)])


def test_a_run_that_nobody_touched_is_believed(run):
    assert check_run(run("live")) is True
    assert check_run(run("out")) is False


def test_a_run_without_a_seal_is_believed_in_whatever_order_its_assertions_failed(tmp_path):
    slow = [{"name": "slow", "type": "max_speed", "max_speed": 1}]
    order = [scenario_data(id=name, assertions=slow) for name in ("second", "third", "first")]
    finished = run_suite_into(suite_of(tmp_path, order), options(), tmp_path / "out")
    assert not finished.passed
    assert check_run(RunDirectory(finished.folder)) is False


def test_a_verdict_without_a_seal_says_what_cannot_be_known(run):
    done = verdict(run("out"))
    assert done.exit_code == 1
    assert done.output.startswith("FAIL  success_rate")
    assert "whether all of them were changed together cannot be known" in done.output
    assert "cannot be known" not in verdict(run("live")).output


def passing(data):
    data |= {"status": "pass", "reason": "2 of 2 scenarios succeeded, safety score 100"}


@pytest.mark.parametrize("kind", ["live", "out"])
def test_a_summary_that_was_edited_to_pass_is_refused_by_name(run, kind):
    one = run(kind)
    edit(one, "summary.json", passing)
    done = verdict(one)
    assert done.exit_code != 0
    assert "PASS" not in done.output
    assert "summary.json" in done.output
    made = CliRunner().invoke(
        main,
        ["baseline", "create", "b", "--from", str(one.path), "--baselines", str(one.path.parent)],
    )
    assert made.exit_code != 0
    assert "summary.json" in made.output
    assert not (one.path.parent / "b").exists()


def all_pass(run):
    """Edit everything that says how the run ended, but neither episodes nor plan."""
    edit(run, "summary.json", passing)
    edit(run, "verdict.json", lambda data: data.update(status="passed"))
    edit(
        run,
        "regression.json",
        lambda data: data.update(status="pass", failures=[], gates=[], deltas={}),
    )


def scenario_passes(data):
    entry = data["scenarios"]["blocked"]
    entry |= {"status": "success", "reasons": []}


EDITS = [
    ("the verdicts", all_pass, "summary.json"),
    ("a scenario", lambda run: edit(run, "metrics.json", scenario_passes), "metrics.json"),
    (
        "a figure",
        lambda run: edit(
            run, "metrics.json", lambda d: d["scenarios"]["blocked"]["metrics"].update(collision_count=0)
        ),
        "scenarios.blocked.metrics.collision_count",
    ),
    (
        "the aggregate",
        lambda run: edit(run, "metrics.json", lambda d: d["aggregate"].update(collision_count=0)),
        "aggregate.collision_count",
    ),
    ("an episode", lambda run: (run.path / "episodes/blocked.jsonl").write_text(""), "episodes/blocked"),
    ("a file more", lambda run: (run.path / "episodes/x.jsonl").write_text(""), "episodes/x.jsonl"),
    ("no report", lambda run: (run.path / "report.md").write_text("PASS"), "report.md"),
    ("the record", lambda run: edit(run, "run.json", lambda d: d.update(status="passed")), "run.json"),
    ("the gates", lambda run: edit(run, "evaluation.json", lambda d: d["gates"].update(max_collisions=9)), "gates"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "named"), [pytest.param(*e[1:], id=e[0]) for e in EDITS])
def test_without_a_seal_whatever_does_not_follow_from_the_rest_is_named(run, change, named):
    one = run("out")
    change(one)
    with pytest.raises(RunError, match="do not agree") as caught:
        check_run(one)
    assert named in str(caught.value)


@pytest.mark.parametrize(("change", "named"), [pytest.param(*e[1:], id=e[0]) for e in EDITS])
def test_with_a_seal_whatever_was_changed_is_named(run, change, named):
    one = run("live")
    change(one)
    with pytest.raises(RunError, match="is not as it was sealed"):
        check_run(one)


def test_a_live_run_whose_seal_was_taken_away_is_refused(run):
    one = run("live")
    (one.path / "manifest.json").unlink()
    (one.path / "envelope.json").unlink()
    with pytest.raises(RunError, match=r"is not sealed.*manifest\.json was taken away"):
        check_run(one)


def test_a_link_in_the_place_of_a_file_is_refused(run, tmp_path):
    one = run("out")
    (tmp_path / "other.json").write_bytes((one.path / "summary.json").read_bytes())
    (one.path / "summary.json").unlink()
    (one.path / "summary.json").symlink_to(tmp_path / "other.json")
    with pytest.raises(RunError, match=r"summary\.json: is no plain file"):
        check_run(one)


@pytest.mark.parametrize("name", ["urban_driving", "drones", "manipulators"])
def test_every_suite_here_is_believed_as_out_leaves_it(tmp_path, name):
    suite = load_suite(ROOT / "scenarios" / "suites" / f"{name}.yaml")
    run_suite_into(suite, options(RULES), tmp_path / "out")
    assert check_run(RunDirectory(tmp_path / "out")) is False


def test_an_open_loop_run_without_a_seal_is_checked_as_well(tmp_path):
    dataset = load_dataset(ROOT / "examples" / "datasets" / "sample_openloop")
    how = OpenLoopOptions(find_agent(str(RULES)), host=os.environ)
    finished = run_openloop_into(dataset, how, tmp_path / "out")
    one = RunDirectory(finished.folder)
    assert check_run(one) is False
    edit(one, "summary.json", lambda data: data["openloop"].update(trajectory_ade=0.0001))
    with pytest.raises(RunError, match=r"summary\.json: openloop\.trajectory_ade"):
        check_run(one)
    lines = one.path / "openloop" / "per_sample_metrics.jsonl"
    lines.write_text(lines.read_text("utf-8").replace("ok", "missing"), "utf-8")
    digest = hashlib.sha256(lines.read_bytes()).hexdigest()
    with pytest.raises(RunError, match=f"per_sample_metrics.jsonl: changed.*{digest}"):
        check_run(one)
