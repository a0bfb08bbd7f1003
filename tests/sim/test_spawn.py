"""Models that appear in a running world and vanish from it."""

import math

import numpy as np
import pytest

from fieldproof_sim.protocol import RequestError

CRATE = {"type": "box", "size": [0.6, 0.6, 0.5]}
DRUM = {"type": "cylinder", "radius": 0.3, "length": 0.5}
BALL = {"type": "sphere", "radius": 0.3}
SHAPES = pytest.mark.parametrize("shape", [CRATE, DRUM, BALL], ids=lambda shape: shape["type"])
LIGHT = (
    "<inertial><mass>2</mass><inertia><ixx>.02</ixx><iyy>.02</iyy><izz>.02</izz></inertia>"
    "</inertial>"
)
BOX = "<geometry><box><size>.2 .2 .2</size></box></geometry>"


def height(shape):
    return shape["size"][2] if "size" in shape else shape.get("length", 2 * shape["radius"])


def lidar(bench):
    return np.frombuffer(bench.last("sensor/ugv1/lidar")["ranges"], "<f4")


def touched(bench):
    return {c["collision2"] for frame in bench.all("contact/ugv1") for c in frame["contacts"]}


@pytest.fixture
def write_model(tmp_path):
    """Writes a model's file and returns its path."""

    def write(inner, name="m"):
        path = tmp_path / "model.sdf"
        path.write_text(f'<sdf version="1.11"><model name="{name}">\n{inner}\n</model></sdf>')
        return path

    return write


def test_what_appears_is_in_the_next_scan_and_what_vanishes_is_not(bench, quiet_manifest):
    world = bench(vehicle={"manifest": quiet_manifest})
    world.run(1.098)
    before = lidar(world)
    world.spawn("crate", 10.0, 0.8, shape=CRATE)
    world.run(0.002)  # one step, at whose end the scan is due
    seen = lidar(world)
    assert seen[180] == pytest.approx(3.0 - 1.1, abs=2e-3)
    assert (seen < before - 1.0).sum() > 5
    world.run(0.098)
    world.remove("crate")
    world.run(0.002)
    assert lidar(world) == pytest.approx(before, abs=1e-4)


@SHAPES
def test_every_shape_stands_on_its_place_and_stops_a_vehicle(bench, shape):
    world = bench()
    spawned = world.spawn("thing", 10.0, 0.8, shape=shape)
    assert spawned.report == f"spawned model thing at (10, 0.8, {height(shape) / 2:g}, yaw 0)"
    world.drive(1.0, 0.0)
    world.run(4.0)
    thing = world.truth("thing")
    assert (thing["x"], thing["y"], thing["z"]) == pytest.approx((10.0, 0.8, height(shape) / 2))
    assert world.truth()["y"] > 0.8
    assert touched(world) == {"thing::link::collision"}


def test_the_very_next_step_acts_on_what_appeared(bench):
    world = bench(vehicles=[])
    world.run(0.1)
    world.spawn("ball", 10.0, -4.0, z=5.0, shape=BALL, static=False)
    world.run(0.002)
    world.run(0.098)
    assert world.truth("ball")["vz"] == pytest.approx(-9.81 * 0.1, rel=1e-6)


@pytest.mark.parametrize(
    ("shape", "moments"),
    [
        (CRATE, (0.36 + 0.25, 0.36 + 0.25, 0.36 + 0.36)),
        (DRUM, (3 * 0.09 + 0.25, 3 * 0.09 + 0.25, 6 * 0.09)),
        (BALL, (4.8 * 0.09,) * 3),
    ],
    ids=["box", "cylinder", "sphere"],
)
def test_a_shape_that_moves_has_the_inertia_of_an_even_solid(bench, shape, moments):
    """Moments of inertia are of 12 kg, as textbooks have them: a twelfth of each goes out."""
    world = bench(vehicles=[])
    world.spawn("thing", 10.0, -4.0, shape=shape, static=False, mass_kg=12.0)
    body = world.simulator._model.body("thing::link")
    assert body.mass[0] == 12.0
    assert sorted(body.inertia) == pytest.approx(sorted(moments))


@SHAPES
def test_a_shape_that_moves_falls_and_comes_to_rest(bench, shape):
    world = bench(vehicles=[])
    world.spawn("thing", 10.0, -4.0, z=0.3, shape=shape, static=False, mass_kg=7.0)
    world.run(3.0)
    thing = world.truth("thing")
    assert thing["z"] == pytest.approx(height(shape) / 2, abs=0.005)
    assert math.hypot(thing["vx"], thing["vy"], thing["vz"]) < 0.01


def test_a_light_crate_is_pushed_along_and_a_heavy_one_slows_the_vehicle_more(bench):
    ends = {}
    for mass_kg in (2.0, 60.0):
        world = bench()
        world.spawn("crate", 10.0, 1.8, shape=CRATE, static=False, mass_kg=mass_kg)
        world.drive(0.8, 0.0)
        world.run(4.0)
        assert touched(world) == {"crate::link::collision"}
        ends[mass_kg] = (world.truth()["y"], world.truth("crate")["y"])
    assert ends[2.0][1] < 1.0
    assert ends[60.0][0] > ends[2.0][0] + 0.5


