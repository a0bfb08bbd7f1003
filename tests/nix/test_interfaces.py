"""The compiled interface packages, used as a node would use them."""

import pytest

rclpy = pytest.importorskip("rclpy", reason="not proved: the interfaces work in real nodes")
pytest.importorskip("nav2_msgs", reason="not proved: the interfaces work in real nodes")

from action_msgs.msg import GoalStatus  # noqa: E402
from fieldproof_msgs.msg import InjectorState  # noqa: E402
from geometry_msgs.msg import TransformStamped  # noqa: E402
from nav2_msgs.action import NavigateToPose  # noqa: E402
from rclpy.action import ActionClient, ActionServer  # noqa: E402
from rclpy.executors import MultiThreadedExecutor  # noqa: E402
from rclpy.qos import DurabilityPolicy, QoSProfile  # noqa: E402
from rclpy.task import Future  # noqa: E402
from tf2_msgs.msg import TF2Error, TFMessage  # noqa: E402
from tf2_msgs.srv import FrameGraph  # noqa: E402

from fieldproof.backends import claim_domain  # noqa: E402

pytestmark = pytest.mark.ros

_BOUND_S = 30.0


@pytest.fixture
def node(monkeypatch):
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    monkeypatch.setenv("FASTDDS_BUILTIN_TRANSPORTS", "UDPv4")
    claim = claim_domain()
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=claim.number)
    node = rclpy.create_node("probe", context=context)
    executor = MultiThreadedExecutor(context=context)
    executor.add_node(node)
    node.finish = lambda future: (
        executor.spin_until_future_complete(future, _BOUND_S),
        future.result(),
    )[1]
    yield node
    executor.shutdown()
    node.destroy_node()
    context.try_shutdown()
    claim.release()


def test_an_action_goes_round_with_every_field_of_goal_feedback_and_result(node):
    def execute(goal):
        feedback = NavigateToPose.Feedback(
            current_pose=goal.request.pose, number_of_recoveries=2, distance_remaining=1.5
        )
        goal.publish_feedback(feedback)
        goal.succeed()
        return NavigateToPose.Result(error_code=7, error_msg=goal.request.behavior_tree)

    server = ActionServer(node, NavigateToPose, "navigate_to_pose", execute)
    client = ActionClient(node, NavigateToPose, "navigate_to_pose")
    assert client.wait_for_server(_BOUND_S)
    heard = Future()
    goal = NavigateToPose.Goal(behavior_tree="tree.xml")
    goal.pose.header.frame_id = "map"
    goal.pose.pose.position.x = 10.0
    handle = node.finish(
        client.send_goal_async(goal, lambda message: heard.set_result(message.feedback))
    )
    assert handle.accepted
    answer = node.finish(handle.get_result_async())
    assert answer.status == GoalStatus.STATUS_SUCCEEDED
    assert (answer.result.error_code, answer.result.error_msg) == (7, "tree.xml")
    assert NavigateToPose.Result.NONE == 0
    feedback = node.finish(heard)
    assert feedback.current_pose.pose.position.x == 10.0
    assert (feedback.number_of_recoveries, feedback.distance_remaining) == (2, 1.5)
    client.destroy()
    server.destroy()


@pytest.mark.parametrize(
    "message",
    [
        pytest.param(
            TFMessage(transforms=[TransformStamped(child_frame_id="base_link")] * 2), id="tf"
        ),
        pytest.param(InjectorState(route="scan", faults=["drop", "delay"]), id="injector"),
        pytest.param(TF2Error(error=TF2Error.TIMEOUT_ERROR, error_string="late"), id="tf2 error"),
    ],
)
def test_a_message_arrives_as_it_was_sent(node, message):
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    heard = Future()
    node.create_publisher(type(message), "sent", latched).publish(message)
    node.create_subscription(type(message), "sent", heard.set_result, latched)
    assert node.finish(heard) == message


def test_a_service_answers(node):
    def answer(_request, response):
        response.frame_yaml = "base_link: {parent: odom}"
        return response

    node.create_service(FrameGraph, "frames", answer)
    client = node.create_client(FrameGraph, "frames")
    assert client.wait_for_service(_BOUND_S)
    assert node.finish(client.call_async(FrameGraph.Request())).frame_yaml.startswith("base_link")
