"""A run that is not as it was sealed is judged, never passes, and is told in words."""

import json
import os
import random
import shutil
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from mcap.reader import make_reader

from fieldproof.assertions import EvaluationError
from fieldproof.engine.evaluate import UnanswerableError, evaluate_run
from fieldproof.engine.resolve import resolve
from fieldproof.model import canonical_document
from fieldproof.recording import MessageTypes, RecordingWriter
from fieldproof.runs import RECORDING, RunDirectory, RunError, seal

ROOT = Path(__file__).parents[2]
NS = 1_000_000_000
TYPES = MessageTypes()
FAR = {
    "name": "far",
    "type": "topic_value",
    "topic": "/far",
    "field": "data",
    "condition": "value < 1",
}
CLEAR = {"name": "clear", "type": "no_collision", "vehicle": "ugv1"}
EVIDENCE = (
    "execution.json",
    "observe.json",
    "outcome.json",
    "timeline.json",
    "samples.jsonl",
    "resources.jsonl",
    "envelope.json",
    "manifest.json",
    RECORDING,
)


def scenario(folder, name, *assertions):
    document = {
        "apiVersion": "fieldproof.dev/v0alpha1",
        "kind": "Scenario",
        "name": name,
        "world": "dock_yard",
        "time": {"mode": "lockstep"},
        "vehicles": [{"name": "ugv1", "manifest": "ugv_ref", "spawn": {"frame": "spawn_dock"}}],
        "assertions": list(assertions),
    }
    path = folder / f"{name}.yaml"
    path.write_text(json.dumps(document))
    return resolve(path, ROOT / "worlds", ROOT / "robots")


def sample(kind, sim, **fields):
    return {"kind": kind, "wall": None, "sim": sim, **fields}


