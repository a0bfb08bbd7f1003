"""The process that runs scenarios, one after another, for whoever holds the other end of a pipe."""

import ctypes
import os
import signal
import sys
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from fieldproof.driving.agents import adopt, end_below, reaped
from fieldproof.driving.loop._scenario import ScenarioResult, Task, run_scenario
from fieldproof.runs import UnwritableRunError

_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a scenario could not be carried out, for reasons that are not the agent's.

    Attributes:
        reason: as the end of a sentence.
        path: the file that could not be written; None if it is not about one.
    """

    reason: str
    path: Path | None = None


def serve(descriptor: int, parent: int) -> None:
    """Run each scenario that is sent until the other side closes, and send what came of it.

    What an agent started has ended when its result is sent, also if it ended everything between
    itself and this process.

    Args:
        descriptor: of the pipe.
        parent: whoever holds its other end; this process ends with it.
    """
    adopt()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit("whoever started this is gone")
    with Connection(descriptor) as pipe:
        while True:
            try:
                task: Task = pipe.recv()
            except EOFError:
                break
            answer = _answer(task)
            end_below(os.getpid())
            reaped()
            pipe.send(answer)


def _answer(task: Task) -> ScenarioResult | Refused:
    try:
        return run_scenario(task)
    except UnwritableRunError as error:
        return Refused(error.reason, error.path)
    except OSError as error:
        return Refused(str(error))
