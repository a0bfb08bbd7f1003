from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fieldproof.driving.loading import LoadedScenario
from fieldproof_sim.mock import goal_distance, watch_of


@dataclass(slots=True)
class _Body:
    id: str
    kind: str
    x: float
    y: float
    z: float

    def reach(self) -> tuple[float, float, float]:
        return (self.x, self.y, self.z)


class EpisodeWatch:
    """Looks for events in what an external simulator shows, by the mock simulator's rules."""

    def __init__(self, scenario: LoadedScenario) -> None:
        """Take the scenario."""
        data = scenario.to_data()
        self._watch = watch_of(data)
        self._goal: Mapping[str, Any] | None = data["ego"]["goal"]
        start = data["ego"]["start"]
        self._before = (start["x"], start["y"])

    def begin(self, ego: Mapping[str, Any], actors: Sequence[Mapping[str, Any]]) -> None:
        """Learn where everybody is before the first step."""
        body = _body(ego)
        self._watch.begin(body, [_body(one) for one in actors])
        self._before = (body.x, body.y)

    def events(
        self, t: float, ego: Mapping[str, Any], actors: Sequence[Mapping[str, Any]]
    ) -> list[dict[str, Any]]:
        """Return what began in the step that ended at `t` seconds."""
        body = _body(ego)
        found = self._watch.events(t, self._before, body, [_body(one) for one in actors])
        events = list(found)
        self._before = (body.x, body.y)
        return events

    def goal_distance(self, ego: Mapping[str, Any]) -> float | None:
        """Return metres to the goal, None without one."""
        return None if self._goal is None else goal_distance(_body(ego), self._goal)


def _body(state: Mapping[str, Any]) -> _Body:
    return _Body(
        state.get("id", ""), state.get("type", ""), state["x"], state["y"], state.get("z", 0.0)
    )
