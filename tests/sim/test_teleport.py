"""Models and vehicles that are put somewhere else at once."""

import math

import numpy as np
import pytest

CRATE = {"type": "box", "size": [0.6, 0.6, 0.5]}


def yaw_of(pose):
    return math.atan2(
        2 * (pose["qw"] * pose["qz"] + pose["qx"] * pose["qy"]),
        1 - 2 * (pose["qy"] ** 2 + pose["qz"] ** 2),
    )


def velocity(world, body):
    """Linear and angular velocity of a free body in the world frame."""
    model, data = world.simulator._model, world.simulator._data
    at = model.jnt_dofadr[model.body(body).jntadr[0]]
    return data.qvel[at : at + 3].copy(), data.body(body).xmat.reshape(3, 3) @ data.qvel[
        at + 3 : at + 6
    ]


def test_a_vehicle_keeps_its_height_above_the_pose_and_says_where_it_is(bench):
    world = bench()
    report = world.teleport("ugv1", 7.5, -3.5, yaw=1.0)
    assert report == "teleported vehicle ugv1 to (7.5, -3.5, 0.12, yaw 1)"
    world.run(0.1)
    truth = world.truth()
    assert (truth["x"], truth["y"], truth["z"]) == pytest.approx((7.5, -3.5, 0.12), abs=1e-3)
    assert yaw_of(truth) == pytest.approx(1.0, abs=1e-3)


def test_a_vehicle_can_be_put_on_something_high(bench):
    world = bench()
    world.spawn("ramp", 10.0, -4.0, shape={"type": "box", "size": [2, 2, 0.4]})
    world.teleport("ugv1", 10.0, -4.0, z=0.4)
    world.run(0.5)
    assert world.truth()["z"] == pytest.approx(0.52, abs=1e-3)


def test_velocities_are_kept_in_the_world_frame(bench, quiet_manifest):
    world = bench(vehicle={"manifest": quiet_manifest})
    world.drive(0.8, 0.5)
    world.run(2.0)
    before = velocity(world, "ugv1::base_link")
    world.teleport("ugv1", 10.0, -4.0, yaw=2.5)
    after = velocity(world, "ugv1::base_link")
    assert np.linalg.norm(before[0]) > 0.7
    assert after[0] == pytest.approx(before[0])
    assert after[1] == pytest.approx(before[1], abs=1e-12)


def test_a_tumbling_model_turns_on_about_the_same_axis_of_the_world(bench):
    world = bench(vehicles=[])
    world.spawn("die", 10.0, -4.0, z=30.0, shape=CRATE, static=False)
    model, data = world.simulator._model, world.simulator._data
    at = model.jnt_dofadr[model.body("die::link").jntadr[0]]
    data.qvel[at : at + 6] = (1.0, 2.0, 3.0, 0.4, 0.5, 0.6)
    world.run(0.3)
    before = velocity(world, "die::link")
    world.teleport("die", 12.0, -5.0, z=40.0, yaw=1.0)
    after = velocity(world, "die::link")
    assert after[0] == pytest.approx(before[0])
    assert after[1] == pytest.approx(before[1])


def test_odometry_and_wheels_know_nothing_of_it(bench, quiet_manifest):
    plain, moved = (bench(vehicle={"manifest": quiet_manifest}) for _ in range(2))
    for world in (plain, moved):
        world.run(0.5)
    moved.teleport("ugv1", 10.0, -4.0, yaw=-math.pi / 2)
    for world in (plain, moved):
        world.drive(0.5, 0.0)
        world.run(1.5)
    here, there = plain.last("sensor/ugv1/odometry"), moved.last("sensor/ugv1/odometry")
    assert [there[key] for key in here] == pytest.approx([here[key] for key in here], abs=1e-4)
    drive = 3.0 - plain.truth()["y"]
    assert moved.truth()["y"] == pytest.approx(-4.0 - drive, abs=1e-3)


def test_a_vehicle_that_is_turned_on_the_way_comes_back_to_its_wheels(bench, quiet_manifest):
    world = bench(vehicle={"manifest": quiet_manifest})
    world.drive(0.5, 0.0)
    world.run(1.5)
    world.teleport("ugv1", 10.0, -4.0, yaw=0.0)
    world.run(1.0)
    truth = world.truth()
    assert (truth["vx"], truth["vy"]) == pytest.approx((0.5, 0.0), abs=0.01)


def test_a_static_model_is_moved_and_seen_where_it_is(bench, quiet_manifest):
    world = bench(vehicle={"manifest": quiet_manifest})

    def ahead():
        return np.frombuffer(world.last("sensor/ugv1/lidar")["ranges"], "<f4")[180]

    world.run(0.098)
    assert world.teleport("pallet_1", 10.0, 1.0) == "teleported model pallet_1 to (10, 1, 0, yaw 0)"
    world.run(0.002)
    assert ahead() == pytest.approx(2.0 - 0.35, abs=2e-3)  # its load, 0.7 m deep
    world.spawn("crate", 30.0, 30.0, shape=CRATE)
    report = world.teleport("crate", 10.0, 2.1, yaw=0.5)
    assert report == "teleported model crate to (10, 2.1, 0.25, yaw 0.5)"
    world.run(0.1)
    crate = world.truth("crate")
    assert (crate["x"], crate["y"], crate["z"]) == (10.0, 2.1, 0.25)
    assert yaw_of(crate) == pytest.approx(0.5)
    assert ahead() == pytest.approx(0.9 - 0.3 / math.cos(0.5), abs=2e-3)


def test_a_model_that_fell_over_stands_again(bench):
    world = bench(vehicles=[])
    slab = {"type": "box", "size": [0.1, 0.4, 1.0]}
    world.spawn("slab", 10.0, -4.0, shape=slab, static=False, mass_kg=5.0)
    data, model = world.simulator._data, world.simulator._model
    data.qvel[model.jnt_dofadr[model.body("slab::link").jntadr[0]] + 4] = 3.0
    world.run(2.0)
    assert world.truth("slab")["z"] == pytest.approx(0.05, abs=0.01)
    world.teleport("slab", 11.0, -4.0)
    world.run(1.0)
    assert world.truth("slab")["z"] == pytest.approx(0.5, abs=0.01)
