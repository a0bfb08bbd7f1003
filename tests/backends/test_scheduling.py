import os
import subprocess
import sys

from fieldproof.backends import handing_over

POLICY = "import os; print(os.sched_getscheduler(0))"


def test_children_inherit_the_policy_and_it_ends_with_the_run():
    before = os.sched_getscheduler(0)
    with handing_over() as policy:
        child = subprocess.run(
            [sys.executable, "-c", POLICY], capture_output=True, text=True, check=True
        )
        named = {"round robin": os.SCHED_RR, "batch": os.SCHED_BATCH, "as before": before}
        assert int(child.stdout) == named[policy]
    assert os.sched_getscheduler(0) == before


def test_a_user_who_may_not_ask_for_priority_gets_batch(monkeypatch):
    real = os.sched_setscheduler

    def refused(pid, policy, parameter):
        if policy == os.SCHED_RR:
            raise PermissionError(1, "not permitted")
        real(pid, policy, parameter)

    monkeypatch.setattr(os, "sched_setscheduler", refused)
    with handing_over() as policy:
        assert policy == "batch"
        assert os.sched_getscheduler(0) == os.SCHED_BATCH
