from pathlib import Path

from fieldproof_sim.bench import measure_loop

ROOT = Path(__file__).parents[2]


def test_the_loop_is_measured_in_wall_and_processor_time(manifest):
    figures = measure_loop(
        ROOT / "worlds/dock_yard/world.sdf",
        ROOT / "robots/ugv_ref/ugv_ref.urdf",
        manifest,
        seconds=0.5,
    )
    assert set(figures) == {"rtf", "cpu_rtf"}
    assert min(figures.values()) > 0
