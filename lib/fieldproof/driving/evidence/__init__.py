"""Frames of an episode as samples, so that a robot scenario's assertion types judge them too."""

from fieldproof.driving.evidence._robot import (
    PREFIX,
    RobotAssertion,
    RobotMonitor,
    known_types,
    plan_robot_assertion,
    robot_type,
    status_of,
)
from fieldproof.driving.evidence._samples import Frame, episode_samples, frame_samples
from fieldproof.driving.evidence._vehicles import (
    DRIVE,
    GOAL_FRAME,
    START_FRAME,
    STATE_TOPIC,
    facts_of,
)

__all__ = [
    "DRIVE",
    "GOAL_FRAME",
    "PREFIX",
    "START_FRAME",
    "STATE_TOPIC",
    "Frame",
    "RobotAssertion",
    "RobotMonitor",
    "episode_samples",
    "facts_of",
    "frame_samples",
    "known_types",
    "plan_robot_assertion",
    "robot_type",
    "status_of",
]
