from dataclasses import replace

import pytest

from fieldproof_bridge import BridgeConfig, Manifest
from fieldproof_bridge._contract import Endpoint, graph_problems, offered, plan_contract

NODE = "/ugv1/bridge"


def contract_of(config_data, description):
    config = BridgeConfig.parse(config_data)
    return plan_contract(config, Manifest.parse(config.manifest), description)


def own_ends(contract, mode="lockstep"):
    return [
        Endpoint(
            topic.topic,
            NODE,
            topic.ros_type,
            topic.direction,
            offered(topic.qos, mode).reliability,
            topic.qos.durability,
        )
        for topic in contract.topics
    ]


def test_the_reference_vehicle_has_a_contract_without_problems(config_data, description):
    contract = contract_of(config_data, description)
    assert contract.problems == ()
    assert {topic.topic: topic.ros_type for topic in contract.topics} == {
        "/ugv1/scan": "sensor_msgs/msg/LaserScan",
        "/ugv1/imu/data": "sensor_msgs/msg/Imu",
        "/ugv1/gps/fix": "sensor_msgs/msg/NavSatFix",
        "/ugv1/odom": "nav_msgs/msg/Odometry",
        "/ugv1/joint_states": "sensor_msgs/msg/JointState",
        "/ugv1/battery_state": "sensor_msgs/msg/BatteryState",
        "/ugv1/cmd_vel": "geometry_msgs/msg/Twist",
        "/ugv1/tf": "tf2_msgs/msg/TFMessage",
        "/ugv1/tf_static": "tf2_msgs/msg/TFMessage",
        "/ugv1/robot_description": "std_msgs/msg/String",
        "/clock": "rosgraph_msgs/msg/Clock",
    }


def test_a_contact_sensor_stays_off_ros(config_data, description):
    contract = contract_of(config_data, description)
    assert "chassis_contact" not in {route.name for route in contract.routes}


def test_a_bridge_that_does_not_lead_the_clock_promises_none(config_data, description):
    contract = contract_of(config_data | {"clock": False}, description)
    assert "/clock" not in {topic.topic for topic in contract.topics}


def test_a_camera_is_refused_plainly(config_data, description):
    config_data["manifest"]["sensors"].append(
        {
            "name": "front",
            "type": "camera",
            "frame_id": "lidar_link",
            "topic": "image_raw",
            "ros_type": "sensor_msgs/msg/Image",
            "rate_hz": 15,
        }
    )
    (problem,) = contract_of(config_data, description).problems
    assert problem.startswith("sensor front: the bridge has no sensor of type camera yet")


def change(path, value):
    def edit(manifest):
        *keys, last = path
        for key in keys:
            manifest = manifest[key]
        manifest[last] = value

    return edit


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (
            change(("sensors", 0, "ros_type"), "sensor_msgs/msg/PointCloud2"),
            "lidar: /ugv1/scan cannot carry sensor_msgs/msg/PointCloud2",
        ),
        (change(("sensors", 0, "frame_id"), "laser"), "lidar: frame laser is no link of the URDF"),
        (
            change(("sensors", 0, "frame_id"), "left_wheel"),
            "lidar: frame left_wheel does not stand still in base_link",
        ),
        (change(("sensors", 1, "topic"), "scan"), "topic /ugv1/scan stands for 2 routes"),
        (change(("lockstep",), {}), "lockstep: the manifest has neither ack nor hold_ms"),
        (change(("model", "base_link"), "base"), "model.base_link: the URDF has no link base"),
        (
            change(("driver_swap", 0, "rate_hz"), 20),
            "driver_swap: urg_node: rate_hz is 20.0, lidar has 10.0",
        ),
        (
            change(("driver_swap", 0, "ros_topic"), "scan_front"),
            "driver_swap: urg_node: ros_topic is /ugv1/scan_front, lidar has /ugv1/scan",
        ),
        (
            change(("driver_swap", 0, "sensor"), "lidar_front"),
            "driver_swap: urg_node feeds no route named lidar_front",
        ),
    ],
    ids=[
        "type",
        "frame",
        "moving frame",
        "topic twice",
        "no end of tick",
        "base",
        "rate",
        "swap topic",
        "swap",
    ],
)
def test_what_the_bridge_cannot_keep_is_a_problem(config_data, description, edit, says):
    edit(config_data["manifest"])
    problems = contract_of(config_data, description).problems
    assert any(problem.startswith(says) for problem in problems), problems


