"""What an episode leaves: its frames and steps as lines, and the replay made of them."""

import json
from collections.abc import Mapping
from typing import Any

from fieldproof.driving.artefacts import SCHEMA_VERSION
from fieldproof.driving.simulators import StepResult

_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode

Frame = dict[str, Any]


def line_of(value: object) -> str:
    """Return JSON data as one line; keys keep their order.

    Raises:
        ValueError: A number is NaN or infinite.
    """
    return _encode(value)


class Recorder:
    """Keeps the lines of an episode as it goes on.

    Attributes:
        events: every event, with `timestamp` in seconds and `frame_index`.
    """

    def __init__(self, scenario_id: str) -> None:
        """Begin an episode."""
        self._scenario_id = scenario_id
        self._frames: list[str] = []
        self._steps: list[str] = []
        self._t = 0.0
        self.events: list[dict[str, Any]] = []

    @property
    def count(self) -> int:
        """How many frames there are."""
        return len(self._frames)

    def take(self, step: StepResult, action: Mapping[str, Any], clamped: tuple[str, ...]) -> Frame:
        """Keep a step and return it as a frame.

        Args:
            step: what the simulator brought.
            action: under which.
            clamped: the commands that were beyond their range.
        """
        index = self.count
        events = [{**one, "timestamp": step.t, "frame_index": index} for one in step.events]
        frame: Frame = {
            "t": step.t,
            "frame_index": index,
            "ego": step.ego,
            "actors": step.actors,
            "action": action,
            "events": events,
        }
        if step.robot is not None:
            frame["robot"] = step.robot
        info = {**step.info, "clamped": list(clamped)} if clamped else step.info
        self._frames.append(line_of(frame))
        self._steps.append(
            line_of(
                {
                    "t": step.t,
                    "frame_index": index,
                    "observation": step.observation,
                    "sim_state": step.sim_state,
                    "info": info,
                }
            )
        )
        self._t = step.t
        self.events += events
        return frame

    def episode(self) -> str:
        """Return the lines of episodes/<id>.jsonl."""
        return _lines(self._frames)

    def steps(self) -> str:
        """Return the lines of episodes/<id>.steps.jsonl."""
        return _lines(self._steps)

    def timeline(self) -> str:
        """Return replay/<id>.timeline.json: all frames, and all events once more."""
        head = line_of(
            {
                "schema_version": SCHEMA_VERSION,
                "scenario_id": self._scenario_id,
                "duration_seconds": self._t,
            }
        )
        frames = ",\n".join(self._frames)
        return f'{head[:-1]},"frames":[\n{frames}\n],"events":{line_of(self.events)}}}\n'


def _lines(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
