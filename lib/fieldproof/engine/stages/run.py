from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from fieldproof.engine._errors import InfrastructureError
from fieldproof.engine._execute import execute
from fieldproof.engine._interrupt import Interrupt
from fieldproof.engine._log import EngineLog
from fieldproof.engine._surroundings import Surroundings
from fieldproof.runs import read_json


def stage_run(
    plan: Path,
    out: Path,
    *,
    host: Mapping[str, str],
    listener: Callable[[str, str, dict[str, Any]], None],
) -> None:
    """Carry out an execution plan and write its evidence, nothing of which depends on the host.

    Raises:
        InfrastructureError: the run could not be carried out, or its evidence has gaps: neither
            may be kept as a result.
    """
    execution = read_json(plan / "execution.json")
    out.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="fieldproof-") as scratch,
        Interrupt() as interrupt,
        EngineLog(
            Path(scratch) / "logs" / "engine.log", wall_ns=time.time_ns, listener=listener
        ) as log,
    ):
        around = Surroundings(
            run_id=Path(scratch).name.removeprefix("fieldproof-"), host=host, interrupted=interrupt
        )
        result = execute(
            execution,
            plan=plan.resolve(),
            evidence=out,
            logs=Path(scratch) / "logs",
            around=around,
            log=log,
        )
    outcome = result.outcome
    if outcome["status"] in ("error", "interrupted"):
        raise InfrastructureError(outcome["reason"] or outcome["status"])
    if not outcome["complete"]:
        raise InfrastructureError(f"the evidence is incomplete: {outcome['gaps']}")
