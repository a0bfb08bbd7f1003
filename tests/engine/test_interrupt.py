import os
import signal
import subprocess
import sys

import pytest

from fieldproof.engine._interrupt import Interrupt

NUMBERS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.fixture(autouse=True)
def as_before():
    before = {number: signal.getsignal(number) for number in NUMBERS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_signal_is_remembered_and_given_back_afterwards(number):
    before = signal.getsignal(number)
    with Interrupt() as interrupt:
        assert not interrupt()
        os.kill(os.getpid(), number)
        assert interrupt()
    assert signal.getsignal(number) is before


def test_a_hangup_that_was_ignored_stays_without_effect():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with Interrupt() as interrupt:
        os.kill(os.getpid(), signal.SIGHUP)
        assert not interrupt()
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


@pytest.mark.parametrize("number", NUMBERS)
def test_what_is_started_ends_of_a_signal_that_whoever_started_us_had_ignored(number):
    signal.signal(number, signal.SIG_IGN)
    with Interrupt():
        code = "import signal; "
        code += f"print(signal.getsignal({int(number)}) is signal.SIG_IGN)"
        told = subprocess.run(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True
        )
    assert told.stdout.strip() == "False"
