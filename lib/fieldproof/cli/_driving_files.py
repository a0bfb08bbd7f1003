"""Telling driving scenarios, suites and packs from robot scenarios, and checking them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fieldproof.cli._output import warn

if TYPE_CHECKING:
    from fieldproof.model import Problem


def driving_kind(given: Path | str) -> str | None:
    """Return what of the driving suites a file or a text is meant to be; None of anything else."""
    from fieldproof.driving.loading import ROBOT_SCENARIO, kind_of_file, kind_of_text

    kind = kind_of_text(given) if isinstance(given, str) else kind_of_file(given)
    return None if kind == ROBOT_SCENARIO else kind


def driving_problems(path: Path) -> Sequence[Problem]:
    """Return all that is wrong with a driving scenario, suite or pack; warn of what is doubtful.

    Raises:
        OSError: The file cannot be read.
        ScenarioError: With everything that is wrong with it.
    """
    from fieldproof.driving.loading import (
        DRIVING_SCENARIO,
        DRIVING_SUITE,
        kind_of_file,
        load_scenario,
        load_suite,
    )
    from fieldproof.driving.packs import read_pack, verify_pack
    from fieldproof.model import Problem

    kind = kind_of_file(path)
    if kind in {DRIVING_SCENARIO, DRIVING_SUITE}:
        load = load_suite if kind == DRIVING_SUITE else load_scenario
        for doubt in load(path).doubts:
            warn(str(doubt))
        return ()
    if path.name != "pack.yaml":
        hint = "a pack is a folder with a pack.yaml"
        return [Problem("is the manifest of a pack under another name", (), hint, str(path))]
    return [Problem(one) for one in verify_pack(read_pack(path.parent))]


def check_is_robot_scenario(path: Path) -> None:
    """Refuse what is to be run by another command.

    Raises:
        ScenarioError: It is a driving scenario, a suite or a pack; says what runs it.
    """
    from fieldproof.driving.loading import DRIVING_SUITE
    from fieldproof.model import Problem, ScenarioError

    kind = driving_kind(path)
    if kind is None:
        return
    hint = f"run it with: fieldproof suite run {path}"
    if kind != DRIVING_SUITE:
        hint = "fieldproof validate checks it, fieldproof suite run runs a suite that has it"
    raise ScenarioError(Problem(f"is {kind}, no robot scenario", (), hint, str(path)))


def check_is_suite(path: Path) -> None:
    """Refuse what is plainly no suite.

    Raises:
        ScenarioError: It is a scenario or a pack; says what to do with it.
    """
    from fieldproof.driving.loading import (
        DRIVING_SCENARIO,
        PACK,
        ROBOT_SCENARIO,
        kind_of_file,
    )
    from fieldproof.model import Problem, ScenarioError

    hints = {
        DRIVING_SCENARIO: "name it in the scenarios of a suite and run that; fieldproof validate "
        "checks it alone",
        PACK: "name its scenarios in a suite and run that; fieldproof packs verify checks it",
        ROBOT_SCENARIO: f"run it with: fieldproof run {path}",
    }
    kind = kind_of_file(path)
    if kind in hints:
        raise ScenarioError(Problem(f"is {kind}, no driving suite", (), hints[kind], str(path)))
