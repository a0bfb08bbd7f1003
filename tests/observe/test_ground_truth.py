import math

import pytest

from fieldproof.observe._ground_truth import Presence, contact_samples, pose_samples, yaw_of


@pytest.mark.parametrize("yaw", [0.0, 1.0, -1.5, math.pi, -3.1])
def test_yaw_is_read_back_from_its_quaternion(yaw):
    got = yaw_of(qx=0.0, qy=0.0, qz=math.sin(yaw / 2), qw=math.cos(yaw / 2))
    assert got == pytest.approx(yaw)


def test_only_watched_models_become_pose_samples():
    still = {"x": 1.0, "y": 2.0, "z": 0.1, "qx": 0.0, "qy": 0.0, "qz": 0.0, "qw": 1.0}
    frame = {"time_ns": 100_000_000, "models": [{"name": n, **still} for n in ("a", "b")]}
    samples = list(pose_samples(frame, frozenset({"b"})))
    assert [(s["model"], s["sim"], s["x"], s["yaw"]) for s in samples] == [("b", 0.1, 1.0, 0.0)]


def test_each_touching_pair_becomes_a_contact_sample():
    pairs = [{"collision1": "a::l::c", "collision2": "w::l::c", "count": 2}]
    samples = list(contact_samples("ugv1", {"time_ns": 2_000_000_000, "contacts": pairs}))
    assert samples == [{"kind": "contact", "sim": 2.0, "vehicle": "ugv1", **pairs[0]}]


def test_a_watched_model_is_gone_once_in_the_first_frame_that_lacks_it():
    presence = Presence(frozenset({"a", "b", "c"}))

    def told(time_ns, *names):
        frame = {"time_ns": time_ns, "models": [{"name": name} for name in names]}
        return [(one["kind"], one["sim"], one["model"]) for one in presence.samples(frame)]

    assert told(100_000_000, "b", "a", "x") == []
    assert told(200_000_000) == [("gone", 0.2, "a"), ("gone", 0.2, "b")]
    assert told(300_000_000) == []
    assert told(400_000_000, "b") == []
    assert told(500_000_000) == [("gone", 0.5, "b")]


def test_the_first_pose_after_a_teleport_says_so():
    still = {"x": 1.0, "y": 2.0, "z": 0.1, "qx": 0.0, "qy": 0.0, "qz": 0.0, "qw": 1.0}
    frame = {"time_ns": 0, "models": [{"name": n, **still} for n in ("a", "b")]}
    told = pose_samples({**frame, "teleported": ["b", "x"]}, frozenset({"a", "b"}))
    assert [sample.get("teleported") for sample in told] == [None, True]
