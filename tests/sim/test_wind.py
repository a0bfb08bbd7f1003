"""Wind: against the closed form of what it does, and on nothing that does not ask for it."""

import math
from pathlib import Path

import pytest

URDF = Path(__file__).parents[2] / "robots/ugv_ref/ugv_ref.urdf"
STEP_S = 0.002
ASKS = "<enable_wind>true</enable_wind>"
REFUSES = "<enable_wind>false</enable_wind>"


def model(name="ball", *, of_model="", of_link=ASKS, mass=2.0, at="0 0 50", more="", mu="0.5"):
    """A sphere that is pushed; `more` goes into its link."""
    moment = 0.004 * mass
    return (
        f'<model name="{name}"><pose>{at} 0 0 0</pose>{of_model}<link name="l">{of_link}{more}'
        f"<inertial><pose>0.02 0.01 0 0 0 0</pose><mass>{mass}</mass><inertia><ixx>{moment}</ixx>"
        f"<iyy>{moment}</iyy><izz>{moment}</izz></inertia></inertial>"
        '<collision name="c"><geometry><box><size>.2 .2 .2</size></box></geometry>'
        f"<surface><friction><ode><mu>{mu}</mu></ode></friction></surface></collision>"
        "</link></model>"
    )


FLOATS = "<gravity>false</gravity>"


@pytest.fixture
def loaded(bench, write_world):
    """Loads a world of the given models and no vehicle."""
    return lambda body: bench(world=write_world(body), vehicles=[])


@pytest.mark.parametrize("mass", [0.01, 2.0, 500.0])
@pytest.mark.parametrize("falls", [False, True], ids=["floating", "falling"])
@pytest.mark.parametrize("wind", [(4.0, -2.0, 0.0), (0.0, 0.5, 12.0)], ids=["level", "updraught"])
def test_a_free_link_follows_the_closed_form_whatever_its_mass(loaded, mass, falls, wind):
    """dv/dt = (wind - v) / s - g, from rest: a low-pass that forgets with exp(-t)."""
    world = loaded(model(mass=mass, more="" if falls else FLOATS, at="0 0 500"))
    assert world.blow(*wind).endswith("m/s, which pushes 1 link")
    goal = (wind[0], wind[1], wind[2] - 9.81 * falls)
    for n in range(1, 5):
        world.run(0.5)
        ball, t = world.truth("ball"), 0.5 * n
        found = (ball["vx"], ball["vy"], ball["vz"])
        assert found == pytest.approx([g * (1 - math.exp(-t)) for g in goal], rel=2e-3, abs=1e-9)
        # To the last digits it is the same in the steps of physics, from the first one on.
        left = (1 - STEP_S) ** round(t / STEP_S)
        assert found == pytest.approx([g * (1 - left) for g in goal], rel=1e-9, abs=1e-9)
        went = [g * (t - 1 + math.exp(-t)) for g in goal]
        assert (ball["x"], ball["y"], ball["z"] - 500) == pytest.approx(went, rel=0.01, abs=1e-3)
        assert (ball["qw"], ball["wz"]) == pytest.approx((1.0, 0.0)), "the force has no lever"


def test_a_box_on_the_ground_slides_against_friction_by_the_closed_form(loaded):
    """dv/dt = wind / s - v / s - mu g while it slides."""
    world = loaded(model(at="0 0 0.1", mu="0.3"))
    world.run(0.2)
    world.blow(10.0, 0.0)
    for n in range(1, 4):
        world.run(0.5)
        expected = (10.0 - 0.3 * 9.81) * (1 - math.exp(-0.5 * n))
        assert world.truth("ball")["vx"] == pytest.approx(expected, rel=0.02)


def test_friction_holds_what_the_wind_is_too_weak_for(loaded):
    world = loaded(model(at="0 0 0.1", mu="0.5"))
    world.blow(4.0, 0.0)  # 4 m/s2 against 4.9 m/s2
    world.run(2.0)
    assert world.truth("ball")["x"] == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize(
    ("of_model", "of_link", "pushed"),
    [
        ("", "", False),
        ("", ASKS, True),
        (ASKS, "", True),
        (ASKS, REFUSES, False),
        (REFUSES, ASKS, True),
        ("<static>true</static>", ASKS, False),
    ],
    ids=["nobody", "link", "model", "all but the link", "the link alone", "static"],
)
def test_links_ask_for_themselves_and_models_for_their_links(loaded, of_model, of_link, pushed):
    world = loaded(model(of_model=of_model, of_link=of_link, more=FLOATS))
    assert world.blow(3.0, 0.0).endswith("1 link" if pushed else "no links")
    world.run(0.5)
    assert (world.truth("ball")["vx"] > 1.0) is pushed


