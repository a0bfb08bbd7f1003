"""Agents: found, run in a process of their own within limits, their answers checked."""

from fieldproof.driving.agents._actions import Action, checked_action
from fieldproof.driving.agents._check import check_agent
from fieldproof.driving.agents._fault import (
    AgentError,
    AgentFault,
    AgentInterruptedError,
    Limits,
)
from fieldproof.driving.agents._folder import working_folder
from fieldproof.driving.agents._keeper import adopt, end_below, reaped
from fieldproof.driving.agents._process import AgentProcess
from fieldproof.driving.agents._reference import GROUP, AgentReference, find_agent

__all__ = [
    "GROUP",
    "Action",
    "AgentError",
    "AgentFault",
    "AgentInterruptedError",
    "AgentProcess",
    "AgentReference",
    "Limits",
    "adopt",
    "check_agent",
    "checked_action",
    "end_below",
    "find_agent",
    "reaped",
    "working_folder",
]
