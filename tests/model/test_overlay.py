import pytest

from fieldproof.model import Overlay, ScenarioError, overlay_words, read_workspace_file, validated

from .kinds import ASSERTIONS, EVENTS, KPIS, SCENARIO


def overlay(**values):
    return validated(Overlay, values)


@pytest.mark.parametrize(
    ("data", "values", "filled", "unused"),
    [
        ({}, {"seed": 4}, {"time": {"seed": 4}}, ()),
        ({"time": {"seed": 1}}, {"seed": 4}, {"time": {"seed": 1}}, ("seed",)),
        (
            {"time": {"mode": "lockstep"}},
            {"rtf": 2.0, "seed": 3},
            {"time": {"mode": "lockstep", "seed": 3}},
            ("rtf",),
        ),
        ({}, {"mode": "lockstep", "rtf": 2.0}, {"time": {"mode": "lockstep"}}, ("rtf",)),
        ({}, {"rtf": 2.0}, {"time": {"rtf": 2.0}}, ()),
        ({}, {"tick_s": "50ms"}, {}, ("tick_s",)),
        (
            {},
            {"mode": "lockstep", "tick_s": "50ms"},
            {"time": {"mode": "lockstep", "tick_s": 0.05}},
            (),
        ),
        ({"outputs": {"record": False}}, {"record": True}, {"outputs": {"record": False}},
         ("record",)),
        ({"budget": {}}, {"timeout_s": "2m"}, {"budget": {"timeout_s": 120}}, ()),
        ({"time": 3}, {"seed": 1}, {"time": 3}, ("seed",)),
    ],
)  # fmt: skip
def test_an_overlay_fills_what_the_scenario_leaves_open(data, values, filled, unused):
    assert overlay(**values).filled(data) == (filled, unused)


def test_flags_come_before_the_workspace():
    flags, file = overlay(seed=1, record=False), overlay(seed=2, rtf=3.0, record=True)
    assert flags.over(file) == overlay(seed=1, rtf=3.0, record=False)


def test_what_had_no_effect_is_told_by_its_place_in_the_scenario():
    assert list(overlay_words(("seed", "timeout_s"))) == ["time.seed", "budget.timeout_s"]


def test_a_scenario_is_read_with_its_gaps_filled():
    from fieldproof.model import draft_scenario  # noqa: PLC0415

    def drafted(values):
        return draft_scenario(
            SCENARIO,
            event_types=EVENTS,
            assertion_types=ASSERTIONS,
            kpi_types=KPIS,
            overlay=overlay(**values),
        )

    plain, seeded = drafted({}), drafted({"seed": 77})
    assert plain.problems == seeded.problems == ()
    assert (seeded.time.seed == 77) == ("seed" not in seeded.unused)


def test_a_workspace_file_holds_defaults_and_folders(tmp_path):
    path = tmp_path / "fieldproof.toml"
    path.write_text('[run]\nmode = "lockstep"\nseed = 5\n\n[paths]\nruns = "out"\n')
    found = read_workspace_file(path)
    assert (found.run.mode, found.run.seed, found.paths.runs) == ("lockstep", 5, "out")
    path.write_text("")
    assert read_workspace_file(path).run == Overlay()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[run]\nsede = 1\n", "f.toml:2:1: run.sede: unknown key (nearest: seed)"),
        ("[run]\n  seed = -1\n", "f.toml:2:10: run.seed: must be"),
        ("[rnu]\nseed = 1\n", "f.toml:1:1: rnu: unknown key (nearest: run)"),
        ("[run]\ntimeout_s = 'soon'\n", "f.toml:2:13: run.timeout_s: must be a duration"),
        ("[run]\nmode = 'fast'\n", "f.toml:2:8: run.mode: must be one of lockstep, sim, realtime"),
        ("[run\n", "f.toml:1:5: is no TOML: expected ']' at the end of a table"),
        ("a = [1\n", "f.toml:1:1: is no TOML: unclosed array"),
        ("[paths]\nruns = 3\n", "f.toml:2:8: paths.runs: must be text (got 3)"),
    ],
)
def test_what_is_wrong_with_a_workspace_file_is_said_where_it_stands(tmp_path, text, said):
    path = tmp_path / "fieldproof.toml"
    path.write_text(text)
    with pytest.raises(ScenarioError) as caught:
        read_workspace_file(path, file="f.toml")
    assert str(caught.value).startswith(said)


def test_all_problems_of_a_workspace_file_are_said_at_once(tmp_path):
    path = tmp_path / "fieldproof.toml"
    path.write_text("[run]\nseed = 'x'\nrtf = 0\n[paths]\nrun = 'a'\n")
    with pytest.raises(ScenarioError) as caught:
        read_workspace_file(path)
    assert [problem.line for problem in caught.value.problems] == [2, 3, 5]
