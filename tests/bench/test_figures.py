import json

import pytest

from tests.bench.figures import FIGURES, Figure, Summary, judge, judge_equality, not_measured

SECONDS = Figure("seconds", "a time", "s", "less", 5.0, 2.0)
SPEED = Figure("speed", "a speed", "x", "more", 5.0, 10.0)
EQUAL = Figure("equal", "equal runs", "runs", "more", 3.0, 5.0)


@pytest.mark.parametrize(
    ("figure", "samples", "verdict"),
    [
        pytest.param(SECONDS, [2.0], "aim", id="a time at the aim"),
        pytest.param(SECONDS, [2.1], "holds", id="a time between the marks"),
        pytest.param(SECONDS, [5.0], "holds", id="a time at the mark"),
        pytest.param(SECONDS, [5.1], "misses", id="a time over the mark"),
        pytest.param(SPEED, [10.0], "aim", id="a speed at the aim"),
        pytest.param(SPEED, [5.0], "holds", id="a speed at the mark"),
        pytest.param(SPEED, [4.9], "misses", id="a speed under the mark"),
        pytest.param(SECONDS, [1.0, 1.5, 90.0], "aim", id="one outlier does not move the median"),
        pytest.param(SPEED, [1.0, 6.0], "misses", id="two samples count by their mean"),
    ],
)
def test_the_median_is_held_against_the_marks(figure, samples, verdict):
    assert judge(figure, samples).verdict == verdict


@pytest.mark.parametrize(
    ("digests", "verdict", "value"),
    [
        pytest.param("aaa", "holds", 3, id="as many as are needed"),
        pytest.param("aaaaa", "aim", 5, id="as many as are hoped for"),
        pytest.param("aa", "undecided", 2, id="too few to say"),
        pytest.param("aaaaab", "misses", 5, id="one differs, whatever the others do"),
        pytest.param("bbb", "misses", 0, id="equal to each other and not to the reference"),
    ],
)
def test_evidence_is_equal_only_if_every_digest_is(digests, verdict, value):
    result = judge_equality(EQUAL, digests, "a")
    assert (result.verdict, result.value) == (verdict, value)
    assert result.note.startswith(f"{value} of {len(digests)}")


@pytest.mark.parametrize("judged", [lambda: judge(SECONDS, []), lambda: Summary.of([])])
def test_nothing_measured_is_not_a_figure(judged):
    with pytest.raises(ValueError, match="nothing was measured"):
        judged()


def test_what_holds_is_true_false_or_unknown():
    cases = [judge(SPEED, [11]), judge(SPEED, [6]), judge(SPEED, [1])]
    cases += [judge_equality(EQUAL, "a", "a"), not_measured(SPEED, "no nix")]
    assert [case.holds for case in cases] == [True, True, False, None, None]


def test_a_result_is_json_with_marks_and_spread():
    data = json.loads(json.dumps(judge(SECONDS, [3.0, 1.0, 8.0], others=0.5).to_data()))
    assert data["value"] == data["median"] == 3.0
    assert (data["min"], data["max"], data["repetitions"]) == (1.0, 8.0, 3)
    assert (data["at_least"], data["aim"], data["holds"]) == (5.0, 2.0, True)
    assert data["samples"] == [3.0, 1.0, 8.0]
    assert data["others_cores"] == 0.5


def test_a_figure_that_was_not_measured_says_why_and_has_no_value():
    data = not_measured(SECONDS, "no nix").to_data()
    assert (data["value"], data["median"], data["note"]) == (None, None, "no nix")


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_the_aim_is_at_least_as_hard_as_the_mark(figure):
    assert figure.reaches(figure.aim, figure.at_least)
