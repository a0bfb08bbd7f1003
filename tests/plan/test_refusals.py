"""One fault in an otherwise sound workspace each: where it is found, and what is said of it."""

import os

import pytest

from fieldproof.model import ScenarioError

# id, the file that is spoiled, what is replaced in it, by what, and the problems
TABLE = [
    (
        "unknown_world",
        "s.yaml",
        "world: yard",
        "world: yrad",
        ["s.yaml:4:8: world: unknown world 'yrad' (nearest: yard)"],
    ),
    (
        "unknown_robot",
        "s.yaml",
        "manifest: rover, spawn: { frame",
        "manifest: rovr, spawn: { frame",
        ["s.yaml:7:29: vehicles[0].manifest: unknown robot 'rovr' (nearest: rover)"],
    ),
    (
        "unknown_frame_of_a_spawn",
        "s.yaml",
        "frame: start",
        "frame: strat",
        [
            "s.yaml:7:52: vehicles[0].spawn.frame: unknown frame 'strat' of the world yard (nearest: start)"
        ],
    ),
    (
        "unknown_frame_of_a_goal",
        "s.yaml",
        "goal: { frame: gate }",
        "goal: { frame: gat }",
        [
            "s.yaml:13:20: timeline[0].goal.frame: unknown frame 'gat' of the world yard (nearest: gate)"
        ],
    ),
    (
        "unknown_frame_of_a_condition",
        "s.yaml",
        "target: { frame: gate }, condition",
        "target: { frame: gat }, condition",
        [
            "s.yaml:16:66: timeline[1].when.target.frame: unknown frame 'gat' of the world yard (nearest: gate)"
        ],
    ),
    (
        "unknown_frame_of_an_assertion",
        "s.yaml",
        "target: { frame: gate }\n  - name: slow",
        "target: { frame: gat }\n  - name: slow",
        [
            "s.yaml:30:22: assertions[0].target.frame: unknown frame 'gat' of the world yard (nearest: gate)"
        ],
    ),
    (
        "unknown_vehicle_of_a_signal",
        "s.yaml",
        "x: { metric: x, vehicle: ugv2 }",
        "x: { metric: x, vehicle: ugv3 }",
        [
            "s.yaml:44:32: assertions[2].signals.x.vehicle: unknown vehicle 'ugv3' (nearest: ugv2, ugv1)"
        ],
    ),
    (
        "unknown_vehicle_of_a_condition",
        "s.yaml",
        "vehicle: ugv2, metric: distance_to",
        "vehicle: ugv3, metric: distance_to",
        ["s.yaml:16:22: timeline[1].when.vehicle: unknown vehicle 'ugv3' (nearest: ugv2, ugv1)"],
    ),
    (
        "signal_without_a_vehicle",
        "s.yaml",
        "when: { vehicle: ugv2, metric",
        "when: { metric",
        ["s.yaml:16:11: timeline[1].when: needs a vehicle (here or on the entry)"],
    ),
    (
        "topic_without_a_vehicle",
        "s.yaml",
        "topic: odom\n    vehicle: ugv2",
        "topic: odom",
        [
            "s.yaml:33:12: assertions[1].topic: odom is relative to a vehicle and none is named (give vehicle, or a leading /)"
        ],
    ),
    (
        "topic_like_a_known_one",
        "s.yaml",
        "topic: odom\n",
        "topic: odmo\n",
        [
            "s.yaml:33:12: assertions[1].topic: unknown topic 'odmo' (nearest: odom; give message_type if it is another topic)"
        ],
    ),
    (
        "absolute_topic_like_a_known_one",
        "s.yaml",
        "topic: odom\n",
        "topic: /ugv1/odmo\n",
        [
            "s.yaml:33:12: assertions[1].topic: unknown topic '/ugv1/odmo' (nearest: odom; give message_type if it is another topic)"
        ],
    ),
    (
        "recorded_topic_like_a_known_one",
        "s.yaml",
        "topics: [scan,",
        "topics: [sacn,",
        [
            "s.yaml:47:35: outputs.topics[0]: unknown topic 'sacn' (nearest: scan; give message_type if it is another topic)"
        ],
    ),
    (
        "unknown_assertion",
        "s.yaml",
        "    signals:\n",
        "    before: arives\n    signals:\n",
        ["s.yaml:41:13: assertions[2].before: unknown assertion 'arives' (nearest: arrives)"],
    ),
    (
        "assertions_that_wait_for_each_other",
        "s.yaml",
        "    vehicle: ugv1\n    signals:\n",
        """\
    before: third
    vehicle: ugv1
    signals: { time: { metric: sim_time } }
  - name: third
    type: signals
    before: both
    vehicle: ugv1
    signals:
""",
        ["s.yaml:38:5: assertions[2]: assertions wait for each other: both -> third -> both"],
    ),
    (
        "assertion_before_itself",
        "s.yaml",
        "    signals:\n",
        "    before: both\n    signals:\n",
        ["s.yaml:41:13: assertions[2].before: unknown assertion 'both' (known: arrives, slow)"],
    ),
    (
        "real_time_factor_of_a_condition_in_lockstep",
        "s.yaml",
        "when: { vehicle: ugv2, metric: distance_to, target: { frame: gate }, condition",
        "when: { metric: rtf, condition",
        [
            "s.yaml:16:21: timeline[1].when.metric: has no value in lockstep (the clock is stepped there; use sim_time, or another time.mode)"
        ],
    ),
    (
        "real_time_factor_of_an_assertion_in_lockstep",
        "s.yaml",
        "time: { metric: sim_time }",
        "time: { metric: rtf }",
        [
            "s.yaml:43:23: assertions[2].signals.time.metric: has no value in lockstep (the clock is stepped there; use sim_time, or another time.mode)"
        ],
    ),
    (
        "collector_of_an_unknown_entry",
        "s.yaml",
        "start: first",
        "start: frist",
        ["s.yaml:46:41: kpis[0].start: unknown timeline entry 'frist' (nearest: first)"],
    ),
    (
        "tick_between_physics_steps",
        "s.yaml",
        "seed: 7",
        "tick_s: 5ms",
        [
            "s.yaml:5:33: time.tick_s: must be a multiple of the world's physics step (got 0.005s) (the step is 0.002s)"
        ],
    ),
    (
        "physics_step_beside_the_tick",
        "worlds/yard/world.yaml",
        "step_s: 2ms",
        "step_s: 3ms",
        [
            "s.yaml:5:7: time.tick_s: must be a multiple of the world's physics step (got 0.05s) (the step is 0.003s)"
        ],
    ),
    (
        "vehicles_in_one_place",
        "s.yaml",
        "x: -5, y: 6",
        "x: 5, y: 6",
        ["s.yaml:8:65: vehicles[1].spawn: ugv1 stands there"],
    ),
    (
        "event_refuses",
        "s.yaml",
        "text: hello",
        "text: no",
        ["s.yaml:19:11: timeline[1].text: is not said here (say yes)"],
    ),
    (
        "event_raises",
        "s.yaml",
        "text: hello",
        "text: crash",
        ["s.yaml:15:5: timeline[1]: say could not be planned: KeyError: 'inside'"],
    ),
    (
        "event_resolves_to_no_data",
        "s.yaml",
        "text: hello",
        "text: nan",
        [
            "s.yaml:15:5: timeline[1]: say could not be planned: ValueError: Out of range float values are not JSON compliant"
        ],
    ),
    (
        "world_named_otherwise",
        "worlds/yard/world.yaml",
        "name: yard",
        "name: dock",
        ["worlds/yard/world.yaml:3:7: name: must be yard, as its folder is called (got dock)"],
    ),
    (
        "world_without_origin",
        "worlds/yard/world.yaml",
        "origin: { latitude_deg: 53.5, longitude_deg: 10.0 }\n",
        "",
        ["worlds/yard/world.yaml:1:1: origin: is missing"],
    ),
    (
        "world_north_of_the_pole",
        "worlds/yard/world.yaml",
        "53.5",
        "93.5",
        ["worlds/yard/world.yaml:4:25: origin.latitude_deg: must be at most 90 (got 93.5)"],
    ),
    (
        "world_with_an_unknown_key",
        "worlds/yard/world.yaml",
        "physics: {",
        "phisics: {",
        ["worlds/yard/world.yaml:5:1: phisics: unknown key (nearest: physics)"],
    ),
    (
        "frame_without_y",
        "worlds/yard/world.yaml",
        "x: 5, y: 6",
        "x: 5",
        ["worlds/yard/world.yaml:8:10: frames.start.y: is missing"],
    ),
    (
        "world_without_geometry",
        "worlds/yard/world.yaml",
        "name: yard\n",
        "name: yard\nsdf: other.sdf\n",
        ["worlds/yard/world.yaml:4:6: sdf: other.sdf does not exist"],
    ),
    (
        "geometry_is_no_xml",
        "worlds/yard/world.sdf",
        "<sdf version='1.11'/>",
        "<sdf>\n <world",
        ["worlds/yard/world.sdf:2:2: is no XML: unclosed token"],
    ),
    (
        "robot_named_otherwise",
        "robots/rover/robot.yaml",
        "name: rover\n",
        "name: rovr\n",
        ["robots/rover/robot.yaml:3:7: name: must be rover, as its folder is called (got rovr)"],
    ),
    (
        "sensor_of_unknown_type",
        "robots/rover/robot.yaml",
        "type: lidar,",
        "type: lider,",
        [
            "robots/rover/robot.yaml:17:26: sensors[0].type: must be one of lidar, imu, gnss, contact (got 'lider') (nearest: lidar)"
        ],
    ),
    (
        "lidar_without_rays",
        "robots/rover/robot.yaml",
        "rays: 360, ",
        "",
        ["robots/rover/robot.yaml:17:5: sensors[0].rays: is missing (a lidar sensor has it)"],
    ),
    (
        "lidar_of_an_empty_range",
        "robots/rover/robot.yaml",
        "range_max_m: 12",
        "range_max_m: 0.05",
        [
            "robots/rover/robot.yaml:18:103: sensors[0].range_max_m: must be above range_min_m (got 0.05)"
        ],
    ),
    (
        "contact_with_a_topic",
        "robots/rover/robot.yaml",
        "collision: chassis,",
        "collision: chassis, topic: bumps,",
        ["robots/rover/robot.yaml:19:80: sensors[1].topic: does not go with type: contact"],
    ),
    (
        "noise_of_another_sensor",
        "robots/rover/robot.yaml",
        "range_max_m: 12",
        "range_max_m: 12, noise: { gyro_stddev_radps: 1 }",
        [
            "robots/rover/robot.yaml:18:135: sensors[0].noise.gyro_stddev_radps: does not go with type: lidar"
        ],
    ),
    (
        "sensor_named_twice",
        "robots/rover/robot.yaml",
        "name: bumper",
        "name: lidar",
        ["robots/rover/robot.yaml:19:13: sensors[1].name: lidar is taken"],
    ),
    (
        "sensor_named_like_an_interface",
        "robots/rover/robot.yaml",
        "name: bumper",
        "name: odometry",
        ["robots/rover/robot.yaml:19:13: sensors[1].name: odometry is taken"],
    ),
    (
        "swap_of_an_unknown_sensor",
        "robots/rover/robot.yaml",
        "sensor: lidar, ros_topic",
        "sensor: ladar, ros_topic",
        [
            "robots/rover/robot.yaml:21:32: driver_swap[0].sensor: unknown sensor ladar (nearest: lidar)"
        ],
    ),
    (
        "acknowledgement_of_an_unknown_node",
        "robots/rover/robot.yaml",
        "nodes: [driver]",
        "nodes: [drivr]",
        ["robots/rover/robot.yaml:28:37: lockstep.nodes[0]: unknown node drivr (nearest: driver)"],
    ),
    (
        "no_way_to_end_a_tick",
        "robots/rover/robot.yaml",
        "{ ack: tick_done, nodes: [driver] }",
        "{}",
        ["robots/rover/robot.yaml:28:11: lockstep: must have ack and nodes, or hold_ms"],
    ),
    (
        "no_lockstep",
        "robots/rover/robot.yaml",
        "lockstep: { ack: tick_done, nodes: [driver] }\n",
        "",
        [
            "s.yaml:7:29: vehicles[0].manifest: rover does not say how a tick ends (give it a lockstep section, or use another time.mode)",
            "s.yaml:8:29: vehicles[1].manifest: rover does not say how a tick ends (give it a lockstep section, or use another time.mode)",
        ],
    ),
    (
        "gate_of_an_unknown_node",
        "robots/rover/robot.yaml",
        "lifecycle: driver",
        "lifecycle: drive",
        [
            "robots/rover/robot.yaml:27:41: readiness.gates[1].lifecycle: unknown node drive (nearest: driver)"
        ],
    ),
    (
        "gate_of_two_things",
        "robots/rover/robot.yaml",
        "{ topic: odom }",
        "{ topic: odom, action: go }",
        [
            "robots/rover/robot.yaml:27:11: readiness.gates[0]: must have one of lifecycle, action and topic"
        ],
    ),
    (
        "wheel_without_radius",
        "robots/rover/robot.yaml",
        "wheel_radius_m: 0.1",
        "wheel_radius_m: 0",
        ["robots/rover/robot.yaml:9:19: drive.wheel_radius_m: must be positive (got 0)"],
    ),
    (
        "covariance_of_five",
        "robots/rover/robot.yaml",
        "rate_hz: 50 }\nsensors",
        "rate_hz: 50, pose_covariance_diagonal: [1, 1, 1, 1, 1] }\nsensors",
        [
            "robots/rover/robot.yaml:15:139: drive.odometry.pose_covariance_diagonal: must have at least 6 items (got 5)"
        ],
    ),
    (
        "parameter_is_a_mapping",
        "robots/rover/robot.yaml",
        "gain: 1.5",
        "gain: { a: 1 }",
        [
            "robots/rover/robot.yaml:25:85: stack.processes[0].parameters.gain: must be true or false, a whole number, a number, text or a list (got a mapping)"
        ],
    ),
    (
        "manifest_of_another_kind",
        "robots/rover/robot.yaml",
        "kind: Vehicle",
        "kind: World",
        ["robots/rover/robot.yaml:2:7: kind: must be Vehicle (got 'World')"],
    ),
    (
        "urdf_elsewhere",
        "robots/rover/robot.yaml",
        "urdf: rover.urdf",
        "urdf: ../rover.urdf",
        [
            "robots/rover/robot.yaml:4:16: model.urdf: must be a file name in the same folder (got '../rover.urdf')"
        ],
    ),
    (
        "urdf_absent",
        "robots/rover/robot.yaml",
        "urdf: rover.urdf",
        "urdf: other.urdf",
        ["robots/rover/robot.yaml:4:16: model.urdf: other.urdf does not exist"],
    ),
]


