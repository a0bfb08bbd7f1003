"""docs/cli.md says every command with its options, and nothing that is not there."""

import re
from pathlib import Path

import click
import pytest

from fieldproof.cli import _exit_codes as exit_codes
from fieldproof.cli import main

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "cli.md"
pytestmark = pytest.mark.skipif(
    not PAGE.is_file(), reason="no docs/ here: what it says of the commands stays unproved"
)


def commands(group, path=()):
    for name, command in group.commands.items():
        if command.hidden:
            continue
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


COMMANDS = dict(commands(main))


def section(name):
    """The text below a command's heading; commands of a group share that of the group."""
    text = PAGE.read_text("utf-8")
    heading = f"\n## fieldproof {name.split()[0]}\n"
    assert heading in text, f"docs/cli.md has no section for {name}"
    return text.split(heading)[1].split("\n## ")[0]


def flags(command):
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            yield from (*parameter.opts, *parameter.secondary_opts)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_option_of_a_command_stands_in_its_section(name):
    known = set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", section(name) + section_of_all(name)))
    assert [flag for flag in flags(COMMANDS[name]) if flag not in known] == []


def section_of_all(name):
    """What the page says about options of many commands, for those that it names."""
    text = PAGE.read_text("utf-8").split("\n## Colour\n")[1].split("\n## ")[0]
    return text if f"`{name}`" in text else ""


@pytest.mark.parametrize("name", sorted({name.split()[0] for name in COMMANDS}))
def test_no_section_names_an_option_that_its_commands_do_not_have(name):
    own = {
        flag
        for each, command in COMMANDS.items()
        if each.split()[0] == name
        for flag in flags(command)
    }
    said = set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", section(name)))
    assert said - own == set()


def test_the_table_at_the_top_has_every_command_and_no_other():
    top = PAGE.read_text("utf-8").split("\n## ")[0]
    assert set(re.findall(r"\[`fieldproof ([a-z ]+)`\]", top)) == set(COMMANDS)


def test_every_exit_code_is_explained_once():
    text = PAGE.read_text("utf-8").split("\n## Exit codes\n")[1].split("\n## ")[0]
    explained = [int(code) for code in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)]
    codes = [value for name, value in vars(exit_codes).items() if name.isupper()]
    assert explained == sorted(codes)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_says_what_it_is_for_and_every_option_what_it_does(name):
    command = COMMANDS[name]
    assert command.help
    unexplained = [
        parameter.name
        for parameter in command.params
        if isinstance(parameter, click.Option) and not parameter.help
    ]
    assert unexplained == []
