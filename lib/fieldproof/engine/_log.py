"""engine.log: one JSON object a line, each also bound for the recording's event channel."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

EVENTS_TOPIC = "/fieldproof/events"


class EngineLog:
    """Writes engine.log and keeps the lines until the recorder takes them.

    The recorded line leaves out the wall clock, so that a repeated run records the same.

    Args:
        path: the log file, appended to and flushed line by line.
        wall_ns: the wall clock, nanoseconds since the epoch.
        listener: told of every line as it is written, such as the terminal's progress.
    """

    def __init__(
        self,
        path: Path,
        *,
        wall_ns: Callable[[], int],
        listener: Callable[[str, str, dict[str, Any]], None],
    ) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("a", encoding="utf-8")
        self._wall_ns = wall_ns
        self._listener = listener
        self._pending: list[dict[str, Any]] = []
        self.sim_s: float | None = None

    def write(self, event: str, message: str, *, evidence: bool = True, **fields: Any) -> None:
        """Write one line.

        Args:
            event: its dotted kind, such as `action.start`.
            message: the line for people.
            evidence: whether it belongs in the recording; what depends on the evaluation plan
                does not, since the evidence must not change with a limit.
            fields: whatever else there is to say, as JSON data.
        """
        line = {"event": event, "message": message, "sim_s": self.sim_s, **fields}
        if evidence:
            self.side(EVENTS_TOPIC, line)
        text = json.dumps({**line, "wall": self._wall_ns() / 1e9}, sort_keys=True)
        self._file.write(text + "\n")
        self._file.flush()
        self._listener(event, message, fields)

    def side(self, topic: str, value: Mapping[str, Any]) -> None:
        """Queue an object for a side channel of the recording."""
        self._pending.append({"topic": topic, "value": dict(value)})

    def take(self) -> list[dict[str, Any]]:
        """The lines that the recorder has not had yet."""
        pending, self._pending = self._pending, []
        return pending

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        """The log itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file."""
        self.close()
