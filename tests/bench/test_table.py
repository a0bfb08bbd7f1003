import pytest

from tests.bench.figures import FIGURES, judge, judge_equality, not_measured
from tests.bench.table import number, render

MACHINE = {
    "cores": 2,
    "processor": "",
    "memory_gb": 8.0,
    "system": "Linux 6",
    "nix": "nix 2.8",
    "load_before": [0.1, 0.2, 0.3],
    "load_after": [1.0, 0.5, 0.4],
}
NOOP, LIMIT, *_, EVIDENCE = FIGURES


def test_every_figure_is_a_row_with_its_marks_and_its_verdict():
    results = [judge(NOOP, [0.12, 0.08, 0.31]), judge_equality(EVIDENCE, "aa", "a")]
    _, rule, noop, evidence, *_ = render(results, MACHINE, {}).splitlines()
    assert set(rule) == {"-", " "}
    assert noop.split()[-8:] == ["0.3", "0.1", "0.12", "0.08", "0.31", "3", "-", "holds"]
    assert evidence.split()[-4:] == ["-", "2", "-", "undecided"]


def test_what_was_not_measured_is_told_with_the_reason():
    text = render([not_measured(LIMIT, "no nix")], MACHINE, {})
    assert "not measured" in text
    assert "limit: no nix" in text


def test_a_busy_machine_is_told_and_a_quiet_one_is_not():
    busy, quiet = (render([judge(NOOP, [1], others=cores)], MACHINE, {}) for cores in (1.3, 0.1))
    assert "up to 1.3 cores busy" in busy
    assert "busy" not in quiet


def test_the_machine_leaves_out_what_is_not_known():
    text = render([], MACHINE, {"loop": 81.25})
    assert "machine: 2 cores, 8 GB, Linux 6, nix 2.8, load 0.1/0.2/0.3 before" in text
    assert "loop: 81.2" in text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (0.0878, "0.0878"), (3.0313, "3.03"), (20, "20"), (123.4, "123"), (99.96, "100")],
)
def test_numbers_are_short_and_without_an_exponent(value, text):
    assert number(value) == text