def problems(workspace):
    with pytest.raises(ScenarioError) as caught:
        workspace.plan()
    root = f"{workspace.root}/"
    return [str(problem).replace(root, "") for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("file", "old", "new", "expected"), [row[1:] for row in TABLE], ids=[r[0] for r in TABLE]
)
def test_a_fault_is_reported_where_it_stands(workspace, file, old, new, expected):
    workspace.spoil(file, old, new)
    assert problems(workspace) == expected


# id, what is spoiled (file, what is replaced, by what), and the problems
MIXED = [
    (
        "unknown_keys_beside_unknown_names",
        [
            ("s.yaml", "frame: gate }\n    timeout_s", "frame: gat }\n    timeuot_s"),
            ("s.yaml", "on_fail: abort", "on_fial: abort"),
            ("s.yaml", "topic: odom\n", "topic: odmo\n"),
        ],
        [
            "s.yaml:13:20: timeline[0].goal.frame: unknown frame 'gat' of the world yard (nearest: gate)",
            "s.yaml:14:5: timeline[0].timeuot_s: unknown key (nearest: timeout_s)",
            "s.yaml:33:12: assertions[1].topic: unknown topic 'odmo' (nearest: odom; give message_type if it is another topic)",
            "s.yaml:37:5: assertions[1].on_fial: unknown key (nearest: on_fail)",
        ],
    ),
    (
        "faults_of_the_world_and_of_what_stands_in_it",
        [
            ("worlds/yard/world.yaml", "name: yard", "name: yrad\nsky: blue"),
            ("s.yaml", "seed: 7", "sead: 7, tick_s: 5ms"),
            ("s.yaml", "frame: start", "frame: strat"),
            ("s.yaml", "timeout_s: 30s", "timeout_s: thirty"),
        ],
        [
            "worlds/yard/world.yaml:3:7: name: must be yard, as its folder is called (got yrad)",
            "worlds/yard/world.yaml:4:1: sky: unknown key (known: apiVersion, description, frames, kind, name, origin, physics, sdf)",
            "s.yaml:5:25: time.sead: unknown key (nearest: seed)",
            "s.yaml:5:42: time.tick_s: must be a multiple of the world's physics step (got 0.005s) (the step is 0.002s)",
            "s.yaml:7:52: vehicles[0].spawn.frame: unknown frame 'strat' of the world yard (nearest: start)",
            "s.yaml:14:16: timeline[0].timeout_s: must be a duration (got 'thirty') (write 30s, 250ms, 1m, 2h, or a number of seconds)",
        ],
    ),
    (
        "vehicle_of_an_unknown_robot_with_an_unknown_key",
        [
            (
                "s.yaml",
                "rover, spawn: { frame: start }",
                "rovr, spawn: { frame: strat }, colour: red",
            ),
            ("s.yaml", "topics: [scan,", "topcs: 1, topics: [sacn,"),
        ],
        [
            "s.yaml:7:29: vehicles[0].manifest: unknown robot 'rovr' (nearest: rover)",
            "s.yaml:7:51: vehicles[0].spawn.frame: unknown frame 'strat' of the world yard (nearest: start)",
            "s.yaml:7:60: vehicles[0].colour: unknown key (known: manifest, name, namespace, spawn)",
            "s.yaml:47:26: outputs.topcs: unknown key (nearest: topics)",
            "s.yaml:47:45: outputs.topics[0]: unknown topic 'sacn' (nearest: scan; give message_type if it is another topic)",
        ],
    ),
    (
        "several_names_in_one_entry",
        [
            ("s.yaml", "topic: odom, field", "topic: odmo, field"),
            ("s.yaml", "x: { metric: x, vehicle: ugv2 }", "x: { metric: x, vehicle: ugv3, y: 1 }"),
            ("s.yaml", "    type: signals\n", "    type: signals\n    before: arives\n"),
        ],
        [
            "s.yaml:40:13: assertions[2].before: unknown assertion 'arives' (nearest: arrives)",
            "s.yaml:43:23: assertions[2].signals.speed.topic: unknown topic 'odmo' (nearest: odom; give message_type if it is another topic)",
            "s.yaml:45:32: assertions[2].signals.x.vehicle: unknown vehicle 'ugv3' (nearest: ugv2, ugv1)",
            "s.yaml:45:38: assertions[2].signals.x.y: unknown key (known: field, message_type, metric, target, topic, vehicle)",
        ],
    ),
    (
        "signals_of_a_vehicle_of_an_unknown_robot_and_of_an_unknown_vehicle",
        [
            ("s.yaml", "rover, spawn: { frame: start }", "rovr, spawn: { frame: start }"),
            ("s.yaml", "x: { metric: x, vehicle: ugv2 }", "x: { metric: x, vehicle: ugv3 }"),
        ],
        [
            "s.yaml:7:29: vehicles[0].manifest: unknown robot 'rovr' (nearest: rover)",
            "s.yaml:44:32: assertions[2].signals.x.vehicle: unknown vehicle 'ugv3' (nearest: ugv2, ugv1)",
        ],
    ),
    (
        "condition_of_an_entry_without_what_its_action_needs",
        [
            ("s.yaml", "text: hello", "txt: hello"),
            ("s.yaml", "target: { frame: gate }, condition", "target: { frame: gat }, condition"),
            ("s.yaml", "action: drive", "action: drvie"),
        ],
        [
            "s.yaml:12:13: timeline[0].action: unknown action 'drvie' (nearest: drive)",
            "s.yaml:15:5: timeline[1].text: is missing",
            "s.yaml:16:66: timeline[1].when.target.frame: unknown frame 'gat' of the world yard (nearest: gate)",
            "s.yaml:19:5: timeline[1].txt: unknown key (nearest: text)",
        ],
    ),
    (
        "robot_named_otherwise_whose_topics_are_asked_for",
        [
            ("robots/rover/robot.yaml", "name: rover\n", "name: rovr\nwheels: 4\n"),
            ("s.yaml", "topic: odom\n", "topic: odmo\n"),
            ("robots/rover/robot.yaml", "nodes: [driver]", "nodes: [drivr]"),
        ],
        [
            "robots/rover/robot.yaml:3:7: name: must be rover, as its folder is called (got rovr)",
            "robots/rover/robot.yaml:4:1: wheels: unknown key (known: apiVersion, budget, description, drive, driver_swap, kind, lockstep, model and 5 more)",
            "robots/rover/robot.yaml:29:37: lockstep.nodes[0]: unknown node drivr (nearest: driver)",
        ],
    ),
]


