"""What every simulator must do, asked over the wire of a real process."""

import hashlib
import itertools
import os
import select
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import msgpack
import numpy as np
import pytest
import zmq

from fieldproof_sim import FrameTimeoutError
from fieldproof_sim._main import SIMULATORS

ROOT = Path(__file__).parents[2]
SECOND_NS = 1_000_000_000


def frames_of_a_drive(simulator, subscribe, **load):
    """Drive through a fixed sequence of commands; return all frames and what they decode to."""
    simulator.load(**load)
    subscriber = subscribe(simulator)
    frames = []
    for tick in range(1, 31):
        reply = simulator.step(tick * 0.05)
        subscriber.wait_for(reply["frames"], 5.0)
        frames += subscriber.drain()
        simulator.client.request(
            "command", vehicle="ugv1", linear_mps=0.02 * tick, angular_radps=0.3 if tick > 9 else 0
        )
    assert subscriber.gaps == {}
    return [(f.topic, f.data) for f in frames]


def digest(frames):
    return hashlib.sha256(msgpack.packb(frames)).hexdigest()


def test_hello_names_protocol_and_simulator(simulator):
    reply = simulator.client.request("hello")
    assert reply["protocol"] == 1
    assert reply["simulator"] in SIMULATORS
    assert reply["version"]
    assert set(reply["capabilities"]) <= {"spawn", "remove", "teleport", "wind"}


@pytest.mark.parametrize(
    ("op", "fields"),
    [
        ("step", {"until_ns": 0}),
        ("pause", {}),
        ("resume", {}),
        ("state", {}),
        ("command", {"vehicle": "ugv1", "linear_mps": 0.0, "angular_radps": 0.0}),
        ("remove", {"model": "crate"}),
    ],
)
def test_nothing_works_before_a_world_is_loaded(simulator, refuses, op, fields):
    assert refuses(simulator.client, op, **fields).code == "not_loaded"


def test_bad_requests_are_answered_and_harm_nothing(simulator, refuses):
    client = simulator.client
    assert "nearest: step" in str(refuses(client, "stepp"))
    assert refuses(client, "stepp").code == "unknown_op"
    error = refuses(client, "step", until_ns=1.5, extra=1)
    assert error.code == "bad_request"
    assert "until_ns: " in error.message
    assert "extra: " in error.message
    assert refuses(client, "resume", rtf=0).code == "bad_request"
    assert refuses(client, "resume", rtf=float("nan")).code == "bad_request"
    with zmq.Context() as context, context.socket(zmq.REQ) as socket:
        socket.connect(simulator.control)
        for payload in (b"", b"\xc1", msgpack.packb([1]), msgpack.packb({1: 2}), msgpack.packb({})):
            socket.send(payload)
            assert socket.poll(5000)
            assert msgpack.unpackb(socket.recv())["code"] == "bad_request"
    assert client.request("hello")["protocol"] == 1


def test_a_world_that_cannot_be_used_is_named_with_its_line(
    simulator, refuses, load_fields, write_world
):
    world = write_world('<model name="m"><link name="l"/><joint name="j" type="fixed"/></model>')
    error = refuses(simulator.client, "load", **load_fields(world=world))
    assert error.code == "bad_world"
    assert f"{world}:2: <joint> in <model> is not supported" in error.message
    missing = refuses(simulator.client, "load", **load_fields(world="nowhere.sdf"))
    assert missing.code == "bad_world"
    assert "nowhere.sdf" in missing.message
    assert simulator.load()["time_ns"] == 0


def test_a_robot_that_cannot_be_used_is_named(simulator, refuses, load_fields, manifest):
    drive = {**manifest["drive"], "left_joints": ["left_weel_joint"], "wheel_radius_m": -1}
    error = refuses(
        simulator.client,
        "load",
        **load_fields(vehicle={"manifest": {**manifest, "drive": drive}}),
    )
    assert error.code == "bad_robot"
    assert "ugv1: manifest: drive.wheel_radius_m: " in error.message
    drive["wheel_radius_m"] = 0.1
    error = refuses(
        simulator.client,
        "load",
        **load_fields(vehicle={"manifest": {**manifest, "drive": drive}}),
    )
    assert error.code == "bad_robot"
    assert "left_weel_joint" in error.message
    assert "left_wheel_joint" in error.message


def test_a_load_starts_paused_at_zero_and_is_the_only_one(simulator, refuses, load_fields):
    reply = simulator.load()
    assert reply["time_ns"] == 0
    assert reply["models"][-1] == "ugv1"
    assert "warehouse" in reply["models"]
    state = simulator.client.request("state")
    assert (state["time_ns"], state["paused"]) == (0, True)
    assert state["models"] == reply["models"]
    assert refuses(simulator.client, "load", **load_fields()).code == "refused"


def test_vehicle_names_must_be_free(simulator, refuses, load_fields):
    error = refuses(simulator.client, "load", **load_fields(vehicle={"name": "warehouse"}))
    assert error.code == "refused"
    assert "warehouse" in error.message


