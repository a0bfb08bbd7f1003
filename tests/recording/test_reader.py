import os

import pytest
from mcap.reader import make_reader
from mcap.writer import CompressionType, Writer

from fieldproof.recording import (
    DamagedRecordingError,
    RecordingReader,
    UnclosedRecordingError,
    UndecodableMessageError,
    UnsupportedTypeError,
)

from .conftest import TEXT, TWIST, Made, text, write


def keys(messages):
    return [(each.log_time_ns, each.topic, each.sequence) for each in messages]


def test_a_folder_and_its_file_are_the_same_recording(tmp_path, types, drive):
    path = write(tmp_path / "recording", types, drive)
    with RecordingReader(path) as one, RecordingReader(path.parent) as other:
        assert list(one.messages()) == list(other.messages())


def test_topics_tell_type_definition_and_count(tmp_path, types, drive):
    path = write(tmp_path / "recording", types, drive)
    with RecordingReader(path) as reader:
        note, odom = reader.topics
        assert (note.topic, note.type_name, note.messages) == ("/ugv1/note", TEXT, 20)
        assert odom.definition == types.definition(TWIST).text
        assert (reader.start_ns, reader.end_ns) == (0, 950_000_000)


def test_messages_come_in_file_order_and_ordered_ones_by_time_topic_and_sequence(tmp_path, types):
    made = [
        Made(t, topic, TEXT, text(types, "x"), sequence, t)
        for t, topic, sequence in [(5, "/b", 1), (5, "/a", 2), (5, "/a", 1), (3, "/c", 1)]
    ]
    path = write(tmp_path / "recording", types, made)
    with RecordingReader(path) as reader:
        assert keys(reader.messages()) == [(5, "/b", 1), (5, "/a", 2), (5, "/a", 1), (3, "/c", 1)]
        assert keys(reader.ordered()) == [(3, "/c", 1), (5, "/a", 1), (5, "/a", 2), (5, "/b", 1)]


def test_overlapping_chunks_are_merged(tmp_path, types):
    made = [
        Made(t, "/a", TEXT, text(types, "y" * 50), n, t)
        for n, t in enumerate([10, 30, 20, 40, 5, 25, 24, 60, 1, 59])
    ]
    path = write(tmp_path / "recording", types, made, chunk_bytes=200)
    with RecordingReader(path) as reader:
        times = [each.log_time_ns for each in reader.ordered()]
    assert times == sorted(each.log_time_ns for each in made)


@pytest.mark.parametrize("keep", range(0, 4200, 97))
def test_a_file_cut_anywhere_is_read_up_to_its_last_complete_chunk(tmp_path, types, drive, keep):
    path = write(tmp_path / "recording", types, drive, chunk_bytes=500)
    whole = path.read_bytes()
    assert len(whole) > 4200
    path.write_bytes(whole[:keep])
    with RecordingReader(path) as reader:
        assert reader.unclosed
        with pytest.raises(UnclosedRecordingError) as caught:
            reader.require_closed()
        assert caught.value.offset <= keep
        read = list(reader.messages())
        expected = [(each.log_time_ns, each.topic, each.sequence) for each in drive]
        assert keys(read) == expected[: len(read)]


def test_losing_the_last_bytes_loses_no_message(tmp_path, types, drive):
    path = write(tmp_path / "recording", types, drive)
    path.write_bytes(path.read_bytes()[:-1])
    with RecordingReader(path) as reader:
        assert len(list(reader.messages())) == len(drive)
        assert reader.unclosed


