import math
import struct
import zlib

import numpy as np
import pytest

from fieldproof_sim.protocol import RequestError

OPEN = {"spawn": {"x": 0.0, "y": 0.0, "z": 0.12, "yaw": 0.0}}


@pytest.fixture
def plain(bench, write_world, quiet_manifest):
    """The reference vehicle alone on a plane, its sensors without noise."""
    return bench(world=write_world(), vehicle={"manifest": quiet_manifest, **OPEN})


def yaw_of(pose):
    return math.atan2(
        2 * (pose["qw"] * pose["qz"] + pose["qx"] * pose["qy"]),
        1 - 2 * (pose["qy"] ** 2 + pose["qz"] ** 2),
    )


def test_a_vehicle_at_rest_stays_where_it_is(plain):
    plain.run(3.0)
    truth = plain.truth()
    assert (truth["x"], truth["y"]) == pytest.approx((0, 0), abs=1e-5)
    assert truth["z"] == pytest.approx(0.12, abs=5e-4)
    assert yaw_of(truth) == pytest.approx(0, abs=1e-6)


def test_it_drives_straight_and_odometry_drifts_below_half_a_percent(plain):
    plain.drive(1.0, 0.0)
    plain.run(5.5)
    plain.drive(0.0, 0.0)
    plain.run(1.5)
    truth, odometry = plain.truth(), plain.last("sensor/ugv1/odometry")
    assert truth["x"] == pytest.approx(5.5, abs=0.05)
    assert truth["y"] == pytest.approx(0, abs=1e-3)
    assert yaw_of(truth) == pytest.approx(0, abs=1e-4)
    assert odometry["x"] == pytest.approx(truth["x"], abs=0.025)
    assert odometry["v_mps"] == pytest.approx(0, abs=1e-3)
    assert abs(truth["vx"]) < 1e-3


def test_it_turns_on_the_spot_at_the_commanded_rate(plain):
    plain.drive(0.0, 1.0)
    plain.run(1.0)
    start = plain.truth()
    plain.run(2.0)
    end = plain.truth()
    assert end["wz"] == pytest.approx(1.0, rel=0.01)
    assert yaw_of(end) - yaw_of(start) == pytest.approx(2.0, rel=0.01)
    assert math.hypot(end["x"], end["y"]) < 0.01


def test_it_drives_the_arc_of_its_speeds_and_odometry_agrees(plain):
    plain.drive(0.5, 0.5)
    plain.run(0.5)
    before = plain.truth()
    plain.run(6.3)  # half a circle of 1 m radius, which takes 2 pi seconds
    after, odometry = plain.truth(), plain.last("sensor/ugv1/odometry")
    chord = math.hypot(after["x"] - before["x"], after["y"] - before["y"])
    assert chord == pytest.approx(2.0, rel=0.02)
    assert (odometry["x"], odometry["y"]) == pytest.approx((after["x"], after["y"]), abs=0.03)
    assert odometry["yaw"] == pytest.approx(yaw_of(after), abs=0.02)
    assert odometry["w_radps"] == pytest.approx(0.5, rel=0.01)


def test_acceleration_keeps_to_the_manifests_limit_both_ways(plain):
    plain.drive(1.0, 0.0)
    plain.run(1.2)
    plain.drive(-1.0, 0.0)
    plain.run(1.0)
    speeds = np.array([frame["v_mps"] for frame in plain.all("sensor/ugv1/odometry")])
    assert np.abs(np.diff(speeds)).max() / 0.02 <= 1.0 * 1.1
    assert speeds[40] == pytest.approx(0.8, abs=0.06)


def test_commands_beyond_the_limits_are_clamped(plain):
    plain.drive(5.0, 0.0)
    plain.run(2.0)
    assert plain.truth()["vx"] == pytest.approx(1.0, rel=0.01)
    plain.drive(0.0, -9.0)
    plain.run(3.0)
    assert plain.truth()["wz"] == pytest.approx(-1.5, rel=0.01)


