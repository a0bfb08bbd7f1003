"""What an observer talks to: an engine's client, a simulator on ZeroMQ, nodes in processes."""

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.bridge.peer import ROOT, Caller, PeerSimulator, address, run_environment

TICK_NS = 50_000_000
_FILES = itertools.count()


class ObserverProcess:
    """An observer started as the engine starts it."""

    def __init__(
        self, simulator: PeerSimulator, folder: Path, domain: int, *, mode: str, **changes: Any
    ) -> None:
        self.simulator = simulator
        self.now_ns = 0
        config = {
            "control": address("observer"),
            "sim": {"control": simulator.control, "publish": simulator.publish_address},
            "mode": mode,
            "target_rtf": None if mode == "lockstep" else 1.0,
            "vehicles": [],
            "observe": {},
            "record": {"enabled": False, "topics": []},
            "gates": [],
            "handshake": [],
            "recording": None,
        } | changes
        path = folder / f"observer-{next(_FILES)}.json"
        path.write_text(json.dumps(config), encoding="utf-8")
        self.process = subprocess.Popen(
            [sys.executable, "-B", "-m", "fieldproof.observe", "--config", str(path)],
            env=run_environment(domain),
        )
        self.ask = Caller(config["control"])
        self.call("hello")
        self.call("sync", timeout_s=20.0)

    def call(self, op: str, **fields: Any) -> dict[str, Any]:
        """The answer to a request that must be carried out."""
        reply = self.ask(op, **fields)
        assert reply["ok"], reply
        return reply

    def match(self, *topics: str) -> None:
        """Wait until these topics are connected, as the engine does before the first tick."""
        asked = {"topics": topics, "required": topics, "heard": [], "known": {}}
        matched = self.call("match", **asked, timeout_s=30.0)
        assert (matched["missing"], matched["unmatched"]) == ([], [])

    def tick(self, **fields: Any) -> dict[str, Any]:
        """Let the simulator step and collect what belongs to the tick."""
        self.now_ns += TICK_NS
        frames = {"clock": self.simulator.frame("clock", self.now_ns, paused=True, rtf=None)}
        asked = {"goals": [], "calls": [], "side": [], "timeout_s": 10.0}
        return self.call("collect", **asked | {"time_ns": self.now_ns, "frames": frames} | fields)

    def collect(self, **fields: Any) -> dict[str, Any]:
        """Look at a world that runs free."""
        return self.call(
            "collect", **{"goals": [], "calls": [], "side": [], "timeout_s": 10.0} | fields
        )

    def watch(self, condition: Any, *, timeout_s: float = 30.0) -> list[dict[str, Any]]:
        """Collect from a world that runs free until a condition holds for the samples so far."""
        samples: list[dict[str, Any]] = []
        deadline = time.monotonic() + timeout_s
        while not condition(samples):
            assert time.monotonic() < deadline, samples
            samples += self.collect()["samples"]
        return samples

    def stop(self) -> None:
        self.ask.close()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


class NodeProcess:
    """A node (`graph_node.py`) in a process of its own, which does what it is told."""

    def __init__(self, domain: int, **options: Any) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-B", "-m", "tests.observe.graph_node", json.dumps(options)],
            cwd=ROOT,
            env=run_environment(domain),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.tell("hello")

    def tell(self, op: str, **fields: Any) -> Any:
        """Have it do something and return what it answers."""
        self.send(op, **fields)
        return self.receive()

    def send(self, op: str, **fields: Any) -> None:
        self.process.stdin.write(json.dumps({"op": op, **fields}) + "\n")
        self.process.stdin.flush()

    def receive(self) -> Any:
        line = self.process.stdout.readline()
        assert line, "the node has ended"
        return json.loads(line)

    def freeze(self) -> None:
        os.kill(self.process.pid, signal.SIGSTOP)
        while Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(") ")[2][0] != "T":
            os.sched_yield()

    def thaw(self) -> None:
        os.kill(self.process.pid, signal.SIGCONT)

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def of_kind(samples: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [sample for sample in samples if sample["kind"] == kind]
