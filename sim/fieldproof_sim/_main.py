import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import Final

import zmq

from fieldproof_sim.interface import RequestError, Simulator
from fieldproof_sim.server import Server


def _mujoco() -> Simulator:
    from fieldproof_sim.mujoco_sim import MujocoSimulator  # noqa: PLC0415 - heavy, and one of many

    return MujocoSimulator()


SIMULATORS: Final[dict[str, Callable[[], Simulator]]] = {"mujoco": _mujoco}


def main(argv: Sequence[str] | None = None) -> int:
    """Serve one simulator; return 0 when asked to end, 1 when it could not start or go on."""
    parent_pid = os.getppid()
    parser = argparse.ArgumentParser(prog="fieldproof_sim", description="Serve a simulator.")
    parser.add_argument("--simulator", choices=sorted(SIMULATORS), default="mujoco")
    parser.add_argument("--control", required=True, help="ZeroMQ address of requests")
    parser.add_argument("--publish", required=True, help="ZeroMQ address of frames")
    parser.add_argument(
        "--parent-pid", type=int, default=parent_pid, help="end when this is not the parent"
    )
    options = parser.parse_args(argv)
    try:
        server = Server(
            SIMULATORS[options.simulator](),
            options.control,
            options.publish,
            parent_pid=options.parent_pid,
        )
    except zmq.ZMQError as error:
        sys.stderr.write(f"fieldproof_sim: cannot bind {error}\n")
        return 1
    try:
        server.run()
    except RequestError as error:
        sys.stderr.write(f"fieldproof_sim: {error.message}\n")
        return 1
    finally:
        server.close()
    return 0
