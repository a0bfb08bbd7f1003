"""How soon a spawned model is seen, and what a spawn costs: a simulator process and its client."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import yaml

from fieldproof_sim import FrameSubscriber, FrameTimeoutError, SimulatorClient, SimulatorError
from tests.bench.checkout import ROOT, MeasurementError
from tests.bench.machine import Watch

_TICK_NS: Final = 50_000_000  # of lockstep, unless a scenario says otherwise
_LIDAR: Final = "sensor/ugv1/lidar"
_AHEAD: Final = 180  # the ray along x
_SEEN_M: Final = 3.0 - 1.1 + 0.1  # from the vehicle at the dock to the crate, and noise
_BOUND_S: Final = 20.0
_MOST_SCANS: Final = 5


@dataclass(frozen=True, slots=True)
class Spawns:
    """What some spawns took, one after the other, in turn a tick and two before a scan is due.

    Attributes:
        scans: from the request to the scan that shows the model, that one included.
        ticks: of 50 ms of simulation, the same.
        visible_ms: wall clock from the request to having that scan, physics as fast as it can.
        spawn_ms: wall clock of the request alone.
        tick_ms: wall clock of a tick without one.
        watch: of all of it.
    """

    scans: tuple[float, ...]
    ticks: tuple[float, ...]
    visible_ms: tuple[float, ...]
    spawn_ms: tuple[float, ...]
    tick_ms: tuple[float, ...]
    watch: Watch

    def details(self) -> dict[str, float]:
        """Medians beside the figure, by name."""
        median = statistics.median
        spawn_ms, tick_ms = median(self.spawn_ms), median(self.tick_ms)
        return {
            "spawn_visible_ticks": max(self.ticks),
            "spawn_visible_wall_ms": median(self.visible_ms),
            "spawn_wall_ms": spawn_ms,
            "spawn_wall_per_sim_tick_wall": spawn_ms / tick_ms,
        }


def measure_spawn(repetitions: int, say: Callable[[str], None]) -> Spawns:
    """Spawn a crate ahead of the vehicle in dock_yard, wait until it is seen, and remove it.

    Raises:
        MeasurementError: the simulator failed, or a crate was not seen.
    """
    say(f"{repetitions} spawns")
    try:
        with Watch() as watch, _simulator() as (client, frames):
            rows = [_spawn_once(client, frames, ticks=1 + k % 2) for k in range(repetitions)]
    except (SimulatorError, FrameTimeoutError, OSError) as error:
        raise MeasurementError(f"the simulator: {error}") from error
    scans, ticks, visible, spawn, tick = zip(*rows, strict=True)
    return Spawns(scans, ticks, visible, spawn, tick, watch)


def _spawn_once(
    client: SimulatorClient, frames: FrameSubscriber, *, ticks: int
) -> tuple[float, ...]:
    """Let some ticks pass, then spawn; a scan is due every other tick."""
    tick_ms = _timed(lambda: [_tick(client) for _ in range(ticks)])[0] / ticks
    frames.wait_for(_published(client), _BOUND_S)
    frames.drain()
    began = time.perf_counter()
    spawn_ms, _ = _timed(
        lambda: client.request(
            "spawn",
            model="crate",
            pose={"x": 10.0, "y": 0.8},
            shape={"type": "box", "size": [0.6, 0.6, 0.5]},
        )
    )
    scans = passed = 0
    while scans < _MOST_SCANS:
        passed += 1
        frames.wait_for(_tick(client), _BOUND_S)
        for frame in frames.drain():
            scans += 1
            if np.frombuffer(frame.data["ranges"], "<f4")[_AHEAD] < _SEEN_M:
                visible_ms = 1e3 * (time.perf_counter() - began)
                client.request("remove", model="crate")
                return float(scans), float(passed), visible_ms, spawn_ms, tick_ms
    raise MeasurementError(f"a crate was not seen in {scans} scans")


def _tick(client: SimulatorClient) -> dict[str, int]:
    frames: dict[str, int] = client.request("step", advance_ns=_TICK_NS)["frames"]
    return frames


def _published(client: SimulatorClient) -> dict[str, int]:
    """Return what has been published so far."""
    frames: dict[str, int] = client.request("step", steps=0)["frames"]
    return frames


def _timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return the wall clock of a call in ms, and what it returned."""
    began = time.perf_counter()
    result = call()
    return 1e3 * (time.perf_counter() - began), result


@contextmanager
def _simulator() -> Iterator[tuple[SimulatorClient, FrameSubscriber]]:
    """Start a simulator with the dock's world and vehicle, at rest; it ends with the block."""
    robot = ROOT / "robots" / "ugv_ref"
    token = uuid.uuid4().hex
    control, publish = f"ipc://@fp-bench-{token}-c", f"ipc://@fp-bench-{token}-p"
    with ExitStack() as stack:
        process = subprocess.Popen(
            [sys.executable, "-B", "-m", "fieldproof_sim", "--control", control,
             "--publish", publish],
            env={**os.environ, "PYTHONPATH": str(ROOT / "sim")},
        )  # fmt: skip
        stack.callback(process.wait)
        stack.callback(process.kill)
        client = stack.enter_context(SimulatorClient(control, _BOUND_S))
        client.request(
            "load",
            world=str(ROOT / "worlds" / "dock_yard" / "world.sdf"),
            physics_step_ns=2_000_000,
            seed=1,
            vehicles=[
                {
                    "name": "ugv1",
                    "urdf": str(robot / "ugv_ref.urdf"),
                    "manifest": yaml.safe_load((robot / "robot.yaml").read_text(encoding="utf-8")),
                    "spawn": {"x": 10.0, "y": 3.0, "z": 0.12, "yaw": -1.5707963267948966},
                }
            ],
        )
        frames = stack.enter_context(FrameSubscriber(publish, [_LIDAR]))
        frames.sync(client)
        yield client, frames
