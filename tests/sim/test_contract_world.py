"""How a world is changed while it exists, in every simulator, over the wire of a real process."""

import math

import numpy as np
import pytest

SECOND_NS = 1_000_000_000
CRATE = {"type": "box", "size": [0.6, 0.6, 0.5]}
KITE = """<sdf version="1.11"><model name="kite"><enable_wind>true</enable_wind>
<plugin name="p" filename="f"/><link name="l"><gravity>false</gravity><inertial><mass>0.5</mass>
<inertia><ixx>.01</ixx><iyy>.01</iyy><izz>.01</izz></inertia></inertial></link></model></sdf>"""


def capable(simulator, *needed):
    missing = set(needed) - set(simulator.client.request("hello")["capabilities"])
    if missing:
        pytest.skip(f"not offered by this simulator: {', '.join(sorted(missing))}")


def test_a_spawned_crate_is_seen_and_stops_the_vehicle_until_it_is_removed(
    simulator, subscribe, refuses
):
    capable(simulator, "spawn", "remove")
    simulator.load()
    subscriber = subscribe(simulator, "sensor/ugv1/lidar", "contact/ugv1", "pose")
    client = simulator.client
    place = {"x": 10.0, "y": 0.8}
    report = client.request("spawn", model="crate", pose=place, shape=CRATE)["report"]
    assert report == "spawned model crate at (10, 0.8, 0.25, yaw 0)"
    assert refuses(client, "spawn", model="crate", pose=place, shape=CRATE).code == "refused"
    subscriber.wait_for(simulator.step(0.1)["frames"], 5.0)
    latest = {frame.topic: frame.data for frame in subscriber.drain()}
    ahead = np.frombuffer(latest["sensor/ugv1/lidar"]["ranges"], "<f4")[180]
    assert ahead == pytest.approx(3.0 - (0.8 + 0.3), abs=0.05)
    crate = next(m for m in latest["pose"]["models"] if m["name"] == "crate")
    assert (crate["x"], crate["y"], crate["z"]) == (10.0, 0.8, 0.25)
    client.request("command", vehicle="ugv1", linear_mps=1.0, angular_radps=0.0)
    subscriber.wait_for(simulator.step(4.0)["frames"], 5.0)
    frames = subscriber.drain()
    touched = {
        c["collision2"] for f in frames if f.topic == "contact/ugv1" for c in f.data["contacts"]
    }
    assert touched == {"crate::link::collision"}
    truth = [f.data["models"][-1] for f in frames if f.topic == "pose"][-1]
    assert truth["y"] == pytest.approx(0.8 + 0.3 + 0.3, abs=0.05)
    client.request("remove", model="crate")
    assert "crate" not in client.request("state")["models"]
    assert refuses(client, "remove", model="crate").code == "refused"
    assert refuses(client, "remove", model="ugv1").code == "refused"
    subscriber.wait_for(simulator.step(7.0)["frames"], 5.0)
    assert [f for f in subscriber.drain() if f.topic == "pose"][-1].data["models"][-1]["y"] < 0.0


def test_a_teleported_vehicle_keeps_its_height_and_its_odometry(simulator, subscribe):
    capable(simulator, "teleport")
    simulator.load()
    simulator.step(0.5)
    subscriber = subscribe(simulator, "pose", "sensor/ugv1/odometry")
    simulator.client.request("teleport", model="ugv1", pose={"x": 7.5, "y": -3.5, "yaw": 1.0})
    subscriber.wait_for(simulator.step(0.6)["frames"], 5.0)
    latest = {frame.topic: frame.data for frame in subscriber.drain()}
    truth, odometry = latest["pose"]["models"][-1], latest["sensor/ugv1/odometry"]
    assert (truth["x"], truth["y"], truth["z"]) == pytest.approx((7.5, -3.5, 0.12), abs=1e-3)
    assert 2 * np.arctan2(truth["qz"], truth["qw"]) == pytest.approx(1.0, abs=1e-3)
    assert (odometry["x"], odometry["y"]) == pytest.approx((0, 0), abs=1e-3)


def test_a_frame_of_poses_names_what_was_teleported_since_the_last_one(
    simulator, subscribe, refuses
):
    capable(simulator, "teleport")
    simulator.load()
    frames, client = subscribe(simulator, "pose"), simulator.client
    simulator.step(0.1)
    client.request("teleport", model="ugv1", pose={"x": 7.5, "y": -3.5})
    client.request("teleport", model="ugv1", pose={"x": 7.5, "y": 3.5})
    assert refuses(client, "teleport", model="ugv9", pose={"x": 7.5, "y": -3.5}).code == "refused"
    last = simulator.step(0.35)
    frames.wait_for(last["frames"], 5.0)
    assert [frame.data["teleported"] for frame in frames.drain()] == [[], ["ugv1"], []]


