"""Runs a program on a pseudo-terminal that is its controlling one."""

import fcntl
import os
import pty
import select
import struct
import termios
import time

from .screen import Screen

_LONGEST_S = 120.0


class Session:
    """A program on a terminal; what it writes goes to `screen`."""

    def __init__(self, command, *, environment, cwd, columns=80, rows=24):
        self.screen = Screen(columns, rows)
        self.written = ""
        self.pid, self._master = pty.fork()
        if self.pid == 0:
            try:
                size = struct.pack("HHHH", rows, columns, 0, 0)
                fcntl.ioctl(0, termios.TIOCSWINSZ, size)
                os.chdir(cwd)
                os.execvpe(command[0], command, environment)
            finally:
                os._exit(127)
        self.attributes = termios.tcgetattr(self._master)

    def until(self, holds):
        """Read what the program writes until something holds; fails when it ends before."""
        deadline = time.monotonic() + _LONGEST_S
        while not holds():
            assert time.monotonic() < deadline, self.written
            assert self._read(deadline), self.written

    def send(self, text):
        """Type something."""
        os.write(self._master, text.encode())

    def end(self):
        """Read to the end and return the exit code, negative for a signal."""
        deadline = time.monotonic() + _LONGEST_S
        while self._read(deadline):
            assert time.monotonic() < deadline, self.written
        _, status = os.waitpid(self.pid, 0)
        self.pid = 0
        return os.waitstatus_to_exitcode(status)

    def hang_up(self):
        """Close the terminal and return the exit code, negative for a signal."""
        os.close(self._master)
        self._master = -1
        _, status = os.waitpid(self.pid, 0)
        self.pid = 0
        return os.waitstatus_to_exitcode(status)

    def close(self):
        """End what still runs."""
        if self.pid:
            os.kill(self.pid, 9)
            os.waitpid(self.pid, 0)
        if self._master >= 0:
            os.close(self._master)

    def _read(self, deadline):
        ready, _, _ = select.select([self._master], [], [], max(deadline - time.monotonic(), 0))
        assert ready, self.written
        try:
            raw = os.read(self._master, 65536)
        except OSError:  # how Linux says that nobody has the terminal open any more
            return False
        text = raw.decode()
        self.written += text
        self.screen.write(text)
        return bool(raw)
