"""CARLA, through its client package; see the documentation for what of it was ever run."""

import importlib
import math
from collections.abc import Mapping
from typing import Any

from fieldproof.driving.files import EGO
from fieldproof.driving.loading import LoadedScenario
from fieldproof.driving.simulators._adapter import SimulatorFault, StepResult
from fieldproof.driving.simulators._carla_sensors import WEATHER, CarlaSensors
from fieldproof.driving.simulators._watch import EpisodeWatch

_DEFAULT_PORT = 2000
_VEHICLE = "vehicle.lincoln.mkz_2020"
_BLUEPRINTS = {"pedestrian": "walker.pedestrian.0001", "cyclist": "vehicle.bh.crossbike"}
_OTHER = "vehicle.tesla.model3"


class CarlaAdapter:
    """Drives a scenario in CARLA.

    CARLA's frame is left-handed with y to the right; the scenario's is right-handed with y to the
    left. So y and yaw change their sign at the border, in both directions.
    """

    name = "carla"
    joints = 0

    def __init__(self, scenario: LoadedScenario, *, client: Any = None) -> None:
        """Keep the scenario.

        Args:
            scenario: it names CARLA.
            client: a module like `carla`; the installed one when None.
        """
        self._scenario = scenario
        self._carla = importlib.import_module("carla") if client is None else client
        self._spawned: dict[str, Any] = {}
        self._before: Any = None
        self._weather: Any = None
        self._world: Any = None
        self._sensors = CarlaSensors(self._carla, scenario.file.sensors)
        self._watch = EpisodeWatch(scenario)
        self._steps = 0
        self._violating = False

    def start(self) -> StepResult:
        """Connect, switch to fixed steps, set the weather, spawn ego, actors and sensors.

        Raises:
            SimulatorFault: The server does not answer or refuses something.
        """
        file = self._scenario.file
        settings = file.simulator_settings()
        step_s = file.timestep_seconds / file.steps_within()
        try:
            client = self._carla.Client(settings.host, settings.port or _DEFAULT_PORT)
            client.set_timeout(settings.timeout_seconds)
            self._world = client.load_world(settings.map) if settings.map else client.get_world()
            self._before = self._world.get_settings()
            stepped = self._world.get_settings()
            stepped.synchronous_mode = settings.sync
            stepped.fixed_delta_seconds = step_s
            self._world.apply_settings(stepped)
            self._weather = self._world.get_weather()
            weather = WEATHER.get(file.environment.weather)
            if weather is None:
                what = f"CARLA: there is no weather {file.environment.weather}"
                raise SimulatorFault(what)
            self._world.set_weather(getattr(self._carla.WeatherParameters, weather))
            self._spawn()
            self._sensors.spawn(self._world, self._spawned[EGO], step_s=step_s)
            return self._result(self._tick(), [])
        except RuntimeError as error:  # all that the client ever raises
            raise SimulatorFault(f"CARLA: {error}") from error

    def step(self, action: Mapping[str, Any]) -> StepResult:
        """Apply a control and advance by one step of the scenario.

        Raises:
            SimulatorFault: The server does not answer.
        """
        control = self._carla.VehicleControl(
            throttle=action.get("throttle", 0.0),
            steer=-action.get("steer", 0.0),
            brake=action.get("brake", 0.0),
        )
        try:
            self._spawned[EGO].apply_control(control)
            signals = []
            for _ in range(self._scenario.file.steps_within()):
                frame = self._tick()
                signals += self._signals()
            self._steps += 1
            return self._result(frame, signals)
        except RuntimeError as error:
            raise SimulatorFault(f"CARLA: {error}") from error

    def close(self) -> None:
        """Remove what was spawned and give the server its settings and its weather back."""
        try:
            self._sensors.remove()
            for actor in self._spawned.values():
                actor.destroy()
            if self._weather is not None:
                self._world.set_weather(self._weather)
            if self._before is not None:
                self._world.apply_settings(self._before)
        except RuntimeError as error:
            raise SimulatorFault(f"CARLA: {error}") from error
        finally:
            self._spawned, self._before, self._weather = {}, None, None

    def _tick(self) -> int | None:
        """Advance the server by one step of its own; return its frame, None where it runs free."""
        if self._scenario.file.simulator_settings().sync:
            return int(self._world.tick())
        self._world.wait_for_tick()
        return None

    def _spawn(self) -> None:
        library = self._world.get_blueprint_library()
        ego = self._scenario.ego
        placed = [(EGO, _VEHICLE, ego.start)]
        placed += [
            (actor.id, _BLUEPRINTS.get(actor.type, _OTHER), actor.start)
            for actor in self._scenario.file.actors
        ]
        for name, blueprint, start in placed:
            transform = self._carla.Transform(
                self._carla.Location(x=start.x, y=-start.y, z=start.z or 0.0),
                self._carla.Rotation(yaw=-start.yaw),
            )
            spawned = self._world.spawn_actor(library.find(blueprint), transform)
            self._spawned[name] = spawned
            yaw = math.radians(start.yaw)
            velocity = self._carla.Vector3D(
                x=start.speed * math.cos(yaw), y=-start.speed * math.sin(yaw), z=0.0
            )
            spawned.set_target_velocity(velocity)

    def _signals(self) -> list[dict[str, Any]]:
        """Return a violation where the ego comes to stand under a red light's rule, and moves."""
        ego = self._spawned[EGO]
        red = bool(ego.is_at_traffic_light()) and (
            ego.get_traffic_light_state() == self._carla.TrafficLightState.Red
        )
        begins, self._violating = red and not self._violating, red
        if not begins:
            return []
        return [
            {"type": "red_light_violation", "traffic_light_id": str(ego.get_traffic_light().id)}
        ]

    def _result(self, frame: int | None, events: list[dict[str, Any]]) -> StepResult:
        states = {name: _state_of(actor) for name, actor in self._spawned.items()}
        t = round(self._steps * self._scenario.file.timestep_seconds, 9)
        ego = states.pop(EGO)
        kinds = {actor.id: actor.type for actor in self._scenario.file.actors}
        actors = [{"id": name, "type": kinds[name], **state} for name, state in states.items()]
        found = []
        if self._steps:
            found = self._watch.events(t, ego, actors)
        else:
            self._watch.begin(ego, actors)
        timeout_s = self._scenario.file.simulator_settings().timeout_seconds
        sensors = self._sensors.seen(frame, timeout_s=timeout_s)
        seen = {"t": t, "ego": ego, "actors": actors, "traffic_lights": [], "sensors": sensors}
        goal = self._watch.goal_distance(ego)
        if goal is not None:
            seen["goal_distance"] = goal
        info = {"simulator": self.name}
        return StepResult(t, ego, actors, seen, [*found, *events], None, {}, info)


def _state_of(actor: Any) -> dict[str, float]:
    transform, velocity = actor.get_transform(), actor.get_velocity()
    return {
        "x": transform.location.x,
        "y": -transform.location.y,
        "z": transform.location.z,
        "yaw": -transform.rotation.yaw,
        "speed": math.hypot(velocity.x, velocity.y, velocity.z),
    }
