import pytest

from fieldproof.cli._status import Status
from fieldproof.cli._terminal import cells


def fields(*, running=(), waiting=(), sim_s=12.5, **more):
    return {
        "t_s": sim_s,
        "sim_s": sim_s,
        "running": [{"label": a, "action": b, "for_s": c} for a, b, c in running],
        "waiting": [{"label": a, "for": b} for a, b in waiting],
        **more,
    }


def status_of(*, now_s=0.0, **given):
    status = Status()
    assert status.take("run.status", fields(**given), now_s)
    return status


def test_the_block_says_what_runs_what_waits_and_how_far_it_is():
    status = status_of(
        running=[("drive_ahead", "navigate_to_pose", 3.24)],
        waiting=[
            ("crate", "value > 0.5 (distance_to of ugv1)"),
            ("stop", "the end of drive_ahead, crate"),
            ("say_hello#2", "14 s"),
        ],
    )
    assert status.lines(80, 24) == [
        "  runs   drive_ahead  navigate_to_pose, 3.2 s",
        "  waits  crate        for value > 0.5 (distance_to of ugv1)",
        "  waits  stop         for the end of drive_ahead, crate",
        "  waits  say_hello#2  until 14 s",
        "  12.5 s simulated; 0 passed, 0 failed",
    ]


def test_a_condition_of_several_lines_takes_one():
    status = status_of(waiting=[("crate", "value > 0.5\n  and value < 9 (rtf)")])
    assert status.lines(80, 24)[0] == "  waits  crate  for value > 0.5 and value < 9 (rtf)"


def test_verdicts_are_counted_as_they_come():
    status = status_of(assertions={"passed": 0, "failed": 0, "pending": 3})
    assert not status.take("assertion.passed", {}, 0.1)
    assert not status.take("assertion.failed", {}, 0.1)
    assert status.lines(80, 24)[-1].endswith("1 passed, 1 failed, 1 pending")


def test_the_counts_of_the_run_replace_those_that_were_counted():
    status = status_of()
    status.take("assertion.passed", {}, 0.1)
    status.take("run.status", fields(assertions={"passed": 4, "failed": 0, "pending": 2}), 0.2)
    assert status.lines(80, 24)[-1].endswith("4 passed, 0 failed, 2 pending")


def test_the_real_time_factor_is_that_of_the_last_two_seconds():
    status = Status()
    pace = 1.0
    sim_s = 0.0
    for step in range(40):
        pace = 1.0 if step < 20 else 5.0
        sim_s += 0.2 * pace
        status.take("run.status", fields(sim_s=sim_s), step * 0.2)
    assert status.rtf == pytest.approx(5.0)


def test_a_world_that_stands_still_has_a_factor_of_zero_and_the_first_moment_has_none():
    status = status_of(sim_s=3.0)
    assert status.rtf is None
    status.take("run.status", fields(sim_s=3.0), 0.2)
    assert status.rtf == 0.0


@pytest.mark.parametrize("columns", [1, 2, 5, 23, 24, 40, 80, 200])
@pytest.mark.parametrize("rows", [1, 2, 5, 6, 24])
def test_no_line_takes_the_last_cell_of_a_terminal_and_the_block_leaves_room(columns, rows):
    many = [(f"drive_{n}" * 4, "navigate_to_pose", n * 1.0) for n in range(20)]
    status = status_of(running=many, waiting=[(f"w{n}", "ロボット" * 9) for n in range(20)])
    lines = status.lines(columns, rows)
    assert all(cells(line) < columns for line in lines)
    assert len(lines) < rows or not lines


def test_what_does_not_fit_is_counted():
    running = [(f"drive_{n}", "navigate_to_pose", 1.0) for n in range(6)]
    waiting = [(f"wait_{n}", "30 s") for n in range(9)]
    lines = status_of(running=running, waiting=waiting).lines(80, 24)
    assert len(lines) == 8
    assert lines[5].startswith("  runs   drive_5")
    assert lines[6] == "  and 9 more that wait"
    lines = status_of(running=running, waiting=waiting).lines(80, 10)
    assert lines[3] == "  and 3 more that run, 9 more that wait"