@pytest.mark.parametrize(
    ("spoils", "expected"), [row[1:] for row in MIXED], ids=[r[0] for r in MIXED]
)
def test_faults_of_different_stages_are_reported_together_and_once(workspace, spoils, expected):
    for file, old, new in spoils:
        workspace.spoil(file, old, new)
    found = problems(workspace)
    assert sorted(found) == sorted(expected)
    assert [one for one in found if one.startswith("s.yaml")] == [
        one for one in expected if one.startswith("s.yaml")
    ]


def test_the_faults_of_all_files_are_reported_at_once(workspace):
    workspace.spoil("s.yaml", "seed: 7", "sead: 7")
    workspace.spoil("s.yaml", "goal: { frame: gate }", "goal: { frame: gat }")
    workspace.spoil("s.yaml", "text: hello", "text: no")
    workspace.spoil("robots/rover/robot.yaml", "wheel_radius_m: 0.1", "wheel_radius_m: 0")
    assert [one.split(": ")[1] for one in problems(workspace)] == [
        "drive.wheel_radius_m",
        "time.sead",
        "timeline[0].goal.frame",
        "timeline[1].text",
    ]


def test_an_unknown_world_brings_no_complaint_about_its_frames(workspace):
    workspace.spoil("s.yaml", "world: yard", "world: forest")
    assert problems(workspace) == ["s.yaml:4:8: world: unknown world 'forest' (known: yard)"]


