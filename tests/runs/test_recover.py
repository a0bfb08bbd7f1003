import pytest

from fieldproof.recording import RecordingReader
from fieldproof.runs import (
    RunBusyError,
    SealedRunError,
    Status,
    mark_recovered,
    seal,
    verdict_of,
    verify,
)

from .conftest import fill, result, run_id


def test_a_recovered_run_is_an_error_with_incomplete_evidence(runs):
    run = fill(runs.create(run_id()))
    found = mark_recovered(run, "the engine was killed")
    assert run.read_json("outcome.json") == found
    assert (found["status"], found["complete"]) == ("error", False)
    verdict = verdict_of(found, [result()])
    assert verdict == (Status.ERROR, "recovered: the engine was killed")
    assert run.read_json("envelope.json")["recovered"] == "the engine was killed"


def test_a_run_that_left_almost_nothing_can_be_recovered_and_sealed(runs):
    run = runs.create(run_id())
    mark_recovered(run, "the engine was killed")
    seal(run)
    assert verify(run) == ()
    assert run.read_json("outcome.json")["phases"] == []
    assert (run.path / "timeline.json").read_text() == "[]\n"


def test_a_cut_line_goes_and_is_told(runs):
    run = fill(runs.create(run_id()))
    (run.path / "samples.jsonl").write_bytes(b'{"kind":"clock"}\n{"kind":"po')
    gaps = mark_recovered(run, "killed")["gaps"]
    assert (run.path / "samples.jsonl").read_bytes() == b'{"kind":"clock"}\n'
    assert {"what": "samples.jsonl was cut within a line, 11 bytes of it are lost"} in gaps


def test_an_unclosed_recording_stays_readable_and_is_told(runs):
    run = fill(runs.create(run_id()), words=["x" * 200] * 20)
    path = run.recording / "recording_0.mcap"
    path.write_bytes(path.read_bytes()[:-10])
    gaps = mark_recovered(run, "killed")["gaps"]
    assert {"what": "the recording was not closed, its last chunk is lost"} in gaps
    with RecordingReader(path) as reader:
        assert len(list(reader.messages())) == 20


def test_a_recording_that_is_none_is_told(runs):
    run = fill(runs.create(run_id()))
    (run.recording / "recording_0.mcap").write_bytes(b"no recording at all")
    gaps = mark_recovered(run, "killed")["gaps"]
    assert any("cannot be read" in each["what"] for each in gaps)


def test_half_an_outcome_does_not_hinder_recovery(runs):
    run = runs.create(run_id())
    (run.path / "outcome.json").write_text('{"status": "comp')
    assert mark_recovered(run, "killed")["status"] == "error"


def test_what_the_engine_had_found_out_is_kept(runs):
    run = fill(runs.create(run_id()))
    found = mark_recovered(run, "killed")
    assert found["topics"] == {"/ugv1/odom": {"messages": 600, "lost": 0}}
    assert found["sim_ns"] == 12_500_000_000


def test_a_run_whose_engine_lives_is_not_recovered(runs):
    run = runs.create(run_id())
    with run.claim(), pytest.raises(RunBusyError):
        mark_recovered(run, "it only looks dead")
    assert list(run.path.iterdir()) == []


def test_a_sealed_run_is_not_recovered(runs):
    run = fill(runs.create(run_id()))
    seal(run)
    with pytest.raises(SealedRunError):
        mark_recovered(run, "no")
    assert verify(run) == ()
