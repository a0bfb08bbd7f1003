import hashlib
import json
import os
import shutil

import pytest

from fieldproof.recording import rewrite_canonical
from fieldproof.runs import (
    EVIDENCE_FILES,
    NewerVersionError,
    SealedRunError,
    UnreadableRunError,
    evidence_digest,
    read_manifest,
    seal,
    sha256_of,
    verify,
    verify_files,
)

from .conftest import fill, run_id


def test_the_manifest_lists_every_file_but_itself(runs):
    run = fill(runs.create(run_id()))
    seal(run)
    data = json.loads((run.path / "manifest.json").read_text())
    assert [each["path"] for each in data["files"]] == [
        "envelope.json",
        "execution.json",
        "logs/engine.log",
        "observe.json",
        "outcome.json",
        "recording/metadata.yaml",
        "recording/recording_0.mcap",
        "samples.jsonl",
        "timeline.json",
    ]
    assert data["schema_version"] == 1
    for each in data["files"]:
        assert each["size"] == (run.path / each["path"]).stat().st_size


def test_a_sealed_run_verifies(runs):
    run = fill(runs.create(run_id()))
    manifest = seal(run)
    assert verify(run) == ()
    assert read_manifest(run) == manifest


def test_a_run_is_sealed_once(runs):
    run = fill(runs.create(run_id()))
    seal(run)
    with pytest.raises(SealedRunError):
        seal(run)


def test_what_a_kill_left_half_written_is_not_sealed(runs):
    run = fill(runs.create(run_id()))
    (run.path / ".report.md.part").write_text("half")
    seal(run)
    assert not (run.path / ".report.md.part").exists()
    assert verify(run) == ()


def test_the_same_evidence_elsewhere_and_later_has_the_same_evidence_digest(runs):
    one, other = fill(runs.create(run_id(1))), fill(runs.create(run_id(2)))
    other.write_text("logs/engine.log", "started on another day\n")
    first, second = seal(one), seal(other)
    assert first.evidence_digest == second.evidence_digest
    assert first.digest != second.digest


def test_the_recording_counts_by_its_messages(runs, tmp_path):
    one = fill(runs.create(run_id(1)), padding=b"\0")
    other = fill(runs.create(run_id(2)), padding=b"\7\7")
    recording = "recording/recording_0.mcap"
    assert (one.path / recording).read_bytes() != (other.path / recording).read_bytes()
    assert evidence_digest(one.path) == evidence_digest(other.path)
    before = evidence_digest(other.path)
    rewrite_canonical(other.recording, other.recording)
    assert evidence_digest(other.path) == before