def test_a_step_publishes_every_frame_that_its_answer_counts(simulator, subscribe):
    simulator.load()
    subscriber = subscribe(simulator)
    reply = simulator.step(1.0)
    assert reply["time_ns"] == SECOND_NS
    subscriber.wait_for(reply["frames"], 5.0)
    frames = subscriber.drain()
    counts = Counter(frame.topic for frame in frames)
    assert counts == reply["frames"]
    assert counts == {
        "clock": 1,
        "pose": 10,
        "sensor/ugv1/lidar": 10,
        "sensor/ugv1/imu": 100,
        "sensor/ugv1/gps": 5,
        "sensor/ugv1/odometry": 50,
        "sensor/ugv1/joint_states": 50,
    }
    assert [f.time_ns for f in frames] == sorted(f.time_ns for f in frames)
    for topic, count in counts.items():
        mine = [frame for frame in frames if frame.topic == topic]
        assert [frame.seq for frame in mine] == list(range(1, count + 1))
        assert [f.time_ns for f in mine] == [SECOND_NS // count * (n + 1) for n in range(count)]
    assert frames[-1].data["paused"] is True
    assert frames[-1].data["rtf"] is None


def test_frames_hold_what_the_protocol_says(simulator, subscribe):
    simulator.load()
    subscriber = subscribe(simulator)
    subscriber.wait_for(simulator.step(0.2)["frames"], 5.0)
    by_topic = {frame.topic: frame.data for frame in subscriber.drain()}
    stamp = {"seq", "time_ns"}
    models = by_topic["pose"]["models"]
    assert set(by_topic["pose"]) == {"models", "teleported"} | stamp
    assert set(by_topic["clock"]) == {"paused", "rtf", "wall_ns"} | stamp
    assert set(models[0]) == {"name", *"xyz", "qx", "qy", "qz", "qw", "vx", "vy", "vz", "wz"}
    lidar = by_topic["sensor/ugv1/lidar"]
    assert set(lidar) == stamp | {
        "ranges", "angle_min", "angle_max", "angle_increment", "range_min", "range_max",
    }  # fmt: skip
    assert np.frombuffer(lidar["ranges"], "<f4").shape == (360,)
    assert set(by_topic["sensor/ugv1/imu"]) == stamp | {
        "qx", "qy", "qz", "qw", "gx", "gy", "gz", "ax", "ay", "az",
    }  # fmt: skip
    assert set(by_topic["sensor/ugv1/gps"]) == stamp | {
        "latitude_deg", "longitude_deg", "altitude_m",
    }  # fmt: skip
    assert set(by_topic["sensor/ugv1/odometry"]) == stamp | {"x", "y", "yaw", "v_mps", "w_radps"}
    assert set(by_topic["sensor/ugv1/joint_states"]) == stamp | {
        "names", "positions", "velocities",
    }  # fmt: skip


def test_steps_go_forward_in_whole_physics_steps(simulator, refuses):
    simulator.load()
    assert simulator.step(0.1)["time_ns"] == SECOND_NS // 10
    assert simulator.step(0.1)["time_ns"] == SECOND_NS // 10
    assert "before now" in refuses(simulator.client, "step", until_ns=0).message
    error = refuses(simulator.client, "step", until_ns=SECOND_NS + 1)
    assert error.code == "bad_request"
    assert "whole number of steps" in error.message


def test_a_command_drives_its_vehicle_until_the_next(simulator, refuses, subscribe):
    simulator.load()
    subscriber = subscribe(simulator, "pose")
    command = {"vehicle": "ugv1", "linear_mps": 0.5, "angular_radps": 0.0}
    simulator.client.request("command", **command)
    subscriber.wait_for(simulator.step(3.0)["frames"], 5.0)
    truth = subscriber.drain()[-1].data["models"][-1]
    assert truth["name"] == "ugv1"
    assert truth["vy"] == pytest.approx(-0.5, abs=0.01)
    assert truth["y"] == pytest.approx(3.0 - 0.5 * 3 + 0.5**2 / 2, abs=0.03)
    error = refuses(simulator.client, "command", **{**command, "vehicle": "ugv9"})
    assert error.code == "unknown_vehicle"
    assert "ugv1" in error.message
    assert refuses(simulator.client, "command", **{**command, "linear_mps": float("inf")})


def test_only_a_touching_chassis_is_reported_at_most_50_times_a_second(simulator, subscribe):
    simulator.load(vehicle={"spawn": {"x": 14.0, "y": 0.9, "z": 0.12, "yaw": -1.5707963267948966}})
    subscriber = subscribe(simulator, "contact/ugv1")
    simulator.client.request("command", vehicle="ugv1", linear_mps=0.5, angular_radps=0.0)
    subscriber.wait_for(simulator.step(2.0)["frames"], 5.0)
    frames = subscriber.drain()
    assert frames, "the vehicle ran into the wall"
    times = [frame.time_ns for frame in frames]
    assert all(b - a >= 20_000_000 for a, b in itertools.pairwise(times))
    for frame in frames:
        for contact in frame.data["contacts"]:
            assert contact["collision1"] == "ugv1::base_link::chassis_collision"
            assert contact["collision2"] == "warehouse::south_east::collision"
            assert contact["count"] >= 1


def test_equal_runs_publish_equal_frames_to_the_bit(simulator, start_simulator, subscribe):
    first = frames_of_a_drive(simulator, subscribe)
    second = frames_of_a_drive(start_simulator(), subscribe)
    assert digest(first) == digest(second)


def test_the_seed_changes_noise_and_nothing_else(simulator, start_simulator, subscribe):
    first = frames_of_a_drive(simulator, subscribe)
    second = frames_of_a_drive(start_simulator(), subscribe, seed=8)
    differing = {a[0] for a, b in zip(first, second, strict=True) if a != b}
    assert differing == {"sensor/ugv1/lidar", "sensor/ugv1/imu", "sensor/ugv1/gps"}


def test_the_length_of_the_ticks_does_not_change_the_frames(simulator, start_simulator, subscribe):
    digests = []
    for tick_s, running in (
        (0.05, simulator),
        (0.25, start_simulator()),
        (0.002, start_simulator()),
    ):
        running.load()
        subscriber = subscribe(running, "pose", "sensor/")
        running.client.request("command", vehicle="ugv1", linear_mps=0.4, angular_radps=0.4)
        for tick in range(1, round(0.5 / tick_s) + 1):
            reply = running.step(tick * tick_s)
        subscriber.wait_for(reply["frames"], 5.0)
        digests.append(digest([(f.topic, f.data) for f in subscriber.drain()]))
    assert digests[0] == digests[1] == digests[2]


def test_a_subscriber_that_comes_late_misses_nothing_after_its_handshake(simulator, subscribe):
    simulator.load()
    simulator.step(0.5)
    subscriber = subscribe(simulator, "pose")
    assert subscriber.last_seq["pose"] == 5
    subscriber.wait_for(simulator.step(0.6)["frames"], 5.0)
    assert [frame.seq for frame in subscriber.drain()] == [6]
    assert subscriber.gaps == {}
    with pytest.raises(FrameTimeoutError, match=r"pose \(seq 9, have 6\)"):
        subscriber.wait_for({"pose": 9}, 0.01)


def test_shutdown_is_answered_and_ends_the_process(simulator):
    assert simulator.client.request("shutdown") == {}
    output, _ = simulator.process.communicate(timeout=10)
    assert (simulator.process.returncode, output) == (0, b"")


def test_sigterm_ends_the_process_even_while_it_runs(simulator):
    simulator.load()
    simulator.client.request("resume")
    simulator.process.send_signal(signal.SIGTERM)
    assert simulator.process.wait(timeout=10) == 0


def test_the_process_ends_when_its_parent_dies(simulator):
    reading, writing = os.pipe()
    addresses = [f"{simulator.control}-2", f"{simulator.publish}-2"]
    code = (
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-m', 'fieldproof_sim', '--control', "
        f"{addresses[0]!r}, '--publish', {addresses[1]!r}], pass_fds=[{writing}])\n"
        "sys.stdin.read()\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT / "sim")},
        stdin=subprocess.PIPE,
        pass_fds=[writing],
    )
    os.close(writing)
    client = type(simulator.client)(addresses[0], 20.0)
    client.request("hello")
    client.close()
    parent.kill()
    parent.communicate()
    ended, _, _ = select.select([reading], [], [], 10)
    assert ended, "the simulator outlived its parent"
    assert os.read(reading, 1) == b""
    os.close(reading)


def test_an_address_in_use_is_an_error_that_names_it(simulator):
    simulator.client.request("hello")
    second = subprocess.run(
        [sys.executable, "-m", "fieldproof_sim", "--control", simulator.control,
         "--publish", f"{simulator.publish}-3"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "sim")},
        capture_output=True, check=False, timeout=30,
    )  # fmt: skip
    assert second.returncode == 1
    assert simulator.control in second.stderr.decode()
    assert simulator.client.request("hello")["protocol"] == 1


def test_commands_given_with_a_step_apply_from_its_first_instant(simulator, refuses, subscribe):
    simulator.load()
    frames = subscribe(simulator, "pose")
    command = {"vehicle": "ugv1", "linear_mps": 0.5, "angular_radps": 0.0}
    stranger = {**command, "vehicle": "ugv9"}
    error = refuses(simulator.client, "step", until_ns=3 * SECOND_NS, commands=[stranger])
    assert error.code == "unknown_vehicle"
    assert simulator.client.request("state")["time_ns"] == 0
    reply = simulator.client.request("step", until_ns=3 * SECOND_NS, commands=[command])
    frames.wait_for(reply["frames"], 5.0)
    truth = frames.drain()[-1].data["models"][-1]
    assert truth["y"] == pytest.approx(3.0 - 0.5 * 3 + 0.5**2 / 2, abs=0.03)