def test_a_shape_has_the_colour_that_was_asked_for(bench):
    world = bench()
    world.spawn("crate", 10.0, 0.8, shape=CRATE, color=(0.1, 0.2, 0.3))
    rgba = world.simulator._model.geom("crate::link::collision").rgba
    assert rgba == pytest.approx([0.1, 0.2, 0.3, 1.0])


def test_a_model_of_a_file_is_put_at_the_pose_as_it_is(bench, write_model):
    path = write_model(
        '<pose>9 9 9 0 0 0</pose><plugin name="p" filename="f"/>'
        f'<link name="low"><pose>0 0 0.1 0 0 0</pose>{LIGHT}<collision name="c">{BOX}</collision>'
        f'</link><link name="high"><pose>1 0 0.1 0 0 0</pose>{LIGHT}'
        f'<collision name="c">{BOX}</collision></link>'
    )
    world = bench(vehicles=[])
    spawned = world.spawn("pair", 10.0, -4.0, yaw=math.pi / 2, sdf=path)
    assert spawned.report == "spawned model pair at (10, -4, 0, yaw 1.5708)"
    assert spawned.warnings == (f"{path}:2: <plugin> in <model> is left out",)
    world.run(1.0)
    pair, data = world.truth("pair"), world.simulator._data
    assert (pair["x"], pair["y"], pair["z"]) == pytest.approx((10.0, -4.0, 0.0), abs=2e-3)
    assert data.body("pair::high").xpos == pytest.approx([10.0, -3.0, 0.1], abs=2e-3)


def test_what_rested_on_a_removed_model_falls(bench):
    world = bench(vehicles=[])
    world.spawn("table", 10.0, -4.0, shape=CRATE)
    world.spawn("cup", 10.0, -4.0, z=0.5, shape={"type": "sphere", "radius": 0.1}, static=False)
    world.run(0.5)
    assert world.truth("cup")["z"] == pytest.approx(0.6, abs=0.01)
    assert world.remove("table") == "removed model table"
    world.run(1.0)
    assert world.truth("cup")["z"] == pytest.approx(0.1, abs=0.01)
    assert world.simulator.models()[-1] == "cup"


def test_a_model_of_the_world_can_be_removed_and_its_name_used_again(bench):
    world = bench()
    assert "lamp_post" in world.simulator.models()
    world.remove("lamp_post")
    world.spawn("lamp_post", 4.0, -4.0, shape=DRUM)
    assert world.simulator.models()[-2:] == ("lamp_post", "ugv1")


def test_a_contact_of_before_a_change_is_reported_after_it(bench):
    """What was touched is gone when the report is due, and every geom has another number."""
    world = bench()
    world.spawn("crate", 10.0, 2.0, shape=CRATE)
    world.drive(0.8, 0.0)
    while not world.simulator._watch._found:
        world.run(0.002)
    world.remove("crate")
    world.spawn("fence", 300.0, 300.0, shape=CRATE)
    assert touched(world) == set()
    world.run(0.02)
    assert touched(world) == {"crate::link::collision"}


def broken_mesh(folder):
    (folder / "m.obj").write_text("v 0 0 0\nv 1 0 0\nf 1 2 3\n")
    return (
        '<link name="l"><collision name="c"><geometry><mesh><uri>m.obj</uri></mesh></geometry>'
        "</collision></link>"
    )


@pytest.mark.parametrize(
    ("inner", "what"),
    [
        (lambda _: "<link/>", r"model\.sdf:2: <link> needs the attribute name"),
        (lambda _: "<link name='l'>", r"model\.sdf:3: not XML: mismatched tag"),
        (lambda _: "", r"model\.sdf:1: the model m has no link"),
        (
            lambda _: (
                '<link name="l"><collision name="c"><geometry><plane/></geometry></collision>'
                "</link>"
            ),
            "m::l: a plane must be in a static model",
        ),
        (
            lambda _: (
                f'<static>1</static><link name="l"><collision name="visual:v">{BOX}'
                f'</collision><visual name="v"><pose>1 0 0 0 0 0</pose>{BOX}</visual></link>'
            ),
            "two parts are called m::l::visual:v",
        ),
        (broken_mesh, r"^m: at least 4 vertices required: .*m\.obj"),
    ],
    ids=["no name", "not XML", "no link", "a plane that moves", "two names", "a broken mesh"],
)
def test_a_file_that_cannot_be_used_is_refused_and_leaves_nothing(
    bench, write_model, tmp_path, inner, what
):
    world, reference = bench(), bench()
    models = world.simulator.models()
    with pytest.raises(RequestError, match=what) as caught:
        world.spawn("m", 10.0, -4.0, sdf=write_model(inner(tmp_path)))
    assert caught.value.code == "bad_world"
    assert world.simulator.models() == models
    for each in (world, reference):
        each.spawn("m", 10.0, -4.0, shape=CRATE)
        each.run(0.2)
    assert world.frames == reference.frames


