from tests.bench.figures import FIGURES, judge
from tests.bench.spawn import measure_spawn


def test_a_crate_is_seen_in_the_next_scan_whether_that_is_a_tick_away_or_two():
    said = []
    found = measure_spawn(4, said.append)
    assert said == ["4 spawns"]
    assert found.scans == (1.0,) * 4
    assert sorted(found.ticks) == [1.0, 1.0, 2.0, 2.0]
    (figure,) = [one for one in FIGURES if one.name == "spawn"]
    assert judge(figure, found.scans).verdict == "aim"
    details = found.details()
    assert set(details) == {
        "spawn_visible_ticks", "spawn_visible_wall_ms", "spawn_wall_ms",
        "spawn_wall_per_sim_tick_wall",
    }  # fmt: skip
    assert min(details.values()) > 0
    assert all(whole > part for whole, part in zip(found.visible_ms, found.spawn_ms, strict=True))
