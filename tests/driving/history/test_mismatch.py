"""What is not of the same scenario, data or definition is never compared as if it were."""

import json
import shutil

import pytest
from click.testing import CliRunner

from fieldproof.cli import main
from fieldproof.driving.history import Mismatch, compare, mismatch_of
from tests.driving.builders import EXAMPLES, ROOT, scenario_data, suite_of

DATASET = ROOT / "examples" / "datasets" / "sample_openloop"
RULES = str(EXAMPLES / "rule_based_agent.py")


def suite_side(**hashes):
    """A summary and metrics of a suite with scenarios of these hashes."""
    provenance = {
        "scenario_file_hashes": {f"{name}.yaml": sha256 for name, sha256 in hashes.items()},
        "scenario_hashes": dict(hashes),
    }
    return {"provenance": provenance}, {"scenarios": {n: {"status": "success"} for n in hashes}}


def data_side(*samples, path="data", count=None, definitions=None, metadata="m", sha256="x"):
    """A summary and metrics of a dataset with these samples."""
    files = {f"{path}/samples/{name}.json": sha256 for name in samples}
    provenance = {
        "dataset_path": path,
        "dataset_hash": str((sorted(samples), metadata, sha256)),
        "dataset_metadata_hash": metadata,
        "dataset_sample_hashes": files,
        "dataset_annotation_hashes": {},
    }
    number = len(samples) if count is None else count
    metrics = {"openloop": {"sample_count": number, "trajectory_ade": 0.5}}
    return {"provenance": provenance}, metrics | {"definitions": definitions or {}}


def found(now, before):
    return mismatch_of(*now, *before)


def test_the_same_scenarios_are_alike_wherever_their_files_lie():
    now = suite_side(a="1", b="2")
    before = suite_side(a="1", b="2")
    before[0]["provenance"]["scenario_file_hashes"] = {"x/a.yaml": "1", "x/b.yaml": "2"}
    assert found(now, before) == Mismatch()


def test_a_scenario_whose_file_is_another_is_named_and_its_change_is_not_judged():
    now, before = suite_side(a="1", b="3"), suite_side(a="1", b="2")
    now[1]["scenarios"]["b"]["status"] = "failure"
    mismatch = found(now, before)
    assert mismatch.scenarios == {"b"}
    assert mismatch.failures[0].startswith("scenario b is not what it was in the baseline")
    compared = compare(now[1], before[1], name="x", max_regression_percent=0, mismatch=mismatch)
    assert compared["status"] == "fail"
    assert compared["scenarios"] == [{"scenario_id": "b", "change": "changed"}]


def test_a_scenario_with_the_file_that_another_had_before_is_another():
    mismatch = found(suite_side(a="2", b="2"), suite_side(a="1", b="2"))
    assert mismatch.scenarios == {"a"}


def test_a_baseline_that_names_hashes_by_file_alone_is_compared_by_them():
    now, before = suite_side(a="1", b="3"), suite_side(a="1", b="2")
    del before[0]["provenance"]["scenario_hashes"]
    assert found(now, before).scenarios == {"b"}


def test_scenarios_of_one_side_alone_are_no_mismatch_but_changes():
    assert found(suite_side(a="1", b="2"), suite_side(a="1")) == Mismatch()
    assert found(suite_side(a="1"), suite_side(a="1", b="2")) == Mismatch()


def test_a_side_without_hashes_is_taken_as_it_is():
    assert found(suite_side(a="1"), ({}, suite_side(a="1")[1])) == Mismatch()
    assert found(({}, suite_side(a="1")[1]), suite_side(a="1")) == Mismatch()
    assert found(data_side("1"), ({}, data_side("1")[1])) == Mismatch()


def test_a_dataset_is_the_same_wherever_it_lies():
    assert (
        found(data_side("1", "2", path="here/"), data_side("1", "2", path="/there")) == Mismatch()
    )
    assert found(data_side("1", path="."), data_side("1", path="there")) == Mismatch()


DATA = [
    ("missing", data_side("1"), "samples/2.json is missing"),
    ("new", data_side("1", "2", "3"), "samples/3.json is new"),
    ("other", data_side("1", "2", sha256="y"), "samples/1.json is other, samples/2.json is other"),
    ("metadata", data_side("1", "2", metadata="n"), "metadata.yaml is other"),
    ("no_metadata", data_side("1", "2", metadata=None), "metadata.yaml is missing"),
]


