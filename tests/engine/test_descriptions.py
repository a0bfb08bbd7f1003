import shutil
from pathlib import Path

import pytest

from fieldproof.engine.descriptions import check_descriptions
from fieldproof.engine.resolve import resolve
from fieldproof.model import ScenarioError

ROOT = Path(__file__).parents[2]


@pytest.fixture
def check(tmp_path):
    """Checks the first drive after some text in a copy of its files was replaced."""
    for name in ("worlds", "robots"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))

    def check(file="", old="", new=""):
        if file:
            path = tmp_path / file
            assert old in path.read_text()
            path.write_text(path.read_text().replace(old, new, 1))
        scenario = ROOT / "scenarios" / "ugv_nav_to_goal.yaml"
        check_descriptions(resolve(scenario, tmp_path / "worlds", tmp_path / "robots"))

    return check


def test_the_files_of_the_first_drive_are_sound(check):
    check()


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        pytest.param(
            "worlds/dock_yard/world.sdf",
            "</world>",
            "<joint name='j' type='fixed'/></world>",
            ["world.sdf:", "joint"],
            id="an element outside the subset",
        ),
        pytest.param(
            "robots/ugv_ref/ugv_ref.urdf",
            "</robot>",
            "<link name='base_link'/></robot>",
            ["ugv_ref.urdf:", "base_link"],
            id="a link that is there twice",
        ),
        pytest.param(
            "worlds/dock_yard/world.yaml",
            "latitude_deg: 5",
            "latitude_deg: 4",
            ["latitude_deg", "world.yaml has", "make them equal"],
            id="two origins",
        ),
    ],
)
def test_geometry_that_the_simulator_would_refuse_is_refused_at_once(check, file, old, new, words):
    with pytest.raises(ScenarioError) as caught:
        check(file, old, new)
    for word in words:
        assert word in str(caught.value)
