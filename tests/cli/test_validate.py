import json
import os

import pytest

SCENARIO = "scenarios/ugv_nav_to_goal.yaml"


@pytest.fixture
def line(root):
    """The line of the scenario that names its world."""
    lines = (root / SCENARIO).read_text().splitlines()
    return next(number for number, text in enumerate(lines, 1) if text.startswith("world: "))


@pytest.fixture
def broken(root, tmp_path):
    path = tmp_path / "broken.yaml"
    text = (root / SCENARIO).read_text()
    path.write_text(text.replace("dock_yard", "dock_yrd").replace("tolerance_m", "tolerance"))
    return path


def test_valid_scenarios_are_said_to_be_valid(call):
    result = call("validate", SCENARIO, "scenarios/ugv_nav_fails_on_time.yaml")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        f"{SCENARIO}: valid",
        "scenarios/ugv_nav_fails_on_time.yaml: valid",
    ]


def test_a_scenario_may_be_named_as_make_and_nix_name_it(call):
    result = call("validate", "ugv_nav_to_goal", SCENARIO)
    assert result.stdout.splitlines() == [f"{SCENARIO}: valid"] * 2


@pytest.mark.parametrize("command", ["run", "validate"])
def test_a_name_of_no_scenario_is_answered_with_the_nearest(call, command):
    result = call(command, "ugv_nav_to_gaol")
    assert result.exit_code == 2
    assert "there is no file ugv_nav_to_gaol and no scenarios/ugv_nav_to_gaol.yaml" in result.stderr
    assert "(nearest: ugv_nav_to_goal" in result.stderr


def test_every_problem_of_every_file_is_printed_with_its_position_in_order(
    call, broken, line, tmp_path
):
    other = tmp_path / "other.yaml"
    other.write_text("kind: Scenario\n")
    missing = tmp_path / "missing.yaml"
    result = call("validate", broken, SCENARIO, missing, other)
    assert result.exit_code == 2
    lines = result.stderr.splitlines()
    assert f"{broken}:{line}:8: world: unknown world 'dock_yrd' (nearest: dock_yard)" in lines
    assert any("tolerance: unknown key (nearest: tolerance_m" in each for each in lines)
    assert f"{missing}: No such file or directory" in lines
    files = [each.partition(":")[0] for each in lines]
    assert list(dict.fromkeys(files)) == list(map(str, (broken, missing, other)))
    positions = [tuple(map(int, each.split(":")[1:3])) for each in lines if str(broken) in each]
    assert positions == sorted(positions)
    assert result.stdout == f"{SCENARIO}: valid\n"


def test_problems_are_data_too(call, broken, line, tmp_path):
    result = call("validate", "--json", SCENARIO, broken, tmp_path / "missing.yaml")
    assert result.exit_code == 2
    assert result.stderr == ""
    data = json.loads(result.stdout)
    assert (data["schema_version"], data["valid"], data["plugins_left_out"]) == (1, False, [])
    good, bad, missing = data["files"]
    assert good == {"file": SCENARIO, "valid": True, "problems": []}
    assert bad["problems"][0] == {
        "file": str(broken),
        "line": line,
        "column": 8,
        "path": "world",
        "what": "unknown world 'dock_yrd'",
        "hint": "nearest: dock_yard",
    }
    assert missing["problems"][0]["line"] is None


def test_all_valid_is_said_in_data_by_the_exit_code_too(call):
    result = call("validate", "--json", SCENARIO)
    assert result.exit_code == 0
    assert json.loads(result.stdout)["valid"] is True


def test_broken_plugins_are_in_the_data(process, broken_plugins):
    done = process("validate", "--json", SCENARIO, path=[broken_plugins])
    assert done.returncode == 0
    left_out = json.loads(done.stdout)["plugins_left_out"]
    assert {one["distribution"] for one in left_out} == {
        "acme-missing",
        "acme-other",
        "acme-raises",
        "acme-takes",
    }


def test_a_dash_is_standard_input(call, root, line):
    text = (root / SCENARIO).read_text()
    result = call("validate", "-", input=text)
    assert (result.exit_code, result.stdout) == (0, "standard input: valid\n")
    result = call("validate", "-", SCENARIO, input=text.replace("dock_yard", "dock_yrd"))
    assert result.exit_code == 2
    assert result.stderr.startswith(f"standard input:{line}:8: world: unknown world 'dock_yrd'")


