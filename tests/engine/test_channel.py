import os
import sys

import pytest

from fieldproof.backends import ProcessBackend, ProcessSpec
from fieldproof.engine._channel import Channel
from fieldproof.engine._errors import InfrastructureError, InterruptedRunError

SERVER = """
import sys, msgpack, zmq
socket = zmq.Context().socket(zmq.REP)
socket.bind(sys.argv[1])
while True:
    request = msgpack.unpackb(socket.recv())
    if request["op"] == "die":
        print("last words", flush=True)
        sys.exit(7)
    if request["op"] == "silence":
        while True:
            pass
    if request["op"] == "refuse":
        socket.send(msgpack.packb({"ok": False, "code": "no", "message": "not today"}))
    else:
        socket.send(msgpack.packb({"ok": True, "echo": request["word"]}))
"""


@pytest.fixture
def connect(tmp_path, request):
    backend = ProcessBackend()
    channels = []

    def connect(check=lambda: None):
        address = f"ipc://@fieldproof-test-{os.getpid()}-{request.node.name[:40]}"
        spec = ProcessSpec(
            "server",
            [sys.executable, "-c", SERVER, address],
            {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            tmp_path / "server.log",
            tmp_path,
        )
        channels.append(Channel(address, backend.start(spec), check))
        return channels[-1]

    yield connect
    for channel in channels:
        channel.close()
    backend.close()


def test_a_request_returns_the_reply(connect):
    assert connect().request("echo", bound_s=20, word="hello") == {"echo": "hello"}


def test_a_refusal_names_the_process_and_its_reason(connect):
    with pytest.raises(InfrastructureError, match="server: not today"):
        connect().request("refuse", bound_s=20)


def test_a_process_that_dies_is_noticed_at_once_with_its_last_words(connect):
    with pytest.raises(InfrastructureError, match="exit code 7 while 'die'") as caught:
        connect().request("die", bound_s=600)
    assert list(caught.value.log_tail) == ["last words"]
    assert "last words" in str(caught.value)


def test_silence_ends_after_the_bound(connect):
    channel = connect()
    channel.request("echo", bound_s=20, word="up")
    with pytest.raises(InfrastructureError, match=r"did not answer 'silence' within 0\.1 s"):
        channel.request("silence", bound_s=0.1)


def test_an_interrupt_ends_the_wait(connect):
    asked = []

    def check():
        if asked:
            raise InterruptedRunError
        asked.append(True)

    with pytest.raises(InterruptedRunError):
        connect(check).request("silence", bound_s=600)