@pytest.mark.parametrize(("now", "said"), [pytest.param(*row[1:], id=row[0]) for row in DATA])
def test_a_dataset_that_is_not_the_baseline_s_is_a_failure_that_names_its_files(now, said):
    failures = found(now, data_side("1", "2")).failures
    assert f"the dataset is not that of the baseline: {said};" in failures[0]


def test_a_dataset_with_many_other_files_names_the_first_and_counts_the_rest():
    names = [str(number) for number in range(1, 10)]
    said = found(data_side(*names, sha256="y"), data_side(*names)).failures[0]
    assert "samples/5.json is other and 4 more;" in said


def test_fewer_samples_are_a_failure_even_where_no_hash_is_known():
    now, before = data_side("1"), data_side("1", "2")
    del before[0]["provenance"]
    assert found(now, before).failures == (
        "sample_count is 1, in the baseline 2: samples were left out",
    )


def test_a_figure_that_is_defined_otherwise_is_not_compared_and_says_so():
    now = data_side("1", definitions={"trajectory_ade": "above 9 m", "sample_count": "s"})
    before = data_side("1", definitions={"trajectory_ade": "above 2 m", "sample_count": "s"})
    mismatch = found(now, before)
    assert mismatch.figures == {"trajectory_ade"}
    assert "(now: above 9 m; then: above 2 m)" in mismatch.failures[0]
    compared = compare(now[1], before[1], name="x", max_regression_percent=1e6, mismatch=mismatch)
    assert compared["deltas"] == {}
    assert compared["status"] == "fail"


def fieldproof(*arguments):
    result = CliRunner().invoke(main, [str(one) for one in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A working directory with folders of runs and baselines of its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_suite_with_another_scenario_of_the_name_fails_against_its_baseline(desk):
    suite_of(desk, [scenario_data()])
    assert fieldproof("suite", "run", "suite.yaml", "--agent", RULES).exit_code == 0
    assert fieldproof("baseline", "create", "good").exit_code == 0
    again = fieldproof("suite", "run", "suite.yaml", "--agent", RULES, "--baseline", "good")
    assert again.exit_code == 0
    suite_of(desk, [scenario_data(ego={"goal": {"x": 19}})])
    run = fieldproof("suite", "run", "suite.yaml", "--agent", RULES, "--baseline", "good")
    assert run.exit_code == 1
    assert "scenario plain is not what it was in the baseline" in run.output
    compared = fieldproof("compare", "latest", "good", "--max-regression-percent", "1000")
    assert compared.exit_code == 1
    assert "scenario plain is not what it was in the baseline" in compared.output


def without_a_sample(folder):
    (folder / "samples" / "000002.json").unlink()
    for path in (folder / "annotations").iterdir():
        data = json.loads(path.read_text("utf-8"))
        data.pop("000002", None)
        path.write_text(json.dumps(data), "utf-8")


def with_another_threshold(folder):
    path = folder / "metadata.yaml"
    path.write_text(
        "task: trajectory_prediction\nmiss_threshold_m: 100\niou_thresholds: [0.1]\n", "utf-8"
    )


def with_another_truth(folder):
    path = folder / "annotations" / "trajectories.json"
    path.write_text(path.read_text("utf-8").replace("4", "3.9"), "utf-8")


LOOSENED = [
    (without_a_sample, "samples/000002.json is missing"),
    (with_another_threshold, "metadata.yaml is other"),
    (with_another_truth, "annotations/trajectories.json is other"),
]


@pytest.mark.parametrize(("change", "said"), LOOSENED, ids=["left_out", "threshold", "truth"])
def test_a_dataset_that_was_loosened_fails_against_its_baseline(desk, change, said):
    shutil.copytree(DATASET, desk / "data")
    assert fieldproof("openloop", "run", "data", RULES).exit_code == 0
    assert fieldproof("baseline", "create", "good").exit_code == 0
    change(desk / "data")
    options = ("--baseline", "good", "--max-regression-percent", "1000")
    run = fieldproof("openloop", "run", "data", RULES, *options)
    assert run.exit_code == 1
    assert said in run.output
    compared = fieldproof("compare", "latest", "good", "--max-regression-percent", "1000")
    assert compared.exit_code == 1
    assert said in compared.output
