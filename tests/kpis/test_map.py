import math

from fieldproof.kpis import Measured, kpi_map


def test_every_figure_stands_under_its_name_with_unit_and_source():
    measured = [
        Measured("goal", "assertion:reach_pose", {"closest_m": (0.25, "m"), "samples": (3, "")}),
        Measured("drive", "collector:path", {"last": ("ACTIVE", "")}),
    ]
    assert kpi_map(measured) == {
        "goal.closest_m": {"value": 0.25, "unit": "m", "source": "assertion:reach_pose"},
        "goal.samples": {"value": 3, "unit": "", "source": "assertion:reach_pose"},
        "drive.last": {"value": "ACTIVE", "unit": "", "source": "collector:path"},
    }


def test_what_was_not_measured_is_left_out():
    metrics = {
        "none": (None, "m"),
        "nan": (math.nan, "m"),
        "inf": (math.inf, "m"),
        "zero": (0.0, "m"),
    }
    assert list(kpi_map([Measured("it", "assertion:x", metrics)])) == ["it.zero"]
