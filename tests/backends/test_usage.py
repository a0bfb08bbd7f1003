import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldproof.backends import ProcessGroup, UsageMonitor
from fieldproof.backends._usage import ProcessStat, members, own_memory_kib

S = 1_000_000_000


def line(name=b"python3", *, parent=1, session=7, started=900, state=b"S"):
    numbers = b"7 %d 0 -1 4194560 80 0 0 0 150 30 20 4 20 0 3 0 %d 1000 250" % (session, started)
    return b"42 (" + name + b") " + state + b" %d " % parent + numbers


def stat(parent=1, session=0, *, threads=1, started=1):
    return ProcessStat(parent, session, 0, 0, threads, started)


@pytest.mark.parametrize("name", [b"python3", b"a b", b"a) S 1 2", b")", b"", b"((("])
def test_a_line_is_read_whatever_the_programs_name(name):
    assert ProcessStat.parse(line(name)) == ProcessStat(
        parent=1, session=7, own_ticks=180, children_ticks=24, threads=3, started_ticks=900
    )


@pytest.mark.parametrize("state", [b"Z", b"X"])
def test_one_that_has_ended_has_no_threads(state):
    assert ProcessStat.parse(line(state=state)).threads == 0


def test_the_own_line_of_this_process_is_read():
    mine = ProcessStat.parse(Path("/proc/self/stat").read_bytes())
    assert (mine.parent, mine.session) == (os.getppid(), os.getsid(0))
    assert mine.threads >= 1


@pytest.mark.parametrize(
    ("status", "kib"),
    [
        (b"Name:\tx\nVmRSS:\t  900 kB\nRssAnon:\t  500 kB\nRssFile:\t 300 kB\nRssShmem:\t100 kB\n", 600),
        (b"Name:\tzombie\nState:\tZ\n", 0),
    ],
)  # fmt: skip
def test_memory_is_what_is_not_of_files(status, kib):
    assert own_memory_kib(status) == kib


@pytest.mark.parametrize(
    ("table", "leaders", "found"),
    [
        pytest.param({5: stat(), 6: stat()}, [5], [5], id="the leader alone"),
        pytest.param({5: stat(), 6: stat(5), 7: stat(6)}, [5], [5, 6, 7], id="grandchildren"),
        pytest.param({6: stat(1, 5), 7: stat(6, 7)}, [5], [6, 7], id="the leader is gone"),
        pytest.param({5: stat(), 6: stat(5, 6)}, [5], [5, 6], id="a child in its own session"),
        pytest.param({5: stat(), 6: stat(), 7: stat(6)}, [5, 6], [5, 6, 7], id="two leaders"),
        pytest.param({6: stat()}, [5], [], id="nothing left"),
    ],
)
def test_a_group_is_its_sessions_and_their_descendants(table, leaders, found):
    assert members(table, leaders) == found


@settings(deadline=None)
@given(
    st.dictionaries(st.integers(1, 12), st.tuples(st.integers(0, 12), st.integers(0, 12))),
    st.sets(st.integers(1, 12), max_size=3),
)
def test_membership_is_what_a_slow_walk_finds_even_where_parents_form_a_ring(rows, leaders):
    table = {pid: stat(parent, session) for pid, (parent, session) in rows.items()}

    def belongs(pid, seen=()):
        if pid not in table or pid in seen:
            return False
        if pid in leaders or table[pid].session in leaders:
            return True
        return belongs(table[pid].parent, (*seen, pid))

    assert members(table, leaders) == sorted(pid for pid in table if belongs(pid))


class Host:
    """Processes as the test says they are."""

    def __init__(self):
        self.rows = {}
        self.now_ns = 0

    def set(self, pid, cpu_ns, *, memory_kib=0, **fields):
        self.rows[pid] = (stat(**fields), cpu_ns, memory_kib)

    def table(self):
        return {pid: row[0] for pid, row in self.rows.items()}

    def own_memory_kib(self, pid):
        return self.rows[pid][2]

    def cpu_ns(self, pid, _stat):
        return self.rows[pid][1]


STACK = ProcessGroup("ugv1", "vehicle", "ugv1", (5,))


@pytest.fixture
def host():
    host = Host()
    host.set(5, S, memory_kib=2048)
    return host


def monitor(host, *groups):
    return UsageMonitor(groups or (STACK,), processes=host, monotonic_ns=lambda: host.now_ns)


def test_cpu_is_what_was_used_since_the_last_sample_in_percent_of_one_core(host):
    watch = monitor(host)
    host.now_ns += 2 * S
    host.set(5, 2 * S, memory_kib=2048, threads=3)
    host.set(6, S, memory_kib=1024, parent=5)
    assert [usage.to_data() for usage in watch.sample()] == [
        {
            "kind": "resource",
            "container": "ugv1",
            "role": "vehicle",
            "vehicle": "ugv1",
            "cpu_pct": 100.0,
            "memory_mb": 3.0,
            "memory_limit_mb": None,
            "pids": 4,
        }
    ]
    host.now_ns += S
    assert [usage.cpu_pct for usage in watch.sample()] == [0.0]


def test_a_child_that_ends_takes_nothing_back(host):
    watch = monitor(host)
    host.set(6, 4 * S, parent=5)
    host.now_ns += 2 * S
    assert [usage.cpu_pct for usage in watch.sample()] == [200.0]
    del host.rows[6]  # its parent did not wait for it
    host.now_ns += S
    assert [usage.cpu_pct for usage in watch.sample()] == [0.0]


def test_a_group_of_which_nothing_runs_is_left_out(host):
    watch = monitor(host, STACK, ProcessGroup("sim", "simulator", None, (8,)))
    host.set(5, S, threads=0)
    host.now_ns += S
    assert watch.sample() == []


def test_another_process_that_gets_a_leaders_pid_is_not_measured(host):
    watch = monitor(host)
    host.set(5, 9 * S, started=77)
    host.set(6, 9 * S, parent=5)
    host.now_ns += S
    assert watch.sample() == []


def test_a_real_process_and_its_child_are_measured():
    burn = "import time\nwhile time.process_time() < 0.2: pass\n"
    child = "import sys,subprocess; subprocess.run([sys.executable, '-c', sys.argv[1]])\n"
    hold = "keep = b'x' * 64_000_000\nprint(flush=True)\nsys.stdin.read()"
    program = subprocess.Popen(
        [sys.executable, "-c", f"import sys; sys.stdin.readline(){chr(10)}{child}{hold}", burn],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    began = iter([0, S])
    group = ProcessGroup("ugv1", "vehicle", "ugv1", (program.pid,))
    with program:
        watch = UsageMonitor([group], monotonic_ns=lambda: next(began))
        program.stdin.write("\n")
        program.stdin.flush()
        program.stdout.readline()
        [usage] = watch.sample()
        program.stdin.close()
    assert usage.cpu_pct >= 19.0  # 0.2 s of a second, less a tick of the kernel's clock
    assert usage.memory_mb >= 60.0
    assert usage.pids >= 1
