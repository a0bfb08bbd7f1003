"""What happens to a world while it runs: things appear, vanish, move, and the wind blows."""

import math

import numpy as np
import pytest

from fieldproof_sim.protocol import Remove, RequestError, Spawn, Teleport, Wind

BALL = """<model name="ball"><pose>0 0 50 0 0 0</pose>{wind}<link name="l">{link_wind}
<inertial><mass>2</mass></inertial><gravity>false</gravity>
<collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>
</link></model>"""
CRATE = {"type": "box", "size": [0.6, 0.6, 0.5]}


def spawn(bench, name="crate", x=10.0, y=0.8, **more):
    fields = {"shape": CRATE} | more
    return bench.simulator.spawn(Spawn(op="spawn", model=name, pose={"x": x, "y": y}, **fields))


def lidar(bench):
    return np.frombuffer(bench.last("sensor/ugv1/lidar")["ranges"], "<f4")


def test_what_appears_is_in_the_next_scan_and_what_vanishes_is_not(bench, quiet_manifest):
    world = bench(vehicle={"manifest": quiet_manifest})
    world.run(1.05)
    before = lidar(world)
    spawn(world)
    world.run(0.05)
    with_crate = lidar(world)
    assert (with_crate < before - 1.0).sum() > 5
    world.simulator.remove(Remove(op="remove", model="crate"))
    world.run(0.1)
    assert lidar(world) == pytest.approx(before, abs=0.02)


@pytest.mark.parametrize(
    "shape",
    [
        CRATE,
        {"type": "cylinder", "radius": 0.3, "length": 0.5},
        {"type": "sphere", "radius": 0.3},
    ],
    ids=lambda shape: shape["type"],
)
def test_every_shape_stands_on_its_place_and_stops_a_vehicle(bench, shape):
    world = bench()
    spawn(world, shape=shape)
    world.drive(1.0, 0.0)
    world.run(4.0)
    half = shape["size"][2] / 2 if "size" in shape else shape.get("length", 0.6) / 2
    crate = world.truth("crate")
    assert (crate["x"], crate["y"], crate["z"]) == pytest.approx((10.0, 0.8, half))
    assert world.truth()["y"] > 0.8
    touched = world.last("contact/ugv1")["contacts"][0]
    assert touched["collision2"] == "crate::link::collision"


def test_a_shape_that_moves_has_its_mass_and_falls_to_rest(bench):
    world = bench()
    pose = {"x": 10.0, "y": -4.0, "z": 0.5}
    world.simulator.spawn(
        Spawn(op="spawn", model="box", pose=pose, shape=CRATE, static=False, mass_kg=7.0)
    )
    world.run(2.0)
    assert world.truth("box")["z"] == pytest.approx(0.25, abs=0.01)
    model = world.simulator._model
    assert model.body("box::link").mass[0] == 7.0


def test_what_appears_out_of_reach_changes_nothing_of_a_vehicles_drive(bench):
    plain, changed = bench(), bench()
    for each in (plain, changed):
        each.drive(0.8, 0.3)
        each.run(1.0)
    spawn(changed, x=500.0, y=500.0)
    for each in (plain, changed):
        each.run(1.5)
    for topic in ("sensor/ugv1/imu", "sensor/ugv1/odometry", "sensor/ugv1/lidar"):
        assert plain.all(topic) == changed.all(topic), topic
    assert plain.truth() == changed.truth()


def test_equal_changes_at_equal_times_give_equal_frames(bench):
    def ran():
        world = bench()
        world.drive(0.8, 0.0)
        world.run(0.7)
        spawn(world, static=False)
        world.run(1.0)
        world.simulator.teleport(
            Teleport(op="teleport", model="crate", pose={"x": 11.0, "y": 0.5, "yaw": 0.4})
        )
        world.simulator.wind(Wind(op="wind", velocity=(3.0, 0.0, 0.0)))
        world.run(1.0)
        world.simulator.remove(Remove(op="remove", model="crate"))
        world.run(0.5)
        return world.frames

    assert ran() == ran()


