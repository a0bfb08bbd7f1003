"""How time runs freely, stops and goes on in every simulator, over the wire of a real process."""

import time

import pytest

SECOND_NS = 1_000_000_000
CLOCK_NS = 10_000_000


def test_free_running_is_paused_and_resumed_and_refuses_steps(simulator, refuses, subscribe):
    simulator.load()
    subscriber = subscribe(simulator, "clock")
    simulator.client.request("resume", rtf=None)
    subscriber.wait_for({"clock": 20}, 20.0)
    assert refuses(simulator.client, "step", until_ns=10 * SECOND_NS).code == "not_paused"
    paused = simulator.client.request("pause")
    assert simulator.client.request("state")["time_ns"] == paused["time_ns"]
    subscriber.wait_for(paused["frames"], 5.0)
    clocks = subscriber.drain()[: paused["frames"]["clock"]]
    assert [c.time_ns for c in clocks[:20]] == [(n + 1) * 10_000_000 for n in range(20)]
    assert clocks[0].data["paused"] is False
    assert clocks[-1].data["paused"] is True
    assert clocks[-1].time_ns == paused["time_ns"]
    later = paused["time_ns"] + SECOND_NS
    assert simulator.client.request("step", until_ns=later)["time_ns"] == later


def test_free_running_keeps_to_the_real_time_factor(simulator, subscribe):
    simulator.load()
    subscriber = subscribe(simulator, "clock")
    started = time.monotonic()
    simulator.client.request("resume", rtf=2.0)
    subscriber.wait_for({"clock": 60}, 20.0)
    # 0.6 s at twice real time cannot be over sooner; being late is the machine's affair.
    assert time.monotonic() - started >= 0.3
    state = simulator.client.request("state")
    assert (state["paused"], state["rtf"]) == (False, 2.0)


def test_a_stopped_clock_goes_on_telling_its_time_at_the_pace_of_the_wall(simulator, subscribe):
    simulator.load()
    frames, client = subscribe(simulator, "clock"), simulator.client
    client.request("resume", rtf=5.0)
    frames.wait_for({"clock": 3}, 20.0)
    paused = client.request("pause")
    stopped, told = time.monotonic(), paused["frames"]["clock"]
    frames.wait_for({"clock": told + 20}, 20.0)
    # Each is told 10 ms after the one before; being late is the machine's affair.
    assert time.monotonic() - stopped >= 19 * 0.01
    repeated = frames.drain()[told:]
    assert {frame.time_ns for frame in repeated} == {paused["time_ns"]}
    assert all(frame.data["paused"] and frame.data["rtf"] is None for frame in repeated)
    assert client.request("state")["time_ns"] == paused["time_ns"]


def test_it_is_told_however_often_something_is_asked(simulator, subscribe):
    simulator.load()
    frames, client = subscribe(simulator, "clock"), simulator.client
    client.request("resume", rtf=5.0)
    told = client.request("pause")["frames"]["clock"]
    deadline = time.monotonic() + 20.0
    while frames.last_seq.get("clock", 0) < told + 5:
        assert time.monotonic() < deadline, "the clock fell silent"
        client.request("state")
        frames.drain()


def test_a_stopped_world_is_stepped_and_tells_the_time_it_then_has(simulator, subscribe):
    simulator.load()
    frames, client = subscribe(simulator, "clock"), simulator.client
    client.request("resume", rtf=5.0)
    stopped = client.request("pause")["time_ns"]
    reply = client.request("step", steps=3)
    assert reply["time_ns"] == stopped + 3 * 2_000_000
    frames.wait_for({"clock": reply["frames"]["clock"] + 3}, 20.0)
    assert {f.time_ns for f in frames.drain()[reply["frames"]["clock"] - 1 :]} == {reply["time_ns"]}
    assert client.request("state")["paused"] is True


