import pathlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

ModelsOf = Callable[[pathlib.Path], frozenset[str] | None]
"""Returns the names of the models in a world's SDF file; None when they cannot be told."""


def unknown_models(_sdf: pathlib.Path) -> frozenset[str] | None:
    """Return None: for plans of worlds that nobody can read."""
    return None


@dataclass(frozen=True, slots=True)
class ModelChanges:
    """What an entry may do to the models of the world.

    Attributes:
        spawns: Names of models that it puts there.
        removes: Names of models that it takes away.
    """

    spawns: frozenset[str] = frozenset()
    removes: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class WorldModels:
    """The models of the world as far as a plan knows them.

    Attributes:
        own: Names of the world's own.
        spawned: Names that entries of the scenario spawn.
        removed: Names that entries of the scenario take away.
    """

    own: frozenset[str]
    spawned: frozenset[str]
    removed: frozenset[str]

    @classmethod
    def of(
        cls, own: frozenset[str] | None, changes: Iterable[ModelChanges | None]
    ) -> "WorldModels | None":
        """Return the models; None when the world or what one of the entries does is unknown."""
        known = list(changes)
        told = [one for one in known if one is not None]
        if own is None or len(told) < len(known):
            return None
        return cls(
            own,
            frozenset().union(*(one.spawns for one in told)),
            frozenset().union(*(one.removes for one in told)),
        )
