import math

import numpy as np
import pytest

from fieldproof_sim.geodesy import LocalFrame
from fieldproof_sim.noise import noise_generator

WALL = (
    '<model name="wall"><static>true</static><link name="l"><pose>5 0 0.5 0 0 0</pose>'
    '<collision name="c"><geometry><box><size>2 40 1</size></box></geometry></collision>'
    '<visual name="v"><geometry><box><size>2 40 1</size></box></geometry></visual>'
    "</link></model>"
)
ORIGIN = {"spawn": {"x": 0.0, "y": 0.0, "z": 0.12, "yaw": 0.0}}


def scan(bench):
    return np.frombuffer(bench.last("sensor/ugv1/lidar")["ranges"], "<f4")


@pytest.fixture
def facing(bench, write_world, quiet_manifest):
    """The vehicle at the origin, looking along x at a wall 4 m ahead."""
    return bench(world=write_world(WALL), vehicle={"manifest": quiet_manifest, **ORIGIN})


def test_every_ray_measures_its_distance_to_a_wall(facing):
    facing.run(0.1)
    frame = facing.last("sensor/ugv1/lidar")
    angles = frame["angle_min"] + frame["angle_increment"] * np.arange(360)
    expected = np.full(360, np.inf)
    ahead = np.abs(angles) < math.acos(4.0 / 12.0)
    expected[ahead] = 4.0 / np.cos(angles[ahead])
    assert frame["angle_increment"] == pytest.approx(math.tau / 360)
    assert scan(facing) == pytest.approx(expected, abs=2e-3)


def test_the_scan_turns_with_the_vehicle(bench, write_world, quiet_manifest):
    vehicle = {"manifest": quiet_manifest, "spawn": {**ORIGIN["spawn"], "yaw": math.pi / 2}}
    turned = bench(world=write_world(WALL), vehicle=vehicle)
    turned.run(0.1)
    ranges = scan(turned)
    assert ranges[90] == pytest.approx(4.0, abs=2e-3)  # to the right: -pi/2
    assert ranges[180] == np.inf


def test_what_is_closer_than_the_range_is_minus_infinity(bench, write_world, quiet_manifest):
    quiet_manifest["sensors"][0]["range_min_m"] = 4.5
    close = bench(world=write_world(WALL), vehicle={"manifest": quiet_manifest, **ORIGIN})
    close.run(0.1)
    ranges = scan(close)
    assert ranges[180] == -np.inf
    assert ranges[180 + 45] == pytest.approx(4.0 * math.sqrt(2), abs=3e-3)


def test_the_lidar_sees_visuals_and_not_bare_collisions(bench, write_world, quiet_manifest):
    def thing(name, x, kind):
        return (
            f'<model name="{name}"><static>1</static><link name="l"><pose>{x} 0 0.5 0 0 0</pose>'
            f'<{kind} name="k"><geometry><box><size>0.2 1 1</size></box></geometry></{kind}>'
            "</link></model>"
        )

    world = write_world(thing("ghost", 2, "collision") + thing("picture", 3, "visual"))
    seen = bench(world=world, vehicle={"manifest": quiet_manifest, **ORIGIN})
    seen.run(0.1)
    assert scan(seen)[180] == pytest.approx(2.9, abs=1e-3)


def test_range_noise_has_the_manifests_spread_and_stays_in_range(bench, write_world, manifest):
    noisy = bench(world=write_world(WALL), vehicle={"manifest": manifest, **ORIGIN})
    noisy.run(20.0)
    straight = np.array(
        [np.frombuffer(f["ranges"], "<f4")[180] for f in noisy.all("sensor/ugv1/lidar")]
    )
    assert straight.std() == pytest.approx(0.01, rel=0.25)
    assert straight.mean() == pytest.approx(4.0, abs=0.005)
    every = np.concatenate(
        [np.frombuffer(f["ranges"], "<f4") for f in noisy.all("sensor/ugv1/lidar")]
    )
    assert every[np.isfinite(every)].max() <= 12.0


def test_an_imu_at_rest_feels_gravity_and_no_turn(facing):
    facing.run(1.0)
    imu = facing.last("sensor/ugv1/imu")
    assert (imu["ax"], imu["ay"], imu["az"]) == pytest.approx((0, 0, 9.81), abs=1e-3)
    assert (imu["gx"], imu["gy"], imu["gz"]) == pytest.approx((0, 0, 0), abs=1e-4)
    assert imu["qw"] == pytest.approx(1.0, abs=1e-6)