@pytest.fixture(scope="module")
def plans(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plans")
    return scenario(folder, "own", CLEAR), scenario(folder, "other", CLEAR, FAR)


@pytest.fixture(scope="module")
def whole(tmp_path_factory, plans):
    """A sealed run of 10 s that touched nothing and recorded /far, ten times a second."""
    own, _ = plans
    run = RunDirectory(tmp_path_factory.mktemp("runs") / "run")
    run.path.mkdir()
    outcome = {
        "status": "completed", "reason": "", "complete": True, "gaps": [], "topics": {},
        "phases": [], "origin_ns": 0, "sim_ns": 10 * NS, "determinism": "exact",
    }  # fmt: skip
    for name, value in (
        ("execution.json", own.execution),
        ("observe.json", own.execution["observe"]),
        ("evaluation.json", own.evaluation),
        ("outcome.json", outcome),
        ("timeline.json", []),
        ("envelope.json", {"schema_version": 1, "run_id": "run"}),
    ):
        (run.path / name).write_text(canonical_document(value))
    samples = [
        sample("timeline", 0.0, event="start"),
        *(sample("clock", n / 10, rtf=None) for n in range(100)),
        sample("timeline", 10.0, event="end", status="completed"),
    ]
    lines = "".join(json.dumps(each) + "\n" for each in samples)
    (run.path / "samples.jsonl").write_text(lines)
    used = {"container": "ugv1", "role": "stack", "cpu_pct": 1.0, "memory_mb": 1.0, "after": 1}
    (run.path / "resources.jsonl").write_text(json.dumps(sample("resource", 0.0, **used)) + "\n")
    numbers = np.random.default_rng(1)  # that do not compress: there are to be several chunks
    with RecordingWriter(run.recording, TYPES, chunk_bytes=2000) as writer:
        writer.add_topic("/far", "std_msgs/msg/Float64")
        writer.add_topic("/near", "std_msgs/msg/Float64")
        make = TYPES.message_class("std_msgs/msg/Float64")
        for n in range(100):
            for topic in ("/far", "/near"):
                data = TYPES.encode("std_msgs/msg/Float64", make(float(numbers.random())))
                writer.write(topic, data, log_time_ns=n * NS // 10)
    seal(run)
    return run.path


@pytest.fixture
def run(whole, tmp_path):
    return Path(shutil.copytree(whole, tmp_path / "copy"))


def status(run, resolved=None):
    return evaluate_run(run, resolved).verdict.status.value


def test_the_run_as_it_was_sealed_passes_by_both_plans(run, plans):
    assert status(run) == "passed"
    assert status(run, plans[1]) == "passed"
    assert evaluate_run(run, plans[1]).gaps == ()


def test_a_failure_that_was_taken_out_of_the_samples_does_not_make_a_pass(run):
    touched = sample("contact", 5.0, vehicle="ugv1", collision1="ugv1", collision2="box", count=1)
    (run / "manifest.json").unlink()
    lines = (run / "samples.jsonl").read_text().splitlines(keepends=True)
    (run / "samples.jsonl").write_text(
        "".join([*lines[:52], json.dumps(touched), "\n", *lines[52:]])
    )
    seal(RunDirectory(run))
    assert status(run) == "failed"
    (run / "samples.jsonl").write_text("".join(lines))
    found = evaluate_run(run)
    assert (found.verdict.status.value, found.verdict.status.exit_code) == ("inconclusive", 1)
    [gap] = found.gaps
    assert gap.startswith("samples.jsonl was changed after the run was sealed: ")
    assert gap in found.verdict.reason


@pytest.mark.parametrize("name", [each for each in EVIDENCE if each != "manifest.json"])
def test_any_changed_file_of_the_evidence_is_named_and_nothing_passes(run, plans, name):
    path = run / name
    path.write_bytes(path.read_bytes() + b"\n")
    for resolved in (None, plans[1]):
        found = evaluate_run(run, resolved)
        assert found.verdict.status.value == "inconclusive"
        assert found.gaps[0].startswith(f"{name} was changed after the run was sealed")


def test_a_changed_plan_counts_only_where_it_is_judged_by(run, plans):
    path = run / "evaluation.json"
    path.write_bytes(path.read_bytes() + b"\n")
    assert status(run) == "inconclusive"
    assert status(run, plans[1]) == "passed"


def test_a_file_that_was_added_to_the_evidence_is_named(run):
    (run / "manifest.json").unlink()
    beside = (run / "resources.jsonl").read_bytes()
    (run / "resources.jsonl").unlink()
    seal(RunDirectory(run))
    assert status(run) == "passed"
    (run / "resources.jsonl").write_bytes(beside)
    assert evaluate_run(run).gaps == ("resources.jsonl was added after the run was sealed",)


def test_a_seal_made_to_fit_by_hand_is_seen(run):
    path = run / "samples.jsonl"
    path.write_bytes(path.read_bytes().replace(b"0.1", b"0.2"))
    manifest = json.loads((run / "manifest.json").read_text())
    manifest["files"] = [
        {**each, "sha256": RunDirectory(run).read_json("manifest.json")["digest"]}
        if each["path"] == "samples.jsonl"
        else each
        for each in manifest["files"]
    ]
    (run / "manifest.json").write_text(json.dumps(manifest))
    assert any(
        each.startswith("manifest.json, the seal, was changed") for each in evaluate_run(run).gaps
    )


def test_a_run_without_a_seal_never_passes_and_says_whether_it_goes_on(run):
    (run / "manifest.json").unlink()
    assert "the run is not sealed: it has no manifest.json" in evaluate_run(run).verdict.reason
    with RunDirectory(run).claim():
        assert "the run is not sealed: it has not ended yet" in evaluate_run(run).verdict.reason


def test_samples_cut_between_two_lines_are_said_to_be_cut(run):
    lines = (run / "samples.jsonl").read_text().splitlines(keepends=True)
    (run / "samples.jsonl").write_text("".join(lines[:52]))
    found = evaluate_run(run)
    assert "samples.jsonl is cut: it ends before the timeline does, after 5 s" in found.gaps[1]
    [result] = found.results
    assert result.reason == "the run ended before it was decided (its evidence is cut)"
    assert result.t_s == 5.0


def test_samples_before_a_damaged_line_are_judged(run):
    lines = (run / "samples.jsonl").read_text().splitlines(keepends=True)
    (run / "samples.jsonl").write_text("".join([*lines[:52], "{]\n", *lines[52:]]))
    found = evaluate_run(run)
    assert "a sample is damaged: samples.jsonl, line 53" in found.gaps[1]
    assert found.results[0].t_s == 5.0


def test_missing_samples_are_an_incomplete_verdict(run):
    (run / "samples.jsonl").unlink()
    found = evaluate_run(run)
    assert found.verdict.status.value == "inconclusive"
    assert found.gaps[0] == "samples.jsonl is missing, and was there when the run was sealed"


def test_a_missing_outcome_is_an_incomplete_verdict(run):
    (run / "outcome.json").unlink()
    found = evaluate_run(run)
    assert found.verdict.status.value == "inconclusive"
    assert "nothing says how the run ended" in found.gaps[1]


def test_a_recording_that_was_cut_is_judged_up_to_the_cut(run, plans):
    path = run / RECORDING
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    found = evaluate_run(run, plans[1])
    assert found.verdict.status.value == "inconclusive"
    assert any("recording_0.mcap was never closed" in gap for gap in found.gaps)
    assert {result.status for result in found.results} == {"skipped"}
    assert 0 < found.results[0].t_s < 10


def test_a_recording_that_is_damaged_in_its_middle_is_judged_up_to_there(run, plans):
    path = run / RECORDING
    data = bytearray(path.read_bytes())
    with path.open("rb") as stream:
        chunks = make_reader(stream).get_summary().chunk_indexes
    middle = sorted(each.chunk_start_offset for each in chunks)[len(chunks) // 2] + 100
    data[middle : middle + 200] = bytes(each ^ 0x5A for each in data[middle : middle + 200])
    path.write_bytes(data)
    found = evaluate_run(run, plans[1])
    assert found.verdict.status.value == "inconclusive"
    assert any("recording_0.mcap is damaged at byte" in gap for gap in found.gaps)
    assert 0 < found.results[0].t_s < 10


def test_a_failure_before_the_cut_is_still_a_failure_in_the_reason(run, plans, tmp_path):
    path = run / RECORDING
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    never = scenario(tmp_path, "never", FAR | {"condition": "value > 1"})
    found = evaluate_run(run, never)
    assert found.verdict.status.value == "inconclusive"
    assert "assertion far failed" in found.verdict.reason


def test_a_recording_that_is_gone_cannot_answer_and_what_to_do_is_said(run, plans):
    (run / RECORDING).unlink()
    with pytest.raises(UnanswerableError) as refused:
        evaluate_run(run, plans[1])
    first, second = refused.value.lacking
    assert "/far was only recorded" in first
    assert first.endswith("restore the recording, or run a scenario that asks for it")
    assert second == f"{RECORDING} is missing, and was there when the run was sealed"
    assert status(run) == "inconclusive"


def test_documents_that_hold_something_else_are_told_with_what_was_changed(run):
    (run / "evaluation.json").write_text('{"assertions": 3}')
    with pytest.raises(RunError, match=r"evaluation\.json was changed .* restore the files"):
        evaluate_run(run)


def bytes_of(path, rng, way):
    """The bytes of a file after one kind of damage."""
    data = bytearray(path.read_bytes())
    at = rng.randrange(len(data))
    if way == "cut":
        return data[:at]
    if way == "flipped":
        for _ in range(rng.choice((1, 3, 20))):
            data[rng.randrange(len(data))] ^= rng.randrange(1, 256)
        return data
    if way == "digit":
        digits = [place for place, each in enumerate(data) if chr(each).isdigit()]
        data[rng.choice(digits or [at])] = rng.choice(b"0123456789-e")
        return data
    lines = data.splitlines(keepends=True)
    return b"".join(lines[: rng.randrange(len(lines))])


def damage(path, rng, way):
    if way == "other":
        path.write_bytes(rng.choice((b"null", b"{}", b"[]", b"1e999", b'{"a":' * 5000)))
    elif way in {"cut", "flipped", "digit", "lines"}:
        path.write_bytes(bytes_of(path, rng, way))
    else:
        path.unlink()
        if way == "folder":
            path.mkdir()
        elif way == "pipe":
            os.mkfifo(path)
        elif way == "empty":
            path.touch()


@pytest.mark.parametrize(
    "way", ["gone", "empty", "folder", "pipe", "other", "cut", "flipped", "digit", "lines"]
)
def test_no_damage_to_any_file_makes_a_pass_a_traceback_or_a_wait(whole, plans, tmp_path, way):
    rng = random.Random(f"seed of {way}")
    random_ways = {"other", "cut", "flipped", "digit", "lines"}
    for name in (*EVIDENCE, "evaluation.json"):
        for turn in range(6 if way in random_ways else 1):
            copy = Path(shutil.copytree(whole, tmp_path / f"{name.replace('/', '_')}{turn}"))
            damage(copy / name, rng, way)
            path = copy / name
            if path.is_file() and path.read_bytes() == (whole / name).read_bytes():
                continue
            for resolved in (None, plans[1]):
                if name == "evaluation.json" and resolved:
                    continue
                with suppress(RunError, UnanswerableError, EvaluationError):
                    found = evaluate_run(copy, resolved)
                    assert found.verdict.status.value != "passed", (name, turn)
                    assert found.gaps, (name, turn)
