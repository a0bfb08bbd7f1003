"""The human side of a run: sends goals and asks nodes for their state, over ROS 2."""

from __future__ import annotations

import math
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from action_msgs.msg import GoalStatus
from action_msgs.srv import CancelGoal
from lifecycle_msgs.srv import GetState
from nav2_msgs.action import NavigateToPose
from rclpy.node import Node

from fieldproof.observe._clients import Clients
from fieldproof.observe._lifecycle import UNAVAILABLE, UNRESPONSIVE
from fieldproof.observe._parameters import ParameterCalls

_STATUS = {
    GoalStatus.STATUS_SUCCEEDED: "SUCCEEDED",
    GoalStatus.STATUS_ABORTED: "ABORTED",
    GoalStatus.STATUS_CANCELED: "CANCELED",
    GoalStatus.STATUS_UNKNOWN: "UNKNOWN",
}


class OperatorError(Exception):
    """A node did not offer a service or did not answer in time; the text names both."""


@dataclass(slots=True)
class _Goal:
    goal_id: Any
    results: Any  # client of the action's get_result service
    future: Any
    cancels: Any


class Operator:
    """Drives vehicles as an operator's console would: actions and services, nothing private.

    Attributes:
        clients: the services that it calls.
        parameters: sets parameters.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._goals: dict[str, _Goal] = {}
        self.clients = Clients(node)
        self.parameters = ParameterCalls(self.clients)

    def navigate(self, *, action: str, goal: Mapping[str, Any], timeout_s: float) -> dict[str, Any]:
        """Send a NavigateToPose goal.

        Args:
            action: absolute name of the action.
            goal: `frame_id`, x and y in metres, yaw in radians, `stamp_ns`.
            timeout_s: how long the server may take to accept or refuse.

        Returns:
            `accepted` and, when accepted, the `id` to ask for the result by.

        Raises:
            OperatorError: the action does not exist or its server does not answer.
        """
        send = self._client(
            NavigateToPose.Impl.SendGoalService, f"{action}/_action/send_goal", timeout_s
        )
        results = self._client(
            NavigateToPose.Impl.GetResultService, f"{action}/_action/get_result", timeout_s
        )
        cancels = self._client(CancelGoal, f"{action}/_action/cancel_goal", timeout_s)
        # named by what is asked, not at random: a goal's id is part of the evidence
        text = f"{action} {goal} {len(self._goals)}"
        identity = uuid.uuid5(uuid.NAMESPACE_URL, text)
        request = NavigateToPose.Impl.SendGoalService.Request()
        request.goal_id.uuid = list(identity.bytes)
        pose = request.goal.pose
        pose.header.frame_id = goal["frame_id"]
        pose.header.stamp.sec, pose.header.stamp.nanosec = divmod(goal["stamp_ns"], 1_000_000_000)
        pose.pose.position.x, pose.pose.position.y = float(goal["x"]), float(goal["y"])
        pose.pose.orientation.z = math.sin(goal["yaw"] / 2.0)
        pose.pose.orientation.w = math.cos(goal["yaw"] / 2.0)
        answer = self._call(send, request, f"{action} (send goal)", timeout_s)
        if not answer.accepted:
            return {"accepted": False}
        asked = NavigateToPose.Impl.GetResultService.Request()
        asked.goal_id.uuid = list(identity.bytes)
        future = results.call_async(asked)
        self._goals[str(identity)] = _Goal(request.goal_id, results, future, cancels)
        return {"accepted": True, "id": str(identity)}

    def ask(self, goals: Iterable[str]) -> list[Any]:
        """Ask each goal's server something that it answers at once; returns what to wait for.

        The server answers in order on one connection. Once its reply to the question (the result of
        a goal that does not exist) is there, everything that it sent before has arrived, the
        result of the goal included.
        """
        nobody = NavigateToPose.Impl.GetResultService.Request()
        open_goals = [self._goals[each] for each in goals if not self._goals[each].future.done()]
        return [goal.results.call_async(nobody) for goal in open_goals]

    def results(
        self, goals: Iterable[str], asked: Iterable[Any], *, timeout_s: float
    ) -> dict[str, str]:
        """The final status of each goal that has ended, once every question is answered.

        Raises:
            OperatorError: a server did not answer in time.
        """
        self.clients.take({self._goals[each].results for each in goals})
        for question in asked:
            if not self.clients.until(question.done, timeout_s):
                raise OperatorError(f"the action server did not answer within {timeout_s:g} s")
        ended = {each: self._goals[each].future for each in goals}
        return {
            each: _STATUS.get(future.result().status, str(future.result().status))
            for each, future in ended.items()
            if future.done()
        }

    def cancel(self, identity: str, *, timeout_s: float) -> None:
        """Ask the server to cancel a goal and wait until it has answered."""
        goal = self._goals[identity]
        request = CancelGoal.Request()
        request.goal_info.goal_id = goal.goal_id
        self._call(goal.cancels, request, "the action's cancel service", timeout_s)

    def lifecycle_state(self, node: str, *, timeout_s: float) -> str:
        """A managed node's state: its label, or `unavailable` or `unresponsive`."""
        try:
            client = self._client(GetState, f"{node}/get_state", 0.0)
        except OperatorError:
            return UNAVAILABLE
        try:
            answer = self._call(client, GetState.Request(), f"{node}/get_state", timeout_s)
        except OperatorError:
            return UNRESPONSIVE
        return str(answer.current_state.label)

    def has_action(self, action: str) -> bool:
        """Whether a server offers the action."""
        services = dict(self._node.get_service_names_and_types())
        return f"{action}/_action/send_goal" in services

    def _client(self, service: type, name: str, timeout_s: float) -> Any:
        client = self.clients.client(service, name)
        if not self.clients.until(client.service_is_ready, timeout_s):
            raise OperatorError(f"no node offers {name} (waited {timeout_s:g} s)")
        return client

    def _call(self, client: Any, request: Any, what: str, timeout_s: float) -> Any:
        future = client.call_async(request)
        if not self.clients.until(future.done, timeout_s):
            client.remove_pending_request(future)
            raise OperatorError(f"{what} did not answer within {timeout_s:g} s")
        return future.result()
