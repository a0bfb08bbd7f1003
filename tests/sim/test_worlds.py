"""What scenarios rely on in the worlds that come with the project."""

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
import yaml

from fieldproof_sim._geometry import Pose
from fieldproof_sim.sdf import parse_model_file, parse_world
from fieldproof_sim.shapes import Box, Cylinder, Plane, Sphere

ROOT = Path(__file__).parents[2]
WORLDS = sorted(path.parent.name for path in (ROOT / "worlds").glob("*/world.yaml"))


def described(name):
    return yaml.safe_load((ROOT / "worlds" / name / "world.yaml").read_text())


@pytest.mark.parametrize("name", WORLDS)
def test_the_two_files_of_a_world_agree(name):
    description = described(name)
    world = parse_world(ROOT / "worlds" / name / description["sdf"])
    origin = description["origin"]
    assert world.name == description["name"] == name
    assert world.warnings == ()
    assert (origin["latitude_deg"], origin["longitude_deg"], origin["altitude_m"]) == (
        world.origin.latitude_deg,
        world.origin.longitude_deg,
        world.origin.altitude_m,
    )


def footprints(world):
    """Yield every shape that reaches into 0..0.6 m as (scope, x, y, radius of its outline)."""
    for model in world.models:
        for link in model.links:
            pose = model.pose.compose(link.pose)
            for collision in link.collisions:
                at = pose.compose(collision.pose)
                shape = collision.shape
                if isinstance(shape, Plane):
                    continue
                assert isinstance(shape, Box | Cylinder)
                size = (
                    shape.size
                    if isinstance(shape, Box)
                    else (2 * shape.radius,) * 2 + (shape.length,)
                )
                if at.position[2] - size[2] / 2 < 0.6:
                    yield f"{model.name}::{link.name}", at, size


def distance_to_box(point, pose, size):
    """Distance on the ground from a point to an upright box."""
    inverse = pose.inverse()
    x, y, _ = inverse.compose(type(pose)((*point, pose.position[2]))).position
    return math.hypot(max(abs(x) - size[0] / 2, 0), max(abs(y) - size[1] / 2, 0))


@pytest.fixture(scope="module")
def dock_yard():
    return parse_world(ROOT / "worlds/dock_yard/world.sdf")


def test_dock_yard_has_the_places_that_the_example_names():
    frames = described("dock_yard")["frames"]
    assert frames["spawn_dock"] == {"x": 10.0, "y": 3.0, "yaw": -math.pi / 2}
    spawns = [frame for name, frame in frames.items() if name.startswith("spawn_dock")]
    assert len(spawns) == 3
    for a, b in itertools.combinations(spawns, 2):
        assert math.hypot(a["x"] - b["x"], a["y"] - b["y"]) >= 2


def test_dock_yards_door_is_four_metres_wide_on_the_line_from_dock_to_yard(dock_yard):
    gap = [10.0, 10.0]
    for scope, at, size in footprints(dock_yard):
        if scope.startswith("warehouse") and abs(at.position[1]) < size[1] / 2 + 0.1:
            left, right = at.position[0] - size[0] / 2, at.position[0] + size[0] / 2
            if size[0] > size[1]:
                gap = [max(gap[0], 0), gap[1]]
                if right <= 10:
                    gap[0] = right
                if left >= 10:
                    gap[1] = left
    assert gap == pytest.approx([8.0, 12.0])


def test_dock_yards_lane_is_clear_beside_a_crate_in_the_way(dock_yard):
    """A 0.6 m crate at (10, 0.8) leaves over a metre of lane on either side."""
    for scope, at, size in footprints(dock_yard):
        for y in (k / 10 for k in range(-20, 61)):
            for x in (8.7, 10.0, 11.3):
                assert distance_to_box((x, y), at, size) > 0.6, f"{scope} at ({x}, {y})"


def test_dock_yards_frames_are_clear(dock_yard):
    for name, frame in described("dock_yard")["frames"].items():
        for scope, at, size in footprints(dock_yard):
            assert distance_to_box((frame["x"], frame["y"]), at, size) > 0.6, f"{name}: {scope}"


def test_dock_yards_walls_reach_above_the_lidar_and_its_furniture_is_seen(bench, quiet_manifest):
    seen = bench(vehicle={"manifest": quiet_manifest})
    seen.run(0.1)
    ranges = np.frombuffer(seen.last("sensor/ugv1/lidar")["ranges"], "<f4")
    # Behind, the north wall; ahead, the yard's fence; left and right the racks before the walls.
    assert ranges[0] == pytest.approx(6.9, abs=0.01)
    assert ranges[180] == pytest.approx(10.95, abs=0.01)
    assert np.isfinite(ranges).mean() > 0.9
    assert len(np.unique(np.round(np.diff(ranges[np.isfinite(ranges)])))) > 3


MODELS = sorted((ROOT / "worlds/models").glob("*/model.sdf"))
EACH_MODEL = pytest.mark.parametrize("path", MODELS, ids=[path.parent.name for path in MODELS])


def test_there_are_models_for_spawning():
    assert {"cardboard_box", "traffic_cone"} <= {path.parent.name for path in MODELS}


@EACH_MODEL
def test_a_model_for_spawning_is_of_primitives_with_a_mass_of_its_own(path):
    model, warnings = parse_model_file(path)
    assert model.name == path.parent.name
    assert model.pose == Pose()
    assert warnings == ()
    for link in model.links:
        assert link.inertial.mass > 0.1
        for part in (*link.collisions, *link.visuals):
            assert isinstance(part.shape, Box | Cylinder | Sphere)


@EACH_MODEL
def test_a_model_for_spawning_stands_where_it_is_put_and_a_lidar_sees_it(
    bench, quiet_manifest, path
):
    world = bench(vehicle={"manifest": quiet_manifest})
    world.run(0.1)
    before = np.frombuffer(world.last("sensor/ugv1/lidar")["ranges"], "<f4")
    world.spawn("thing", 10.0, 1.2, sdf=path)
    world.run(1.0)
    thing = world.truth("thing")
    assert (thing["x"], thing["y"], thing["z"]) == pytest.approx((10.0, 1.2, 0.0), abs=2e-3)
    assert thing["qw"] == pytest.approx(1.0, abs=1e-4)
    assert max(abs(thing[key]) for key in ("vx", "vy", "vz", "wz")) < 1e-3
    now = np.frombuffer(world.last("sensor/ugv1/lidar")["ranges"], "<f4")
    assert now[180] == pytest.approx(1.8, abs=0.35)
    assert (now < before - 1.0).sum() > 2


@EACH_MODEL
def test_a_vehicle_meets_a_model_for_spawning_and_pushes_it_on(bench, path):
    world = bench()
    world.spawn("thing", 10.0, 1.2, sdf=path)
    world.drive(0.6, 0.0)
    world.run(4.5)
    touched = {c["collision2"] for f in world.all("contact/ugv1") for c in f["contacts"]}
    assert touched
    assert {name.split("::")[0] for name in touched} == {"thing"}
    assert world.truth("thing")["y"] < 1.0