def test_what_is_not_offered_says_so(simulator, refuses):
    simulator.load()
    offered = simulator.client.request("hello")["capabilities"]
    requests = {
        "spawn": {"model": "c", "pose": {"x": 5, "y": 5}, "shape": {"type": "sphere", "radius": 1}},
        "remove": {"model": "lamp_post"},
        "teleport": {"model": "ugv1", "pose": {"x": 5, "y": 5}},
        "wind": {"velocity": [1, 0, 0]},
    }
    for op, fields in requests.items():
        if op not in offered:
            assert refuses(simulator.client, op, **fields).code == "not_implemented"


@pytest.fixture
def kite(tmp_path):
    """A file with a model that floats and is pushed by wind."""
    path = tmp_path / "kite.sdf"
    path.write_text(KITE)
    return str(path)


def poses(subscriber, model):
    return [
        {"time_ns": frame.time_ns, **one}
        for frame in subscriber.drain()
        if frame.topic == "pose"
        for one in frame.data["models"]
        if one["name"] == model
    ]


def test_a_model_of_a_file_is_spawned_with_what_was_left_out(simulator, refuses, kite, tmp_path):
    capable(simulator, "spawn")
    simulator.load()
    pose = {"x": 1.0, "y": -2.0, "z": 3.0, "yaw": 0.5}
    reply = simulator.client.request("spawn", model="k", pose=pose, sdf=kite)
    assert reply["report"] == "spawned model k at (1, -2, 3, yaw 0.5)"
    assert reply["warnings"] == [f"{kite}:2: <plugin> in <model> is left out"]
    assert simulator.client.request("state")["models"][-2:] == ["k", "ugv1"]
    broken = tmp_path / "broken.sdf"
    broken.write_text(KITE.replace("</link>", ""))
    error = refuses(simulator.client, "spawn", model="b", pose=pose, sdf=str(broken))
    assert error.code == "bad_world"
    assert f"{broken}:3: not XML: mismatched tag" in error.message
    missing = refuses(simulator.client, "spawn", model="b", pose=pose, sdf="nowhere.sdf")
    assert missing.code == "bad_world"
    assert "nowhere.sdf" in missing.message


def test_a_spawn_needs_one_form_and_what_belongs_to_it(simulator, refuses, kite):
    capable(simulator, "spawn")
    simulator.load()
    client, place = simulator.client, {"x": 1.0, "y": -2.0}
    for fields, said in (
        ({}, "give either shape or sdf"),
        ({"shape": CRATE, "sdf": kite}, "give either shape or sdf"),
        ({"sdf": kite, "mass_kg": 2.0, "static": False}, "mass_kg, static: the model of sdf has"),
        ({"shape": {"type": "cone"}}, "shape: "),
        ({"shape": {"type": "sphere", "radius": 0}}, "shape.sphere.radius: "),
        ({"shape": CRATE, "mass_kg": 0}, "mass_kg: "),
        ({"shape": CRATE, "color": [0, 0, 2]}, "color[2]: "),
    ):
        error = refuses(client, "spawn", model="c", pose=place, **fields)
        assert error.code == "bad_request"
        assert said in error.message
    assert refuses(client, "spawn", model="a b", pose=place, shape=CRATE).code == "bad_request"


def test_nothing_is_put_into_a_vehicle_and_the_ground_stays(simulator, refuses):
    capable(simulator, "spawn", "remove", "teleport")
    simulator.load()
    client = simulator.client
    models = client.request("state")["models"]
    for op, fields, said in (
        ("spawn", {"model": "c", "pose": {"x": 10.0, "y": 2.5}, "shape": CRATE}, "deep in ugv1::"),
        ("teleport", {"model": "ugv1", "pose": {"x": 14.0, "y": 0.0}}, "deep in warehouse::"),
        ("remove", {"model": "ground"}, "ground"),
        ("teleport", {"model": "ground", "pose": {"x": 1.0, "y": 0.0}}, "ground"),
        ("spawn", {"model": "ugv1", "pose": {"x": 1.0, "y": 0.0}, "shape": CRATE}, "is taken"),
        ("teleport", {"model": "ugv2", "pose": {"x": 1.0, "y": 0.0}}, "nearest: ugv1"),
    ):
        error = refuses(client, op, **fields)
        assert error.code == "refused", op
        assert said in error.message
    assert client.request("state")["models"] == models


