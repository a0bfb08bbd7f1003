from datetime import UTC, datetime
from uuid import UUID

import pytest

from fieldproof.recording import MessageTypes, RecordingWriter
from fieldproof.runs import RunsFolder, make_run_id

TEXT = "std_msgs/msg/String"
TYPES = MessageTypes()


def run_id(second: int = 0, unique: int = 1) -> str:
    now = datetime(2026, 3, 1, 12, 0, second, tzinfo=UTC)
    return make_run_id("ab" * 32, now=now, unique=UUID(int=unique << 96))


@pytest.fixture
def runs(tmp_path):
    return RunsFolder(tmp_path / "runs")


def outcome(**changes):
    return {
        "status": "completed",
        "reason": "",
        "phases": [{"name": "timeline", "status": "ok"}],
        "sim_ns": 12_500_000_000,
        "origin_ns": 500_000_000,
        "determinism": "exact",
        "complete": True,
        "gaps": [],
        "topics": {"/ugv1/odom": {"messages": 600, "lost": 0}},
    } | changes


def result(name="reached_goal", status="passed", reason="within 0.5 m of the target", **more):
    return {
        "name": name,
        "type": "reach_pose",
        "status": status,
        "reason": reason,
        "t_s": 9.5,
        "sim_s": 10.0,
        "evidence": {"samples": 3},
        "metrics": {},
    } | more


def fill(run, *, words=("one", "two"), samples='{"kind":"clock"}\n', padding=b"\0"):
    """Give a run evidence, an envelope and a log."""
    run.write_json("execution.json", {"schema_version": 1})
    run.write_json("observe.json", {})
    run.write_json("outcome.json", outcome())
    run.write_json("timeline.json", [])
    run.write_text("samples.jsonl", samples)
    with RecordingWriter(run.recording, TYPES) as writer:
        writer.add_topic("/note", TEXT)
        for number, word in enumerate(words):
            data = TYPES.encode(TEXT, TYPES.message_class(TEXT)(word)) + padding
            writer.write("/note", data, log_time_ns=number)
    run.write_json("envelope.json", {"schema_version": 1, "run_id": run.run_id})
    run.write_text("logs/engine.log", "started\n")
    return run
