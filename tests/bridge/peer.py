"""What a bridge talks to, in miniature: a simulator on ZeroMQ, an engine's client, processes."""

import itertools
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from array import array
from pathlib import Path
from typing import Any

import msgpack
import zmq

from fieldproof.backends import ros_environment

ROOT = Path(__file__).parents[2]
TICK_NS = 50_000_000
_NAMES = itertools.count()


def address(role: str) -> str:
    """A ZeroMQ address that nobody else uses and that leaves no file."""
    return f"ipc://@fieldproof-test-{os.getpid()}-{next(_NAMES)}-{role}"


class PeerSimulator:
    """Serves hello, sync and command as a simulator does; frames are published by the test."""

    def __init__(self) -> None:
        self.control, self.publish_address = address("control"), address("publish")
        self.commands: queue.Queue[dict[str, Any]] = queue.Queue()
        self.refusal: dict[str, Any] | None = None
        self._lock = threading.Lock()
        self._seq: dict[str, int] = {}
        context = zmq.Context.instance()
        self._replies = context.socket(zmq.REP)
        self._replies.bind(self.control)
        self._frames = context.socket(zmq.PUB)
        self._frames.setsockopt(zmq.SNDHWM, 0)
        self._frames.bind(self.publish_address)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def frame(self, topic: str, time_ns: int, *, skip: int = 0, **data: Any) -> int:
        """Publish one frame and return its number; ``skip`` pretends that some were lost."""
        with self._lock:
            seq = self._seq[topic] = self._seq.get(topic, 0) + 1 + skip
            payload = msgpack.packb({"seq": seq, "time_ns": time_ns} | data, use_bin_type=True)
            self._frames.send_multipart([topic.encode(), payload])
        return seq

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        self._replies.close(linger=0)
        self._frames.close(linger=0)

    def _serve(self) -> None:
        while not self._stop.is_set():
            if not self._replies.poll(50):
                continue
            request = msgpack.unpackb(self._replies.recv())
            reply: dict[str, Any] = {"ok": True}
            if request["op"] == "sync":
                with self._lock:
                    data = {"token": request["token"], "frames": self._seq}
                    self._frames.send_multipart([b"sync", msgpack.packb(data)])
            elif request["op"] == "command":
                if self.refusal is None:
                    self.commands.put(request)
                else:
                    reply = {"ok": False, **self.refusal}
            self._replies.send(msgpack.packb(reply))


class Caller:
    """The engine's end of a bridge's control socket."""

    def __init__(self, address: str) -> None:
        self._socket = zmq.Context.instance().socket(zmq.REQ)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._socket.connect(address)

    def __call__(self, op: str, **fields: Any) -> dict[str, Any]:
        return self.raw(msgpack.packb({"op": op, **fields}, use_bin_type=True))

    def raw(self, payload: bytes) -> dict[str, Any]:
        self._socket.send(payload)
        assert self._socket.poll(30_000), "the bridge does not answer"
        return msgpack.unpackb(self._socket.recv())

    def close(self) -> None:
        self._socket.close()


def run_environment(domain: int) -> dict[str, str]:
    folders = [str(ROOT / name) for name in ("lib", "sim", "bridge", "robots", "reports")]
    return ros_environment(os.environ, domain=domain, python_path=folders, mark={})


class BridgeProcess:
    """A bridge started as the engine starts it."""

    def __init__(self, config: dict[str, Any], folder: Path, domain: int) -> None:
        path = folder / f"bridge-{next(_NAMES)}.json"
        path.write_text(json.dumps(config), encoding="utf-8")
        self.process = subprocess.Popen(
            [sys.executable, "-B", "-m", "fieldproof_bridge", "--config", str(path)],
            env=run_environment(domain),
            stderr=subprocess.PIPE,
            text=True,
        )
        self.call = Caller(config["control"])

    def stop(self) -> None:
        self.call.close()
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


class StackProcess:
    """A node of the software under test (``stack_node.py``), which tells what it received."""

    def __init__(self, domain: int, **options: Any) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-B", "-m", "tests.bridge.stack_node", json.dumps(options)],
            cwd=ROOT,
            env=run_environment(domain),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read)  # a full pipe would stop the node
        self._reader.start()

    def received(self, time_ns: int) -> list[dict[str, Any]]:
        """What has arrived since the last call until the tick that ended at ``time_ns``."""
        rows: list[dict[str, Any]] = []
        while True:
            tick = self.row()
            rows += tick["received"]
            if tick["time_ns"] == time_ns:
                return rows

    def row(self) -> dict[str, Any]:
        """The next tick that the node tells of."""
        line = self._lines.get(timeout=30)
        assert line, "the stack's node has ended"
        tick: dict[str, Any] = json.loads(line)
        return tick

    def has_more(self) -> bool:
        return not self._lines.empty()

    def pause(self) -> None:
        """Freeze the process; returns when the kernel says that it is frozen."""
        self._process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self._process.pid, os.WSTOPPED | os.WNOWAIT)

    def resume(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._reader.join()
        self._process.stdin.close()
        self._process.stdout.close()

    def _read(self) -> None:
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put("")


def sensor_frames(simulator: PeerSimulator, vehicle: str, until_ns: int) -> dict[str, int]:
    """Publish what the reference vehicle's sensors give in the tick that ends at ``until_ns``.

    Every value is a function of the time, so that the receiving end can be checked.
    """
    last: dict[str, int] = {}
    rates = {"imu": 100, "odometry": 50, "joint_states": 50, "lidar": 10, "gps": 5}
    for name, rate_hz in rates.items():
        period_ns = 1_000_000_000 // rate_hz
        first = (until_ns - TICK_NS) // period_ns + 1
        for k in range(first, until_ns // period_ns + 1):
            topic = f"sensor/{vehicle}/{name}"
            last[topic] = simulator.frame(topic, k * period_ns, **payload(name, k * period_ns))
    return last


def payload(name: str, time_ns: int) -> dict[str, Any]:
    t = time_ns / 1e9
    if name == "imu":
        return dict(zip(("qx", "qy", "qz", "qw"), (0.0, 0.0, 0.6, 0.8), strict=True)) | dict(
            zip(("gx", "gy", "gz", "ax", "ay", "az"), (t, 0.0, 0.1, 0.0, t, 9.81), strict=True)
        )
    if name == "odometry":
        return {"x": t, "y": -t, "yaw": 0.5, "v_mps": 0.3, "w_radps": 0.2}
    if name == "joint_states":
        names = ["left_wheel_joint", "right_wheel_joint"]
        return {"names": names, "positions": [t, 2 * t], "velocities": [1.0, 2.0]}
    if name == "gps":
        return {"latitude_deg": 48.0 + t, "longitude_deg": 11.0, "altitude_m": 500.0}
    angles = {"angle_min": -3.0, "angle_increment": 1.0, "range_min": 0.1, "range_max": 12.0}
    return {"ranges": array("f", [1.0, 2.0, float("inf"), t]).tobytes()} | angles
