"""What holds for every test."""

import signal

import pytest


@pytest.fixture(scope="session", autouse=True)
def signals_as_on_a_terminal():
    """A job in the background ignores SIGINT, and so would all that a test starts."""
    for number in (signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