def test_a_change_of_speed_keeps_to_its_arc(plain):
    plain.drive(1.0, 1.0)
    plain.run(0.5)
    for frame in plain.all("sensor/ugv1/odometry")[10:]:
        assert frame["w_radps"] == pytest.approx(frame["v_mps"], rel=0.08)


def test_joint_states_are_the_wheels_that_odometry_is_made_of(plain):
    plain.drive(0.4, 0.0)
    plain.run(2.0)
    joints, odometry = plain.last("sensor/ugv1/joint_states"), plain.last("sensor/ugv1/odometry")
    assert joints["names"] == ["left_wheel_joint", "right_wheel_joint"]
    assert np.array(joints["positions"]) * 0.1 == pytest.approx([odometry["x"]] * 2, abs=1e-6)
    assert np.array(joints["velocities"]) * 0.1 == pytest.approx([odometry["v_mps"]] * 2, abs=1e-9)


def test_ice_is_ice_under_any_tyre(bench, write_world, quiet_manifest):
    vehicle = {"manifest": quiet_manifest, **OPEN}
    icy = bench(world=write_world(ground="0.02"), vehicle=vehicle)
    icy.drive(1.0, 0.0)
    icy.run(1.5)
    assert icy.last("sensor/ugv1/odometry")["v_mps"] == pytest.approx(1.0, abs=0.02)
    assert icy.truth()["vx"] < 0.4


def test_a_vehicle_against_a_wall_neither_climbs_nor_passes(bench, write_world, quiet_manifest):
    wall = (
        '<model name="wall"><static>true</static><link name="l"><pose>1 0 0.5 0 0 0</pose>'
        '<collision name="c"><geometry><box><size>0.2 4 1</size></box></geometry></collision>'
        "</link></model>"
    )
    stuck = bench(world=write_world(wall), vehicle={"manifest": quiet_manifest, **OPEN})
    stuck.drive(1.0, 0.0)
    stuck.run(6.0)
    truth = stuck.truth()
    assert truth["x"] == pytest.approx(0.9 - 0.3, abs=0.01)
    assert truth["z"] == pytest.approx(0.12, abs=0.005)


def test_a_dynamic_model_falls_and_rests_with_its_frame_where_sdf_puts_it(bench, write_world):
    box = (
        '<model name="box"><pose>2 0 1 0 0 0</pose><link name="l"><pose>0 0 0.25 0 0 0</pose>'
        "<inertial><mass>5</mass><inertia><ixx>0.2</ixx><iyy>0.2</iyy><izz>0.2</izz></inertia>"
        '</inertial><collision name="c"><geometry><box><size>0.5 0.5 0.5</size></box></geometry>'
        "</collision></link></model>"
    )
    falling = bench(world=write_world(box), vehicles=[])
    falling.run(0.3)
    truth = falling.truth("box")
    assert truth["z"] == pytest.approx(1 - 9.81 * 0.3**2 / 2, abs=0.01)
    assert truth["vz"] == pytest.approx(-9.81 * 0.3, abs=0.01)
    falling.run(2.0)
    assert falling.truth("box")["z"] == pytest.approx(0.0, abs=2e-3)


def test_two_vehicles_see_touch_and_report_each_other(bench, load_fields, quiet_manifest):
    first = load_fields(vehicle={"manifest": quiet_manifest})["vehicles"][0]
    second = {**first, "name": "ugv2", "spawn": {**first["spawn"], "y": 1.0}}
    pair = bench(vehicles=[first, second])
    pair.drive(0.5, 0.0, "ugv1")
    pair.run(0.2)
    ahead = np.frombuffer(pair.last("sensor/ugv1/lidar")["ranges"], "<f4")[180]
    # Its lidar mast, 4 cm thick, is all of the other that reaches up to the scan.
    assert ahead == pytest.approx(2.0 - 0.04, abs=0.02)
    pair.run(3.0)
    touched = {
        vehicle: {c["collision2"] for f in pair.all(f"contact/{vehicle}") for c in f["contacts"]}
        for vehicle in ("ugv1", "ugv2")
    }
    assert touched == {
        "ugv1": {"ugv2::base_link::chassis_collision"},
        "ugv2": {"ugv1::base_link::chassis_collision"},
    }


