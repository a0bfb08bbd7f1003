"""Commands on their way to the drive, one pipeline without a process around it."""

import math

import pytest

from .desks import S

pytest.importorskip("rclpy", reason="not proved without rclpy: the command route's messages")
pytest.importorskip("tf2_msgs", reason="not proved without tf2_msgs: the command route's messages")
pytestmark = pytest.mark.ros

from geometry_msgs.msg import Twist, TwistStamped  # noqa: E402

from fieldproof_bridge._messages import set_velocity  # noqa: E402
from fieldproof_bridge._pipeline import CommandPipeline  # noqa: E402
from fieldproof_bridge._readings import VelocityCommand  # noqa: E402
from fieldproof_sim import SimulatorClient  # noqa: E402

TICK_NS = 50_000_000


def twist(linear):
    message = Twist()
    message.linear.x = linear
    return message


@pytest.fixture
def commands(desk, simulator):
    with SimulatorClient(simulator.control, 5.0) as client:
        yield CommandPipeline("ugv1", desk.routes["command"], client)


def test_the_last_of_several_commands_is_the_one_that_counts(commands):
    assert commands.last_of([twist(0.1), twist(0.2)], S).linear_mps == 0.2
    assert commands.last_of([], 2 * S) is None


def test_commands_that_share_a_tick_are_lost_one_by_one(commands, desk):
    desk.change("command", "dropout", {"probability": 0.5}, 0)
    messages = [twist(k) for k in (1.0, 2.0, 3.0, 4.0)]
    last = [commands.last_of(messages, tick * TICK_NS) for tick in range(1, 2001)]
    got = [0.0 if command is None else command.linear_mps for command in last]
    shares = [got.count(value) / len(got) for value in (4.0, 3.0, 2.0, 1.0, 0.0)]
    assert shares == pytest.approx([1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 16], abs=0.03)


def test_what_is_lost_does_not_depend_on_how_the_commands_of_a_time_are_taken(commands, desk):
    desk.change("command", "dropout", {"probability": 0.5}, 0)
    together, apart = [], []
    for tick in range(1, 101):
        messages = [twist(k) for k in (1.0, 2.0, 3.0)]
        together.append(commands.last_of(messages, tick * TICK_NS))
        commands.last_of([], 0)
        commands.last_of([twist(9.0)], 0)  # another time: counting begins anew
        came = [commands.last_of([message], tick * TICK_NS) for message in messages]
        apart.append(next((command for command in reversed(came) if command), None))
    assert apart == together


def test_only_a_limit_makes_the_standing_command_go_out_again(commands, desk):
    commands.last_of([twist(1.0)], S)
    for fault, parameters in (("dropout", {}), ("dropout", None), ("freeze", {}), ("freeze", None)):
        desk.change("command", fault, parameters, S)
        commands.change(fault)
        assert commands.last_of([], 2 * S) is None
    desk.change("command", "limit", {"max_linear_mps": 0.25}, 2 * S)
    commands.change("limit")
    assert commands.last_of([], 3 * S).linear_mps == 0.25
    assert commands.last_of([], 4 * S) is None


def test_a_new_command_takes_the_place_of_the_one_that_stood(commands, desk):
    commands.last_of([twist(1.0)], S)
    desk.change("command", "limit", {"max_linear_mps": 0.25}, S)
    commands.change("limit")
    assert commands.last_of([twist(-2.0)], 2 * S).linear_mps == -0.25
    assert commands.last_of([], 3 * S) is None


def test_a_command_that_is_no_number_does_not_stand(commands, desk):
    commands.last_of([twist(1.0), twist(math.nan)], S)
    assert commands.refused == 1
    desk.change("command", "limit", {"max_linear_mps": 5.0}, S)
    commands.change("limit")
    assert commands.last_of([], 2 * S).linear_mps == 1.0


@pytest.mark.parametrize("message", [Twist(), TwistStamped()], ids=["plain", "stamped"])
def test_a_limited_command_has_the_type_of_the_command(message):
    set_velocity(message, VelocityCommand(1_500_000_000, 0.25, -0.5))
    twist = getattr(message, "twist", message)
    assert (twist.linear.x, twist.angular.z) == (0.25, -0.5)
    if isinstance(message, TwistStamped):
        assert (message.header.stamp.sec, message.header.stamp.nanosec) == (1, 500_000_000)
