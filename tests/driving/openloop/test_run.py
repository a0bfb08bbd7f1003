"""An open-loop run: its files, what is missing, datasets that are none."""

import json
import os
import re
import shutil
import textwrap
from datetime import UTC, datetime
from uuid import uuid4

import jsonschema
import pytest
import yaml
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fieldproof.cli import main
from fieldproof.driving.agents import Limits, find_agent
from fieldproof.driving.artefacts import schema_of
from fieldproof.driving.history import HIGHER, BaselinesFolder, compare_finished
from fieldproof.driving.openloop import (
    DatasetMetadata,
    OpenLoopOptions,
    Score,
    load_dataset,
    run_openloop,
    run_openloop_into,
)
from fieldproof.driving.provenance import collect_surroundings
from fieldproof.model import ScenarioError
from fieldproof.runs import RunDirectory, RunsFolder, load, verify
from tests.driving.builders import EXAMPLES, ROOT

DATASET = ROOT / "examples" / "datasets" / "sample_openloop"
RULES = EXAMPLES / "rule_based_agent.py"
NOW = datetime(2026, 6, 11, 5, 33, 36, tzinfo=UTC)


def run(folder, dataset=DATASET, agent=RULES, **options):
    return run_openloop(
        load_dataset(dataset),
        OpenLoopOptions(find_agent(str(agent)), host=os.environ, **options),
        runs=RunsFolder(folder / "runs"),
        surroundings=collect_surroundings(folder, created_at=NOW.isoformat()),
        now=NOW,
        unique=uuid4(),
    )


def agent_file(folder, body):
    path = folder / "agent.py"
    text = textwrap.indent(textwrap.dedent(body), " " * 8)
    path.write_text(
        f"import os, time\n\n\nclass Agent:\n    def predict(self, sample):\n{text}\n", "utf-8"
    )
    return path


def valid(name, data):
    jsonschema.Draft202012Validator(schema_of(name)).validate(data)
    return data


def read(path):
    return json.loads(path.read_text("utf-8"))


