"""What a vehicle does and senses does not depend on what is out of its reach, to the bit."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

FAR_M = 300.0
CRATE = {"type": "box", "size": [0.6, 0.6, 0.5]}
SHAPES = st.sampled_from(
    [CRATE, {"type": "cylinder", "radius": 0.2, "length": 1.0}, {"type": "sphere", "radius": 0.4}]
)


@st.composite
def changes(draw):
    """Lists of (seconds to run first, change), each at a place of its own far away."""
    found, names = [], []
    for index in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["spawn", "remove", "teleport"])) if names else "spawn"
        at = FAR_M + 20.0 * index
        if kind == "spawn":
            names.append(f"m{index}")
            act = spawning(
                names[-1],
                at,
                z=draw(st.sampled_from([0.0, 2.0])),
                yaw=draw(st.floats(-3, 3)),
                shape=draw(SHAPES),
                static=draw(st.booleans()),
                mass_kg=draw(st.sampled_from([1e-3, 5.0, 1e5])),
            )
        elif kind == "remove":
            act = removing(names.pop(draw(st.integers(0, len(names) - 1))))
        else:
            act = teleporting(draw(st.sampled_from(names)), at)
        found.append((draw(st.integers(0, 60)) * 0.002, act))
    return found


def spawning(name, at, **fields):
    return lambda world: world.spawn(name, at, at, **fields)


def removing(name):
    return lambda world: world.remove(name)


def teleporting(name, at):
    return lambda world: world.teleport(name, -at, at)


def seen_of(world, vehicles):
    """All frames, but of ground truth that of the vehicles alone."""
    return [
        (at, topic, [m for m in fields["models"] if m["name"] in vehicles])
        if topic == "pose"
        else (at, topic, fields)
        for at, topic, fields in world.frames
    ]


def driven(world):
    world.drive(0.7, 0.5)
    world.run(0.6)
    return world


@settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(changes=changes())
def test_whatever_happens_far_away_changes_no_frame_of_a_vehicle(bench, changes):
    plain, changed = driven(bench()), driven(bench())
    for after_s, act in changes:
        changed.run(after_s)
        act(changed)
    for world in (plain, changed):
        world.run(2.0 - world.simulator.time_ns / 1e9)
    assert seen_of(changed, {"ugv1"}) == seen_of(plain, {"ugv1"})


def crowd(world):
    for index in range(12):  # 72 more degrees of freedom, landing one after the other
        world.spawn(
            f"d{index}", FAR_M + 2.0 * index, FAR_M, z=0.1 * index, shape=CRATE, static=False
        )


def pile(world):
    for index in range(5):
        world.spawn(f"d{index}", FAR_M, FAR_M, z=0.51 * index, shape=CRATE, static=False)


@pytest.mark.parametrize("change", [crowd, pile], ids=["a crowd", "a pile"])
@pytest.mark.parametrize("at", [(14.0, 0.9), (10.0, -2.0)], ids=["against a wall", "in the open"])
def test_a_landing_crowd_changes_no_frame_of_a_vehicle(bench, change, at):
    """A solver that starts from its last solution, or picks dense algebra by size, fails this."""
    plain, changed = bench(), bench()
    for world in (plain, changed):
        world.teleport("ugv1", *at, yaw=-1.5)
        world.drive(1.0, 0.1)
        world.run(0.4)
    change(changed)
    for world in (plain, changed):
        world.run(1.5)
    assert seen_of(changed, {"ugv1"}) == seen_of(plain, {"ugv1"})
    assert bool(plain.all("contact/ugv1")) == (at[1] > 0)


def test_a_vehicle_does_not_depend_on_another_out_of_its_reach(bench, load_fields):
    first = load_fields()["vehicles"][0]
    second = {**first, "name": "ugv2", "spawn": {**first["spawn"], "x": FAR_M, "y": FAR_M}}
    alone, pair = bench(vehicles=[first]), bench(vehicles=[first, second])
    pair.drive(-1.0, 1.0, "ugv2")
    for world in (alone, pair):
        driven(world)
    mine = [
        frame
        for frame in seen_of(pair, {"ugv1"})
        if frame[1] == "pose" or frame[1].split("/")[1] == "ugv1"
    ]
    assert mine == seen_of(alone, {"ugv1"})
