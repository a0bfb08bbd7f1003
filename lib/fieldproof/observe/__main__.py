"""`python -m fieldproof.observe --config FILE`: one observer process."""

from __future__ import annotations

import argparse
from pathlib import Path

from fieldproof.observe._config import ObserverConfig
from fieldproof.observe._service import Service


def main() -> None:
    """Read the configuration and serve."""
    parser = argparse.ArgumentParser(prog="fieldproof.observe", description=__doc__)
    parser.add_argument("--config", type=Path, required=True)
    Service(ObserverConfig.read(parser.parse_args().config)).run()


if __name__ == "__main__":
    main()
