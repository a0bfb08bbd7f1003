import json

from fieldproof.engine._log import EngineLog


def test_recorded_lines_leave_out_the_wall_clock_and_the_file_has_it(tmp_path):
    heard = []
    path = tmp_path / "logs" / "engine.log"
    with EngineLog(path, wall_ns=lambda: 5_000_000_000, listener=lambda *a: heard.append(a)) as log:
        log.sim_s = 1.5
        log.write("action.start", "drive", action="drive")
        taken = log.take()
        assert log.take() == []
    line = json.loads(path.read_text())
    assert line["wall"] == 5.0
    assert taken[0]["topic"] == "/fieldproof/events"
    assert taken[0]["value"] == {key: line[key] for key in line if key != "wall"}
    assert heard == [("action.start", "drive", {"action": "drive"})]