def lines(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_the_sample_dataset_is_predicted_and_every_file_is_valid_by_its_schema(tmp_path):
    finished = run(tmp_path)
    folder = finished.folder
    assert finished.passed
    valid("openloop_summary", read(folder / "summary.json"))
    provenance = valid("openloop_provenance", read(folder / "provenance.json"))
    metrics = valid("openloop_metrics", read(folder / "metrics.json"))
    assert read(folder / "openloop" / "aggregate_metrics.json") == metrics
    valid("regression", read(folder / "regression.json"))
    valid("config", yaml.safe_load((folder / "config.yaml").read_text("utf-8")))
    for one in lines(folder / "openloop" / "predictions.jsonl"):
        valid("openloop_prediction", one)
    for one in lines(folder / "openloop" / "per_sample_metrics.jsonl"):
        valid("openloop_sample_metrics", one)
    assert set(metrics["definitions"]) == set(metrics["openloop"])
    assert set(provenance["dataset_sample_hashes"]) == {
        str(path) for path in (DATASET / "samples").iterdir()
    }
    assert len(provenance["dataset_annotation_hashes"]) == 4
    for form in ("report.html", "report.md", "junit.xml"):
        assert "trajectory_prediction" in (folder / form).read_text("utf-8")


def test_an_open_loop_run_is_sealed_and_listed_as_every_other(tmp_path):
    finished = run(tmp_path)
    directory = RunsFolder(tmp_path / "runs").find("latest")
    assert directory.path == finished.folder
    assert verify(directory) == ()
    assert load(directory)["status"] == "passed"


def test_the_hash_of_a_dataset_covers_every_file_and_not_where_it_lies(tmp_path):
    first = load_dataset(DATASET).hashes["dataset_hash"]
    copy = tmp_path / "copy"
    shutil.copytree(DATASET, copy)
    assert load_dataset(copy).hashes["dataset_hash"] == first
    for name in ("metadata.yaml", "samples/000001.json", "annotations/lanes.json"):
        changed = tmp_path / name.replace("/", "_")
        shutil.copytree(DATASET, changed)
        path = changed / name
        path.write_text(path.read_text("utf-8") + "\n", "utf-8")
        assert load_dataset(changed).hashes["dataset_hash"] != first


def test_without_time_and_place_it_repeats_to_the_byte(tmp_path):
    def bytes_of(name):
        options = OpenLoopOptions(find_agent(str(RULES)), host=os.environ)
        finished = run_openloop_into(load_dataset(DATASET), options, tmp_path / name)
        return {
            path.relative_to(finished.folder): path.read_bytes()
            for path in finished.folder.rglob("*")
            if path.is_file()
        }

    assert bytes_of("one") == bytes_of("two")


FAULTS = [
    ("raise ValueError('no')", "predict raised ValueError: no"),
    ("return [1]", "predict answered list, not a mapping"),
    ("return {'trajectory': [{'x': float('nan'), 'y': 0}]}", "predict answered nan for trajectory[0].x"),
    ("return {'trajectory': [{'x': 10**400, 'y': 0}]}", "predict answered an integer of 1329 bits, larger than any number"),
    ("return {'detections': [{'class': '\\ud800'}]}", "predict answered text that is no Unicode: \\xd800"),
    ("import functools; return {'grid': functools.reduce(lambda x, _: [x], range(900), [])}", "predict answered lists or mappings more than 100 deep in each other"),
    ("time.sleep(600)", "predict gave no answer within 0.5 s"),
    ("os._exit(2)", "it ended itself with exit code 2 during predict"),
    ("return {}", "lacks trajectory (no trajectory), control (steer, throttle, brake), occupancy grid, detections"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "fault"), FAULTS)
def test_a_sample_without_a_prediction_makes_the_run_incomplete_and_the_next_goes_on(
    tmp_path, body, fault
):
    good = "return {'trajectory': [{'x': 3, 'y': 0}, {'x': 4, 'y': 0}], 'control': {'steer': 0, 'throttle': 0, 'brake': 0}, 'occupancy_grid': [[0, 1], [0, 1]], 'detections': []}"
    agent = agent_file(tmp_path, f"if sample['ego']['x'] == 0: {body}\n{good}")
    finished = run(tmp_path, agent=agent, limits=Limits(act_s=0.5))
    assert finished.summary["status"] == "incomplete"
    assert finished.summary["reason"] == f"1 sample has no whole prediction (000001: {fault})"
    scored, _ = lines(finished.folder / "openloop" / "per_sample_metrics.jsonl")
    assert (scored["status"], scored["fault"]) == ("missing", fault)
    for form in ("report.html", "report.md", "junit.xml"):
        assert re.split(r"[:[]", fault)[0] in (finished.folder / form).read_text("utf-8")
    first, second = lines(finished.folder / "openloop" / "predictions.jsonl")
    assert (first["fault"], second["fault"]) == (fault, None)
    assert finished.metrics["openloop"]["missing_samples"] == 1
    assert finished.metrics["openloop"]["miss_rate"] == 0.5
    assert load(RunsFolder(tmp_path / "runs").find("latest"))["status"] == "inconclusive"


def test_a_run_that_is_asked_to_end_is_sealed_with_what_was_predicted(tmp_path):
    asked = tmp_path / "asked"
    body = f"open({str(asked)!r}, 'w').close(); time.sleep(600)"
    agent = agent_file(tmp_path, f"if sample['ego']['x'] != 0: {body}\nreturn {{}}")
    finished = run(tmp_path, agent=agent, limits=Limits(act_s=500), asked=asked.exists)
    assert (finished.verdict.status, finished.verdict.status.exit_code) == ("interrupted", 130)
    assert not finished.passed
    reason = finished.summary["reason"]
    assert reason.startswith("interrupted: 2 samples have no whole prediction (000001: lacks ")
    assert reason.endswith("; 000002: the run was interrupted)")
    _, second = lines(finished.folder / "openloop" / "predictions.jsonl")
    assert second["fault"] == "the run was interrupted"
    found = RunsFolder(tmp_path / "runs").find("latest")
    assert (load(found)["status"], verify(found)) == ("interrupted", ())


def test_a_prediction_of_the_largest_numbers_is_measured(tmp_path):
    most = "1.7e308"
    body = f"return {{'trajectory': [{{'x': {most}, 'y': -{most}}}] * 9, 'control': {{'steer': {most}, 'throttle': -{most}, 'brake': {most}}}, 'occupancy_grid': [[{most}, 1], [0, 1]], 'detections': [{{'bbox': [-{most}, -{most}, {most}, {most}], 'class': 'car', 'score': {most}}}]}}"
    finished = run(tmp_path, agent=agent_file(tmp_path, body))
    assert not finished.passed
    json.dumps(finished.metrics, allow_nan=False)


def test_an_agent_that_cannot_be_loaded_misses_every_sample(tmp_path):
    broken = tmp_path / "broken.py"
    broken.write_text("import nowhere_at_all\n", "utf-8")
    finished = run(tmp_path, agent=broken)
    assert finished.metrics["openloop"]["missing_samples"] == 2
    reason = finished.summary["reason"]
    assert reason.startswith("2 samples have no whole prediction (000001 and 1 more: ")
    assert "No module named 'nowhere_at_all'" in reason


def test_an_incomplete_run_is_never_better_than_its_baseline(tmp_path):
    runs, baselines = RunsFolder(tmp_path / "runs"), BaselinesFolder(tmp_path / "baselines")
    good = run(tmp_path)
    made = runs.find(good.folder.name)
    baselines.create("good", made, created_at="t", description="", replace=False)
    agent = agent_file(tmp_path, "raise ValueError('no')")
    lost = run(tmp_path, agent=agent, baseline=baselines.find("good"))
    assert not lost.passed
    assert "missing_samples regressed from 0 to 2" in lost.regression["failures"]
    assert "trajectory_ade of the baseline was not measured" in lost.regression["failures"]
    again = compare_finished(
        runs,
        runs.find(lost.folder.name),
        baselines.find("good"),
        changed_at="now",
        max_regression_percent=1e6,
    )
    said = "2 samples have no whole prediction (000001 and 1 more: predict raised ValueError: no)"
    assert said in again["failures"]
    assert verify(runs.find(lost.folder.name)) == ()


SOUND = '{"sample_id": "1", "input": {}, "ground_truth": {"trajectory": [{"x": 1, "y": 0}]}}'


def judged(**truth):
    return {
        "samples/1.json": SOUND,
        "samples/2.json": json.dumps({"sample_id": "2", "input": {}, "ground_truth": truth}),
    }


def noted(name, **values):
    return {"samples/1.json": SOUND, f"annotations/{name}.json": json.dumps(values)}


@pytest.mark.parametrize("lost", ["first", "all"])
def test_missing_predictions_make_no_figure_better(tmp_path, lost):
    """The first sample is predicted worse than the second; without it the means look better."""
    runs, baselines = RunsFolder(tmp_path / "runs"), BaselinesFolder(tmp_path / "baselines")
    answer = "return {'trajectory': [{'x': 3, 'y': %s}, {'x': 4, 'y': %s}], 'control': {'steer': 0, 'throttle': 0, 'brake': 0}, 'occupancy_grid': [[0, 1], [0, 1]], 'detections': []}"
    agent = agent_file(tmp_path, answer % (9, 9))
    good = run(tmp_path, agent=agent)
    baselines.create(
        "good", RunDirectory(good.folder), created_at="t", description="", replace=False
    )
    hides = {"first": "if sample['ego']['x'] == 0: return {}\n", "all": "return {}\n"}
    agent = agent_file(tmp_path, hides[lost] + answer % (0, 0))
    found = run(tmp_path, agent=agent, baseline=baselines.find("good"), max_regression_percent=1e6)
    assert found.summary["status"] == "incomplete"
    assert found.verdict.status.exit_code == 1
    for name, delta in found.regression["deltas"].items():
        better = delta["delta"] * (1 if delta["direction"] == HIGHER else -1)
        assert better <= 0, name
    again = compare_finished(
        runs,
        runs.find(found.folder.name),
        baselines.find("good"),
        changed_at="now",
        max_regression_percent=1e6,
    )
    assert again == found.regression


def test_a_run_with_missing_predictions_is_no_baseline(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lost = run(tmp_path, agent=agent_file(tmp_path, "raise ValueError('no')"))
    done = CliRunner().invoke(main, ["baseline", "create", "lost"])
    assert done.exit_code == 2
    assert f"{lost.folder} cannot be a baseline, since something is missing in it: " in done.stderr
    assert "2 samples have no whole prediction (000001 and 1 more: " in done.stderr
    assert "; take a run that went to its end" in done.stderr
    assert not (tmp_path / "baselines").exists()


def test_a_baseline_of_missing_predictions_is_compared_with_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run(tmp_path)
    assert CliRunner().invoke(main, ["baseline", "create", "old"]).exit_code == 0
    path = tmp_path / "baselines" / "old" / "summary.json"
    path.write_text(json.dumps({**read(path), "status": "incomplete", "reason": "r"}), "utf-8")
    for command in (("compare", "latest", "old"), ("openloop", "run", str(DATASET), str(RULES))):
        options = () if command[0] == "compare" else ("--baseline", "old")
        done = CliRunner().invoke(main, [*command, *options])
        assert done.exit_code == 2
        assert "the baseline old is of a run in which something is missing (r)" in done.stderr


BROKEN = [
    ("no_folder", None, "is no folder"),
    ("no_samples", {"metadata.yaml": "name: x\n"}, "has no samples/*.json"),
    ("no_json", {"samples/1.json": "{"}, "is no JSON"),
    ("nan", {"samples/1.json": '{"sample_id": "1", "input": {"x": NaN}}'}, "NaN is not JSON"),
    ("no_input", {"samples/1.json": '{"sample_id": "1"}'}, "input: is missing"),
    ("bad_id", {"samples/1.json": '{"sample_id": "../1", "input": {}}'}, "sample_id: must match"),
    ("a_list", {"samples/1.json": "[]"}, "must be a mapping"),
    (
        "twice",
        {"samples/1.json": '{"sample_id": "1", "input": {}}', "samples/2.json": '{"sample_id": "1", "input": {}}'},
        "sample_id: 1 is that of 1.json as well",
    ),
    (
        "annotations",
        {"samples/1.json": SOUND, "annotations/objects.json": "[]"},
        "must be a mapping by sample id",
    ),
    (
        "metadata",
        {"samples/1.json": SOUND, "metadata.yaml": "miss_threshold_m: -1\n"},
        "miss_threshold_m: must be positive (got -1)",
    ),
    ("metadata_nan", {"samples/1.json": SOUND, "metadata.yaml": "miss_threshold_m: .nan\n"}, "miss_threshold_m: must be a finite number"),
    ("metadata_inf", {"samples/1.json": SOUND, "metadata.yaml": "iou_thresholds: [.inf]\n"}, "iou_thresholds[0]: must be"),
    ("no_truth", {"samples/1.json": '{"sample_id": "1", "input": {}}'}, "has no ground truth: no prediction could be wrong"),
    ("other_truth", {"samples/1.json": '{"sample_id": "1", "input": {}, "ground_truth": {"lane": 1, "control": {"gear": 2}}}'}, "has no ground truth"),
    ("null_truth", {"samples/1.json": '{"sample_id": "1", "input": {}, "ground_truth": {"trajectory": null}}'}, "has no ground truth"),
    ("no_points", judged(trajectory=[]), "ground_truth.trajectory: is no list of points"),
    ("odd_points", judged(trajectory=[{"x": 1, "y": "0"}]), "ground_truth.trajectory: is no list of points"),
    ("odd_control", judged(control=[0, 0, 0]), "ground_truth.control: must be a mapping of steer, throttle, brake"),
    ("text_control", judged(control={"steer": "0"}), "ground_truth.control.steer: must be a finite number"),
    ("null_control", judged(control={"brake": None}), "ground_truth.control.brake: must be a finite number"),
    ("odd_grid", judged(occupancy_grid=[[0, 1], [0]]), "ground_truth.occupancy_grid: is no grid"),
    ("odd_boxes", judged(objects={"a": 1}), "ground_truth.objects: must be a list of boxes"),
    ("no_box", judged(detections=[{"bbox": [0, 0, 1, 1]}, {"class": "car"}]), "ground_truth.detections[1]: has no bbox of four finite numbers"),
    ("stray_note", noted("trajectories", **{"01": [[0, 0]]}), "['01']: is no sample of the dataset (nearest: 1)"),
    ("null_note", noted("controls", **{"1": None}), "['1']: is null; leave the sample out instead"),
    ("odd_note", noted("objects", **{"1": [{}]}), "['1'][0]: has no bbox of four finite numbers"),
    ("annotations_file", {"samples/1.json": SOUND, "annotations": "{}"}, "annotations: is no folder"),
    ("samples_file", {"samples": "{}"}, "samples: is no folder"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "said"), [pytest.param(*row[1:], id=row[0]) for row in BROKEN])
def test_what_is_no_dataset_is_refused_before_anything_is_run(tmp_path, files, said):
    folder = tmp_path / "data"
    for name, text in (files or {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    with pytest.raises(ScenarioError) as caught:
        load_dataset(folder)
    assert said in str(caught.value)
    assert str(folder) in str(caught.value)


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data"
    shutil.copytree(DATASET, folder)
    return folder


def a_link_out(path):
    other = path.parents[2] / "elsewhere.json"
    path.replace(other)
    path.symlink_to(other)


def a_link_to_nowhere(path):
    path.unlink()
    path.symlink_to("nowhere")


def a_pipe(path):
    path.unlink()
    os.mkfifo(path)


def a_folder(path):
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (a_link_out, "is a link that leads out of the dataset; put the file itself there"),
        (a_link_to_nowhere, "is no plain file; remove it, or put the file there"),
        (a_pipe, "is no plain file; remove it, or put the file there"),
        (a_folder, "is no plain file; remove it, or put the file there"),
    ],
)
@pytest.mark.parametrize(
    "name", ["samples/000002.json", "annotations/objects.json", "annotations/lanes.json"]
)
def test_a_file_of_a_dataset_that_is_no_plain_file_of_it_is_refused(data, name, kind, said):
    kind(data / name)
    with pytest.raises(ScenarioError) as caught:
        load_dataset(data)
    assert str(caught.value) == f"{data / name}: {said}"


@pytest.mark.parametrize("kind", [a_link_to_nowhere, a_pipe, a_folder])
def test_thresholds_that_are_no_plain_file_are_refused_and_not_taken_as_the_usual_ones(data, kind):
    kind(data / "metadata.yaml")
    with pytest.raises(ScenarioError, match=r"metadata\.yaml: is no plain file"):
        load_dataset(data)


def test_a_link_inside_a_dataset_is_a_file_of_it(data):
    (data / "samples" / "000001.json").replace(data / "kept.json")
    (data / "samples" / "000001.json").symlink_to("../kept.json")
    assert load_dataset(data).hashes["dataset_hash"] == load_dataset(DATASET).hashes["dataset_hash"]


def test_a_sample_that_changes_while_the_run_goes_on_is_not_judged(data):
    loaded = load_dataset(data)
    samples = loaded.samples()
    assert next(samples).id == "000001"
    path = data / "samples" / "000002.json"
    path.write_text(path.read_text("utf-8") + "\n", "utf-8")
    with pytest.raises(ScenarioError, match="was changed while the run went on"):
        next(samples)


def test_a_dataset_that_is_not_valid_ends_the_command_with_2_and_makes_no_run(data):
    for path in (data / "samples").iterdir():
        path.unlink()
    result = CliRunner().invoke(
        main, ["openloop", "run", str(data), str(RULES), "--runs", str(data / "runs")]
    )
    assert result.exit_code == 2
    assert f"{data}: has no samples/*.json" in result.stderr
    assert not (data / "runs").exists()


@settings(
    max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(raw=st.binary(max_size=120) | st.text(max_size=60).map(str.encode))
def test_whatever_bytes_a_sample_holds_it_is_refused_with_its_file(tmp_path, raw):
    path = tmp_path / "data" / "samples" / "1.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(raw)
    with pytest.raises(ScenarioError) as caught:
        load_dataset(tmp_path / "data")
    assert all(one.file == str(path) for one in caught.value.problems)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
FIELDS = ["trajectory", "control", "occupancy_grid", "occupancy", "detections", "boxes"]


@settings(max_examples=150, deadline=None)
@given(
    truth=st.dictionaries(st.sampled_from(FIELDS), json_values, max_size=4),
    prediction=st.none() | st.dictionaries(st.sampled_from(FIELDS), json_values, max_size=4),
)
def test_whatever_truth_and_prediction_hold_figures_are_finite_or_none(truth, prediction):
    score = Score(DatasetMetadata())
    score.add(truth, prediction)
    figures = score.finish()
    json.dumps(figures, allow_nan=False)
    assert 0 <= figures["occupancy_iou"] <= 1
    assert 0 <= figures["detection_map"] <= 1