@pytest.mark.parametrize(
    ("given", "what"),
    [
        pytest.param(b"\xff\xfe", "is not UTF-8 (byte 0xff)", id="no text"),
        pytest.param(b"", "standard input:1:1: holds nothing", id="nothing"),
        pytest.param(b"a: [" * (1 << 19), "is larger than 1 MiB", id="too much"),
        pytest.param("é".encode() * (1 << 20), "is larger than 1 MiB", id="cut within a letter"),
    ],
)
def test_standard_input_that_is_no_scenario_is_refused(call, given, what):
    result = call("validate", "-", input=given)
    assert result.exit_code == 2
    assert what in result.stderr
    assert "Traceback" not in result.stderr


def test_standard_input_can_be_read_once(call):
    result = call("validate", "-", "-", input="")
    assert result.exit_code == 2
    assert "standard input can be read once" in result.stderr


def test_nobody_reading_the_output_changes_nothing_about_the_exit_code(process, broken, line):
    reader, writer = os.pipe()
    os.close(reader)
    done = process("validate", SCENARIO, broken, stdout=writer)
    os.close(writer)
    assert done.returncode == 2
    assert f"{broken}:{line}:8: world: unknown world" in done.stderr
    assert "Traceback" not in done.stderr


def test_validating_starts_and_writes_nothing(call, root, tmp_path):
    folders = ["--worlds", root / "worlds", "--robots", root / "robots"]
    assert call("validate", root / SCENARIO, *folders, cwd=tmp_path).exit_code == 0
    assert list(tmp_path.iterdir()) == []


DRIVING = "scenarios/driving/pedestrian_crossing.yaml"


def test_driving_scenarios_suites_and_packs_are_checked_as_what_they_are(call):
    files = (DRIVING, "scenarios/suites/drones.yaml", "packs/drones/pack.yaml")
    result = call("validate", *files)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [f"{file}: valid" for file in files]


def test_a_driving_suite_and_a_driving_scenario_may_be_named(call):
    result = call("validate", "urban_driving_smoke", "pedestrian_crossing")
    assert result.stdout.splitlines() == [
        "scenarios/suites/urban_driving_smoke.yaml: valid",
        f"{DRIVING}: valid",
    ]


def test_a_broken_driving_scenario_is_told_what_is_wrong_with_it_as_such(call, root, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text((root / DRIVING).read_text().replace("timestep_seconds", "timestep"))
    result = call("validate", path, "--json")
    assert result.exit_code == 2
    (found,) = json.loads(result.stdout)["files"]
    assert {one["path"] for one in found["problems"]} == {"timestep", "timestep_seconds"}


def test_what_is_doubtful_in_a_driving_scenario_is_a_warning(call, root, tmp_path):
    path = tmp_path / "mine.yaml"
    text = (root / "scenarios/driving/obstacle_avoidance.yaml").read_text()
    path.write_text(text.replace("stopped obstacle", "stoped obstacle"))
    result = call("validate", path)
    assert result.exit_code == 0
    assert f"warning: {path}:" in result.stderr
    assert "'stoped obstacle' is no pattern" in result.stderr
    assert "(nearest: stopped obstacle)" in result.stderr


@pytest.mark.parametrize(
    ("command", "file", "said"),
    [
        (("run",), DRIVING, "is a driving scenario, no robot scenario"),
        (("run",), "urban_driving_smoke", "run it with: fieldproof suite run scenarios/suites/"),
        (("run",), "packs/drones/pack.yaml", "is the manifest of a pack, no robot scenario"),
        (("suite", "run"), DRIVING, "is a driving scenario, no driving suite"),
        (("suite", "run"), SCENARIO, f"run it with: fieldproof run {SCENARIO}"),
        (("suite", "run"), "packs/drones/pack.yaml", "is the manifest of a pack, no driving suite"),
    ],
)
def test_a_file_that_another_command_runs_is_told_so(call, command, file, said):
    result = call(*command, file)
    assert result.exit_code == 2
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 2


def test_a_driving_scenario_on_standard_input_is_told_what_it_is(call, root):
    result = call("validate", "-", input=(root / DRIVING).read_text())
    assert result.exit_code == 2
    what = "standard input: is a driving scenario, no robot scenario"
    assert result.stderr.splitlines() == [f"{what} (give its file, of which other files are found)"]