def test_a_changed_byte_in_a_chunk_is_an_error_that_names_the_place(tmp_path, types, drive):
    path = write(tmp_path / "recording", types, drive)
    data = bytearray(path.read_bytes())
    data[len(data) // 4] ^= 0xFF
    path.write_bytes(data)
    with RecordingReader(path) as reader, pytest.raises(DamagedRecordingError) as caught:
        list(reader.messages())
    assert caught.value.path == path
    assert 0 < caught.value.offset < len(data) // 4


@pytest.mark.parametrize(
    "data", [b"SQLite format 3\x00" * 10, b"{}\n"], ids=["another format", "text"]
)
def test_a_file_of_another_kind_is_refused(tmp_path, data):
    path = tmp_path / "thing.mcap"
    path.write_bytes(data)
    with pytest.raises(DamagedRecordingError, match="not an MCAP file"):
        RecordingReader(path)


def changed(path, places):
    data = bytearray(path.read_bytes())
    for at in places:
        data[at] ^= 0x96
    path.write_bytes(data)


def summary_of(path):
    with path.open("rb") as stream:
        return make_reader(stream).get_summary()


def test_a_chunk_whose_kind_is_damaged_is_not_passed_over(tmp_path, types, drive):
    path = write(tmp_path / "recording", types, drive, chunk_bytes=500)
    chunk = summary_of(path).chunk_indexes[2].chunk_start_offset
    changed(path, [chunk])
    with RecordingReader(path) as reader, pytest.raises(DamagedRecordingError) as caught:
        list(reader.messages())
    assert caught.value.offset == chunk


def test_nor_is_it_where_the_index_is_damaged_as_well(tmp_path, types, drive):
    path = write(tmp_path / "recording", types, drive, chunk_bytes=500)
    changed(path, [summary_of(path).chunk_indexes[2].chunk_start_offset, -20])
    with pytest.raises(DamagedRecordingError, match="of its 40 messages are found"):
        RecordingReader(path)


def test_every_message_is_read_where_only_the_index_is_damaged(tmp_path, types, drive):
    path = write(tmp_path / "recording", types, drive, chunk_bytes=500)
    summary = summary_of(path)
    data = path.read_bytes()
    start = summary.chunk_indexes[1].message_start_time.to_bytes(8, "little")
    at = data.rindex(start + summary.chunk_indexes[1].message_end_time.to_bytes(8, "little"))
    changed(path, [at + 6])
    with RecordingReader(path) as reader:
        assert not reader.unclosed
        assert keys(reader.ordered()) == sorted(
            (each.log_time_ns, each.topic, each.sequence) for each in drive
        )


def test_what_is_no_regular_file_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.mcap")
    with pytest.raises(DamagedRecordingError, match="not a regular file"):
        RecordingReader(tmp_path / "pipe.mcap")


def test_a_missing_file_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        RecordingReader(tmp_path / "none.mcap")


def test_a_folder_without_a_recording_is_refused(tmp_path):
    with pytest.raises(DamagedRecordingError, match="0 MCAP files"):
        RecordingReader(tmp_path)


def test_a_recording_without_chunks_or_index_is_read_too(tmp_path, types):
    path = tmp_path / "plain.mcap"
    with path.open("wb") as stream:
        writer = Writer(stream, use_chunking=False, use_statistics=False, repeat_channels=False)
        writer.start("ros2")
        schema = writer.register_schema(TEXT, "ros2msg", b"string data\n")
        channel = writer.register_channel("/a", "cdr", schema)
        for n in (2, 1):
            writer.add_message(channel, n, text(types, str(n)), n, n)
        writer.finish()
    with RecordingReader(path) as reader:
        assert not reader.unclosed
        assert [reader.decode(each).data for each in reader.ordered()] == ["1", "2"]


@pytest.mark.parametrize("compression", list(CompressionType), ids=lambda each: each.name)
def test_every_compression_is_read(tmp_path, types, compression):
    path = tmp_path / "one.mcap"
    with path.open("wb") as stream:
        writer = Writer(stream, compression=compression)
        writer.start("ros2")
        schema = writer.register_schema(TEXT, "ros2msg", b"string data\n")
        channel = writer.register_channel("/a", "cdr", schema)
        writer.add_message(channel, 1, text(types, "hello"), 1, 1)
        writer.finish()
    with RecordingReader(path) as reader:
        assert [reader.decode(each).data for each in reader.messages()] == ["hello"]


def test_a_topic_without_a_definition_is_refused_by_name(tmp_path):
    path = tmp_path / "bare.mcap"
    with path.open("wb") as stream:
        writer = Writer(stream)
        writer.start("ros2")
        writer.add_message(writer.register_channel("/a", "cdr", 0), 1, b"", 1, 1)
        writer.finish()
    with pytest.raises(DamagedRecordingError, match="'/a' has no message definition"):
        RecordingReader(path)


def test_another_schema_encoding_is_refused_by_name(tmp_path):
    path = tmp_path / "json.mcap"
    with path.open("wb") as stream:
        writer = Writer(stream)
        writer.start("ros2")
        schema = writer.register_schema("demo/msg/Thing", "jsonschema", b"{}")
        writer.add_message(writer.register_channel("/a", "json", schema), 1, b"{}", 1, 1)
        writer.finish()
    with pytest.raises(UnsupportedTypeError, match="jsonschema"):
        RecordingReader(path)


def test_a_message_that_does_not_match_its_type_is_an_error(tmp_path, types):
    path = write(tmp_path / "r", types, [Made(1, "/a", TWIST, b"\x00\x01\x00\x00", 1, 1)])
    with RecordingReader(path) as reader, pytest.raises(UndecodableMessageError, match=TWIST):
        reader.decode(next(reader.messages()))
