import json

import pytest

from tests.bench.live import differing_files, keep_differing, phase_starts, read_run
from tests.bench.machine import Watch

LOG = [
    ("phase.start", "start simulator", 100.5),
    ("phase.end", "start simulator", 101.5),
    ("phase.start", "readiness gates", 101.5),
    ("phase.end", "readiness gates", 101.9),
    ("phase.start", "timeline", 102.0),
    ("phase.start", "teardown", 104.0),
]


@pytest.fixture
def recorded(tmp_path):
    def recorded(name="run", samples="{}"):
        folder = tmp_path / name
        (folder / "logs").mkdir(parents=True)
        phases = {"start simulator": 1.0, "readiness gates": 0.4, "timeline": 2.0, "teardown": 1.0}
        files = {
            "outcome": {"sim_ns": 10_100_000_000, "origin_ns": 100_000_000},
            "envelope": {"phases": phases},
            "execution": {"time": {"tick_ns": 50_000_000}},
        }
        for file, data in files.items():
            (folder / f"{file}.json").write_text(json.dumps(data))
        (folder / "samples.jsonl").write_text(samples)
        lines = [json.dumps({"event": e, "phase": p, "wall": w}) for e, p, w in LOG]
        (folder / "logs" / "engine.log").write_text("\n".join(lines) + "\n")
        return folder

    return recorded


def read(folder):
    return read_run(folder, spawned=100.0, watch=Watch())


def test_speed_is_simulation_time_of_the_timeline_for_its_wall_clock(recorded):
    run = read(recorded())
    assert run.rtf == pytest.approx(5.0)
    assert run.tick_s == pytest.approx(2.0 / 200)


def test_the_start_counts_from_the_command_to_the_timeline(recorded):
    run = read(recorded())
    assert run.start_s == pytest.approx(2.0)
    assert run.parts == pytest.approx(
        {"before the first phase": 0.5, "start simulator": 1.0, "readiness gates": 0.4}
    )


def test_a_run_that_never_came_to_its_timeline_is_not_read(recorded):
    folder = recorded()
    log = folder / "logs" / "engine.log"
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:4]))
    with pytest.raises(KeyError, match="timeline"):
        read(folder)


def test_lines_that_are_no_phases_are_passed_over():
    line = json.dumps({"event": "action.start", "wall": 1.0})
    assert phase_starts(line + "\n") == {}


def test_evidence_that_differs_is_kept_and_named(recorded, tmp_path):
    hermetic, same, odd = recorded("hermetic"), recorded("same"), recorded("odd", samples="[]")
    digest = read(hermetic).digest
    runs = [read(same), read(odd)]
    sentence = keep_differing(runs, hermetic, digest, tmp_path / "kept")
    assert sentence == "the first that differs, in samples.jsonl, is kept in kept"
    assert (tmp_path / "kept/live/samples.jsonl").read_text() == "[]"
    assert (tmp_path / "kept/hermetic/samples.jsonl").read_text() == "{}"


def test_equal_evidence_is_not_kept(recorded, tmp_path):
    hermetic, same = recorded("hermetic"), recorded("same")
    run = read(same)
    assert keep_differing([run], hermetic, read(hermetic).digest, tmp_path / "kept") == ""
    assert not (tmp_path / "kept").exists()


def test_a_missing_file_differs_from_one_that_is_there(recorded):
    one, other = recorded("one"), recorded("other")
    (other / "outcome.json").unlink()
    assert differing_files(one, other) == ["outcome.json"]
