from pathlib import Path
from typing import Any

import pytest
import yaml

from fieldproof_bridge import BridgeConfig, Manifest
from fieldproof_bridge._urdf import RobotDescription

ROBOT = Path(__file__).parents[2] / "robots" / "ugv_ref"


@pytest.fixture
def manifest_data() -> dict[str, Any]:
    """The reference vehicle's manifest, free to be changed by the test."""
    return yaml.safe_load((ROBOT / "robot.yaml").read_text(encoding="utf-8"))


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
