from __future__ import annotations

import argparse
import os
import signal
import sys
from pathlib import Path
from typing import NoReturn

import zmq

from fieldproof_bridge import BridgeConfig, BridgeError, ConfigError
from fieldproof_bridge._bridge import Bridge
from fieldproof_bridge._server import ControlServer
from fieldproof_sim import FrameTimeoutError, SimulatorError


def main(argv: list[str] | None = None) -> int:
    """Run one vehicle's bridge until it is told to stop.

    Returns:
        0 after ``shutdown``, SIGTERM or SIGINT, 1 when the bridge cannot go on, 2 for a
        configuration that cannot be used.
    """
    parent = os.getppid()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _stop)
    parser = argparse.ArgumentParser(prog="python -m fieldproof_bridge", allow_abbrev=False)
    parser.add_argument("--config", type=Path, required=True, help="JSON configuration file")
    path: Path = parser.parse_args(argv).config
    try:
        config = BridgeConfig.read(path)
        with Bridge(config) as bridge:
            server = ControlServer(config.control, parent=parent)
            try:
                server.serve(bridge)
            finally:
                server.close()
    except ConfigError as error:
        for problem in error.problems:
            _say(problem)
        return 2
    except (BridgeError, SimulatorError, FrameTimeoutError, OSError, zmq.ZMQError) as error:
        _say(f"{type(error).__name__}: {error}")
        return 1
    return 0


def _stop(_number: int, _frame: object) -> NoReturn:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    raise SystemExit(0)


def _say(line: str) -> None:
    sys.stderr.write(f"fieldproof_bridge: {line}\n")


if __name__ == "__main__":
    sys.exit(main())