def test_an_empty_shelf_is_said_to_be_empty(workspace):
    (workspace.root / "worlds/yard/world.yaml").unlink()
    assert problems(workspace) == ["s.yaml:4:8: world: unknown world 'yard' (worlds holds none)"]


def test_a_shelf_that_is_not_there_is_said_to_be_missing(workspace):
    (workspace.root / "worlds").rename(workspace.root / "elsewhere")
    [problem] = problems(workspace)
    assert "(there is no folder worlds: run in the project's folder" in problem


def test_a_topic_is_refused_when_the_manifest_lists_what_the_stack_publishes(workspace):
    workspace.spoil("s.yaml", "topic: odom\n", "topic: path\n")
    workspace.plan()
    listed = "  topics: [{ topic: plan, ros_type: nav_msgs/msg/Path }]\nreadiness:"
    workspace.spoil("robots/rover/robot.yaml", "readiness:", listed)
    assert problems(workspace) == [
        "s.yaml:33:12: assertions[1].topic: unknown topic 'path' (known: cmd_vel, odom, plan, robot_description, scan, tf, tf_static; what else its stack publishes belongs in stack.topics of rover)"
    ]


LISTED = "  topics: [{ topic: plan, ros_type: nav_msgs/msg/Path }]\nreadiness:"
ANNOUNCED = "  - { action: announce, vehicle: ugv2, topic: TOPIC }\nassertions:"


