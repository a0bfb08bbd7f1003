import random
from dataclasses import fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcap.stream_reader import StreamReader, breakup_chunk
from mcap.writer import CompressionType, Writer

from fieldproof.recording import (
    DamagedRecordingError,
    MessageTypes,
    OfferedQos,
    RecordingReader,
    RecordingWriter,
    TopicError,
    UndecodableMessageError,
    recording_digest,
    rewrite_canonical,
)

from .conftest import BATTERY, TEXT, TWIST, Made, text, twist, write

TYPES = MessageTypes()
TWIST_PADDING = (4 + 4 + 4 + 4 + 5, 3)  # after the frame "odom" and its end, up to the doubles


def dirty(data: bytes, filling: bytes) -> bytes:
    """Fill the padding of a stamped twist whose frame is "odom", as a publisher's memory would."""
    start, length = TWIST_PADDING
    changed = bytearray(data)
    changed[start : start + length] = filling
    return bytes(changed)


messages = st.lists(
    st.builds(
        lambda t, n, speed, filling: Made(
            t, "/odom", TWIST, dirty(twist(TYPES, t, speed), filling), n, t
        ),
        st.integers(0, 30),
        st.integers(1, 2**32 - 1),
        st.floats(allow_nan=False, width=32),
        st.binary(min_size=3, max_size=3),
    )
    | st.builds(
        lambda t, n, value: Made(t, "/note", TEXT, text(TYPES, value), n, t + 1),
        st.integers(0, 30),
        st.integers(1, 2**32 - 1),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    ),
    min_size=1,
    max_size=25,
    unique_by=lambda each: (each.topic, each.sequence),
)


def plain_write(path: Path, made, *, chunk_bytes: int, compression: CompressionType) -> None:
    with path.open("wb") as stream:
        writer = Writer(stream, chunk_size=chunk_bytes, compression=compression)
        writer.start("ros2", "another writer")
        channels = {}
        for each in made:
            if each.topic not in channels:
                definition = TYPES.definition(each.type_name).text.encode()
                schema = writer.register_schema(each.type_name, "ros2msg", definition)
                channels[each.topic] = writer.register_channel(each.topic, "cdr", schema)
            writer.add_message(
                channels[each.topic],
                each.log_time_ns,
                each.data,
                each.publish_time_ns,
                each.sequence,
            )
        writer.finish()


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    messages,
    st.randoms(use_true_random=False),
    st.integers(1, 3000),
    st.sampled_from(list(CompressionType)),
    st.binary(min_size=3, max_size=3),
)
def test_order_chunks_compression_and_padding_do_not_change_the_digest(
    made, shuffler, chunk_bytes, compression, filling
):
    with TemporaryDirectory() as folder:
        one, other = Path(folder) / "one.mcap", Path(folder) / "other.mcap"
        plain_write(one, made, chunk_bytes=10**6, compression=CompressionType.ZSTD)
        again = [
            replace(each, data=dirty(each.data, filling)) if each.type_name == TWIST else each
            for each in made
        ]
        shuffler.shuffle(again)
        plain_write(other, again, chunk_bytes=chunk_bytes, compression=compression)
        assert recording_digest(one) == recording_digest(other)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(messages, st.randoms(use_true_random=False))
def test_canonical_files_of_equal_content_are_equal_to_the_byte(made, shuffler):
    with TemporaryDirectory() as folder:
        one, other = Path(folder) / "one.mcap", Path(folder) / "other.mcap"
        again = list(made)
        shuffler.shuffle(again)
        plain_write(one, made, chunk_bytes=10**6, compression=CompressionType.NONE)
        plain_write(other, again, chunk_bytes=500, compression=CompressionType.LZ4)
        first = rewrite_canonical(one, Path(folder) / "a" / "recording")
        second = rewrite_canonical(other, Path(folder) / "b" / "recording")
        assert first.read_bytes() == second.read_bytes()
        assert (first.parent / "metadata.yaml").read_bytes() == (
            second.parent / "metadata.yaml"
        ).read_bytes()
        assert recording_digest(first) == recording_digest(one)


