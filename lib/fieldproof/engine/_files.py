from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def read_json(path: Path) -> dict[str, Any]:
    """Return the object in a file."""
    value: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return value


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Return the objects in a file of JSON lines."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