@pytest.mark.parametrize("topic", ["news", "/fleet/two/news"])
def test_a_topic_that_an_event_publishes_may_be_read_and_recorded_with_its_type(workspace, topic):
    workspace.spoil("robots/rover/robot.yaml", "readiness:", LISTED)
    workspace.spoil("s.yaml", "topic: odom\n", "topic: news\n")
    workspace.spoil("s.yaml", "topics: [scan,", "topics: [news,")
    assert len(problems(workspace)) == 2
    workspace.spoil("s.yaml", "assertions:", ANNOUNCED.replace("TOPIC", topic))
    execution = workspace.plan().execution
    (value,) = [one for one in execution["observe"]["values"] if one["topic"] == "/fleet/two/news"]
    assert value["message_type"] == "std_msgs/msg/String"
    assert execution["record"]["topics"] == ["/clock", "/fleet/two/news"]


def test_what_an_event_that_is_not_known_would_publish_is_not_missed(workspace):
    workspace.spoil("robots/rover/robot.yaml", "readiness:", LISTED)
    workspace.spoil("s.yaml", "topic: odom\n", "topic: news\n")
    lost = ANNOUNCED.replace("TOPIC", "news").replace("announce", "acme.announce")
    workspace.spoil("s.yaml", "assertions:", lost)
    (problem,) = problems(workspace)
    assert "timeline[3].action: unknown action 'acme.announce'" in problem


