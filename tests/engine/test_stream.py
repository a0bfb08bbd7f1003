import pytest

from fieldproof.engine._stream import SampleStream


@pytest.fixture
def stream(tmp_path):
    stream = SampleStream(tmp_path / "samples.jsonl", "lockstep", [])
    yield stream
    stream.close()


def value(topic, content, **more):
    times = {"wall": None, "sim": 0.5}
    return {"kind": "value", "topic": topic, "field": "data", "value": content, **times, **more}


def test_what_was_latched_last_before_the_timeline_is_held_and_nothing_else(stream):
    stream.emit(value("/map", "old", latched=True))
    stream.emit(value("/odom", "fleeting"))
    stream.emit(value("/map", "new", latched=True))
    stream.emit({"kind": "timeline", "event": "start", "wall": None, "sim": 1.0})
    stream.emit(value("/map", "later", latched=True))
    assert [sample.data["value"] for sample in stream.held.values()] == ["new"]


def test_an_unreadable_field_is_held_until_it_has_a_value(stream):
    error = {"kind": "field_error", "field": "data", "wall": None, "sim": 0.5, "message": "none"}
    for topic in ("/a", "/b"):
        stream.emit({**error, "topic": topic})
    stream.emit(value("/b", "now"))
    stream.emit({"kind": "timeline", "event": "start", "wall": None, "sim": 1.0})
    stream.emit({**error, "topic": "/c"})
    assert [sample.data["topic"] for sample in stream.held.values()] == ["/a"]
