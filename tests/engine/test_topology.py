from itertools import pairwise

import pytest

from fieldproof.engine._topology import (
    Addresses,
    absolute,
    load_request,
    managed_nodes,
    observer_config,
    vehicle_processes,
)

VEHICLE = {
    "name": "ugv1",
    "namespace": "fleet/ugv1",
    "manifest": {
        "stack": {
            "processes": [
                {"name": "nav", "module": "nav.main", "node": "navigator", "parameters": None},
                {
                    "name": "link",
                    "module": "nav.link",
                    "node": "link_monitor",
                    "parameters": {"loss_timeout_s": 2.0, "label": "on", "use_it": False},
                },
            ]
        }
    },
}


@pytest.mark.parametrize(
    ("name", "expected"),
    [("odom", "/fleet/ugv1/odom"), ("/clock", "/clock"), ("a/b", "/fleet/ugv1/a/b")],
)
def test_names_are_made_absolute_under_the_namespace(name, expected):
    assert absolute(VEHICLE, name) == expected


def test_each_process_gets_its_node_name_namespace_and_simulated_time():
    role, arguments = vehicle_processes(VEHICLE)[0]
    assert role == "ugv1/nav"
    assert arguments[:3] == ["-m", "nav.main", "--ros-args"]
    pairs = set(pairwise(arguments))
    assert {
        ("-r", "__ns:=/fleet/ugv1"),
        ("-r", "__node:=navigator"),
        ("-r", "/tf:=tf"),
        ("-r", "/tf_static:=tf_static"),
        ("-p", "use_sim_time:=true"),
    } <= pairs


def test_parameters_keep_their_types_on_the_command_line():
    _, arguments = vehicle_processes(VEHICLE)[1]
    assert [a for a in arguments if ":=" in a][-4:] == [
        'label:="on"',
        "loss_timeout_s:=2.0",
        "use_it:=false",
        "use_sim_time:=true",
    ]


def test_the_addresses_of_two_runs_differ_and_fit_a_socket_name():
    one, two = Addresses("0123456789ab-20260101T000000Z-aaaa"), Addresses("b")
    assert one.observer != two.observer
    assert len(one.bridge("a" * 32)) < 107


def test_a_vehicle_is_put_on_its_wheels_and_not_into_the_ground(tmp_path):
    manifest = {"model": {"spawn_height_m": 0.12}}
    spawn = {"x": 1.0, "y": 2.0, "z": 0.5, "yaw": 0.3}
    execution = {
        "world": {"sdf": "worlds/w/world.sdf", "physics": {"step_ns": 2_000_000}},
        "time": {"seed": 1},
        "vehicles": [
            {"name": "a", "namespace": "a", "urdf": "a.urdf", "manifest": manifest, "spawn": spawn}
        ],
    }
    (vehicle,) = load_request(execution, tmp_path)["vehicles"]
    assert vehicle["spawn"] == {**spawn, "z": 0.62}


def test_a_managed_node_belongs_to_the_vehicle_whose_namespace_it_is_in():
    vehicles = [{"name": name, "namespace": name} for name in ("ugv1", "ugv10")]
    nodes = ("/ugv1/nav", "/ugv10/nav", "/ugv1", "/ground/nav")
    observe = {"lifecycles": [{"node": node} for node in nodes]}
    assert managed_nodes({"vehicles": vehicles, "observe": observe}) == {
        "/ugv1/nav": "ugv1",
        "/ugv10/nav": "ugv10",
    }
    assert managed_nodes({"vehicles": vehicles, "observe": {}}) == {}


@pytest.mark.parametrize(
    ("time", "pace"),
    [
        ({"mode": "lockstep"}, None),
        ({"mode": "realtime"}, 1.0),
        ({"mode": "sim", "rtf": 2}, 2.0),
    ],
)
def test_the_observer_knows_the_pace_that_is_aimed_at(tmp_path, time, pace):
    execution = {
        "time": time,
        "vehicles": [],
        "observe": {},
        "record": {"enabled": False, "topics": []},
    }
    assert observer_config(execution, Addresses("a"), tmp_path)["target_rtf"] == pace