@pytest.mark.parametrize(
    "topic",
    ["odom2", "scan_filtered", "imu/data", "/odmo", "/clock", "_internal", "go/_action/status"],
)
def test_a_topic_that_is_no_slip_of_the_pen_is_taken_as_it_is(workspace, topic):
    workspace.spoil("s.yaml", "topic: odom\n", f"topic: {topic}\n")
    workspace.plan()


@pytest.mark.parametrize("topic", ["odmo", "odm", "oddom", "odon", "scam", "/fleet/two/odmo"])
def test_a_topic_with_one_letter_wrong_is_refused_and_a_message_type_vouches_for_it(
    workspace, topic
):
    workspace.spoil("s.yaml", "topic: odom\n", f"topic: {topic}\n")
    (problem,) = problems(workspace)
    assert "assertions[1].topic: unknown topic" in problem
    vouched = f"topic: {topic}\n    message_type: std_msgs/msg/Empty\n"
    workspace.spoil("s.yaml", f"topic: {topic}\n", vouched)
    (value,) = [
        one
        for one in workspace.plan().execution["observe"]["values"]
        if one["topic"].endswith(topic)
    ]
    assert value["message_type"] == "std_msgs/msg/Empty"


def test_a_scenario_that_does_not_exist_is_an_os_error(workspace):
    (workspace.root / "s.yaml").unlink()
    with pytest.raises(FileNotFoundError):
        workspace.plan()