def test_a_contact_of_a_single_instant_is_found(bench, write_world, quiet_manifest):
    """A ball that bounces off the chassis for a few milliseconds, between two looks."""
    ball = (
        '<model name="ball"><pose>0.05 0 0.9 0 0 0</pose><link name="l"><inertial><mass>0.02</mass>'
        "<inertia><ixx>2e-5</ixx><iyy>2e-5</iyy><izz>2e-5</izz></inertia></inertial>"
        '<collision name="c"><geometry><sphere><radius>0.05</radius></sphere></geometry>'
        "</collision></link></model>"
    )
    hit = bench(world=write_world(ball), vehicle={"manifest": quiet_manifest, **OPEN})
    hit.run(2.0)
    contacts = [c for frame in hit.all("contact/ugv1") for c in frame["contacts"]]
    assert contacts
    assert {c["collision2"] for c in contacts} == {"ball::l::c"}


def test_a_near_miss_is_no_contact(bench, write_world, quiet_manifest):
    wall = (
        '<model name="wall"><static>true</static><link name="l"><pose>2 0.35 0.5 0 0 0</pose>'
        '<collision name="c"><geometry><box><size>2 0.2 1</size></box></geometry></collision>'
        "</link></model>"
    )
    near = bench(world=write_world(wall), vehicle={"manifest": quiet_manifest, **OPEN})
    near.drive(1.0, 0.0)
    near.run(4.5)  # passes at 1 cm
    assert near.truth()["x"] > 3.5
    assert near.all("contact/ugv1") == []


def grey_png(rows):
    """Return an 8-bit greyscale PNG of equal rows of pixels."""

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows))
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    )


def test_meshes_and_heightmaps_are_seen_where_they_stand(
    bench, write_world, quiet_manifest, tmp_path
):
    corners = [(x, y, z) for z in (0, 1) for y in (-1, 1) for x in (-1, 1)]
    faces = [(1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)]
    (tmp_path / "cube.obj").write_text(
        "".join("v {} {} {}\n".format(*corner) for corner in corners)
        + "".join("f {} {} {} {}\n".format(*face) for face in faces)
    )
    (tmp_path / "ridge.png").write_bytes(grey_png([[0, 0, 255, 0, 0]] * 5))

    def still(name, pose, geometry):
        parts = "".join(
            f'<{kind} name="k"><geometry>{geometry}</geometry></{kind}>'
            for kind in ("collision", "visual")
        )
        return (
            f'<model name="{name}"><static>1</static><pose>{pose} 0 0 0</pose>'
            f'<link name="l">{parts}</link></model>'
        )

    world = write_world(
        still("cube", "4 0 0", "<mesh><uri>cube.obj</uri><scale>0.5 0.5 1</scale></mesh>")
        + still("ridge", "-6 0 0", "<heightmap><uri>ridge.png</uri><size>4 4 2</size></heightmap>")
    )
    seen = bench(world=world, vehicle={"manifest": quiet_manifest, **OPEN})
    seen.run(0.1)
    ranges = np.frombuffer(seen.last("sensor/ugv1/lidar")["ranges"], "<f4")
    assert ranges[180] == pytest.approx(3.5, abs=2e-3)
    # The ridge is 2 m high at x = -6 and falls to 0 within 1 m: the ray 0.35 m up meets its slope.
    assert ranges[0] == pytest.approx(5 + 0.35 / 2, abs=0.01)
    seen.drive(1.0, 0.0)
    seen.run(5.0)
    assert {c["collision2"] for f in seen.all("contact/ugv1") for c in f["contacts"]} == {
        "cube::l::k"
    }
    assert seen.truth()["x"] == pytest.approx(3.2, abs=0.02)


def test_physics_gone_bad_is_an_error_and_no_silent_restart(plain):
    plain.run(0.1)
    plain.simulator._data.qvel[0] = 1e20
    with pytest.raises(RequestError, match=r"physics cannot be trusted at 0\.11 s: .*QVEL"):
        plain.run(0.1)
