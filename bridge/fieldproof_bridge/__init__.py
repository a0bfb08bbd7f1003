"""The bridge between the simulator and one vehicle's ROS 2 topics.

It publishes what the vehicle's real drivers would publish, takes its drive commands, and carries
every message through a route in which faults can be injected. Run it as
``python -m fieldproof_bridge --config FILE``; importing the package loads no ROS.
"""

from fieldproof_bridge._config import BridgeConfig, SimulatorAddresses
from fieldproof_bridge._contract import Contract, ContractTopic, RouteSpec
from fieldproof_bridge._conventions import CameraInfo, camera_info
from fieldproof_bridge._errors import BridgeError, ConfigError
from fieldproof_bridge._manifest import Manifest
from fieldproof_bridge._plan import PlannedRoute, planned_routes
from fieldproof_bridge._route import Injector, Route

__all__ = [
    "BridgeConfig",
    "BridgeError",
    "CameraInfo",
    "ConfigError",
    "Contract",
    "ContractTopic",
    "Injector",
    "Manifest",
    "PlannedRoute",
    "Route",
    "RouteSpec",
    "SimulatorAddresses",
    "camera_info",
    "planned_routes",
]