def test_a_step_at_a_pace_is_answered_first_and_stands_at_its_end(simulator, refuses, subscribe):
    simulator.load()
    frames, client = subscribe(simulator, "clock"), simulator.client
    client.request("resume", rtf=5.0)
    stopped = client.request("pause")
    started = time.monotonic()
    reply = client.request("step", advance_ns=204_000_000, rtf=2.0)
    end_ns = stopped["time_ns"] + 204_000_000
    assert (reply["time_ns"], reply["until_ns"]) == (stopped["time_ns"], end_ns)
    assert refuses(client, "step", steps=1, rtf=2.0).code == "not_paused"
    told = []
    while not told or told[-1].time_ns < end_ns:
        told.append(frames.receive(20.0))
    # 0.204 s at twice real time cannot be over sooner; being late is the machine's affair.
    assert time.monotonic() - started >= 0.102
    ran = [frame for frame in told if stopped["time_ns"] < frame.time_ns < end_ns]
    assert len(ran) == 20
    assert not any(frame.data["paused"] for frame in ran)
    assert told[-1].time_ns == end_ns
    assert told[-1].data["paused"] is True
    frames.receive(20.0)
    assert client.request("state")["time_ns"] == end_ns
    assert client.request("step", steps=1)["time_ns"] == end_ns + 2_000_000


def test_a_step_at_a_pace_can_be_stopped_and_let_go_on(simulator, subscribe):
    simulator.load()
    frames, client = subscribe(simulator, "clock"), simulator.client
    end_ns = client.request("step", steps=100_000, rtf=2.0)["until_ns"]
    frames.wait_for({"clock": 3}, 20.0)
    assert client.request("pause")["time_ns"] < end_ns
    client.request("resume", rtf=2.0)
    end_ns = client.request("pause")["time_ns"] + 20_000_000
    client.request("step", until_ns=end_ns, rtf=0.5)
    client.request("resume", rtf=None)
    while client.request("state")["time_ns"] <= end_ns:
        assert frames.receive(20.0) is not None
    assert client.request("state")["paused"] is False


def test_the_clock_says_when_it_was_told_where_time_follows_the_wall(simulator, subscribe):
    simulator.load()
    frames, client = subscribe(simulator, "clock"), simulator.client
    before_ns = time.time_ns()
    simulator.step(0.1)
    assert frames.receive(20.0).data["wall_ns"] is None
    client.request("resume", rtf=5.0)
    told = [frames.receive(20.0).data["wall_ns"] for _ in range(5)]
    assert before_ns <= told[0]
    assert told == sorted(told)


@pytest.mark.parametrize("rtf", [1.0, 4.0])
def test_time_goes_on_where_it_stopped_and_catches_nothing_up(simulator, subscribe, rtf):
    simulator.load()
    frames, client = subscribe(simulator, "clock"), simulator.client
    client.request("resume", rtf=rtf)
    frames.wait_for({"clock": 3}, 20.0)
    paused = client.request("pause")
    frames.wait_for({"clock": paused["frames"]["clock"] + 20}, 20.0)
    frames.drain()
    resumed = time.monotonic()
    assert client.request("resume", rtf=rtf)["time_ns"] == paused["time_ns"]
    times = [paused["time_ns"]]
    while times[-1] < paused["time_ns"] + SECOND_NS // 5:
        frame = frames.receive(20.0)
        assert frame is not None
        times += [frame.time_ns] if frame.time_ns > times[-1] else []
    assert time.monotonic() - resumed >= 0.2 / rtf - 1e-3
    assert times == [paused["time_ns"] + n * CLOCK_NS for n in range(len(times))]
    assert client.request("state")["paused"] is False


def test_a_world_that_never_ran_freely_tells_the_time_with_its_steps_alone(simulator, subscribe):
    simulator.load()
    frames = subscribe(simulator, "clock")
    reply = simulator.step(0.1)
    simulator.client.request("pause")
    assert reply["frames"]["clock"] == 1
    assert frames.receive(5.0).data["paused"] is True
    assert frames.receive(0.1) is None


def test_a_step_says_until_when_or_by_how_much_or_how_many(simulator, refuses):
    simulator.load()
    client = simulator.client
    assert client.request("step", until_ns=20_000_000)["time_ns"] == 20_000_000
    assert client.request("step", advance_ns=6_000_000)["time_ns"] == 26_000_000
    assert client.request("step", steps=2)["time_ns"] == 30_000_000
    assert client.request("step", steps=0)["time_ns"] == 30_000_000
    for fields in ({}, {"steps": 1, "until_ns": 40_000_000}, {"advance_ns": 0, "steps": 0}):
        error = refuses(client, "step", **fields)
        assert error.code == "bad_request"
        assert "give one of until_ns, advance_ns and steps" in error.message
    error = refuses(client, "step", advance_ns=3_000_000)
    assert error.code == "bad_request"
    assert "advance_ns: 3000000 is not a whole number of steps of 2000000 ns" in error.message
    assert refuses(client, "step", steps=-1).code == "bad_request"
    assert client.request("state")["time_ns"] == 30_000_000
