"""The front door: set-up, the wrapper, and what they say when they cannot go on."""

import os
import shutil

import pytest

pytestmark = pytest.mark.nix


def _path_of(folder, *programs: str) -> str:
    """A search path with these programs alone."""
    folder.mkdir()
    for program in programs:
        (folder / program).symlink_to(shutil.which(program))
    return str(folder)


def test_setup_builds_nothing_where_everything_is_built(checkout):
    assert checkout.run("make", "setup").code == 0
    again = checkout.run("make", "setup")
    assert (again.code, again.built) == (0, [])
    assert "importing" not in again.text
    assert os.access(checkout.root / "build/env/bin/python", os.X_OK)


def test_the_command_works_from_any_folder(checkout, tmp_path):
    assert checkout.run("make", "setup").code == 0
    link = tmp_path / "fp"
    link.symlink_to(checkout.root / "fieldproof")
    shown = checkout.run("sh", "-c", f"cd / && {link} --version")
    assert shown.code == 0, shown.text


def test_the_command_sets_up_what_is_missing(checkout):
    assert not (checkout.root / "build").exists()
    shown = checkout.run("./fieldproof", "--version")
    assert shown.code == 0, shown.text
    assert (checkout.root / "build/env").is_symlink()


def test_without_nix_a_user_is_told_what_to_install(checkout, tmp_path):
    tools = ("sh", "id", "sed", "cut", "getent", "dirname", "mkdir", "flock", "cat")
    checkout.settings["PATH"] = _path_of(tmp_path / "bin", *tools)
    done = checkout.run("sh", "nix/setup.sh")
    assert done.code == 1
    assert "apt install nix-bin" in done.text


def test_make_alone_lists_every_target(checkout):
    text = (checkout.root / "Makefile").read_text()
    targets = [line.removeprefix(".PHONY: ") for line in text.splitlines() if ".PHONY" in line]
    shown = checkout.run("make", "--no-print-directory").text
    assert [line.split()[0] for line in shown.splitlines()] == targets


def test_recipes_have_at_most_three_lines(checkout):
    text = (checkout.root / "Makefile").read_text()
    for rule in text.split("\n\n"):
        assert sum(line.startswith("\t") for line in rule.splitlines()) <= 3, rule