def test_velocities_outlive_a_teleport(simulator, subscribe, kite):
    capable(simulator, "spawn", "teleport", "wind")
    simulator.load()
    client, frames = simulator.client, subscribe(simulator, "pose")
    client.request("spawn", model="k", pose={"x": 0.0, "y": -30.0, "z": 9.0}, sdf=kite)
    client.request("wind", velocity=[3.0, 0.0, 0.0])
    simulator.step(1.0)
    client.request("wind", velocity=[0.0, 0.0, 0.0], enabled=False)
    report = client.request("teleport", model="k", pose={"x": 5.0, "y": -9.0, "yaw": 2.0})["report"]
    assert report == "teleported model k to (5, -9, 0, yaw 2)"
    frames.wait_for(simulator.step(1.5)["frames"], 5.0)
    found = {one["time_ns"] // 100_000_000: one for one in poses(frames, "k")}
    speed = 3 * (1 - math.exp(-1))
    for tenth in (10, 11, 15):
        assert (found[tenth]["vx"], found[tenth]["vy"]) == pytest.approx((speed, 0.0), rel=2e-3)
    assert found[15]["x"] == pytest.approx(5.0 + speed * 0.5, rel=1e-3)
    assert 2 * math.atan2(found[15]["qz"], found[15]["qw"]) == pytest.approx(2.0)


def test_wind_pushes_what_asks_for_it_and_is_told_by_the_state(simulator, subscribe, kite):
    capable(simulator, "spawn", "wind")
    simulator.load()
    client, frames = simulator.client, subscribe(simulator, "pose")
    assert client.request("state")["wind"] == {"velocity": [0.0, 0.0, 0.0], "enabled": False}
    client.request("spawn", model="k", pose={"x": 0.0, "y": -30.0, "z": 9.0}, sdf=kite)
    report = client.request("wind", velocity=[8.0, 0.0, -1.0])["report"]
    assert report == "wind set to (8, 0, -1) m/s, which pushes 1 link"
    assert client.request("state")["wind"] == {"velocity": [8.0, 0.0, -1.0], "enabled": True}
    frames.wait_for(simulator.step(1.0)["frames"], 5.0)
    for one in poses(frames, "k"):
        left = math.exp(-one["time_ns"] / SECOND_NS)
        expected = (8.0 * (1 - left), 0.0, -1.0 * (1 - left))
        assert (one["vx"], one["vy"], one["vz"]) == pytest.approx(expected, rel=2e-2, abs=1e-9)
    assert client.request("wind", velocity=[8.0, 0.0, 0.0], enabled=False)["report"] == "wind off"
    assert client.request("state")["wind"] == {"velocity": [8.0, 0.0, 0.0], "enabled": False}


def test_a_world_that_runs_is_changed_as_one_that_stands(simulator, subscribe):
    capable(simulator, "spawn", "remove")
    simulator.load()
    client, frames = simulator.client, subscribe(simulator, "pose", "sensor/ugv1/lidar")
    client.request("resume")
    frames.wait_for({"pose": 3}, 20.0)
    client.request("spawn", model="crate", pose={"x": 10.0, "y": 0.8}, shape=CRATE)
    since = client.request("pause")["frames"]
    client.request("resume")
    frames.wait_for({topic: since[topic] + 1 for topic in since if topic != "clock"}, 20.0)
    paused = client.request("pause")
    frames.wait_for(paused["frames"], 5.0)
    latest = {frame.topic: frame.data for frame in frames.drain()}
    assert "crate" in [model["name"] for model in latest["pose"]["models"]]
    ahead = np.frombuffer(latest["sensor/ugv1/lidar"]["ranges"], "<f4")[180]
    assert ahead == pytest.approx(3.0 - 1.1, abs=0.1)
    client.request("remove", model="crate")
    assert "crate" not in client.request("state")["models"]


def frames_of_changes(simulator, subscribe, kite, tick_ms):
    """Change a world at fixed times, stepping by ticks; return the frames but those of the clock."""
    simulator.load()
    client, frames = simulator.client, subscribe(simulator, "pose", "sensor/", "contact/")
    at = {"x": 10.0, "y": 2.0}
    changes = {
        0: ("command", {"vehicle": "ugv1", "linear_mps": 0.9, "angular_radps": 0.1}),
        100: ("spawn", {"model": "crate", "pose": at, "shape": CRATE, "static": False}),
        200: ("spawn", {"model": "kite", "pose": {**at, "z": 1.0}, "sdf": kite}),
        300: ("wind", {"velocity": [-3.0, 2.0, 0.5]}),
        1400: ("teleport", {"model": "crate", "pose": {"x": 9.0, "y": -1.0, "yaw": 0.4}}),
        1500: ("teleport", {"model": "rack_west", "pose": {"x": 3.0, "y": -6.0}}),
        1600: ("teleport", {"model": "ugv1", "pose": {"x": 7.5, "y": 3.0, "yaw": -1.0}}),
        1700: ("remove", {"model": "crate"}),
        1800: ("remove", {"model": "lamp_post"}),
    }
    for now in range(0, 2000, tick_ms):
        if now in changes:
            op, fields = changes[now]
            client.request(op, **fields)
        reply = client.request("step", until_ns=(now + tick_ms) * 1_000_000)
    frames.wait_for(reply["frames"], 10.0)
    found = [(frame.topic, frame.data) for frame in frames.drain()]
    assert frames.gaps == {}
    assert any(topic == "contact/ugv1" for topic, _ in found), "the crate was touched"
    return found


def test_equal_changes_at_equal_times_give_equal_frames_to_the_bit(
    simulator, start_simulator, subscribe, kite
):
    capable(simulator, "spawn", "remove", "teleport", "wind")
    first = frames_of_changes(simulator, subscribe, kite, 50)
    assert frames_of_changes(start_simulator(), subscribe, kite, 50) == first
    assert frames_of_changes(start_simulator(), subscribe, kite, 10) == first
