import copy
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import yaml

from fieldproof_sim import FrameSubscriber, SimulatorClient, SimulatorError
from fieldproof_sim._main import SIMULATORS
from fieldproof_sim.interface import Spawned
from fieldproof_sim.mujoco_sim import MujocoSimulator
from fieldproof_sim.protocol import Command, Load, Remove, Spawn, Teleport, Wind

ROOT = Path(__file__).parents[2]
STEP_NS = 2_000_000
SECOND_NS = 1_000_000_000


@dataclass
class RunningSimulator:
    """A simulator process, with the client that talks to it."""

    process: subprocess.Popen[bytes]
    control: str
    publish: str
    client: SimulatorClient
    load: Callable[..., dict[str, Any]] = field(repr=False)

    def step(self, until_s: float) -> dict[str, Any]:
        return self.client.request("step", until_ns=round(until_s * 1e9))


@pytest.fixture(scope="session")
def manifest() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "robots/ugv_ref/robot.yaml").read_text())


@pytest.fixture
def quiet_manifest(manifest: dict[str, Any]) -> dict[str, Any]:
    """The reference vehicle with sensors that add no noise."""
    quiet = copy.deepcopy(manifest)
    for sensor in quiet["sensors"]:
        sensor.pop("noise", None)
    return quiet


@pytest.fixture
def load_fields(manifest: dict[str, Any]) -> Callable[..., dict[str, Any]]:
    """Builds the fields of a load request for dock_yard with one vehicle."""

    def build(**changes: Any) -> dict[str, Any]:
        vehicle = {
            "name": "ugv1",
            "namespace": "ugv1",
            "urdf": str(ROOT / "robots/ugv_ref/ugv_ref.urdf"),
            "manifest": manifest,
            "spawn": {"x": 10.0, "y": 3.0, "z": 0.12, "yaw": -1.5707963267948966},
        }
        vehicle.update(changes.pop("vehicle", {}))
        return {
            "world": str(ROOT / "worlds/dock_yard/world.sdf"),
            "physics_step_ns": STEP_NS,
            "seed": 7,
            "vehicles": [vehicle],
            **changes,
        }

    return build


@pytest.fixture
def start_simulator(
    load_fields: Callable[..., dict[str, Any]],
) -> Iterator[Callable[..., RunningSimulator]]:
    """Starts simulator processes and makes sure that none outlives the test."""
    with ExitStack() as stack:

        def start(name: str = "mujoco") -> RunningSimulator:
            token = uuid4().hex
            control, publish = f"ipc://@fp-{token}-c", f"ipc://@fp-{token}-p"
            process = subprocess.Popen(
                [sys.executable, "-B", "-m", "fieldproof_sim", "--simulator", name,
                 "--control", control, "--publish", publish],
                env={**os.environ, "PYTHONPATH": str(ROOT / "sim")},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )  # fmt: skip
            client = SimulatorClient(control, 20.0)

            def end() -> None:
                client.close()
                if process.poll() is None:
                    process.kill()
                process.communicate()

            stack.callback(end)

            def load(**changes: Any) -> dict[str, Any]:
                return client.request("load", **load_fields(**changes))

            return RunningSimulator(process, control, publish, client, load)

        yield start


@pytest.fixture(params=sorted(SIMULATORS))
def simulator(
    request: pytest.FixtureRequest, start_simulator: Callable[..., RunningSimulator]
) -> RunningSimulator:
    """A process of each simulator that there is: what asks for it is the protocol's contract."""
    return start_simulator(request.param)


@pytest.fixture
def subscribe() -> Iterator[Callable[..., FrameSubscriber]]:
    """Opens synchronised subscribers."""
    with ExitStack() as stack:

        def open_one(simulator: RunningSimulator, *prefixes: str) -> FrameSubscriber:
            subscriber = stack.enter_context(FrameSubscriber(simulator.publish, prefixes or ("",)))
            subscriber.sync(simulator.client)
            return subscriber

        yield open_one


class Bench:
    """A simulator in this process: what it publishes is kept as (time_ns, topic, fields)."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self.simulator = MujocoSimulator()
        self.loaded = self.simulator.load(Load(op="load", **fields))
        self.frames: list[tuple[int, str, dict[str, Any]]] = []

    def run(self, seconds: float) -> None:
        until = self.simulator.time_ns + round(seconds * 1e9)
        self.simulator.advance(until, self._keep)

    def drive(self, linear_mps: float, angular_radps: float, vehicle: str = "ugv1") -> None:
        self.simulator.command(
            Command(
                op="command", vehicle=vehicle, linear_mps=linear_mps, angular_radps=angular_radps
            )
        )

    def spawn(self, model: str, x: float, y: float, **fields: Any) -> Spawned:
        pose = {"x": x, "y": y, "z": fields.pop("z", 0.0), "yaw": fields.pop("yaw", 0.0)}
        return self.simulator.spawn(Spawn(op="spawn", model=model, pose=pose, **fields))

    def remove(self, model: str) -> str:
        return self.simulator.remove(Remove(op="remove", model=model))

    def teleport(self, model: str, x: float, y: float, z: float = 0.0, yaw: float = 0.0) -> str:
        pose = {"x": x, "y": y, "z": z, "yaw": yaw}
        return self.simulator.teleport(Teleport(op="teleport", model=model, pose=pose))

    def blow(self, x: float, y: float, z: float = 0.0, *, enabled: bool = True) -> str:
        return self.simulator.wind(Wind(op="wind", velocity=(x, y, z), enabled=enabled))

    def all(self, topic: str) -> list[dict[str, Any]]:
        return [fields for _, name, fields in self.frames if name == topic]

    def last(self, topic: str) -> dict[str, Any]:
        return self.all(topic)[-1]

    def truth(self, model: str = "ugv1") -> dict[str, Any]:
        return next(m for m in self.last("pose")["models"] if m["name"] == model)

    def _keep(self, topic: str, fields: Any) -> None:
        self.frames.append((self.simulator.time_ns, topic, dict(fields)))


@pytest.fixture
def bench(load_fields: Callable[..., dict[str, Any]]) -> Callable[..., Bench]:
    """Loads a simulator in this process."""
    return lambda **changes: Bench(load_fields(**changes))


@pytest.fixture
def write_world(tmp_path: Path) -> Callable[..., str]:
    """Writes a world of a ground plane and the given XML."""

    def write(body: str = "", *, ground: str = "") -> str:
        path = tmp_path / "world.sdf"
        surface = ground and f"<surface><friction><ode><mu>{ground}</mu></ode></friction></surface>"
        path.write_text(
            '<sdf version="1.11"><world name="w"><gravity>0 0 -9.81</gravity>'
            "<spherical_coordinates><latitude_deg>48</latitude_deg>"
            "<longitude_deg>11</longitude_deg><elevation>500</elevation></spherical_coordinates>"
            '<model name="ground"><static>1</static><link name="l"><collision name="c"><geometry>'
            f"<plane/></geometry>{surface}</collision></link></model>\n{body}</world></sdf>"
        )
        return str(path)

    return write


@pytest.fixture
def refuses() -> Callable[..., SimulatorError]:
    """Returns the error that a request is answered with."""

    def ask(client: SimulatorClient, op: str, **fields: Any) -> SimulatorError:
        with pytest.raises(SimulatorError) as caught:
            client.request(op, **fields)
        return caught.value

    return ask
