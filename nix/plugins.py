"""Installs plugins beside the code: python -B plugins.py [--link] OUT DISTRIBUTION_FOLDER...

A distribution is a folder with a pyproject.toml and the packages that it holds. What Python needs
to find its entry points, a .dist-info folder, is written from the project's table.
"""

from __future__ import annotations

import shutil
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def install(folder: Path, out: Path, *, link: bool) -> None:
    """Install one distribution.

    Args:
        folder: the distribution.
        out: folder to be put on Python's path.
        link: whether packages are linked, so that what is edited counts at once.
    """
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    for package in sorted(path.parent for path in folder.glob("*/__init__.py")):
        if link:
            (out / package.name).symlink_to(package.resolve())
        else:
            shutil.copytree(
                package, out / package.name, ignore=shutil.ignore_patterns("__pycache__")
            )
    name = project["name"].replace("-", "_")
    info = out / f"{name}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    (info / "entry_points.txt").write_text(_entry_points(project.get("entry-points", {})))


def _entry_points(groups: Mapping[str, Mapping[str, Any]]) -> str:
    lines: list[str] = []
    for group, points in sorted(groups.items()):
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in points.items()), ""]
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Install every distribution anew; returns the exit code."""
    link = arguments[:1] == ["--link"]
    target, *folders = map(Path, arguments[link:])
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for folder in folders:
        install(folder, target, link=link)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
