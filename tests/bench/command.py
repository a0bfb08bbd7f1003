"""The command: options, what is printed and written, and the exit code."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.bench.bench import Bench, Effort
from tests.bench.checkout import ROOT
from tests.bench.figures import FIGURES, Result
from tests.bench.machine import facts
from tests.bench.table import render

SCHEMA_VERSION = 1

_NAMES = [figure.name for figure in FIGURES]
_RUNS, _RUNS_IN_PART = 20, 5


def _say(text: str) -> None:
    sys.stderr.write(f"bench: {text}\n")
    sys.stderr.flush()


def _document(
    results: Sequence[Result], machine: dict[str, Any], details: dict[str, float]
) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA_VERSION,
        "machine": machine,
        "figures": [result.to_data() for result in results],
        "details": details,
    }


def _brief(result: Result) -> str:
    data = result.to_data()
    return json.dumps({key: data[key] for key in data if key not in {"what", "samples", "note"}})


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="run.py", description="Measure the figures.")
    parser.add_argument(
        "--only",
        nargs="+",
        choices=_NAMES,
        default=_NAMES,
        metavar="FIGURE",
        help=f"some of {', '.join(_NAMES)}",
    )
    parser.add_argument(
        "--runs",
        type=int,
        help=f"live runs: {_RUNS} unless given, {_RUNS_IN_PART} where evidence is not asked for",
    )
    parser.add_argument("--json", action="store_true", help="print the whole document and no table")
    options = parser.parse_args(arguments)
    if options.runs is None:
        options.runs = _RUNS if "evidence" in options.only else _RUNS_IN_PART
    if options.runs < 1:
        parser.error(f"--runs: must be at least 1 (got {options.runs})")
    return options


def main(
    arguments: Sequence[str],
    *,
    build: Path = ROOT / "build",
    prepare: Callable[[Sequence[str], Effort, Callable[[str], None]], Bench] = Bench,
) -> int:
    """Measure, print and write; returns the exit code.

    Args:
        arguments: the command line without the program.
        build: folder for bench.json.
        prepare: makes what measures.
    """
    options = _options(arguments)
    machine = facts() | {"load_before": list(os.getloadavg())}
    bench = prepare(options.only, Effort(live=options.runs), _say)
    bench.measure()
    machine["load_after"] = list(os.getloadavg())
    results = [bench.results[name] for name in _NAMES if name in bench.results]
    document = json.dumps(_document(results, machine, bench.details), indent=1)
    build.mkdir(exist_ok=True)
    (build / "bench.json").write_text(document + "\n", encoding="utf-8")
    if options.json:
        sys.stdout.write(document + "\n")
    else:
        lines = [render(results, machine, bench.details), *map(_brief, results)]
        sys.stdout.write("\n".join(lines) + "\n")
    return 1 if any(result.verdict == "not measured" for result in results) else 0