CHANGES = {
    "a sample": {"samples": '{"kind":"clock","rtf":1}\n'},
    "a message": {"words": ("one", "three")},
    "a lost message": {"words": ("one",)},
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_changed_evidence_changes_the_evidence_digest(runs, change):
    one, other = fill(runs.create(run_id(1))), fill(runs.create(run_id(2)), **change)
    assert evidence_digest(one.path) != evidence_digest(other.path)


@pytest.mark.parametrize(
    "name", ["execution.json", "observe.json", "outcome.json", "samples.jsonl", "timeline.json"]
)
def test_every_evidence_file_counts(runs, name):
    run = fill(runs.create(run_id()))
    before = evidence_digest(run.path)
    content = (run.path / name).read_bytes()
    (run.path / name).write_bytes(content + b" ")
    assert evidence_digest(run.path) != before
    (run.path / name).unlink()
    assert evidence_digest(run.path) != before


def test_an_output_of_evidence_alone_has_the_digest_of_the_run(runs, tmp_path):
    run = fill(runs.create(run_id()))
    evidence = tmp_path / "output"
    shutil.copytree(run.path, evidence)
    shutil.rmtree(evidence / "logs")
    (evidence / "envelope.json").unlink()
    assert evidence_digest(evidence) == evidence_digest(run.path)


def test_a_recording_that_cannot_be_read_counts_by_its_bytes(runs):
    run = fill(runs.create(run_id()))
    (run.recording / "recording_0.mcap").write_bytes(b"not a recording")
    seal(run)
    assert verify(run) == ()
    (run.recording / "recording_0.mcap").write_bytes(b"not a recordinG")
    assert [each.path for each in verify(run)] == ["recording/recording_0.mcap"]


def test_verification_names_every_file_that_differs(runs):
    run = fill(runs.create(run_id()))
    seal(run)
    (run.path / "samples.jsonl").write_text("")
    (run.path / "outcome.json").unlink()
    (run.path / "extra.txt").write_text("x")
    recording = run.recording / "recording_0.mcap"
    recording.write_bytes(recording.read_bytes() + b"\0")
    found = {each.path: each.kind for each in verify(run)}
    assert found == {
        "extra.txt": "added",
        "outcome.json": "missing",
        "recording/recording_0.mcap": "changed",
        "samples.jsonl": "changed",
    }


def test_a_changed_file_is_told_with_what_was_sealed_and_what_is_there(runs):
    run = fill(runs.create(run_id()))
    seal(run)
    (run.path / "timeline.json").write_text("[1]\n")
    (difference,) = verify(run)
    assert "3 bytes" in difference.expected
    assert "4 bytes" in difference.found
    assert str(difference).startswith("timeline.json: changed (sealed ")


def test_some_files_are_compared_by_their_bytes(runs):
    run = fill(runs.create(run_id()))
    seal(run)
    assert verify_files(run, [*EVIDENCE_FILES, "not_there.json"]) == ()
    (run.path / "samples.jsonl").write_text("")
    (run.path / "outcome.json").unlink()
    (run.path / "timeline.json").unlink()
    (run.path / "timeline.json").mkdir()
    (run.path / "extra.txt").write_text("x")
    (run.path / "observe.json").write_text("[]")
    wanted = ("samples.jsonl", "outcome.json", "timeline.json", "extra.txt")
    assert [(each.path, each.kind) for each in verify_files(run, wanted)] == [
        ("samples.jsonl", "changed"),
        ("outcome.json", "missing"),
        ("timeline.json", "changed"),
        ("extra.txt", "added"),
    ]


def test_a_manifest_whose_digest_does_not_follow_is_named_beside_the_files(runs):
    run = fill(runs.create(run_id()))
    digest = seal(run).digest
    path = run.path / "manifest.json"
    path.write_text(path.read_text().replace(digest, "0" * 64))
    assert [each.path for each in verify_files(run, ["samples.jsonl"])] == ["manifest.json"]
    data = json.loads(path.read_text())
    path.write_text(json.dumps(data | {"evidence_digest": float("nan")}))
    with pytest.raises(UnreadableRunError, match="not a manifest"):
        verify_files(run, ["samples.jsonl"])


def test_a_manifest_that_was_edited_is_named(runs):
    run = fill(runs.create(run_id()))
    seal(run)
    path = run.path / "manifest.json"
    for key in ("digest", "evidence_digest"):
        whole = path.read_text()
        path.write_text(whole.replace(json.loads(whole)[key], "0" * 64))
        assert [each.path for each in verify(run)] == ["manifest.json"]
        path.write_text(whole)
    assert verify(run) == ()


def test_a_manifest_edited_along_with_a_file_is_named(runs):
    run = fill(runs.create(run_id()))
    before = read = seal(run)
    path = run.path / "manifest.json"
    data = json.loads(path.read_text())
    (run.path / "samples.jsonl").write_text("{}\n")
    for each in data["files"]:
        if each["path"] == "samples.jsonl":
            each |= {"size": 3, "sha256": hashlib.sha256(b"{}\n").hexdigest()}
    path.write_text(json.dumps(data))
    assert [each.path for each in verify(run)] == ["manifest.json"]
    assert read == before


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('{"schema_version": 2}', NewerVersionError),
        ("{}", UnreadableRunError),
        ("", UnreadableRunError),
        ('{"schema_version": 1}', UnreadableRunError),
        (
            '{"schema_version": 1, "files": [{}], "evidence_digest": "", "digest": ""}',
            UnreadableRunError,
        ),
    ],
)
def test_a_manifest_of_another_form_is_refused(runs, text, error):
    run = runs.create(run_id())
    (run.path / "manifest.json").write_text(text)
    with pytest.raises(error, match=r"manifest\.json"):
        verify(run)


@pytest.mark.parametrize("name", ["outcome.json", "logs/engine.log", "extra.txt"])
def test_a_pipe_in_a_sealed_run_is_named_as_a_difference_and_not_waited_for(runs, name):
    run = fill(runs.create(run_id()))
    seal(run)
    path = run.path / name
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    (difference,) = verify(run)
    assert difference.path == name
    assert difference.found == "not a file"
    assert difference.kind == ("added" if name == "extra.txt" else "changed")


def test_a_manifest_that_is_a_pipe_is_refused_and_not_waited_for(runs):
    run = fill(runs.create(run_id()))
    os.mkfifo(run.path / "manifest.json")
    for reads in (verify, read_manifest, lambda one: verify_files(one, ["outcome.json"])):
        with pytest.raises(UnreadableRunError, match=r"manifest\.json: it is not a regular file"):
            reads(run)


def test_what_is_no_file_is_neither_read_nor_sealed(runs):
    run = fill(runs.create(run_id()))
    os.mkfifo(run.path / "pipe")
    assert "pipe" not in {path for path, _, _ in seal(run).files}
    assert evidence_digest(run.path) == read_manifest(run).evidence_digest
    with pytest.raises(UnreadableRunError, match="it is not a regular file"):
        sha256_of(run.path / "pipe")
    assert [str(one) for one in verify(run)] == ["pipe: added"]
