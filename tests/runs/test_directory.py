import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fieldproof.runs import (
    RunBusyError,
    RunDirectory,
    RunsFolder,
    RunsFolderError,
    SealedRunError,
    UnreadableRunError,
    UnwritableRunError,
    seal,
)

from .conftest import fill, run_id


def test_a_new_run_is_the_latest(runs):
    runs.create(run_id(1))
    newest = runs.create(run_id(2))
    assert (runs.path / "latest").readlink() == Path(newest.run_id)
    assert [run.run_id for run in runs.runs()] == [run_id(1), run_id(2)]


def test_a_run_is_made_once(runs):
    runs.create(run_id())
    with pytest.raises(RunsFolderError, match="exists already"):
        runs.create(run_id())


def test_a_name_that_is_no_run_id_makes_no_folder(runs):
    with pytest.raises(ValueError, match="not a run id"):
        runs.create("../elsewhere")


def test_a_runs_folder_that_is_a_file_is_a_clear_error(tmp_path):
    (tmp_path / "runs").write_text("")
    with pytest.raises(RunsFolderError, match=r"cannot keep runs in .*runs: it is not a folder"):
        RunsFolder(tmp_path / "runs").create(run_id())


def test_an_unwritable_place_is_a_clear_error():
    with pytest.raises(RunsFolderError) as caught:
        RunsFolder(Path("/proc/runs")).create(run_id())
    assert caught.value.path == Path("/proc/runs")
    assert caught.value.reason


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes anywhere")
def test_a_folder_without_write_permission_is_a_clear_error(tmp_path):
    (tmp_path / "runs").mkdir(mode=0o500)
    with pytest.raises(RunsFolderError, match="Permission denied"):
        RunsFolder(tmp_path / "runs").create(run_id())


def test_a_file_is_written_whole_or_not_at_all(runs, monkeypatch):
    run = runs.create(run_id())
    run.write_text("note.txt", "old")

    def full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        run.write_text("note.txt", "new")
    assert (run.path / "note.txt").read_text() == "old"
    assert [each.name for each in run.path.iterdir()] == ["note.txt"]


def test_json_is_canonical(runs):
    run = runs.create(run_id())
    path = run.write_json("outcome.json", {"b": "ü", "a": 1.5})
    assert path.read_text() == '{"a":1.5,"b":"ü"}\n'
    assert run.read_json("outcome.json") == {"a": 1.5, "b": "ü"}


def test_text_that_utf8_cannot_hold_is_written_nevertheless(runs):
    run = runs.create(run_id())
    assert run.write_text("note.txt", "a\ud800b").read_bytes() == b"a?b"


@pytest.mark.parametrize("name", ["../out.txt", "/tmp/out.txt", "logs/../../out.txt"])
def test_nothing_is_written_outside_the_run(runs, name):
    run = runs.create(run_id())
    with pytest.raises(UnwritableRunError, match="outside"):
        run.write_text(name, "")


@pytest.mark.parametrize("data", [b"", b"{", b"[1]", b"\xff", b"null"])
def test_a_file_that_is_no_object_is_named(runs, data):
    run = runs.create(run_id())
    (run.path / "run.json").write_bytes(data)
    with pytest.raises(UnreadableRunError, match=r"run\.json"):
        run.read_json("run.json")


def test_a_sealed_run_takes_no_more(runs):
    run = fill(runs.create(run_id()))
    seal(run)
    with pytest.raises(SealedRunError):
        run.write_text("note.txt", "late")


def test_one_process_holds_a_run(runs):
    run = runs.create(run_id())
    with run.claim():
        assert run.claimed
        assert RunDirectory(run.path).claimed
        with pytest.raises(RunBusyError, match=run.run_id):
            RunDirectory(run.path).claim()
        assert runs.abandoned() == ()
    assert not run.claimed


def test_a_new_run_is_held_before_anybody_can_see_it(runs):
    run = runs.create(run_id())
    assert RunDirectory(run.path).claimed
    assert runs.abandoned() == ()
    with run.claim():
        assert RunDirectory(run.path).claimed
    assert [each.run_id for each in runs.abandoned()] == [run.run_id]


def test_what_a_kill_left_of_making_a_run_goes(runs):
    runs.create(run_id(1))
    left = runs.path / f".{run_id(2)}.part"
    left.mkdir()
    assert [run.run_id for run in runs.runs()] == [run_id(1)]
    runs.repair_links()
    assert not left.exists()


def test_a_hold_ends_with_its_process_and_leaves_no_file(runs):
    run = runs.create(run_id())
    run.claim().release()
    code = (
        "import sys, signal\nfrom pathlib import Path\nfrom fieldproof.runs import RunDirectory\n"
        "hold = RunDirectory(Path(sys.argv[1])).claim()\nprint('held', flush=True)\nsignal.pause()"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-B", "-c", code, str(run.path)], stdout=subprocess.PIPE, env=environment
    ) as child:
        assert child.stdout.readline() == b"held\n"
        assert run.claimed
        child.kill()
        child.wait(timeout=30)
    assert not run.claimed
    assert [each.run_id for each in runs.abandoned()] == [run.run_id]
    assert list(run.path.iterdir()) == []


def test_sealed_and_held_runs_are_not_abandoned(runs):
    seal(fill(runs.create(run_id(1))))
    held = runs.create(run_id(2))
    lost = runs.create(run_id(3))
    lost.claim().release()
    with held.claim():
        assert [each.run_id for each in runs.abandoned()] == [lost.run_id]


def test_what_is_no_regular_file_is_not_read_and_not_waited_for(runs):
    run = runs.create(run_id())
    os.mkfifo(run.path / "x.json")
    with pytest.raises(UnreadableRunError, match="not a regular file"):
        run.read_json("x.json")


def test_json_files_end_with_a_line_end(runs):
    run = runs.create(run_id())
    assert json.loads(run.write_json("x.json", {}).read_text()) == {}
    assert (run.path / "x.json").read_bytes().endswith(b"\n")
