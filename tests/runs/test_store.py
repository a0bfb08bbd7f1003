import shutil

import pytest

from fieldproof.runs import RunBusyError, RunsFolder, UnknownRunError, seal, verify

from .conftest import fill, run_id


def sealed(runs, second, unique=1, **content):
    run = fill(runs.create(run_id(second, unique)), **content)
    manifest = seal(run)
    runs.enter(run)
    return run, manifest


def test_a_run_is_found_by_both_of_its_digests(runs):
    run, manifest = sealed(runs, 1)
    for digest in (manifest.digest, manifest.evidence_digest):
        assert (runs.path / "by-digest" / digest).resolve() == run.path.resolve()
        assert runs.find(digest).run_id == run.run_id


def test_equal_evidence_is_stored_once(runs):
    one, first = sealed(runs, 1)
    other, second = sealed(runs, 2)
    assert first.evidence_digest == second.evidence_digest
    for name in ("samples.jsonl", "execution.json", "recording/recording_0.mcap"):
        assert (one.path / name).samefile(other.path / name)
    assert not (one.path / "envelope.json").samefile(other.path / "envelope.json")
    assert verify(one) == verify(other) == ()


def test_different_evidence_shares_nothing(runs):
    one, _ = sealed(runs, 1)
    other, _ = sealed(runs, 2, samples="")
    assert not (one.path / "execution.json").samefile(other.path / "execution.json")


def test_removing_a_run_leaves_those_that_share_its_evidence_whole(runs):
    one, first = sealed(runs, 1)
    other, second = sealed(runs, 2)
    runs.remove(one)
    assert not one.path.exists()
    assert verify(other) == ()
    assert runs.find(second.evidence_digest).run_id == other.run_id
    with pytest.raises(UnknownRunError):
        runs.find(first.digest)


def test_removing_the_latest_run_makes_the_one_before_it_the_latest(runs):
    sealed(runs, 1)
    newest, _ = sealed(runs, 2)
    runs.remove(newest)
    assert runs.find("latest").run_id == run_id(1)
    assert (runs.path / "latest").resolve().name == run_id(1)


def test_removing_the_only_run_leaves_no_dangling_link(runs):
    run, _ = sealed(runs, 1)
    runs.remove(run)
    assert not (runs.path / "latest").is_symlink()
    assert list((runs.path / "by-digest").iterdir()) == []


def test_a_run_that_is_worked_on_is_not_removed(runs):
    run = runs.create(run_id())
    with run.claim(), pytest.raises(RunBusyError):
        runs.remove(run)
    assert run.path.exists()


def test_a_run_removed_by_hand_does_not_hinder_the_next(runs):
    one, _ = sealed(runs, 1)
    shutil.rmtree(one.path)
    other, second = sealed(runs, 2)
    assert runs.find(second.evidence_digest).run_id == other.run_id
    runs.repair_links()
    assert runs.find(second.digest).run_id == other.run_id


def test_a_damaged_twin_is_not_shared(runs):
    one, _ = sealed(runs, 1)
    (one.path / "manifest.json").write_text("")
    other, _ = sealed(runs, 2)
    assert verify(other) == ()


def test_runs_are_listed_by_their_start(runs):
    for second, unique in ((3, 1), (1, 9), (2, 5)):
        runs.create(run_id(second, unique))
    assert [run.run_id for run in runs.runs()] == [run_id(1, 9), run_id(2, 5), run_id(3, 1)]


def test_a_workspace_without_runs_has_none(tmp_path):
    assert RunsFolder(tmp_path / "none").runs() == ()
    with pytest.raises(UnknownRunError, match="no run"):
        RunsFolder(tmp_path / "none").find("latest")


def test_a_run_is_found_by_path_id_or_an_unambiguous_start_of_it(runs):
    runs.create(run_id(1, 1))
    runs.create(run_id(2, 2))
    assert runs.find(str(runs.path / run_id(1, 1))).run_id == run_id(1, 1)
    assert runs.find(run_id(2, 2)).run_id == run_id(2, 2)
    assert runs.find(run_id(2, 2)[:-7]).run_id == run_id(2, 2)


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A folder that somebody is in, with a run in it that lies in no folder of runs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s3").mkdir()
    (tmp_path / "s3" / "outcome.json").write_text("{}", "utf-8")
    return tmp_path / "s3"


def test_the_bare_name_of_a_folder_with_a_run_is_a_path(runs, elsewhere):
    runs.create(run_id(1, 1))
    assert runs.find("s3").path == elsewhere
    assert runs.find("./s3").path == elsewhere


def test_a_link_to_a_run_is_found_by_its_bare_name(runs, elsewhere, tmp_path):
    (tmp_path / "result").symlink_to(elsewhere)
    assert runs.find("result").path == elsewhere


def test_the_id_of_a_run_comes_before_a_folder_of_that_name(runs, elsewhere):
    runs.create(run_id(1, 1))
    elsewhere.rename(elsewhere.with_name(run_id(1, 1)))
    assert runs.find(run_id(1, 1)).path == runs.path / run_id(1, 1)


def test_a_name_of_a_folder_that_runs_begin_with_is_ambiguous(runs, elsewhere):
    runs.create(run_id(1, 1))
    elsewhere.rename(elsewhere.with_name("abab"))
    with pytest.raises(UnknownRunError, match="a folder has that name") as caught:
        runs.find("abab")
    assert caught.value.candidates == ("./abab", run_id(1, 1))


def test_a_folder_without_a_run_is_said_to_hold_none(runs, elsewhere):
    (elsewhere / "outcome.json").unlink()
    with pytest.raises(UnknownRunError, match="the folder of that name holds no run"):
        runs.find("s3")


def test_a_path_that_leads_nowhere_is_no_run_of_the_folder(runs):
    with pytest.raises(UnknownRunError, match="there is no such folder"):
        runs.find("none/there")


def test_an_ambiguous_start_lists_the_runs_it_could_mean(runs):
    runs.create(run_id(1, 1))
    runs.create(run_id(2, 2))
    with pytest.raises(UnknownRunError, match="several") as caught:
        runs.find("abab")
    assert set(caught.value.candidates) == {run_id(1, 1), run_id(2, 2)}


def test_a_mistyped_run_is_told_the_nearest(runs):
    runs.create(run_id(1, 1))
    wanted = run_id(1, 1)[:-1] + "f"
    with pytest.raises(UnknownRunError, match=run_id(1, 1)):
        runs.find(wanted)


@pytest.mark.parametrize("wanted", ["", ".", "..", "../x", "by-digest"])
def test_odd_names_find_nothing(runs, wanted):
    runs.create(run_id(1, 1))
    with pytest.raises(UnknownRunError):
        runs.find(wanted)
