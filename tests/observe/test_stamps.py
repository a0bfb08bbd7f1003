import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rosbags.typesys import get_types_from_msg

from fieldproof.observe._fields import FieldError
from fieldproof.observe._stamps import StampReader
from fieldproof.recording import MessageTypes, RecordingError

from .messages import STORE, TYPES, cdr, header, point, text


@settings(deadline=None)
@given(st.integers(0, (2**31 - 1) * 10**9 + 999_999_999), st.booleans())
def test_a_stamp_is_read_in_either_byte_order(time_ns, little_endian):
    where = STORE.types["geometry_msgs/msg/Point"](1.0, 2.0, 3.0)
    data = cdr(
        "geometry_msgs/msg/PointStamped", header(time_ns), where, little_endian=little_endian
    )
    assert StampReader(TYPES).read("geometry_msgs/msg/PointStamped", data) == time_ns


def test_a_header_that_does_not_come_first_is_found_by_decoding():
    definition = (
        "string name\nstd_msgs/Header header\n"
        f"{'=' * 80}\nMSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n"
        f"{'=' * 80}\nMSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n"
    )
    STORE.register(
        {
            name: fields
            for name, fields in get_types_from_msg(definition, "a_msgs/msg/Named").items()
            if name == "a_msgs/msg/Named"
        }
    )
    data = cdr("a_msgs/msg/Named", "a name of some length", header(1_500_000_007))
    types = MessageTypes(definitions={"a_msgs/msg/Named": definition})
    assert StampReader(types).read("a_msgs/msg/Named", data) == 1_500_000_007


@pytest.mark.parametrize(
    ("type_name", "has"),
    [
        ("std_msgs/msg/String", "it has data"),
        ("std_msgs/msg/Header", "it has stamp, frame_id"),
        ("tf2_msgs/msg/TFMessage", "it has transforms"),
    ],
)
def test_a_type_without_a_header_says_what_it_has(type_name, has):
    with pytest.raises(FieldError, match=r"no header\.stamp") as refused:
        StampReader(TYPES).read(type_name, text("a"))
    assert has in str(refused.value)
    assert type_name in str(refused.value)


@pytest.mark.parametrize(
    ("type_name", "data"),
    [
        ("geometry_msgs/msg/PointStamped", point(1)[:6]),
        ("no_msgs/msg/Such", point(1)),
    ],
)
def test_bytes_that_are_no_such_message_are_refused(type_name, data):
    with pytest.raises(RecordingError):
        StampReader(TYPES).read(type_name, data)
