import json
from collections.abc import Mapping
from functools import cache
from importlib import resources


@cache
def _table() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    text = resources.files("fieldproof.driving.loading").joinpath("canonical_tags.json").read_text()
    return {
        pack: {scenario: tuple(tags) for scenario, tags in scenarios.items()}
        for pack, scenarios in json.loads(text).items()
    }


def canonical_tags(pack: str, scenario: str) -> tuple[str, ...]:
    """Return the tags that a scenario of a known pack has, none if pack or scenario is unknown.

    They stand in for those of scenarios that were installed before there were tags.
    """
    return _table().get(pack, {}).get(scenario, ())
