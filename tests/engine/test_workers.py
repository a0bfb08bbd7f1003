import threading

import pytest

from fieldproof.engine._errors import InfrastructureError, InterruptedRunError
from fieldproof.engine._workers import HungError, RunEndedError, Workers

NS = 1_000_000_000


def workers(*, wait=True, check=lambda: None, patience_s=30.0):
    return Workers(wait=wait, check=check, patience_s=patience_s)


def until_over(handle, crew, ticks=1000):
    """Move time tick by tick until a worker is over; the ticks it took."""
    for tick in range(ticks):
        crew.advance(tick * NS // 20)
        crew.serve()
        if handle.poll():
            return tick
    raise AssertionError("it never ended")


def test_a_worker_that_holds_goes_on_at_the_first_tick_that_is_late_enough():
    crew, seen = workers(), []

    def call():
        seen.append(crew.hold(0.12))

    assert until_over(crew.start(call, name="w"), crew) == 3
    assert seen == [True]


def test_the_world_waits_until_a_worker_parks():
    crew, log = workers(), []

    def call():
        for step in range(5):
            crew.ask(lambda step=step: log.append((step, threading.current_thread().name)))
            crew.hold(0.05)

    crew.advance(0)
    handle = crew.start(call, name="w")
    ticks = []
    for tick in range(8):
        crew.advance(tick * NS // 20)
        crew.serve()
        ticks.append(len(log))
        if handle.poll():
            break
    assert ticks == [1, 2, 3, 4, 5, 5]
    assert {name for _, name in log} == {threading.main_thread().name}


def test_workers_are_served_in_the_order_in_which_they_started():
    for _ in range(20):
        crew, log = workers(), []
        gate = threading.Event()

        def call(name, crew=crew, log=log, gate=gate):
            gate.wait()
            for _ in range(3):
                crew.ask(lambda: log.append(name))

        handles = [crew.start(lambda name=name: call(name), name=name) for name in "abc"]
        gate.set()
        crew.advance(0)
        crew.serve()
        assert log == ["a", "a", "a", "b", "b", "b", "c", "c", "c"]
        assert all(handle.poll() for handle in handles)


def test_what_an_action_raises_is_raised_where_it_was_asked_for():
    crew, seen = workers(), []

    def call():
        try:
            crew.ask(lambda: 1 // 0)
        except ZeroDivisionError as error:
            seen.append(str(error))

    until_over(crew.start(call, name="w"), crew)
    assert seen == ["integer division or modulo by zero"]


@pytest.mark.parametrize(
    "error", [InfrastructureError("the bridge is gone"), InterruptedRunError()]
)
def test_what_ends_the_run_ends_it_and_not_the_event(error):
    crew, seen = workers(), []

    def fail():
        raise error

    def call():
        try:
            crew.ask(fail)
        except RunEndedError:
            seen.append("over")

    handle = crew.start(call, name="w")
    crew.advance(0)
    with pytest.raises(type(error)):
        crew.serve()
    handle.thread.join(20)
    assert seen == ["over"]


def test_from_the_engines_own_thread_things_are_done_at_once():
    assert workers().ask(lambda: 7) == 7


def test_the_engine_itself_may_not_hold():
    with pytest.raises(RuntimeError, match="hold is for apply"):
        workers().hold(1.0)


def test_the_end_of_the_run_lets_everybody_go():
    crew, seen = workers(), []

    def call():
        seen.append(crew.hold(1e9))
        with pytest.raises(RunEndedError):
            crew.ask(lambda: None)
        seen.append("told")

    handle = crew.start(call, name="w")
    crew.advance(0)
    crew.serve()
    crew.end()
    handle.thread.join(20)
    assert seen == [False, "told"]


def test_a_worker_that_gives_no_sign_of_life_is_given_up():
    crew = workers(patience_s=0.1)
    never = threading.Event()
    handle = crew.start(never.wait, name="w")
    crew.advance(0)
    crew.serve()
    with pytest.raises(HungError, match=r"no sign of life for 0.1 s"):
        handle.poll()
    assert crew.given_up
    never.set()


def test_an_interrupt_is_noticed_while_the_world_waits():
    def check():
        raise InterruptedRunError

    crew = workers(check=check)
    never = threading.Event()
    crew.start(never.wait, name="w")
    crew.advance(0)
    with pytest.raises(InterruptedRunError):
        crew.serve()
    never.set()


def test_a_world_that_runs_free_waits_for_nobody():
    crew = workers(wait=False)
    go = threading.Event()
    handle = crew.start(go.wait, name="w")
    crew.advance(0)
    crew.serve()
    assert not handle.poll()
    go.set()
    handle.thread.join(20)
    assert handle.poll()


class OwnError(BaseException):
    """What no rule about exceptions foresees."""


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, GeneratorExit, OwnError])
def test_whatever_a_worker_raises_comes_out_of_its_poll_and_holds_up_nothing(error):
    crew = workers(patience_s=60.0)

    def call():
        raise error

    with pytest.raises(error):
        until_over(crew.start(call, name="w"), crew)
    assert not crew.given_up


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, OwnError])
def test_whatever_a_request_raises_is_raised_where_it_was_made(error):
    crew, seen = workers(), []

    def refuse():
        raise error

    def call():
        try:
            crew.ask(refuse)
        except error as raised:
            seen.append(type(raised))

    until_over(crew.start(call, name="w"), crew)
    assert seen == [error]
