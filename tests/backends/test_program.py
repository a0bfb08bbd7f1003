import os
import sys
import time
from pathlib import Path

import pytest

from fieldproof.backends import StartError, run_program


def run(tmp_path, *argv, timeout_s=20.0, ending=lambda: False):
    lines = []
    code = run_program(
        argv,
        environment={"PATH": os.environ["PATH"], "WORD": "hello"},
        cwd=tmp_path,
        timeout_s=timeout_s,
        ending=ending,
        on_line=lines.append,
    )
    return code, lines


def test_its_lines_are_handed_on_and_its_code_returned(tmp_path):
    script = "import os, sys; print(os.environ['WORD']); print('bye', file=sys.stderr); sys.exit(3)"
    code, lines = run(tmp_path, sys.executable, "-u", "-c", script)
    assert (code, lines) == (3, ["hello", "bye"])


def test_a_last_line_without_an_end_is_a_line(tmp_path):
    assert run(tmp_path, "printf", "a\\nb") == (0, ["a", "b"])


def test_a_signal_shows_as_a_shell_shows_it(tmp_path):
    assert run(tmp_path, "sh", "-c", "kill -TERM $$")[0] == 128 + 15


def test_what_takes_too_long_is_killed_with_all_that_it_started(tmp_path):
    code, lines = run(tmp_path, "sh", "-c", "sleep 600 & echo $!; wait", timeout_s=0.3)
    assert code == 124
    assert _is_gone(int(lines[0]))


def test_the_end_of_the_run_kills_it(tmp_path):
    assert run(tmp_path, "sleep", "600", ending=lambda: True)[0] == 124


def test_a_child_that_holds_the_pipe_does_not_keep_it_waiting(tmp_path):
    code, lines = run(tmp_path, "sh", "-c", "sleep 600 & echo $!")
    assert code == 0
    assert _is_gone(int(lines[0]))


def test_a_program_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(StartError, match=r"no-such-program could not be started"):
        run(tmp_path, "no-such-program")


def _is_gone(pid):
    """Whether a process ends soon: a kill takes effect when the system comes to it."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state in "ZX":
            return True
        time.sleep(0.005)
    return False
