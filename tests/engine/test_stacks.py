"""Real processes; what stands in for a bridge only notes what it is told."""

import sys
from pathlib import Path

import pytest

from fieldproof.backends import ProcessBackend, ProcessSpec
from fieldproof.engine._stacks import Stacks
from fieldproof.events import Refused

STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(600)"
PLAIN = "import time; print('up', flush=True); time.sleep(600)"


class Bridge:
    def __init__(self):
        self.told = []

    def request(self, op, *, bound_s, **fields):
        self.told.append((op, fields))
        return {}


class Fleet:
    """Two vehicles of two processes each."""

    def __init__(self, folder, *, script=PLAIN, lockstep=True):
        self.backend = ProcessBackend()
        self.processes = {
            name: [self._start(folder, name, n, script) for n in "ab"] for name in ("ugv1", "ugv2")
        }
        for started in self.processes.values():
            for process in started:
                while not process.log_tail():  # it has said that it is up
                    assert process.exit_code() is None
        self.bridges = {"ugv1": Bridge(), "ugv2": Bridge()}
        self.lost = []
        self.can_answer = None
        self.clock_s = 0.0
        self.stacks = Stacks(
            self, ["ugv1", "ugv2"], lockstep=lockstep, check=lambda: None, monotonic=self._monotonic
        )

    def _monotonic(self):
        self.clock_s += 0.01
        return self.clock_s

    def _start(self, folder, vehicle, name, script):
        return self.backend.start(
            ProcessSpec(
                role=f"{vehicle}/{name}",
                argv=[sys.executable, "-c", script],
                environment={},
                log=Path(folder) / f"{vehicle}-{name}.log",
                cwd=Path(folder),
            )
        )

    def bridge(self, vehicle):
        return self.bridges[vehicle]

    def stack(self, vehicle):
        return self.processes[vehicle]

    def lose_goals(self, vehicle):
        self.lost.append(vehicle)

    def states(self, vehicle):
        found = []
        for process in self.processes[vehicle]:
            text = Path(f"/proc/{process.pid}/stat").read_text()
            found.append(text.rpartition(")")[2].split()[0])
        return "".join(found)


@pytest.fixture
def fleet(tmp_path):
    made = []

    def make(**settings):
        made.append(Fleet(tmp_path, **settings))
        return made[-1]

    yield make
    for each in made:
        each.backend.close()


def test_a_pause_freezes_every_process_of_the_vehicle_and_of_no_other(fleet):
    here = fleet()
    here.stacks.pause("ugv1")
    assert here.states("ugv1") == "TT"
    assert "T" not in here.states("ugv2")
    assert here.stacks.state("ugv1") == "paused"


def test_bridges_learn_of_a_change_before_the_world_moves_on_and_once(fleet):
    here = fleet()
    here.stacks.pause("ugv1")
    assert here.bridges["ugv1"].told == []
    assert here.stacks.all_running
    here.stacks.apply()
    here.stacks.apply()
    assert here.bridges["ugv1"].told == [("stack", {"own": "paused", "all_running": False})]
    assert here.bridges["ugv2"].told == [("stack", {"own": "running", "all_running": False})]
    assert not here.stacks.all_running


def test_a_thaw_takes_effect_with_the_next_tick(fleet):
    here = fleet()
    here.stacks.pause("ugv1")
    here.stacks.apply()
    here.stacks.resume("ugv1")
    assert here.states("ugv1") == "TT"
    here.stacks.apply()
    assert "T" not in here.states("ugv1")
    assert here.stacks.thawed


def test_a_stack_that_is_thawed_and_killed_at_one_moment_never_runs_in_between(fleet):
    here = fleet()
    here.stacks.pause("ugv1")
    here.stacks.resume("ugv1")
    here.stacks.kill("ugv1", "SIGKILL")
    here.stacks.apply()
    assert [each.exit_code() for each in here.stack("ugv1")] == [137, 137]
    assert not here.stacks.thawed


def test_a_world_that_runs_free_thaws_at_once(fleet):
    here = fleet(lockstep=False)
    here.stacks.pause("ugv1")
    here.stacks.resume("ugv1")
    assert "T" not in here.states("ugv1")
    assert here.bridges["ugv1"].told == []


@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"])
def test_a_kill_is_waited_for_and_expected(fleet, name):
    here = fleet()
    here.stacks.kill("ugv1", name)
    assert all(each.exit_code() is not None and each.expected_exit for each in here.stack("ugv1"))
    assert all(each.exit_code() is None for each in here.stack("ugv2"))
    assert here.lost == ["ugv1"]
    assert not here.can_answer("ugv1")
    assert here.can_answer("ugv2")


def test_a_process_that_ignores_its_signal_is_named(fleet):
    here = fleet(script=STUBBORN)
    with pytest.raises(Refused, match=r"ugv1/a, ugv1/b still runs 10 s after SIGTERM"):
        here.stacks.kill("ugv1", "SIGTERM")


@pytest.mark.parametrize(
    ("before", "then", "said"),
    [
        ([("pause",)], ("pause",), "the software of ugv1 is paused already"),
        ([], ("resume",), "the software of ugv1 is not paused but running"),
        ([("kill", "SIGKILL")], ("resume",), "not paused but gone"),
        ([("kill", "SIGKILL")], ("pause",), "is gone already"),
        ([("kill", "SIGKILL")], ("kill", "SIGTERM"), "is gone already"),
        ([("pause",)], ("kill", "SIGTERM"), "is paused and cannot take SIGTERM"),
        (
            [("pause",)],
            ("need_running", "a goal"),
            "a goal needs the software of ugv1, which is paused",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_makes_no_sense_is_refused(fleet, before, then, said):
    here = fleet()
    for name, *rest in before:
        getattr(here.stacks, name)("ugv1", *rest)
    with pytest.raises(Refused, match=said):
        getattr(here.stacks, then[0])("ugv1", *then[1:])
