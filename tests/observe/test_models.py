"""Ground truth of models, from the real simulator."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("rclpy", reason="not proved without ROS: that the observer follows a simulator")
pytest.importorskip("mujoco", reason="not proved without MuJoCo: that models come and go")

from fieldproof_sim import SimulatorClient
from tests.bridge.peer import address
from tests.observe.peer import ObserverProcess, of_kind

pytestmark = pytest.mark.ros
STEP_NS = 100_000_000
WORLD = """<sdf version="1.9"><world name="yard">
  <model name="ground"><static>true</static><link name="link"><collision name="c"><geometry>
    <plane><normal>0 0 1</normal><size>50 50</size></plane></geometry></collision></link></model>
  <model name="wall"><static>true</static><pose>3 0 0.5 0 0 0</pose><link name="link">
    <collision name="c"><geometry><box><size>1 1 1</size></box></geometry></collision></link></model>
</world></sdf>"""


class Simulator:
    """The real one, stepped by the test."""

    def __init__(self, world):
        self.control, self.publish_address = address("control"), address("publish")
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-B", "-m", "fieldproof_sim", "--simulator", "mujoco"),
                *("--control", self.control, "--publish", self.publish_address),
            ],
            env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)),
        )
        self.client = SimulatorClient(self.control, 30.0)
        self.client.request(
            "load", world=str(world), physics_step_ns=2_000_000, seed=1, vehicles=[]
        )

    def stop(self):
        self.client.close()
        self._process.kill()
        self._process.wait()


@pytest.fixture
def yard(tmp_path, domain):
    world = tmp_path / "world.sdf"
    world.write_text(WORLD)
    simulator = Simulator(world)
    observe = {"models": ["wall", "crate"]}
    observer = ObserverProcess(simulator, tmp_path, domain, mode="lockstep", observe=observe)
    observer.call("release")
    yield simulator, observer
    observer.stop()
    simulator.stop()


def poses(yard, time_ns):
    simulator, observer = yard
    frames = simulator.client.request("step", until_ns=time_ns)["frames"]
    asked = {"goals": [], "calls": [], "side": [], "timeout_s": 10.0}
    reply = observer.call("collect", time_ns=time_ns, frames=frames, **asked)
    return {sample["model"]: sample for sample in of_kind(reply["samples"], "pose")}


def test_a_watched_model_has_poses_from_its_spawn_to_its_removal(yard):
    simulator, _ = yard
    assert poses(yard, STEP_NS).keys() == {"wall"}
    where = {"x": 1.0, "y": 2.0, "z": 0.0, "yaw": 0.5}
    shape = {"type": "box", "size": [0.6, 0.6, 0.5]}
    simulator.client.request("spawn", model="crate", pose=where, shape=shape)
    simulator.client.request("spawn", model="unwatched", pose=where | {"x": 9.0}, shape=shape)
    seen = poses(yard, 2 * STEP_NS)
    assert seen.keys() == {"wall", "crate"}
    crate = seen["crate"]
    assert [crate[key] for key in ("x", "y", "yaw", "sim")] == pytest.approx([1.0, 2.0, 0.5, 0.2])
    simulator.client.request("teleport", model="crate", pose=where | {"y": -2.0})
    assert poses(yard, 3 * STEP_NS)["crate"]["y"] == pytest.approx(-2.0)
    simulator.client.request("remove", model="crate")
    assert poses(yard, 4 * STEP_NS).keys() == {"wall"}
