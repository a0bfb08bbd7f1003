"""The commands over finished runs of driving suites: what they print."""

import re

import pytest
from click.testing import CliRunner

from fieldproof.cli import main
from fieldproof.driving.history import DIRECTIONS, HIGHER, LOWER
from tests.driving.builders import EXAMPLES, ROOT, SMOKE


def done(*arguments):
    return CliRunner().invoke(main, arguments)


@pytest.fixture
def reckless(tmp_path, monkeypatch):
    """A folder with a baseline and a run that is worse; what that run printed."""
    monkeypatch.chdir(tmp_path)
    assert done("suite", "run", str(SMOKE), "--quiet").exit_code == 0
    assert done("baseline", "create", "good").exit_code == 0
    agent = str(EXAMPLES / "reckless_agent.py")
    bad = done("suite", "run", str(SMOKE), "--agent", agent, "--baseline", "good")
    assert bad.exit_code == 1
    return bad.output


def test_a_suite_that_is_compared_prints_what_regressed_as_compare_does(reckless):
    compared = done("compare", "latest", "good")
    assert compared.exit_code == 1
    lines = compared.output.splitlines()[:-1]
    assert "  worse  collision_count: 0 -> 2 (from zero)" in lines
    assert "  scenario obstacle_avoidance succeeded in the baseline and fails now" in lines
    assert "\n".join(lines) in reckless


@pytest.mark.usefixtures("reckless")
def test_a_comparison_says_everything_once():
    lines = done("compare", "latest", "good").output.splitlines()
    assert len(lines) == len(set(lines))
    assert sum("collision_count:" in one for one in lines) == 1
    assert sum("obstacle_avoidance" in one for one in lines) == 1


@pytest.mark.usefixtures("reckless")
def test_the_reason_of_a_failure_is_listed_beside_its_notes():
    before = done("failures", "list").output
    assert done("failures", "set", "fail_001", "--notes", "look").exit_code == 0
    after = done("failures", "list").output
    reason, *rest = before.splitlines()[1:]
    assert reason in after
    assert after.splitlines() == [before.splitlines()[0], reason, "    notes: look", *rest]


def test_the_documentation_names_the_figures_that_are_compared_and_which_way_is_better():
    text = (ROOT / "docs" / "driving.md").read_text("utf-8")
    part = text.partition("## Baselines and comparison")[2].partition("- no other figure")[0]
    found = re.findall(
        r"- of (?:a suite|an open-loop run)(.*?)higher is better(.*?)lower is;", part, re.DOTALL
    )
    assert len(found) == 2
    for direction, texts in zip((HIGHER, LOWER), zip(*found, strict=True), strict=True):
        named = {name for text in texts for name in re.findall(r"`([a-z_.]+)`", text)}
        assert named == {key for key, one in DIRECTIONS.items() if one == direction}
