import os
import signal
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
import yaml
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from rosbags.rosbag2 import Reader as BagReader

from fieldproof.recording import (
    MessageTypes,
    OfferedQos,
    RecordingReader,
    RecordingWriter,
    TopicError,
    UnknownTypeError,
    WriterClosedError,
)

from .conftest import TEXT, TWIST, text, twist, write


def test_a_recording_opens_with_the_mcap_library_and_its_ros2_decoder(tmp_path, types, drive):
    path = write(tmp_path / "recording", types, drive)
    with path.open("rb") as stream:
        reader = make_reader(stream, decoder_factories=[DecoderFactory()])
        assert reader.get_header().profile == "ros2"
        decoded = [
            (schema.name, channel.topic, channel.message_encoding, schema.encoding, message)
            for schema, channel, _, message in reader.iter_decoded_messages()
        ]
    assert len(decoded) == len(drive)
    assert {each[1:4] for each in decoded} == {
        ("/ugv1/odom", "cdr", "ros2msg"),
        ("/ugv1/note", "cdr", "ros2msg"),
    }
    last = [message for name, *_, message in decoded if name == TWIST][-1]
    assert (last.twist.linear.x, last.header.frame_id) == (1.9, "odom")


def test_a_recording_opens_as_a_rosbag2_folder(tmp_path, types, drive):
    write(tmp_path / "recording", types, drive)
    with BagReader(tmp_path / "recording") as bag:
        assert bag.message_count == len(drive)
        assert {each.topic: each.msgtype for each in bag.connections} == {
            "/ugv1/odom": TWIST,
            "/ugv1/note": TEXT,
        }
        assert sum(1 for _ in bag.messages()) == len(drive)


def test_the_metadata_has_the_form_of_rosbag2_version_9(tmp_path, types, drive):
    with RecordingWriter(tmp_path / "recording", types) as writer:
        writer.add_topic(
            "/tf_static",
            "tf2_msgs/msg/TFMessage",
            qos=[OfferedQos(durability="transient_local", depth=1)],
        )
        writer.add_topic("/ugv1/odom", TWIST)
        writer.write("/ugv1/odom", drive[0].data, log_time_ns=5)
        writer.write("/ugv1/odom", drive[0].data, log_time_ns=12)
    document = yaml.safe_load((tmp_path / "recording" / "metadata.yaml").read_text())
    information = document["rosbag2_bagfile_information"]
    assert information["version"] == 9
    assert information["storage_identifier"] == "mcap"
    assert information["relative_file_paths"] == ["recording_0.mcap"]
    assert information["starting_time"] == {"nanoseconds_since_epoch": 5}
    assert information["duration"] == {"nanoseconds": 7}
    assert information["message_count"] == 2
    static, odom = information["topics_with_message_count"]
    assert (static["message_count"], odom["message_count"]) == (0, 2)
    assert odom["topic_metadata"]["type_description_hash"].startswith("RIHS01_")
    (offer,) = static["topic_metadata"]["offered_qos_profiles"]
    assert offer["durability"] == "transient_local"
    assert offer["lifespan"] == {"sec": 9223372036, "nsec": 854775807}


def test_the_channel_says_that_a_topic_is_latched(tmp_path, types):
    with RecordingWriter(tmp_path / "recording", types) as writer:
        writer.add_topic(
            "/tf_static",
            "tf2_msgs/msg/TFMessage",
            qos=[OfferedQos(durability="transient_local", depth=1)],
        )
    with writer.path.open("rb") as stream:
        (channel,) = make_reader(stream).get_summary().channels.values()
    (offer,) = yaml.safe_load(channel.metadata["offered_qos_profiles"])
    assert offer["durability"] == "transient_local"


def test_an_empty_recording_is_a_valid_one(tmp_path, types):
    with RecordingWriter(tmp_path / "recording", types):
        pass
    with BagReader(tmp_path / "recording") as bag:
        assert bag.message_count == 0
    with RecordingReader(tmp_path / "recording") as reader:
        assert (reader.topics, list(reader.messages()), reader.start_ns) == ((), [], None)


def test_messages_are_numbered_per_topic_from_one(tmp_path, types):
    with RecordingWriter(tmp_path / "recording", types) as writer:
        for topic in ("/a", "/b"):
            writer.add_topic(topic, TEXT)
        for topic in ("/a", "/b", "/a"):
            writer.write(topic, text(types, "x"), log_time_ns=1)
        assert writer.counts == {"/a": 2, "/b": 1}
    with RecordingReader(writer.path) as reader:
        assert [(each.topic, each.sequence) for each in reader.messages()] == [
            ("/a", 1),
            ("/b", 1),
            ("/a", 2),
        ]


def test_a_side_channel_carries_json_with_sorted_keys(tmp_path, types):
    with RecordingWriter(tmp_path / "recording", types) as writer:
        writer.write_json("/fieldproof/events", {"b": "ü\ud800", "a": [1, None]}, log_time_ns=3)
    with RecordingReader(writer.path) as reader:
        (message,) = reader.messages()
        assert reader.decode(message).data == '{"a":[1,null],"b":"\\u00fc\\ud800"}'


def test_a_topic_has_one_type(tmp_path, types):
    with RecordingWriter(tmp_path / "recording", types) as writer:
        writer.add_topic("/a", TEXT)
        writer.add_topic("/a", TEXT)
        with pytest.raises(TopicError, match="'/a': is std_msgs/msg/String"):
            writer.add_topic("/a", TWIST)


