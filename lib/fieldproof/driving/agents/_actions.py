"""What an agent may answer, by what it drives."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from fieldproof.driving.agents._answers import problem_of
from fieldproof.driving.agents._fault import AgentFault
from fieldproof.model import nearest, shown

_MOST_SPEED_MPS = 1000.0
_MOST_RATE_DPS = 36_000.0
_MOST_JOINT = 1000.0

Action = dict[str, Any]


def checked_action(
    answer: Any, task_type: str, *, joints: int = 0
) -> tuple[Action, tuple[str, ...]]:
    """Return an agent's answer as an action, and the keys whose values were beyond their range.

    A number beyond its range is brought to the nearest end of it. Of a car, keys that are absent
    are 0, which is what drives it then; elsewhere they stay absent.

    Args:
        answer: what the agent answered.
        task_type: `driving`, `drone` or `manipulator`.
        joints: of a manipulator.

    Raises:
        AgentFault: It is no mapping, has a key that means nothing, or a value that is no finite
            number, or none of the right shape.
    """
    if not isinstance(answer, Mapping):
        raise AgentFault("nonsense", f"act answered {shown(answer)}, not a mapping of commands")
    checks = _CHECKS[task_type]
    action: Action = dict(_ABSENT.get(task_type, {}))
    clamped: list[str] = []
    for key, value in answer.items():
        if key not in checks:
            hint = nearest(str(key), checks)
            raise AgentFault("nonsense", f"act answered the unknown command {shown(key)} ({hint})")
        action[key] = checks[key](key, value, joints)
        if action[key] != value:
            clamped.append(key)
    return action, tuple(clamped)


def _number(low: float, high: float) -> Callable[[str, Any, int], float]:
    def check(key: str, value: Any, _joints: int) -> float:
        return max(low, min(high, _finite(key, value)))

    return check


def _finite(key: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise AgentFault("nonsense", f"act answered {shown(value)} for {key}, not a number")
    problem = problem_of(value)
    if problem:
        raise AgentFault("nonsense", f"act answered {problem} for {key}")
    if not math.isfinite(value):
        raise AgentFault("nonsense", f"act answered {value} for {key}, not a finite number")
    return float(value)


def _velocity(key: str, value: Any, _joints: int) -> Any:
    if isinstance(value, Mapping):
        if not value or set(value) - {"x", "y", "z"}:
            raise AgentFault("nonsense", f"act answered {key} with other keys than x, y and z")
        return {axis: _SPEED(f"{key}.{axis}", one, 0) for axis, one in value.items()}
    if not isinstance(value, list) or len(value) != 3:  # noqa: PLR2004 - x, y and z
        raise AgentFault("nonsense", f"act answered {shown(value)} for {key}, not x, y and z")
    return [_SPEED(f"{key}[{place}]", one, 0) for place, one in enumerate(value)]


def _per_joint(key: str, value: Any, joints: int) -> list[float]:
    if not isinstance(value, list) or len(value) != joints:
        got = f"{len(value)} numbers" if isinstance(value, list) else shown(value)
        raise AgentFault("nonsense", f"act answered {got} for {key} of {joints} joints")
    check = _number(-_MOST_JOINT, _MOST_JOINT)
    return [check(f"{key}[{place}]", one, 0) for place, one in enumerate(value)]


_SPEED = _number(-_MOST_SPEED_MPS, _MOST_SPEED_MPS)
_SHARE = _number(0.0, 1.0)

_ABSENT: Mapping[str, Action] = {"driving": {"steer": 0.0, "throttle": 0.0, "brake": 0.0}}

_CHECKS: Mapping[str, Mapping[str, Callable[[str, Any, int], Any]]] = {
    "driving": {"steer": _number(-1.0, 1.0), "throttle": _SHARE, "brake": _SHARE},
    "drone": {
        "vx": _SPEED,
        "vy": _SPEED,
        "vz": _SPEED,
        "yaw_rate": _number(-_MOST_RATE_DPS, _MOST_RATE_DPS),
        "linear_velocity": _velocity,
        "target_speed": _number(0.0, _MOST_SPEED_MPS),
    },
    "manipulator": {
        "joint_positions": _per_joint,
        "joint_velocities": _per_joint,
        "gripper": _SHARE,
    },
}
