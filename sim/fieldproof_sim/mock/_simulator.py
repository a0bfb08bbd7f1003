import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fieldproof_sim.mock._actor import Actor
from fieldproof_sim.mock._ego import Action, DroneEgo, EgoModel, GroundEgo, ManipulatorEgo
from fieldproof_sim.mock._events import OFFROAD_MARGIN_M, Event, Road, Watch, goal_distance
from fieldproof_sim.mock._lights import Light
from fieldproof_sim.mock._patterns import Traffic
from fieldproof_sim.mock._plane import Point, point_of

VERSION = "3"
_NS_PER_S = 1_000_000_000
_LANE_M = 100_000.0


@dataclass(frozen=True, slots=True)
class Step:
    """What a step brought.

    Attributes:
        t: seconds since the start, at the end of the step.
        ego: the ego's state.
        actors: the actors' states, in the order of the scenario.
        robot: joints and gripper of a manipulator, else None.
        events: what began in the step.
        observation: what the agent sees.
        sim_state: what else decides the next step.
    """

    t: float
    ego: dict[str, Any]
    actors: list[dict[str, Any]]
    robot: dict[str, Any] | None
    events: list[Event]
    observation: dict[str, Any]
    sim_state: dict[str, Any]


class MockSimulator:
    """Steps one driving scenario; the same scenario and actions give the same bytes.

    It knows no clock, no randomness and no physics beyond what its parts say. In a step the ego
    moves first, then the actors, who see where it has got to, then events are looked for. The end
    is the caller's: it steps until an event ends the scenario for it.
    """

    name = "mock"
    version = VERSION

    def __init__(self, scenario: Mapping[str, Any]) -> None:
        """Take a sound driving scenario as JSON data; metres, degrees, seconds.

        Args:
            scenario: with `task_type` (driving, drone or manipulator) and everything that may be
                absent from a file filled in.
        """
        self._scenario = scenario
        self._step_ns = round(scenario["timestep_seconds"] * _NS_PER_S)
        self.reset()

    def reset(self) -> dict[str, Any]:
        """Go back to the start and return the first observation."""
        scenario, environment = self._scenario, self._scenario["environment"]
        start = scenario["ego"]["start"]
        self._steps = 0
        self._ego = _ego_of(scenario)
        heading = math.radians(start["yaw"])
        path = _path_of(scenario["ego"])
        ways = [*_roads_of(scenario), path]
        self._lights = [
            Light(one, ways, heading)
            for key in ("traffic_lights", "traffic_signals")
            for one in environment[key]
        ]
        self._path = path if len(path) > 1 else _lane_of(point_of(start), heading)
        self._origin = (point_of(start), heading)
        traffic = self._traffic()
        self._actors = [Actor(one, traffic) for one in scenario["actors"]]
        self._goal = scenario["ego"]["goal"]
        self._watch = watch_of(scenario, self._lights)
        self._watch.begin(self._ego, self._actors)
        return self._observation()

    @property
    def t(self) -> float:
        """Seconds since the start."""
        return self._steps * self._step_ns / _NS_PER_S

    def state(self) -> dict[str, Any]:
        """Return `ego`, `actors` and, of a manipulator, `robot` as they are now."""
        state = {"ego": self._ego.state(), "actors": [one.state() for one in self._actors]}
        robot = self._ego.robot()
        return state if robot is None else {**state, "robot": robot}

    def step(self, action: Action) -> Step:
        """Advance by one timestep under an action.

        Args:
            action: finite numbers in their ranges; see the ego's model.
        """
        dt = self._step_ns / _NS_PER_S
        before = (self._ego.x, self._ego.y)
        self._steps += 1
        self._ego.advance(action, dt)
        traffic = self._traffic()
        for actor in self._actors:
            actor.advance(traffic, dt)
        events = list(self._watch.events(self.t, before, self._ego, self._actors))
        observation = self._observation()
        return Step(
            t=self.t,
            ego=observation["ego"],
            actors=observation["actors"],
            robot=observation.get("robot"),
            events=events,
            observation=observation,
            sim_state=self._memory(),
        )

    def _traffic(self) -> Traffic:
        ego, (origin, heading) = self._ego, self._origin
        return Traffic(self.t, ego.x, ego.y, ego.yaw, ego.speed, origin, heading, self._path)

    def _observation(self) -> dict[str, Any]:
        seen = {"t": self.t, **self.state()}
        seen["traffic_lights"] = [light.to_data(self.t) for light in self._lights]
        if self._goal is not None:
            seen["goal_distance"] = goal_distance(self._ego, self._goal)
        return seen

    def _memory(self) -> dict[str, Any]:
        return {
            "step": self._steps,
            **self._ego.memory(),
            "actors": {one.id: one.memory() for one in self._actors},
        }


def watch_of(scenario: Mapping[str, Any], lights: Sequence[Light] = ()) -> Watch:
    """Return what looks for the events of a scenario, of this simulator or of another."""
    return Watch(
        road=_road_of(scenario, _path_of(scenario["ego"])),
        lights=lights,
        goal=scenario["ego"]["goal"],
        duration_s=round(scenario["duration_seconds"] * _NS_PER_S) / _NS_PER_S,
        in_space=scenario["task_type"] == "drone",
    )


def _ego_of(scenario: Mapping[str, Any]) -> EgoModel:
    ego, task = scenario["ego"], scenario["task_type"]
    if task == "drone":
        cruise = scenario["environment"]["replay_scene"]["cruise_altitude_m"]
        return DroneEgo(ego["start"], ego["route"], cruise)
    if task == "manipulator":
        state = scenario["initial_state"] or {}
        return ManipulatorEgo(ego["start"], state.get("joint_positions", ()))
    return GroundEgo(ego["start"], ego["route"])


def _path_of(ego: Mapping[str, Any]) -> tuple[Point, ...]:
    """Return the ego's route from its start, or the line to its goal, or where it stands."""
    start = point_of(ego["start"])
    if ego["route"]:
        return (start, *(point_of(one) for one in ego["route"]))
    return (start,) if ego["goal"] is None else (start, point_of(ego["goal"]))


def _lane_of(start: Point, heading: float) -> tuple[Point, ...]:
    """Return the lane ahead of an ego that has neither route nor goal."""
    x, y = start
    return (start, (x + _LANE_M * math.cos(heading), y + _LANE_M * math.sin(heading)))


def _roads_of(scenario: Mapping[str, Any]) -> list[tuple[Point, ...]]:
    roads = scenario["environment"]["replay_scene"]["road_paths"]
    return [tuple(point_of(one) for one in road["points"]) for road in roads]


def _road_of(scenario: Mapping[str, Any], path: tuple[Point, ...]) -> Road:
    """Return what counts as on the road.

    Without a margin in the scenario, cars and ground robots have 10 m; drones and manipulators,
    and an ego with neither road, route nor goal, are only held by bounds.
    """
    environment = scenario["environment"]
    scene = environment["replay_scene"]
    lines = _roads_of(scenario)
    has_path = len(path) > 1
    margin = environment["mock_offroad_margin"]
    if margin is None:
        margin = OFFROAD_MARGIN_M if scenario["task_type"] == "driving" else math.inf
    return Road(scene["bounds"], lines or ([path] if has_path else []), margin)