@pytest.mark.parametrize(("radius", "mass_kg"), [(1e-7, 1.0), (0.1, 1e-16)])
def test_what_is_too_small_for_physics_is_refused_in_words(bench, radius, mass_kg):
    ball = {"type": "sphere", "radius": radius}
    with pytest.raises(RequestError, match=r"^m: m::link moves and is too small or too light"):
        bench().spawn("m", 10.0, -4.0, shape=ball, static=False, mass_kg=mass_kg)


def test_a_file_that_is_not_there_is_named(bench, tmp_path):
    with pytest.raises(RequestError, match=r"nowhere\.sdf: No such file or directory$"):
        bench().spawn("m", 0.0, 0.0, sdf=tmp_path / "nowhere.sdf")


def test_meshes_go_with_the_last_model_that_needs_them(bench, write_model, tmp_path):
    corners = [(x, y, z) for z in (0, 1) for y in (-1, 1) for x in (-1, 1)]
    faces = [(1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)]
    (tmp_path / "cube.obj").write_text(
        "".join("v {} {} {}\n".format(*corner) for corner in corners)
        + "".join("f {} {} {} {}\n".format(*face) for face in faces)
    )
    path = write_model(
        '<static>1</static><link name="l"><collision name="c"><geometry><mesh><uri>cube.obj</uri>'
        "</mesh></geometry></collision></link>"
    )
    world = bench()
    world.spawn("one", 100.0, 0.0, sdf=path)
    world.spawn("two", 110.0, 0.0, sdf=path)
    sizes = [world.simulator._model.nmesh]
    for name in ("one", "two"):
        world.remove(name)
        sizes.append(world.simulator._model.nmesh)
    assert sizes == [1, 1, 0]


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda w: w.spawn("ugv1", 0, 0, shape=CRATE), "the name ugv1 is taken by a vehicle"),
        (lambda w: w.spawn("ground", 0, 0, shape=CRATE), "the name ground is taken by a model"),
        (lambda w: w.remove("ugv1"), "ugv1 is a vehicle and cannot be removed"),
        (lambda w: w.remove("warehose"), r"no model is called warehose \(nearest: warehouse\)"),
        (lambda w: w.remove("nobody"), r"no model is called nobody \(there are: ground, "),
        (lambda w: w.teleport("ugv2", 0, 0), r"no model is called ugv2 \(nearest: ugv1\)"),
        (lambda w: w.remove("ground"), "ground is the ground of the world and cannot be removed"),
        (lambda w: w.teleport("ground", 0, 0), "ground is the ground of the world and cannot be m"),
        (
            lambda w: w.spawn("crate", 10.0, 2.6, shape=CRATE),
            r"crate cannot be there: crate::link::collision would be 0\.\d\d m deep in ugv1::",
        ),
        (
            lambda w: w.teleport("warehouse", 8.0, 0.0),
            r"warehouse cannot be there: warehouse::\w+::collision would be 0\.\d\d m deep in ugv1",
        ),
        (
            lambda w: w.teleport("ugv1", 14.0, 0.0),
            r"ugv1 cannot be there: ugv1::\w+::\w+ would be 0\.\d\d m deep in warehouse::south_east",
        ),
    ],
    ids=[
        "a vehicle's name", "a model's name", "remove a vehicle", "near a name", "no name",
        "teleport no name", "remove the ground", "move the ground", "spawn into a vehicle",
        "move into a vehicle", "move a vehicle into a wall",
    ],
)  # fmt: skip
def test_what_is_refused_has_no_effect(bench, act, said):
    world, reference = bench(), bench()
    for each in (world, reference):
        each.drive(0.6, 0.4)
        each.run(0.25)
    with pytest.raises(RequestError, match=said) as caught:
        act(world)
    assert caught.value.code == "refused"
    for each in (world, reference):
        each.run(0.5)
        each.spawn("later", 300.0, 300.0, shape=CRATE)  # compiles what the refusal left behind
        each.run(0.2)
    assert world.frames == reference.frames


def test_a_model_may_appear_in_touch_with_a_vehicle(bench):
    world = bench()
    world.spawn("crate", 10.0, 3.0 - 0.3 - 0.3 + 0.005, shape=CRATE)
    world.run(0.1)
    assert touched(world) == {"crate::link::collision"}
    assert math.hypot(world.truth()["vx"], world.truth()["vy"]) < 0.2


def test_a_model_that_overlaps_no_vehicle_is_pushed_out_by_physics(bench):
    world = bench()
    world.spawn("pallet", 10.0, -4.0, shape=CRATE)
    world.spawn("crate", 10.5, -4.0, shape=CRATE, static=False, mass_kg=5.0)
    world.run(2.0)
    assert world.truth("crate")["x"] >= 10.6 - 5e-3
