import pytest

from .streams import contact, end, evaluator, no_collision, start, verdict


def test_it_passes_at_the_end_when_nothing_touched():
    result = verdict(no_collision(), [contact(1, vehicle="ugv2"), end(5)])
    assert (result.status, result.t_s, result.reason) == ("passed", 5.0, "ugv1 touched nothing")
    assert result.metrics == {"contacts": 0}


def test_it_fails_at_the_first_contact():
    result = verdict(no_collision(), [contact(2), contact(3), end(5)])
    assert (result.status, result.t_s, result.sim_s) == ("failed", 2.0, 5.5)
    assert result.evidence["contact"] == {
        "t_s": 2.0,
        "sim_s": 5.5,
        "collision1": "ugv1::base_link::chassis",
        "collision2": "crate::link::box",
        "count": 1,
    }
    assert result.reason == ("ugv1 touched: ugv1::base_link::chassis and crate::link::box at 2 s")


@pytest.mark.parametrize(
    ("ignore", "status"),
    [
        ("crate", "passed"),
        ("crate::link", "passed"),
        ("crate::link::box", "passed"),
        ("crate::link::bo", "failed"),
        ("cra", "failed"),
        ("box", "failed"),
    ],
)
def test_ignored_names_stand_for_all_that_lies_under_them(ignore, status):
    one, other = "ugv1::base_link::chassis", "crate::link::box"
    for pair in ((one, other), (other, one)):
        result = verdict(no_collision(ignore=[ignore]), [contact(1, *pair), end(2)])
        assert result.status == status


def test_ignored_contacts_are_counted():
    samples = [contact(1), contact(2), contact(3, other="wall::link::side"), end(4)]
    result = verdict(no_collision(ignore=["crate"]), samples)
    assert (result.evidence["ignored_contacts"], result.evidence["messages"]) == (2, 3)
    passed = verdict(no_collision(ignore=["crate"]), [contact(1), end(2)])
    assert passed.reason == "ugv1 touched nothing (1 ignored contact)"


def test_contacts_from_before_the_timeline_do_not_count():
    judge = evaluator(no_collision())
    for sample in [contact(-0.05), start(), end(1)]:
        judge.feed(sample)
    assert judge.results()[0].status == "passed"


def test_every_contact_counts_for_the_figures_of_the_run():
    judge = evaluator(no_collision())
    for sample in [start(), contact(1), contact(2), contact(3), end(4)]:
        judge.feed(sample)
    assert judge.kpis()["it.contacts"]["value"] == 3
    assert judge.results()[0].metrics["contacts"] == 1
