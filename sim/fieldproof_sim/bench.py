"""How fast the simulator's loop is: `python -m fieldproof_sim.bench WORLD URDF MANIFEST`."""

import argparse
import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from fieldproof_sim.mujoco_sim import MujocoSimulator
from fieldproof_sim.protocol import Command, Load


def measure_loop(
    world: Path, urdf: Path, manifest: Mapping[str, Any], *, seconds: float = 10.0
) -> dict[str, float]:
    """Drive one vehicle along an arc with all its sensors on, nothing published.

    Returns:
        `rtf`: simulation seconds a wall second; `cpu_rtf`: the same a second of processor time,
        which other work on the machine does not distort.
    """
    spawn = {"x": 10.0, "y": 3.0, "z": 0.12, "yaw": -1.5707963267948966}
    vehicle = {"name": "ugv1", "urdf": urdf, "manifest": manifest, "spawn": spawn}
    simulator = MujocoSimulator()
    simulator.load(
        Load.model_validate(
            {
                "op": "load",
                "world": world,
                "physics_step_ns": 2_000_000,
                "seed": 1,
                "vehicles": [vehicle],
            }
        )
    )
    simulator.command(Command(op="command", vehicle="ugv1", linear_mps=0.5, angular_radps=0.5))
    simulator.advance(1_000_000_000, _discard)
    wall_s, cpu_s = time.perf_counter(), time.process_time()
    simulator.advance(1_000_000_000 + round(seconds * 1e9), _discard)
    wall_s, cpu_s = time.perf_counter() - wall_s, time.process_time() - cpu_s
    return {"rtf": seconds / wall_s, "cpu_rtf": seconds / cpu_s}


def _discard(_topic: str, _fields: Mapping[str, Any]) -> None:
    pass


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description="Measure the simulator's loop.")
    parser.add_argument("world", type=Path, help="an SDF file")
    parser.add_argument("urdf", type=Path)
    parser.add_argument("manifest", type=Path, help="the vehicle's robot.yaml")
    parser.add_argument("--seconds", type=float, default=10.0, help="of simulation")
    options = parser.parse_args()
    manifest = yaml.safe_load(options.manifest.read_text())
    figures = measure_loop(options.world, options.urdf, manifest, seconds=options.seconds)
    sys.stdout.write(json.dumps(figures) + "\n")


if __name__ == "__main__":
    main()