def test_an_imu_feels_turn_and_acceleration_in_its_own_frame(bench, write_world, quiet_manifest):
    vehicle = {"manifest": quiet_manifest, "spawn": {**ORIGIN["spawn"], "yaw": 2.0}}
    moving = bench(world=write_world(), vehicle=vehicle)
    moving.run(0.5)
    moving.drive(1.0, 0.0)
    moving.run(0.8)
    during = moving.all("sensor/ugv1/imu")[80:130]
    assert np.mean([f["ax"] for f in during]) == pytest.approx(1.0, abs=0.05)
    assert np.mean([f["ay"] for f in during]) == pytest.approx(0.0, abs=0.02)
    moving.drive(0.0, 0.8)
    moving.run(3.0)
    imu = moving.last("sensor/ugv1/imu")
    assert imu["gz"] == pytest.approx(0.8, rel=0.01)
    truth = moving.truth()
    assert (imu["qz"], imu["qw"]) == pytest.approx((truth["qz"], truth["qw"]), abs=1e-6)


def test_imu_noise_has_the_manifests_spread(bench, write_world, manifest):
    noisy = bench(world=write_world(), vehicle={"manifest": manifest, **ORIGIN})
    noisy.run(10.0)
    frames = noisy.all("sensor/ugv1/imu")[100:]
    assert np.std([f["gz"] for f in frames]) == pytest.approx(0.002, rel=0.1)
    assert np.std([f["ax"] for f in frames]) == pytest.approx(0.02, rel=0.1)
    assert np.std([2 * f["qz"] for f in frames]) == pytest.approx(0.002, rel=0.1)


def test_a_fix_is_the_antennas_place_on_the_ellipsoid(bench, write_world, quiet_manifest):
    vehicle = {"manifest": quiet_manifest, "spawn": {"x": 30.0, "y": -40.0, "z": 0.12, "yaw": 0.0}}
    placed = bench(world=write_world(), vehicle=vehicle)
    placed.run(0.2)
    fix = placed.last("sensor/ugv1/gps")
    # Lengths of a degree at 48 N, 500 m up, from the radii of curvature of WGS84.
    sin2 = math.sin(math.radians(48)) ** 2
    e2 = 6.69437999014e-3
    meridian = 6378137.0 * (1 - e2) / (1 - e2 * sin2) ** 1.5 + 500
    normal = 6378137.0 / math.sqrt(1 - e2 * sin2) + 500
    east, north = 30.0 - 0.22, -40.0  # the antenna sits 0.22 m behind the base link
    assert fix["latitude_deg"] == pytest.approx(48 + math.degrees(north / meridian), abs=1e-8)
    assert fix["longitude_deg"] == pytest.approx(
        11 + math.degrees(east / (normal * math.cos(math.radians(48)))), abs=1e-8
    )
    assert fix["altitude_m"] == pytest.approx(500.25, abs=1e-3)


def test_gnss_noise_is_in_metres_on_the_ground(bench, write_world, manifest):
    noisy = bench(world=write_world(), vehicle={"manifest": manifest, **ORIGIN})
    noisy.run(60.0)
    fixes = noisy.all("sensor/ugv1/gps")
    metre_deg = math.degrees(1 / 6.37e6)
    assert np.std([f["latitude_deg"] for f in fixes]) == pytest.approx(0.5 * metre_deg, rel=0.15)
    assert np.std([f["altitude_m"] for f in fixes]) == pytest.approx(1.0, rel=0.15)


@pytest.mark.parametrize(
    ("origin", "point", "expected"),
    [
        ((0, 0, 0), (0, 0, 0), (0, 0, 0)),
        ((53.5, 9.97, 6), (0, 0, 12), (53.5, 9.97, 18)),
        ((0, 0, 0), (0, 0, 1e5), (0, 0, 1e5)),
        ((0, 179.9999, 0), (100, 0, 0), (0, -179.9992017, 0.000784)),
        ((90, 0, 10), (0, 0, 5), (90, 0, 15)),
    ],
    ids=["origin", "above", "high above", "across the date line", "the pole"],
)
def test_local_points_convert_to_geodetic(origin, point, expected):
    assert LocalFrame(*origin).to_geodetic(*point) == pytest.approx(expected, abs=1e-6)


def test_every_sensor_of_every_vehicle_has_a_stream_of_its_own():
    def draw(*key):
        return tuple(noise_generator(*key).standard_normal(4))

    keys = [(s, v, n) for s in (0, 1) for v in ("a", "b") for n in ("lidar", "imu")]
    assert len({draw(*key) for key in keys}) == len(keys)
    assert draw(3, "a", "imu") == draw(3, "a", "imu")


def test_a_sensor_more_does_not_change_the_noise_of_the_others(bench, write_world, manifest):
    world = write_world(WALL)
    both = bench(world=world, vehicle={"manifest": manifest, **ORIGIN})
    alone = {**manifest, "sensors": manifest["sensors"][:1]}
    one = bench(world=world, vehicle={"manifest": alone, **ORIGIN})
    for each in (both, one):
        each.run(0.3)
    topic = "sensor/ugv1/lidar"
    assert both.all(topic) == one.all(topic)
