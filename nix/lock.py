"""Resolves what pyproject.toml and nix/debs.json ask for and writes nix/lock.json: `make nix-lock`.

The lock names each file by version, store name, sha256 and size, and never by where it was found.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tomllib
from dataclasses import asdict
from typing import Any

import _apt
import _pip
import _store
from import_inputs import LOCK, SCRATCH, Input, fetch, seed_folder

_ROOT = LOCK.parent.parent
_SUITE = "bookworm"
_SEED = {"name": "busybox-seed", "deb": "busybox-static"}


def resolve_wheels() -> tuple[dict[str, list[str]], dict[str, _pip.Requirement]]:
    """The wheels of each set (``env``, ``dev``, ``tools``), and each wheel by name.

    ``env`` is what runs need; ``dev`` adds to it; ``tools`` build environments and enter none.
    """
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text())
    groups = project["dependency-groups"]
    excluded = set(project["tool"]["fieldproof"]["lock"]["exclude"])
    wanted = {
        "env": project["project"]["dependencies"] + groups["ros"],
        "dev": groups["dev"],
        "tools": groups["nix-tools"],
    }
    sets: dict[str, list[str]] = {}
    chosen: dict[str, _pip.Requirement] = {}
    for name, requirements in wanted.items():
        _say(f"resolving the wheels of {name}")
        base = wanted["env"] if name == "dev" else []
        found = _pip.resolve([*base, *requirements], chosen.values() if name == "dev" else ())
        kept = {each.name: each for each in found if each.name not in excluded}
        if sources := [each.file for each in kept.values() if not each.file.endswith(".whl")]:
            raise _pip.PipError(f"no wheel for {', '.join(sources)}")
        sets[name] = sorted(kept.keys() - (sets["env"] if name == "dev" else ()))
        chosen |= kept
    return sets, chosen


def main() -> int:
    """Writes the lock; returns the exit code."""
    debs = json.loads((_ROOT / "nix/debs.json").read_text())
    shutil.rmtree(_ROOT / "build/apt", ignore_errors=True)
    apt = _apt.Apt(_ROOT / "build/apt", _SUITE)
    try:
        candidates = apt.candidates(sorted({name for names in debs.values() for name in names}))
        sets, wheels = resolve_wheels()
        inputs = [
            *(
                Input("deb", c.name, c.version, _store_name(c.file), c.sha256, c.size)
                for c in candidates
            ),
            *(Input("wheel", w.name, w.version, w.file, w.sha256, 0) for w in wheels.values()),
        ]
        fetch(inputs, _SUITE)
    except (_apt.AptError, _pip.PipError, _store.StoreError) as error:
        _say(str(error))
        return 1
    seed_deb = next(each for each in inputs if each.name == _SEED["deb"])
    seed = seed_folder(seed_deb.local, SCRATCH / _SEED["name"])
    lock: dict[str, Any] = {
        "version": 1,
        "system": "x86_64-linux",
        "suite": _SUITE,
        "seed": {**_SEED, "narSha256": _store.nar_sha256(seed)},
        "debSets": debs,
        "wheelSets": sets,
        "debs": _entries(inputs, "deb"),
        "wheels": _entries(inputs, "wheel"),
    }
    LOCK.write_text(json.dumps(lock, indent=1, sort_keys=True) + "\n")
    _say(f"{len(inputs)} inputs locked")
    return 0


def _entries(inputs: list[Input], kind: str) -> dict[str, dict[str, object]]:
    entries = {}
    for each in inputs:
        if each.kind == kind:
            entry = asdict(each) | {"size": each.local.stat().st_size}
            entries[each.name] = {k: v for k, v in entry.items() if k not in {"kind", "name"}}
    return entries


def _store_name(file: str) -> str:
    """A file name in the characters that a store path may have."""
    return re.sub(r"[^A-Za-z0-9+._?=-]", "_", file.replace("%3a", ":"))


def _say(text: str) -> None:
    print(f"nix-lock: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
