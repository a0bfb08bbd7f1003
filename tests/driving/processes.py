"""Processes that agents leave behind, and whether they still run."""

from pathlib import Path

FORKS_TWICE = """
def away():
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(writing, str(os.getpid()).encode())
            os.execve(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)"], {})
        os._exit(0)
    os.wait()
    return int(os.read(reading, 20))
"""
"""What an agent may have in its file: `away()` starts a process that nothing leads to, its pid."""


def is_running(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"
