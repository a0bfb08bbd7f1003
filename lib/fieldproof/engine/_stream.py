"""The stream of samples: written to samples.jsonl and handed on, in one order for everybody."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from fieldproof.samples import AFTER, Sample, Subject, TimelineOrigin, format_sample, subject_of

RESOURCES = "resources.jsonl"
"""Beside samples.jsonl: what the processes took, and after how many samples each was measured."""

Sink = Callable[[Sample, int | None], None]
"""Takes a sample with its time on the timeline in nanoseconds (None before the origin is set)."""


class SampleStream:
    """Writes every sample of a run and passes it to the sinks.

    Args:
        path: samples.jsonl.
        mode: the run's time mode.
        sinks: called with each sample after it is written, in the given order.

    Attributes:
        held: what was seen before the origin and still holds there: the last sample of each
            latched subject, and the last error of reading each field that gave no value since.
    """

    def __init__(self, path: Path, mode: str, sinks: list[Sink]) -> None:
        self._file = path.open("wb", buffering=0)
        self._beside = path.with_name(RESOURCES)
        self._count = 0
        self._written = 0
        self._broken = False
        self._mode = mode
        self._sinks = sinks
        self._origin: TimelineOrigin | None = None
        self.held: dict[Subject, Sample] = {}

    def emit(self, data: Mapping[str, Any]) -> None:
        """Take one sample as a flat mapping with kind, wall and sim."""
        sample = Sample.from_data(data)
        self._write(format_sample(sample).encode())
        self._count += 1
        if sample.kind == "timeline" and sample.data["event"] == "start":
            self._origin = TimelineOrigin.of(sample, self._mode)
        elif self._origin is None:
            self._hold(sample)
        self._hand_on(sample)

    def emit_beside(self, data: Mapping[str, Any]) -> None:
        """Take a sample that follows the host: it is kept in a file of its own, with its place."""
        sample = Sample.from_data({**data, AFTER: self._count})
        with self._beside.open("ab") as file:
            file.write(format_sample(sample).encode())
        self._hand_on(sample)

    def _hold(self, sample: Sample) -> None:
        subject = subject_of(sample)
        if sample.kind == "field_error" or sample.data.get("latched"):
            self.held[subject] = sample
        if sample.kind == "value":
            self.held.pop(("field_error", *subject[1:]), None)

    def _hand_on(self, sample: Sample) -> None:
        t_ns = self._origin.t_ns(sample) if self._origin else None
        for sink in self._sinks:
            sink(sample, t_ns)

    def _write(self, line: bytes) -> None:
        """Write a whole line or nothing; after a fault the file stays as it is."""
        if self._broken:
            return
        try:
            rest = line
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError:
            self._broken = True
            self._file.truncate(self._written)
            raise
        self._written += len(line)

    def close(self) -> None:
        """Close the file with everything written."""
        self._file.close()
