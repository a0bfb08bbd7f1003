"""Measures the figures of docs/bench.md: `make bench`, or `nix/exec python -B tests/bench/run.py`.

Prints a table and the figures as JSON, and writes build/bench.json. Exit code 1 only when something
could not be measured; a figure that does not hold is a result like any other.
"""

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[2])  # its siblings are modules of the package tests.bench

from tests.bench.command import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
