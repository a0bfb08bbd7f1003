import pathlib

import pytest

from fieldproof.plan import build_plan

from .kinds import KNOWN, MANIFEST, SCENARIO, WORLD


class Workspace:
    """A scenario, a world and a robot in a folder, each of which a test may spoil."""

    def __init__(self, root: pathlib.Path):
        self.root = root
        self.write("worlds/yard/world.yaml", WORLD)
        self.write("worlds/yard/world.sdf", "<sdf version='1.11'/>")
        self.write("robots/rover/robot.yaml", MANIFEST)
        self.write("robots/rover/rover.urdf", "<robot name='rover'/>")
        self.write("robots/rover_stack/__init__.py", "")
        self.write("robots/rover_stack/driver.py", "")
        self.write("s.yaml", SCENARIO)

    def write(self, relative, text):
        path = self.root / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def spoil(self, relative, old, new):
        text = (self.root / relative).read_text("utf-8")
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {relative}"
        self.write(relative, text.replace(old, new))

    def plan(self, known=KNOWN):
        return build_plan(
            self.root / "s.yaml",
            worlds_dir=self.root / "worlds",
            robots_dir=self.root / "robots",
            registries=known,
            file="s.yaml",
        )[1]


@pytest.fixture
def workspace(tmp_path):
    return Workspace(tmp_path)
