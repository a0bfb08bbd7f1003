"""The closed loop: an agent and a simulator, scenario by scenario, and what each leaves."""

from fieldproof.driving.loop._files import (
    added_files,
    changed_files,
    check_unsealed,
    seal_and_enter,
    write_file,
)
from fieldproof.driving.loop._geojson import LOCAL_CRS, WGS84_CRS
from fieldproof.driving.loop._pool import Ran, run_scenarios
from fieldproof.driving.loop._recorder import line_of
from fieldproof.driving.loop._scenario import (
    DrivingAgent,
    ScenarioResult,
    Task,
    names_of,
    run_scenario,
    scenario_info,
    start_process,
)

__all__ = [
    "LOCAL_CRS",
    "WGS84_CRS",
    "DrivingAgent",
    "Ran",
    "ScenarioResult",
    "Task",
    "added_files",
    "changed_files",
    "check_unsealed",
    "line_of",
    "names_of",
    "run_scenario",
    "run_scenarios",
    "scenario_info",
    "seal_and_enter",
    "start_process",
    "write_file",
]