def test_a_topic_is_declared_before_it_is_written(tmp_path, types):
    with RecordingWriter(tmp_path / "recording", types) as writer, pytest.raises(TopicError):
        writer.write("/a", b"", log_time_ns=0)


def test_an_unknown_type_leaves_the_recording_usable(tmp_path, types):
    with RecordingWriter(tmp_path / "recording", types) as writer:
        with pytest.raises(UnknownTypeError):
            writer.add_topic("/a", "nowhere_msgs/msg/Thing")
        writer.add_topic("/b", TEXT)
        writer.write("/b", text(types, "still here"), log_time_ns=1)
    with RecordingReader(writer.path) as reader:
        assert len(list(reader.messages())) == 1


def test_a_closed_recording_takes_no_more(tmp_path, types):
    writer = RecordingWriter(tmp_path / "recording", types)
    writer.add_topic("/a", TEXT)
    writer.close()
    writer.close()
    with pytest.raises(WriterClosedError):
        writer.write("/a", text(types, "late"), log_time_ns=1)


def test_an_earlier_recording_is_not_overwritten(tmp_path, types, drive):
    write(tmp_path / "recording", types, drive)
    with pytest.raises(FileExistsError):
        RecordingWriter(tmp_path / "recording", types)


def test_a_full_chunk_is_in_the_file_at_once(tmp_path, types):
    with RecordingWriter(tmp_path / "recording", types, chunk_bytes=1000) as writer:
        writer.add_topic("/a", TEXT)
        before = writer.path.stat().st_size
        for n in range(20):
            writer.write("/a", text(types, "x" * 100), log_time_ns=n)
        assert writer.path.stat().st_size > before
        with RecordingReader(writer.path) as reader:
            assert reader.unclosed
            assert len(list(reader.messages())) >= 8


def test_a_flush_saves_the_messages_so_far(tmp_path, types):
    with RecordingWriter(tmp_path / "recording", types) as writer:
        writer.add_topic("/a", TEXT)
        writer.write("/a", text(types, "saved"), log_time_ns=1)
        writer.flush()
        with RecordingReader(writer.path) as reader:
            assert len(list(reader.messages())) == 1


@pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="needs /dev/full to stand for a full disk"
)
def test_a_full_disk_closes_the_recording_and_says_why(tmp_path, types, monkeypatch):
    writer = RecordingWriter(tmp_path / "recording", types, chunk_bytes=100)
    writer.add_topic("/a", TEXT)
    full = os.open("/dev/full", os.O_WRONLY)
    os.dup2(full, writer._stream.fileno())
    os.close(full)
    with pytest.raises(OSError, match="No space left"):
        writer.write("/a", text(types, "x" * 200), log_time_ns=1)
    assert writer.closed
    writer.close()
    assert not (tmp_path / "recording" / "metadata.yaml").exists()


CHILD = """
import signal, sys
from pathlib import Path
from fieldproof.recording import MessageTypes, RecordingWriter
types = MessageTypes()
def stop(number, frame):
    raise SystemExit(0)
signal.signal(signal.SIGTERM, stop)
data = types.encode("std_msgs/msg/String", types.message_class("std_msgs/msg/String")("x" * 100))
with RecordingWriter(Path(sys.argv[1]), types, chunk_bytes=1000) as writer:
    writer.add_topic("/a", "std_msgs/msg/String")
    for n in range(100):
        writer.write("/a", data, log_time_ns=n)
    print("written", flush=True)
    signal.pause()
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=["SIGTERM", "SIGKILL"])
def test_a_stopped_process_leaves_a_readable_file(tmp_path, number):
    folder = tmp_path / "recording"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-B", "-c", CHILD, str(folder)], stdout=subprocess.PIPE, env=environment
    ) as child:
        assert child.stdout.readline() == b"written\n"
        child.send_signal(number)
        child.wait(timeout=30)
    with RecordingReader(folder) as reader:
        count = len(list(reader.messages()))
        assert reader.unclosed == (number == signal.SIGKILL)
    if number == signal.SIGTERM:
        assert count == 100
        with (folder / "recording_0.mcap").open("rb") as stream:
            assert make_reader(stream).get_summary().statistics.message_count == 100
    else:
        assert 90 <= count < 100


def test_memory_is_bounded_by_the_chunk_not_by_the_recording(tmp_path):
    types = MessageTypes()
    data = os.urandom(2000)
    with RecordingWriter(tmp_path / "recording", types, chunk_bytes=100_000) as writer:
        writer.add_topic("/a", TEXT)
        tracemalloc.start()
        for n in range(5000):  # ten megabytes that do not compress
            writer.write("/a", data, log_time_ns=n)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 3_000_000
    with RecordingReader(writer.path) as reader:
        tracemalloc.start()
        assert sum(1 for _ in reader.ordered()) == 5000
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 3_000_000


def test_the_stamp_of_a_message_is_not_touched(tmp_path, types):
    data = twist(types, 123_456_789, 1.0)
    with RecordingWriter(tmp_path / "recording", types) as writer:
        writer.add_topic("/a", TWIST)
        writer.write("/a", data, log_time_ns=7, publish_time_ns=5, sequence=9)
    with RecordingReader(writer.path) as reader:
        (message,) = reader.messages()
    assert (message.data, message.log_time_ns, message.publish_time_ns, message.sequence) == (
        data,
        7,
        5,
        9,
    )
