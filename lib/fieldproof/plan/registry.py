"""Types that plugins add through entry points, checked when they are registered."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import Generic, TypeVar

_Kind = TypeVar("_Kind")

OWN_DISTRIBUTION = "fieldproof"


class PluginError(Exception):
    """A registered object is not what its group asks for; the text says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class PluginProblem:
    """A plugin that was left out.

    Attributes:
        name: The entry point's name.
        distribution: The installed distribution that registers it.
        what: What is wrong with it.
    """

    name: str
    distribution: str
    what: str

    def __str__(self) -> str:
        return f"{self.name} of {self.distribution}: {self.what}"


@dataclass(frozen=True, slots=True)
class Registry(Generic[_Kind]):
    """What is known under a name, where each comes from, and the plugins that were left out."""

    kinds: Mapping[str, _Kind]
    distributions: Mapping[str, str]
    problems: tuple[PluginProblem, ...] = ()


def registered(
    builtins: Iterable[object],
    entry_points: Iterable[EntryPoint],
    checked: Callable[[object], tuple[str, _Kind]],
) -> Registry[_Kind]:
    """Return a registry of the built-in types and of those that entry points name.

    A plugin that cannot be imported, that `checked` refuses, or whose name is taken becomes a
    problem of the registry and is left out. An entry point that names a built-in is no plugin.

    Args:
        builtins: Objects that `checked` accepts.
        entry_points: The installed entry points of one group.
        checked: Returns an object's name and what to register for it; raises `PluginError`.
    """
    own = list(builtins)
    kinds = dict(map(checked, own))
    origins = dict.fromkeys(kinds, OWN_DISTRIBUTION)
    problems = []
    for point in sorted(entry_points, key=lambda one: (_origin(one), one.name, one.value)):
        origin = _origin(point)
        try:
            loaded = point.load()
            name, kind = checked(loaded)
        except PluginError as error:
            problems.append(PluginProblem(point.name, origin, str(error)))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin's import may raise anything
            what = f"cannot be loaded: {type(error).__name__}: {error}"
            problems.append(PluginProblem(point.name, origin, what))
        else:
            if name not in kinds:
                kinds[name], origins[name] = kind, origin
            elif not any(loaded is one for one in own):
                what = f"{name} is already registered by {origins[name]}"
                problems.append(PluginProblem(point.name, origin, what))
    return Registry(kinds, origins, tuple(problems))


def _origin(point: EntryPoint) -> str:
    return point.dist.name if point.dist else "an unknown distribution"
