from uuid import uuid4

import pytest
import zmq

from fieldproof_sim import (
    FrameSubscriber,
    FrameTimeoutError,
    SimulatorClient,
    SimulatorTimeoutError,
)
from fieldproof_sim._wire import WireError, decode, encode


@pytest.fixture
def context():
    with zmq.Context() as context:
        yield context


class Publisher:
    """A publisher that can lose frames on purpose and answers handshakes like a simulator."""

    def __init__(self, context):
        self.address = f"inproc://{uuid4().hex}"
        self._socket = context.socket(zmq.PUB)
        self._socket.bind(self.address)
        self.seq = {}

    def send(self, topic, *, lost=False):
        self.seq[topic] = self.seq.get(topic, 0) + 1
        if not lost:
            self._put(topic, {"seq": self.seq[topic], "time_ns": 0})

    def request(self, op, **fields):
        assert op == "sync"
        self._put("sync", {"seq": 1, "time_ns": 0, "frames": dict(self.seq), **fields})

    def _put(self, topic, data):
        self._socket.send_multipart((topic.encode(), encode(data)))

    def close(self):
        self._socket.close(0)


@pytest.fixture
def publisher(context):
    publisher = Publisher(context)
    yield publisher
    publisher.close()


@pytest.fixture
def subscribe(context, publisher):
    opened = []

    def open_one(*prefixes):
        opened.append(FrameSubscriber(publisher.address, prefixes, context=context))
        opened[-1].sync(publisher)
        return opened[-1]

    yield open_one
    for each in opened:
        each.close()


def test_frames_come_in_order_and_without_gaps(publisher, subscribe):
    subscriber = subscribe("a")
    for _ in range(3):
        publisher.send("a")
    assert subscriber.receive(1.0).seq == 1
    subscriber.wait_for({"a": 3, "elsewhere": 9}, 1.0)
    assert [frame.seq for frame in subscriber.drain()] == [2, 3]
    assert subscriber.receive() is None
    assert subscriber.gaps == {}


def test_lost_frames_are_counted_by_topic(publisher, subscribe):
    subscriber = subscribe("")
    for topic, lost in (
        ("a", True),
        ("a", False),
        ("b", False),
        ("a", True),
        ("a", True),
        ("a", False),
    ):
        publisher.send(topic, lost=lost)
    subscriber.wait_for({"a": 5, "b": 1}, 1.0)
    assert subscriber.gaps == {"a": 3}


def test_frames_before_the_first_handshake_are_no_gaps(publisher, subscribe):
    for _ in range(4):
        publisher.send("a")
    subscriber = subscribe("a")
    publisher.send("a")
    assert subscriber.receive(1.0).seq == 5
    assert subscriber.gaps == {}


def test_a_later_handshake_finds_what_was_lost_at_the_end(publisher, subscribe):
    subscriber = subscribe("a")
    publisher.send("a")
    publisher.send("a", lost=True)
    subscriber.sync(publisher)
    assert subscriber.gaps == {"a": 1}
    assert [frame.seq for frame in subscriber.drain()] == [1]


def test_a_prefix_selects_a_folder_and_a_name_only_itself(publisher, subscribe):
    subscriber = subscribe("contact/ugv1", "sensor/ugv1/")
    for topic in ("contact/ugv10", "contact/ugv1", "sensor/ugv10/imu", "sensor/ugv1/imu"):
        publisher.send(topic)
    subscriber.wait_for({"sensor/ugv1/imu": 1, "sensor/ugv10/imu": 5}, 1.0)
    assert [frame.topic for frame in subscriber.drain()] == ["contact/ugv1", "sensor/ugv1/imu"]


def test_missing_frames_are_named(publisher, subscribe):
    subscriber = subscribe("a", "b")
    publisher.send("a")
    with pytest.raises(
        FrameTimeoutError, match=r"a \(seq 2, have 1\), b \(seq 1, have 0\)"
    ) as caught:
        subscriber.wait_for({"a": 2, "b": 1}, 0.01)
    assert caught.value.missing == {"a": (2, 1), "b": (1, 0)}


def test_a_handshake_that_never_comes_is_bounded(context):
    class Silent:
        def request(self, op, **fields):
            return {}

    with (
        FrameSubscriber("inproc://nobody", ("a",), context=context) as subscriber,
        pytest.raises(FrameTimeoutError, match="no frame came through inproc://nobody"),
    ):
        subscriber.sync(Silent(), timeout_s=0.02)


def test_a_simulator_that_does_not_answer_is_a_named_error_and_a_late_answer_is_dropped(context):
    address = f"inproc://{uuid4().hex}"
    with context.socket(zmq.REP) as server:
        server.bind(address)
        with SimulatorClient(address, 0.02, context=context) as client:
            with pytest.raises(SimulatorTimeoutError, match=r"step: timeout: .* within 0.02 s"):
                client.request("step", until_ns=0)
            server.recv()
            server.send(encode({"ok": True, "late": True}))
            with pytest.raises(SimulatorTimeoutError):
                client.request("state")
            assert decode(server.recv())["op"] == "state"
            server.send(encode({"ok": True}))


@pytest.mark.parametrize("payload", [b"", b"\xc1", encode({})[:0], b"\x91\x01", b"\x81\x01\x02"])
def test_bytes_that_are_no_map_of_strings_are_a_wire_error(payload):
    with pytest.raises(WireError):
        decode(payload)