def test_a_wind_that_is_off_pushes_nothing_and_still_air_brakes(loaded):
    world = loaded(model(more=FLOATS))
    world.blow(5.0, 0.0)
    world.run(1.0)
    speed = world.truth("ball")["vx"]
    assert world.blow(5.0, 0.0, enabled=False) == "wind off"
    assert world.simulator.air() == {"velocity": [5.0, 0.0, 0.0], "enabled": False}
    world.run(1.0)
    assert world.truth("ball")["vx"] == pytest.approx(speed, rel=1e-9)
    assert world.blow(0.0, 0.0) == "wind set to (0, 0, 0) m/s, which pushes 1 link"
    world.run(1.0)
    assert world.truth("ball")["vx"] == pytest.approx(speed * math.exp(-1), rel=2e-3)


def test_the_wind_of_the_world_file_blows_from_the_start(loaded):
    world = loaded("<wind><linear_velocity>0 6 0</linear_velocity></wind>" + model(more=FLOATS))
    assert world.simulator.air() == {"velocity": [0.0, 6.0, 0.0], "enabled": True}
    world.run(1.0)
    assert world.truth("ball")["vy"] == pytest.approx(6 * (1 - math.exp(-1)), rel=2e-3)


def test_without_one_in_the_world_file_it_is_off(loaded):
    world = loaded(model(more=FLOATS))
    assert world.simulator.air() == {"velocity": [0.0, 0.0, 0.0], "enabled": False}


def test_it_reaches_what_is_spawned_and_goes_on_through_changes(loaded, tmp_path):
    path = tmp_path / "model.sdf"
    path.write_text(f'<sdf version="1.11">{model(more=FLOATS)}</sdf>')
    plain, changed = loaded(model(more=FLOATS)), loaded(model(more=FLOATS))
    for world in (plain, changed):
        world.blow(5.0, 0.0)
        world.run(0.6)
    changed.spawn("second", 90.0, 0.0, z=50.0, sdf=path)
    changed.run(0.5)
    changed.remove("second")
    for world in (plain, changed):
        world.run(2.0 - world.simulator.time_ns / 1e9)
    assert changed.truth("ball") == plain.truth("ball")
    second = [m for f in changed.all("pose") for m in f["models"] if m["name"] == "second"]
    assert second[-1]["vx"] == pytest.approx(5 * (1 - math.exp(-0.5)), rel=2e-3)


def test_frames_in_wind_do_not_depend_on_how_time_is_divided(loaded):
    whole, parts = loaded(model()), loaded(model())
    for world in (whole, parts):
        world.blow(5.0, 2.0)
    whole.run(0.6)
    for _ in range(300):
        parts.run(0.002)
    assert parts.frames == whole.frames


def test_it_changes_no_frame_of_a_vehicle_that_does_not_ask_for_it(bench):
    still, windy = bench(), bench()
    assert windy.blow(30.0, 30.0).endswith("no links")
    for world in (still, windy):
        world.drive(0.5, 0.2)
        world.run(1.0)
    assert windy.frames == still.frames


@pytest.mark.parametrize(
    ("words", "pushes"),
    [
        (f'<gazebo reference="base_link">{ASKS}</gazebo>', "1 link"),
        (f'<gazebo>{ASKS}</gazebo><gazebo reference="lidar_link">{REFUSES}</gazebo>', "links"),
    ],
    ids=["its base", "all but its lidar"],
)
def test_a_vehicle_that_asks_for_it_is_blown_sideways(bench, tmp_path, words, pushes):
    text = URDF.read_text().replace("</robot>", words + "</robot>")
    links = text.count("<link name=") - 1
    robot = tmp_path / "ugv.urdf"
    robot.write_text(text)
    world = bench(vehicle={"urdf": str(robot)})
    expected = pushes if pushes[0] == "1" else f"{links} {pushes}"
    assert world.blow(25.0, 0.0).endswith(f"which pushes {expected}")
    world.run(1.5)
    assert world.truth()["x"] > 10.5
