import subprocess
import sys

from tests.bench.machine import Watch, busy_ticks, facts


def test_idle_and_waiting_time_is_not_busy_and_stolen_time_is():
    # user nice system idle iowait irq softirq steal guest guest_nice
    stat = "cpu  10 1 5 9000 700 2 3 4 50 60\ncpu0 1 1 1 1 1 1 1 1 1 1\n"
    assert busy_ticks(stat) == 10 + 1 + 5 + 2 + 3 + 4


def test_the_work_of_a_child_is_the_blocks_own():
    spin = "import time\nwhile time.process_time() < 0.3: pass"
    with Watch() as watch:
        subprocess.run([sys.executable, "-c", spin], check=True)
    assert watch.cpu_s >= 0.3
    assert watch.wall_s >= 0.3
    assert watch.others >= 0.0


def test_the_machine_has_cores_and_memory():
    machine = facts()
    assert machine["cores"] >= 1
    assert machine["memory_gb"] > 0
