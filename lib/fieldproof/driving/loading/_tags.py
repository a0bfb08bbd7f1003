import json
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path

from fieldproof.driving.files import MOST_FOLDERS, PackManifest
from fieldproof.driving.loading._placed import mapping_in, part_of

MANIFEST = "pack.yaml"


@cache
def _table() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    text = resources.files("fieldproof.driving.loading").joinpath("canonical_tags.json").read_text()
    return {
        pack: {scenario: tuple(tags) for scenario, tags in scenarios.items()}
        for pack, scenarios in json.loads(text).items()
    }


def canonical_tags(pack: str | None, scenario: str, path: Path | None = None) -> tuple[str, ...]:
    """Return the tags that a pack gives to a scenario, none if pack or scenario is unknown.

    They stand in for those of scenarios that were installed before there were tags. The manifest
    of the pack that the scenario lies in says them, or else what is known of the packs here.

    Args:
        pack: the pack's id as the scenario says it; None where it says none.
        scenario: its id.
        path: its file.

    Raises:
        ScenarioError: The manifest is not sound.
        OSError: It cannot be read.
    """
    manifest = None if path is None else manifest_above(path)
    if manifest is not None:
        changed = manifest.stat()
        name, tags = _said_by(manifest, (changed.st_mtime_ns, changed.st_size, changed.st_ino))
        if pack in {None, name} and scenario in tags:
            return tags[scenario]
    return () if pack is None else _table().get(pack, {}).get(scenario, ())


def manifest_above(path: Path) -> Path | None:
    """Return the manifest of the pack that a file lies in, None if it lies in none."""
    folders = path.resolve().parents[:MOST_FOLDERS]
    return next((one / MANIFEST for one in folders if (one / MANIFEST).is_file()), None)


@lru_cache(maxsize=64)
def _said_by(
    manifest: Path,
    _version: tuple[int, ...],  # so that a file that was changed is read again
) -> tuple[str, Mapping[str, tuple[str, ...]]]:
    document = mapping_in(manifest, str(manifest))
    said = part_of(document, PackManifest, document.value, ())
    return said.id, {one.id: tuple(one.tags) for one in said.scenarios}
