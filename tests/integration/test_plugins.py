"""Events of a plugin that go wrong, in real runs: the engine outlives them all."""

import json
import os

import pytest

from tests.integration.conftest import processes_of

PLUGIN = """
import threading
from typing import Literal
from fieldproof.events import Event
from fieldproof.model import TimelineBase

class Says(TimelineBase):
    action: Literal["test.says"]

class SaysEvent(Event):
    action = "test.says"
    Entry = Says
    summary = "Says a word on a topic that no manifest lists."

    def plan(self, entry, context):
        return {"topic": context.publishes("ugv1", "word", "std_msgs/msg/String")}

    def models(self, entry):
        return None

    def apply(self, entry, resolved, context, record):
        context.publish(resolved["topic"], "std_msgs/msg/String", {"data": "hello"})

class Bad(TimelineBase):
    action: Literal["test.bad"]
    how: str

class BadEvent(Event):
    action = "test.bad"
    Entry = Bad
    summary = "Goes wrong as it is told."

    def apply(self, entry, resolved, context, record):
        if entry.how == "raise":
            raise RuntimeError("no such luck")
        if entry.how == "nonsense":
            record.status, record.detail = "splendid", 7
        if entry.how == "exit":
            raise SystemExit(3)
        if entry.how == "interrupt":
            raise KeyboardInterrupt
        if entry.how == "hang":
            threading.Event().wait()
        if entry.how == "program":
            done = context.run(context.vehicle("ugv1"), ["sh", "-c", "echo $ROS_DOMAIN_ID; exit 4"],
                               timeout_s=5)
            record.status, record.detail = "failed", f"{done.exit_code} {done.tail(1).isdigit()}"
"""


@pytest.fixture
def plugin(tmp_path, monkeypatch, environment):
    """Installs the plugin for the runs of this test."""
    folder = tmp_path / "plugin"
    info = folder / "bad_events-1.0.dist-info"
    info.mkdir(parents=True)
    (folder / "bad_events.py").write_text(PLUGIN)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: bad-events\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[fieldproof.events]\ntest.bad = bad_events:BadEvent\ntest.says = bad_events:SaysEvent\n"
    )
    environment["PYTHONPATH"] = os.pathsep.join([str(folder), environment["PYTHONPATH"]])


def went(run, variant, only_run, how, *, mode="lockstep", budget="1m"):
    def change(scenario):
        scenario["time"] = {"mode": mode}
        scenario["budget"] = {"timeout_s": budget}
        scenario["assertions"], scenario["kpis"] = [], []
        scenario["timeline"].append({"name": "bad", "action": "test.bad", "how": how, "at": "1s"})

    code, out, err = run("run", variant(change=change))
    folder = only_run()
    record = json.loads((folder / "run.json").read_text())
    rows = {row["name"]: row for row in record["timeline"]}
    assert processes_of(folder.name) == []
    return code, record, rows, out + err


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize(
    ("how", "detail"),
    [
        ("raise", "RuntimeError: no such luck"),
        ("exit", "SystemExit: 3"),
        ("interrupt", "KeyboardInterrupt"),
        ("nonsense", "test.bad reported the status 'splendid'"),
        ("program", "4 True"),
    ],
)
def test_an_event_that_goes_wrong_fails_its_entry_and_ends_the_run_in_order(
    run, variant, only_run, how, detail
):
    code, record, rows, text = went(run, variant, only_run, how)
    assert (code, record["status"]) == (1, "failed"), text
    assert (rows["bad"]["status"], rows["bad"]["detail"]) == ("failed", detail)
    assert rows["drive_ahead"]["status"] == "cancelled"
    assert record["evidence"]["complete"]


@pytest.mark.usefixtures("plugin")
def test_an_event_that_hangs_where_time_runs_free_is_ended_by_the_budget(run, variant, only_run):
    code, record, rows, text = went(run, variant, only_run, "hang", mode="realtime", budget="3s")
    assert (code, record["status"]) == (1, "timeout"), text
    assert rows["bad"]["status"] == "timeout"


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize("mode", ["lockstep", "sim"])
def test_what_an_event_publishes_last_is_seen_before_the_timeline_ends(
    run, variant, only_run, mode
):
    def change(scenario):
        scenario["time"] = {"mode": mode}
        scenario["kpis"] = []
        scenario["timeline"] = [{"name": "says", "action": "test.says", "at": "500ms"}]
        heard = {"name": "heard", "type": "topic_value", "topic": "word", "vehicle": "ugv1"}
        heard |= {"field": "data", "condition": "value == 'hello'", "mode": "eventually"}
        scenario["assertions"] = [heard]

    code, out, err = run("run", variant(change=change))
    assert code == 0, out + err
    record = json.loads((only_run() / "run.json").read_text())
    assert [one["status"] for one in record["assertions"]] == ["passed"]