def test_a_teleported_vehicle_keeps_its_velocities_and_its_height(bench):
    world = bench()
    world.drive(1.0, 0.0)
    world.run(2.0)
    before = world.truth()
    world.simulator.teleport(Teleport(op="teleport", model="ugv1", pose={"x": 7.5, "y": 3.0}))
    world.run(0.1)
    after = world.truth()
    assert after["z"] == pytest.approx(before["z"], abs=0.02)
    assert math.hypot(after["vx"], after["vy"]) > 0.3
    assert (after["x"], after["y"]) == pytest.approx((7.5, 3.0), abs=0.15)


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda s: s.spawn(Spawn(op="spawn", model="ugv1", pose={"x": 0, "y": 0}, shape=CRATE)),
         "the name ugv1 is taken"),
        (lambda s: s.remove(Remove(op="remove", model="ugv1")), "ugv1 is a vehicle"),
        (lambda s: s.remove(Remove(op="remove", model="warehose")), "nearest: warehouse"),
        (lambda s: s.teleport(Teleport(op="teleport", model="nobody", pose={"x": 0, "y": 0})),
         "no model is called nobody"),
        (lambda s: s.spawn(Spawn(op="spawn", model="a", pose={"x": 0, "y": 0}, sdf="/no/such.sdf")),
         "No such file"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_refused_and_changes_nothing(bench, act, said):
    world = bench()
    models = world.simulator.models()
    with pytest.raises(RequestError, match=said):
        act(world.simulator)
    assert world.simulator.models() == models


def test_a_model_that_is_no_sdf_is_refused_with_its_line(bench, tmp_path):
    path = tmp_path / "model.sdf"
    path.write_text('<sdf version="1.11"><model name="m">\n<link/></model></sdf>')
    with pytest.raises(RequestError, match=r"model\.sdf:2:"):
        bench().simulator.spawn(Spawn(op="spawn", model="m", pose={"x": 0, "y": 0}, sdf=path))


@pytest.mark.parametrize("where", ["wind", "link_wind"])
def test_wind_carries_along_what_asks_for_it_by_the_closed_form(bench, write_world, where):
    enable = "<enable_wind>true</enable_wind>"
    words = {"wind": "", "link_wind": ""} | {where: enable}
    world = bench(world=write_world(BALL.format(**words)), vehicles=[])
    world.simulator.wind(Wind(op="wind", velocity=(4.0, -2.0, 0.0)))
    for _ in range(5):
        world.run(0.5)
        ball, t = world.truth("ball"), world.simulator.time_ns / 1e9
        # dv/dt = (wind - v) * 1/s
        reached = 1 - math.exp(-t)
        assert (ball["vx"], ball["vy"]) == pytest.approx((4 * reached, -2 * reached), rel=0.01)
    world.simulator.wind(Wind(op="wind", velocity=(4.0, -2.0, 0.0), enabled=False))
    speed = world.truth("ball")["vx"]
    world.run(1.0)
    assert world.truth("ball")["vx"] == pytest.approx(speed, rel=0.02)


def test_wind_leaves_alone_what_does_not_ask_for_it(bench):
    still, windy = bench(), bench()
    windy.simulator.wind(Wind(op="wind", velocity=(30.0, 30.0, 0.0)))
    for each in (still, windy):
        each.drive(0.5, 0.2)
        each.run(1.0)
    assert still.frames == windy.frames
    assert windy.simulator.air() == {"velocity": [30.0, 30.0, 0.0], "enabled": True}


def test_wind_blows_on_through_a_spawn(bench, write_world):
    enable = "<enable_wind>true</enable_wind>"
    world = bench(world=write_world(BALL.format(wind=enable, link_wind="")), vehicles=[])
    world.simulator.wind(Wind(op="wind", velocity=(4.0, 0.0, 0.0)))
    world.run(1.0)
    spawn(world, x=50.0, y=50.0)
    world.run(1.0)
    assert world.truth("ball")["vx"] == pytest.approx(4 * (1 - math.exp(-2)), rel=0.01)
