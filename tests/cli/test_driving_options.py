"""Numbers of the driving commands' options: those that are out of range are invalid usage."""

import shutil

import pytest
from click.testing import CliRunner

import fieldproof
from fieldproof.cli import main
from tests.driving.builders import EXAMPLES, ROOT, SMOKE, scenario_data, suite_of

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


@pytest.mark.usefixtures("elsewhere")
def test_the_usual_agent_of_the_checkout_is_found_from_everywhere(tmp_path):
    suite_of(tmp_path, [scenario_data()])
    done = CliRunner().invoke(main, ["suite", "run", "suite.yaml", "--out", "out"])
    assert done.exit_code == 0, done.output
    provenance = (tmp_path / "out" / "provenance.json").read_text("utf-8")
    assert '"agent_path":"rule_based_agent.py"' in provenance


@pytest.mark.usefixtures("elsewhere")
def test_the_usual_agent_of_the_working_directory_comes_first(tmp_path):
    suite_of(tmp_path, [scenario_data()])
    (tmp_path / "examples" / "agents").mkdir(parents=True)
    shutil.copy(
        EXAMPLES / "reckless_agent.py", tmp_path / "examples" / "agents" / "rule_based_agent.py"
    )
    CliRunner().invoke(main, ["suite", "run", "suite.yaml", "--out", "here"])
    CliRunner().invoke(
        main,
        [
            "suite",
            "run",
            "suite.yaml",
            "--out",
            "there",
            "--agent",
            str(EXAMPLES / "reckless_agent.py"),
        ],
    )
    here, there = (
        (tmp_path / name / "episodes" / "plain.jsonl").read_bytes() for name in ("here", "there")
    )
    assert here == there


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize(
    "command",
    [("suite", "run", str(SMOKE)), ("openloop", "run", "data")],
    ids=["suite", "openloop"],
)
def test_without_a_checkout_it_is_said_that_an_agent_must_be_named(command, tmp_path, monkeypatch):
    installed = tmp_path / "lib" / "python" / "fieldproof" / "__init__.py"
    monkeypatch.setattr(fieldproof, "__file__", str(installed))
    samples = tmp_path / "data" / "samples"
    samples.mkdir(parents=True)
    sample = '{"sample_id": "1", "input": {}, "ground_truth": {"control": {"steer": 0}}}'
    (samples / "1.json").write_text(sample, "utf-8")
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 2
    assert (
        "the usual agent is not here, since it is part of a checkout only; name an" in done.stderr
    )
    assert not (tmp_path / "runs").exists()


@pytest.mark.usefixtures("elsewhere")
def test_a_suite_is_taken_by_its_name_in_the_usual_folder(tmp_path):
    (tmp_path / "scenarios").mkdir()
    suite_of(tmp_path / "scenarios" / "suites", [scenario_data()])
    (tmp_path / "scenarios" / "suites" / "suite.yaml").rename("scenarios/suites/mine-too.yaml")
    assert CliRunner().invoke(main, ["suite", "run", "mine-too", "--quiet"]).exit_code == 0
    done = CliRunner().invoke(main, ["suite", "run", "mine-to"])
    assert done.exit_code == 2
    what = "there is no file mine-to and no scenarios/suites/mine-to.yaml (nearest: mine-too)"
    assert what in done.stderr


UNLOADABLE = [
    ("suite", "class Agent\n    def", "SyntaxError: expected ':' (agent.py, line 1)"),
    ("suite", "import nowhere_at_all", "No module named 'nowhere_at_all'"),
    ("suite", "import os\nos._exit(3)", "it ended itself with exit code 3 during load"),
    ("suite", "class Agent:\n    def predict(self, sample): ...", "Agent has no act"),
    ("openloop", "class Agent\n    def", "SyntaxError: expected ':' (agent.py, line 1)"),
    ("openloop", "class Agent:\n    def act(self, seen): ...", "Agent has no predict"),
]


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize(("command", "text", "said"), UNLOADABLE)
def test_an_agent_that_cannot_be_loaded_is_refused_before_anything_is_run(
    command, text, said, tmp_path
):
    (tmp_path / "agent.py").write_text(text, "utf-8")
    arguments = {
        "suite": ("suite", "run", str(SMOKE), "--agent", "agent.py"),
        "openloop": (
            "openloop",
            "run",
            str(ROOT / "examples/datasets/sample_openloop"),
            "agent.py",
        ),
    }[command]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 2
    assert done.stderr.startswith("agent.py: ")
    assert said in done.stderr.splitlines()[0]
    assert "nothing was run" in done.stderr.splitlines()[0]
    assert not (tmp_path / "runs").exists()


@pytest.mark.usefixtures("elsewhere")
def test_a_suite_that_is_not_there_is_answered_with_the_nearest_beside_it(tmp_path):
    suite_of(tmp_path, [scenario_data()])
    done = CliRunner().invoke(main, ["suite", "run", "siute.yaml"])
    assert done.exit_code == 2
    what = "siute.yaml: cannot be read: No such file or directory (nearest: suite.yaml)"
    assert done.stderr.splitlines()[0] == what