CHANGES = {
    "log time": lambda each: replace(each, log_time_ns=each.log_time_ns + 1),
    "publish time": lambda each: replace(each, publish_time_ns=each.publish_time_ns + 1),
    "sequence": lambda each: replace(each, sequence=each.sequence + 100),
    "topic": lambda each: replace(each, topic=each.topic + "2"),
    "stamp": lambda each: replace(each, data=twist(TYPES, 1, 0.5)),
    "smallest step of a number": lambda each: replace(
        each, data=twist(TYPES, each.log_time_ns, 0.5000000000000001)
    ),
    "sign of zero": lambda each: replace(each, data=twist(TYPES, each.log_time_ns, -0.0)),
    "text": lambda each: replace(each, data=twist(TYPES, each.log_time_ns, 0.5, "odon")),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_any_change_of_a_message_changes_the_digest(tmp_path, drive, change):
    assert {each.name for each in fields(Made)} == {
        "log_time_ns",
        "topic",
        "type_name",
        "data",
        "sequence",
        "publish_time_ns",
    }
    made = [each for each in drive if each.topic == "/ugv1/odom"]
    made[5] = replace(made[5], data=twist(TYPES, made[5].log_time_ns, 0.5))
    before = recording_digest(write(tmp_path / "before", TYPES, made))
    made[5] = change(made[5])
    assert recording_digest(write(tmp_path / "after", TYPES, made)) != before


def test_equal_bytes_of_another_type_change_the_digest(tmp_path):
    def digest_as(name):
        made = [Made(1, "/a", f"std_msgs/msg/{name}", bytes([0, 1, 0, 0, 1, 0, 0, 0]), 1, 1)]
        return recording_digest(write(tmp_path / name, TYPES, made))

    assert digest_as("Int32") != digest_as("UInt32")


@settings(max_examples=40, deadline=None, derandomize=True)
@given(messages, st.data())
def test_losing_or_repeating_a_message_changes_the_digest(made, data):
    at = data.draw(st.integers(0, len(made) - 1))
    with TemporaryDirectory() as folder:
        digests = {
            recording_digest(write(Path(folder) / name, TYPES, each))
            for name, each in {
                "whole": made,
                "lost": made[:at] + made[at + 1 :],
                "twice": [*made, made[at]],
            }.items()
        }
    assert len(digests) == 3


def test_battery_padding_does_not_count(tmp_path):
    make = TYPES.message_class
    TYPES.require(BATTERY)
    header = make("std_msgs/msg/Header")(make("builtin_interfaces/msg/Time")(1, 2), "b")
    nan = float("nan")
    message = make(BATTERY)(
        header,
        24.0,
        nan,
        nan,
        nan,
        nan,
        nan,
        0.5,
        2,
        1,
        0,
        True,
        np.array([], np.float32),
        np.array([], np.float32),
        "",
        "",
    )
    clean = TYPES.encode(BATTERY, message)
    differing = []
    for at in range(4, len(clean)):
        changed = bytearray(clean)
        changed[at] ^= 0x5A
        try:
            if TYPES.canonical(BATTERY, bytes(changed)) == clean:
                differing.append(at)
        except UndecodableMessageError:
            continue
    assert len(differing) >= 2
    dirty_data = bytearray(clean)
    for at in differing:
        dirty_data[at] = 0x5A
    one = write(tmp_path / "one", TYPES, [Made(1, "/b", BATTERY, clean, 1, 1)])
    other = write(tmp_path / "other", TYPES, [Made(1, "/b", BATTERY, bytes(dirty_data), 1, 1)])
    assert recording_digest(one) == recording_digest(other)


def test_verdict_channels_are_not_evidence_and_other_side_channels_are(tmp_path, types, drive):
    def digest_with(name, topic):
        made = [*drive, Made(1, topic, TEXT, text(types, "{}"), 1, 1)]
        return recording_digest(write(tmp_path / name, types, made))

    bare = recording_digest(write(tmp_path / "bare", types, drive))
    assert digest_with("a", "/fieldproof/assertions") == bare
    assert digest_with("k", "/fieldproof/kpis") == bare
    assert digest_with("e", "/fieldproof/events") != bare


def test_the_digest_is_stable_over_releases(tmp_path, types, drive):
    # Changing this value makes every sealed run fail verification: bump the form instead.
    assert recording_digest(write(tmp_path / "recording", types, drive)) == (
        "1989a0873c3858d093d1cddcb00abda376cbb06c99769f02f6b1692322835402"
    )


def test_a_canonical_recording_is_its_own_canonical_form(tmp_path, types, drive):
    write(tmp_path / "recording", types, drive)
    first = rewrite_canonical(tmp_path / "recording", tmp_path / "recording").read_bytes()
    path = rewrite_canonical(tmp_path / "recording", tmp_path / "recording")
    assert path.read_bytes() == first
    assert sorted(each.name for each in path.parent.iterdir()) == [
        "metadata.yaml",
        "recording_0.mcap",
    ]


def test_a_canonical_recording_is_ordered_within_its_chunks(tmp_path, types, drive):
    shuffled = list(drive)
    random.Random(7).shuffle(shuffled)
    path = rewrite_canonical(write(tmp_path / "a", types, shuffled), tmp_path / "recording")
    with path.open("rb") as stream:
        chunks = [
            each
            for each in StreamReader(stream, emit_chunks=True).records
            if type(each).__name__ == "Chunk"
        ]
    times = [
        record.log_time
        for chunk in chunks
        for record in breakup_chunk(chunk)
        if type(record).__name__ == "Message"
    ]
    assert times == sorted(times)


def test_an_unclosed_recording_becomes_a_closed_one(tmp_path, types, drive):
    path = write(tmp_path / "recording", types, drive, chunk_bytes=500)
    path.write_bytes(path.read_bytes()[:2500])
    with RecordingReader(path) as reader:
        kept = len(list(reader.messages()))
    before = recording_digest(path)
    rewrite_canonical(tmp_path / "recording", tmp_path / "recording")
    with RecordingReader(path) as reader:
        assert not reader.unclosed
        assert len(list(reader.messages())) == kept > 0
    assert recording_digest(path) == before


def test_a_failed_rewrite_leaves_the_recording_as_it_was(tmp_path, types, drive):
    path = write(tmp_path / "recording", types, drive)
    data = bytearray(path.read_bytes())
    data[len(data) // 4] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(DamagedRecordingError):
        rewrite_canonical(path, tmp_path / "recording")
    assert path.read_bytes() == bytes(data)
    assert sorted(each.name for each in path.parent.iterdir()) == [
        "metadata.yaml",
        "recording_0.mcap",
    ]


def test_a_leftover_of_a_killed_rewrite_does_not_stop_the_next(tmp_path, types, drive):
    write(tmp_path / "recording", types, drive)
    (tmp_path / "recording" / ".recording_0.mcap.part").write_bytes(b"half")
    path = rewrite_canonical(tmp_path / "recording", tmp_path / "recording")
    assert not (tmp_path / "recording" / ".recording_0.mcap.part").exists()
    assert path.name == "recording_0.mcap"


def test_the_offered_qos_survives_a_rewrite(tmp_path, types):
    with RecordingWriter(tmp_path / "recording", types) as writer:
        writer.add_topic("/tf_static", TEXT, qos=[OfferedQos(durability="transient_local")])
    rewrite_canonical(tmp_path / "recording", tmp_path / "recording")
    with RecordingReader(tmp_path / "recording") as reader:
        (topic,) = reader.topics
    assert "durability: transient_local" in topic.qos


def test_a_topic_of_two_types_has_no_canonical_form(tmp_path, types):
    path = tmp_path / "two.mcap"
    with path.open("wb") as stream:
        writer = Writer(stream)
        writer.start("ros2")
        for name in (TEXT, TWIST):
            schema = writer.register_schema(name, "ros2msg", types.definition(name).text.encode())
            writer.register_channel("/a", "cdr", schema)
        writer.finish()
    with pytest.raises(TopicError, match="'/a'"):
        rewrite_canonical(path, tmp_path / "recording")
