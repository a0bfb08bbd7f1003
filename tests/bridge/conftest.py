from pathlib import Path
from typing import Any

import pytest
import yaml

from fieldproof.backends import claim_domain
from fieldproof_bridge import BridgeConfig, Manifest
from fieldproof_bridge._urdf import RobotDescription

from .desks import make_desk
from .peer import BridgeProcess, PeerSimulator, StackProcess, address

ROBOT = Path(__file__).parents[2] / "robots" / "ugv_ref"


def reference_manifest() -> dict[str, Any]:
    return yaml.safe_load((ROBOT / "robot.yaml").read_text(encoding="utf-8"))


@pytest.fixture
def manifest_data() -> dict[str, Any]:
    """The reference vehicle's manifest, free to be changed by the test."""
    return reference_manifest()


@pytest.fixture
def desk(manifest_data):
    """Every route of the reference vehicle, with its faults."""
    return make_desk(manifest_data)


@pytest.fixture
def manifest(manifest_data) -> Manifest:
    return Manifest.parse(manifest_data)


@pytest.fixture
def description() -> RobotDescription:
    return RobotDescription.parse((ROBOT / "ugv_ref.urdf").read_text(encoding="utf-8"))


@pytest.fixture
def config_data(manifest_data) -> dict[str, Any]:
    return {
        "vehicle": "ugv1",
        "namespace": "ugv1",
        "manifest": manifest_data,
        "urdf": str(ROBOT / "ugv_ref.urdf"),
        "world_origin": {"latitude_deg": 48.0, "longitude_deg": 11.0, "altitude_m": 500.0},
        "spawn": {"x": 0.0, "y": 0.0, "z": 0.12, "yaw": 0.0},
        "sim": {"control": "ipc://@none-control", "publish": "ipc://@none-publish"},
        "control": "ipc://@none-bridge",
        "clock": True,
        "mode": "lockstep",
        "tick_ns": 50_000_000,
    }


@pytest.fixture
def config(config_data) -> BridgeConfig:
    return BridgeConfig.parse(config_data)


@pytest.fixture(scope="session")
def domain():
    """A ROS domain of this test session's own."""
    claim = claim_domain()
    yield claim.number
    claim.release()


@pytest.fixture
def simulator():
    peer = PeerSimulator()
    yield peer
    peer.close()


@pytest.fixture
def start_bridge(config_data, simulator, tmp_path, domain):
    """Start bridges of the reference vehicle against the peer simulator; keys may be overridden."""
    started = []

    def start(**changes):
        sim = {"control": simulator.control, "publish": simulator.publish_address}
        data = config_data | {"sim": sim, "control": address("bridge")} | changes
        bridge = BridgeProcess(data, tmp_path, domain)
        started.append(bridge)
        return bridge

    yield start
    for bridge in started:
        bridge.stop()


@pytest.fixture
def start_stack(domain):
    """Start nodes of the software under test."""
    started = []

    def start(node="planner_server", **options):
        fixed = {"node": node, "namespace": "/ugv1", "ack": "tick_done"}
        stack = StackProcess(domain, **fixed | {"topics": {}} | options)
        started.append(stack)
        return stack

    yield start
    for stack in started:
        stack.stop()
