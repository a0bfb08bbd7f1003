import math

import pytest

from ugv_nav._frames import Mount, StaticFrames
from ugv_nav._geometry import Pose2, advance, wrap_angle, yaw_of
from ugv_nav._goal import GoalJudge, GoalSettings, Motion, Outcome
from ugv_nav._link import LinkJudge, check_timeout

SECOND = 1_000_000_000
GOAL = Pose2(2.0, 0.0, 0.0)
SETTINGS = GoalSettings()
STANDING_THERE = Motion(Pose2(1.95, 0.05, 0.05), 0.0, 0.0)
UNDER_WAY = Motion(Pose2(1.0, 0.0, 0.0), 0.5, 0.0)


def judge_at(judge, times_s, motion, *, has_path=True, is_held=False):
    for time_s in times_s:
        outcome = judge.judge(round(time_s * SECOND), motion, has_path=has_path, is_held=is_held)
    return outcome


def new_judge():
    return GoalJudge(GOAL, 0, SETTINGS)


def test_arrival_needs_the_vehicle_to_stand_for_a_while():
    judge = new_judge()
    assert judge_at(judge, [1.0, 1.1], STANDING_THERE) is Outcome.RUNNING
    assert judge_at(judge, [1.2], STANDING_THERE) is Outcome.ARRIVED


@pytest.mark.parametrize(
    "motion",
    [
        pytest.param(Motion(Pose2(1.8, 0.0, 0.0), 0.0, 0.0), id="too-far"),
        pytest.param(Motion(Pose2(2.0, 0.0, 0.2), 0.0, 0.0), id="wrong-heading"),
        pytest.param(Motion(Pose2(2.0, 0.0, 0.0), 0.1, 0.0), id="still-driving"),
        pytest.param(Motion(Pose2(2.0, 0.0, 0.0), 0.0, 0.2), id="still-turning"),
    ],
)
def test_less_is_no_arrival(motion):
    assert judge_at(new_judge(), [1.0, 2.0, 3.0], motion) is Outcome.RUNNING


def test_passing_the_goal_does_not_count_as_standing():
    judge = new_judge()
    judge_at(judge, [1.0], STANDING_THERE)
    judge_at(judge, [1.1], UNDER_WAY)
    assert judge_at(judge, [1.3], STANDING_THERE) is Outcome.RUNNING


def test_the_heading_at_the_goal_is_compared_round_the_turn():
    judge = GoalJudge(Pose2(0.0, 0.0, -math.pi), 0, SETTINGS)
    there = Motion(Pose2(0.0, 0.0, math.pi - 0.01), 0.0, 0.0)
    assert judge_at(judge, [1.0, 1.2], there) is Outcome.ARRIVED


def test_no_path_is_borne_for_its_timeout():
    judge = new_judge()
    judge_at(judge, [5.0], UNDER_WAY)
    assert judge_at(judge, [14.9], UNDER_WAY, has_path=False) is Outcome.RUNNING
    assert judge_at(judge, [15.0], UNDER_WAY, has_path=False) is Outcome.NO_PATH


def test_a_vehicle_that_never_moves_makes_no_progress():
    judge = new_judge()
    assert judge_at(judge, [0.1, 30.0], UNDER_WAY) is Outcome.RUNNING
    assert judge_at(judge, [30.1], UNDER_WAY) is Outcome.NO_PROGRESS


@pytest.mark.parametrize(
    "moved",
    [
        pytest.param(Pose2(1.3, 0.0, 0.0), id="moved"),
        pytest.param(Pose2(1.0, 0.0, 1.0), id="turned"),
    ],
)
def test_a_move_or_a_turn_is_progress(moved):
    judge = new_judge()
    judge_at(judge, [0.1], UNDER_WAY)
    judge_at(judge, [20.0], Motion(moved, 0.0, 0.0))
    assert judge_at(judge, [49.9], Motion(moved, 0.0, 0.0)) is Outcome.RUNNING


def test_waiting_for_the_link_is_not_a_lack_of_progress():
    judge = new_judge()
    judge_at(judge, [0.1], UNDER_WAY)
    assert judge_at(judge, [60.0], UNDER_WAY, has_path=False, is_held=True) is Outcome.RUNNING
    assert judge_at(judge, [69.0], UNDER_WAY, has_path=False) is Outcome.RUNNING


def test_missing_odometry_ends_the_drive():
    judge = new_judge()
    judge_at(judge, [1.0], UNDER_WAY)
    assert judge_at(judge, [5.9], None) is Outcome.RUNNING
    assert judge_at(judge, [6.0], None) is Outcome.NO_ODOMETRY


def test_a_link_that_was_never_there_is_not_lost():
    assert not LinkJudge().is_lost(1000 * SECOND, SECOND)


def test_a_link_is_lost_after_the_timeout_and_back_with_the_next_heartbeat():
    judge = LinkJudge()
    judge.hear(SECOND)
    assert not judge.is_lost(3 * SECOND, 2 * SECOND)
    assert judge.is_lost(3 * SECOND + 1, 2 * SECOND)
    judge.hear(4 * SECOND)
    assert not judge.is_lost(4 * SECOND, 2 * SECOND)


@pytest.mark.parametrize("timeout_s", [0.0, -1.0, math.nan, math.inf, 3600.1])
def test_timeouts_out_of_range_are_refused(timeout_s):
    assert "loss_timeout_s" in check_timeout(timeout_s)


@pytest.mark.parametrize("timeout_s", [0.001, 5.0, 3600.0])
def test_timeouts_in_range_are_taken(timeout_s):
    assert check_timeout(timeout_s) is None


def test_chains_of_transforms_are_followed():
    frames = StaticFrames()
    quarter = math.sqrt(0.5)
    frames.add("base_footprint", "base_link", Mount((0.0, 0.0, 0.1), (0.0, 0.0, 0.0, 1.0)))
    frames.add("base_link", "mast", Mount((0.2, 0.0, 0.5), (0.0, 0.0, quarter, quarter)))
    frames.add("mast", "lidar_link", Mount((0.1, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)))
    pose = frames.find("base_footprint", "lidar_link").planar()
    assert (pose.x_m, pose.y_m, pose.yaw_rad) == pytest.approx((0.2, 0.1, math.pi / 2))


def test_a_frame_without_a_chain_is_not_found():
    frames = StaticFrames()
    frames.add("a", "b", Mount((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)))
    frames.add("b", "a", Mount((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)))
    assert frames.find("base_link", "b") is None
    assert frames.find("base_link", "nowhere") is None


def test_a_later_transform_replaces_an_earlier_one():
    frames = StaticFrames()
    for x_m in (1.0, 2.0):
        frames.add("a", "b", Mount((x_m, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)))
        assert frames.find("a", "b").planar().x_m == x_m


@pytest.mark.parametrize("rate", [0.0, 0.7, -0.3])
def test_going_back_in_time_undoes_going_forward(rate):
    start = Pose2(1.0, 2.0, 0.5)
    there = advance(start, 0.8, rate, 0.4)
    back = advance(there, 0.8, rate, -0.4)
    assert (back.x_m, back.y_m, back.yaw_rad) == pytest.approx((1.0, 2.0, 0.5))


def test_a_pose_and_its_inverse_cancel():
    pose = Pose2(1.0, -2.0, 2.5)
    same = pose.compose(pose.inverse())
    assert (same.x_m, same.y_m, wrap_angle(same.yaw_rad)) == pytest.approx((0.0, 0.0, 0.0))


def test_the_heading_of_a_quaternion():
    assert yaw_of(0.0, 0.0, math.sin(0.4), math.cos(0.4)) == pytest.approx(0.8)