def test_a_graph_with_just_the_bridge_keeps_the_contract(config_data, description):
    contract = contract_of(config_data, description)
    assert graph_problems(contract.topics, own_ends(contract), node=NODE, mode="lockstep") == []


STACK = Endpoint("/ugv1/scan", "/ugv1/x", "sensor_msgs/msg/LaserScan", "subscribe", "", "volatile")


@pytest.mark.parametrize(
    ("end", "says"),
    [
        (
            replace(STACK, topic="/clock", ros_type="rosgraph_msgs/msg/Clock", direction="publish"),
            ["/clock: also published by /ugv1/x"],
        ),
        (replace(STACK, direction="publish"), ["/ugv1/scan: also published by /ugv1/x"]),
        (
            replace(STACK, ros_type="sensor_msgs/msg/PointCloud2"),
            [
                (
                    "/ugv1/scan: /ugv1/x uses type sensor_msgs/msg/PointCloud2, the contract is"
                    " sensor_msgs/msg/LaserScan"
                )
            ],
        ),
        (
            replace(STACK, durability="transient_local"),
            [
                (
                    "/ugv1/scan: /ugv1/x asks for transient-local durability, which the real driver"
                    " does not offer"
                )
            ],
        ),
        (replace(STACK, reliability="best_effort"), []),
        (
            replace(
                STACK, topic="/ugv1/tf", ros_type="tf2_msgs/msg/TFMessage", direction="publish"
            ),
            [],
        ),
        (replace(STACK, topic="/ugv1/plan", ros_type="nav_msgs/msg/Path"), []),
    ],
    ids=["two clocks", "two drivers", "type", "durability", "best effort", "tf", "other topic"],
)
def test_other_ends_are_held_against_the_contract(config_data, description, end, says):
    contract = contract_of(config_data, description)
    ends = [*own_ends(contract), replace(end, reliability=end.reliability or "reliable")]
    assert graph_problems(contract.topics, ends, node=NODE, mode="lockstep") == says


def test_a_missing_own_end_is_a_problem(config_data, description):
    contract = contract_of(config_data, description)
    ends = [end for end in own_ends(contract) if end.topic != "/ugv1/odom"]
    assert graph_problems(contract.topics, ends, node=NODE, mode="lockstep") == [
        "/ugv1/odom: the bridge has no publish end in the graph"
    ]


COMMANDER = Endpoint(
    "/ugv1/cmd_vel", "/ugv1/a", "geometry_msgs/msg/Twist", "publish", "reliable", "volatile"
)


@pytest.mark.parametrize(("mode", "count"), [("lockstep", 1), ("sim", 0), ("realtime", 0)])
def test_two_commanders_are_a_problem_where_their_order_must_be_fixed(
    config_data, description, mode, count
):
    contract = contract_of(config_data | {"mode": mode}, description)
    ends = [*own_ends(contract, mode), COMMANDER, replace(COMMANDER, node="/ugv1/b")]
    problems = graph_problems(contract.topics, ends, node=NODE, mode=mode)
    assert len(problems) == count
    assert all("several publishers (/ugv1/a, /ugv1/b)" in problem for problem in problems)


def test_a_best_effort_commander_does_not_match_a_reliable_drive(config_data, description):
    contract = contract_of(config_data, description)
    ends = [*own_ends(contract), replace(COMMANDER, reliability="best_effort")]
    (problem,) = graph_problems(contract.topics, ends, node=NODE, mode="lockstep")
    assert problem.startswith("/ugv1/cmd_vel: /ugv1/a publishes best_effort, volatile")


def test_a_best_effort_driver_is_offered_reliable_in_lockstep_only(config_data, description):
    config_data["manifest"]["sensors"][0]["qos"] = {"reliability": "best_effort"}
    contract = contract_of(config_data, description)
    (topic,) = (topic for topic in contract.topics if topic.topic == "/ugv1/scan")
    assert offered(topic.qos, "lockstep").reliability == "reliable"
    assert offered(topic.qos, "sim").reliability == "best_effort"
    ends = [*own_ends(contract), replace(STACK, reliability="reliable")]
    (problem,) = graph_problems(contract.topics, ends, node=NODE, mode="lockstep")
    assert problem.startswith("/ugv1/scan: /ugv1/x asks for reliable delivery")