PIPES = [
    ("worlds/yard/world.yaml", "unknown world 'yard'"),
    ("worlds/yard/world.sdf", "world.sdf does not exist"),
    ("robots/rover/robot.yaml", "unknown robot 'rover'"),
    ("robots/rover/rover.urdf", "rover.urdf does not exist"),
    ("worlds/yard/roof.stl", "refers to 'roof.stl', which is not a file in its folder"),
    ("s.yaml", "s.yaml: is no plain file"),
]


@pytest.mark.parametrize(("file", "what"), PIPES, ids=[file for file, _ in PIPES])
def test_a_pipe_in_the_place_of_a_file_is_refused_and_not_waited_for(workspace, file, what):
    mesh = "<sdf version='1.11'><mesh><uri>roof.stl</uri></mesh></sdf>"
    workspace.write("worlds/yard/world.sdf", mesh)
    workspace.write("worlds/yard/roof.stl", "")
    (workspace.root / file).unlink()
    os.mkfifo(workspace.root / file)
    assert what in problems(workspace)[0]


def test_an_entry_may_come_after_the_budget_which_then_ends_the_run_as_timeout(workspace):
    workspace.spoil("s.yaml", "at: 1.5s\n", "at: 11m\n")
    workspace.plan()


@pytest.mark.parametrize(
    ("after_s", "expected"),
    [
        ("5s", []),
        (
            "5001ms",
            [
                "s.yaml:29:14: assertions[0].after_s: is after the timeline's end (got 5.001s) (budget.timeout_s is 5s)"
            ],
        ),
    ],
)
def test_a_window_may_open_when_the_budget_ends_and_no_later(workspace, after_s, expected):
    workspace.spoil("s.yaml", "outputs:", "budget: { timeout_s: 5s }\noutputs:")
    workspace.spoil("s.yaml", "type: reach\n", f"type: reach\n    after_s: {after_s}\n")
    if expected:
        assert problems(workspace) == expected
    else:
        workspace.plan()
