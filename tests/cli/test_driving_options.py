"""Numbers of the driving commands' options: those that are out of range are invalid usage."""

import pytest
from click.testing import CliRunner

from fieldproof.cli import main

COMMANDS = {
    "suite": ("suite", "run", "suite.yaml"),
    "openloop": ("openloop", "run", "data"),
    "compare": ("compare", "latest", "good"),
}
OPTIONS = [
    ("suite", "--agent-timeout", "0.001<=x<=86400"),
    ("suite", "--agent-memory-mb", "64<=x<=16777216"),
    ("suite", "--jobs", "0<=x<=10000"),
    ("openloop", "--agent-timeout", "0.001<=x<=86400"),
    ("openloop", "--agent-memory-mb", "64<=x<=16777216"),
    ("openloop", "--max-regression-percent", "0<=x<=1000000"),
    ("compare", "--max-regression-percent", "0<=x<=1000000"),
]


def options_of(command, path=()):
    """Each numeric option of a command and of those below it."""
    for name, below in getattr(command, "commands", {}).items():
        yield from options_of(below, (*path, name))
    for one in command.params:
        if type(one.type).__name__ in {"FiniteRange", "FloatRange", "IntRange"}:
            yield path, one.opts[0]


def test_every_numeric_option_of_the_driving_commands_is_tried_here():
    driving = {"suite", "baseline", "compare", "failures", "openloop", "packs"}
    found = {(path[0], name) for path, name in options_of(main) if path[0] in driving}
    assert found == {(command, name) for command, name, _ in OPTIONS}


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize("value", ["nan", "NaN", "inf", "-inf", "1e400", "-1", "9" * 40])
@pytest.mark.parametrize(("command", "option", "allowed"), OPTIONS)
def test_a_number_out_of_range_is_invalid_usage_that_names_the_range(
    command, option, allowed, value, tmp_path
):
    done = CliRunner().invoke(main, [*COMMANDS[command], f"{option}={value}"])
    assert done.exit_code == 2
    assert f"Invalid value for '{option}'" in done.stderr
    assert allowed in done.stderr or "is not a valid integer" in done.stderr
    assert list(tmp_path.iterdir()) == []
