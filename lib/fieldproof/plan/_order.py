from collections.abc import Iterable, Iterator, Mapping, Sequence


class CircleError(ValueError):
    """Assertions wait for each other.

    Attributes:
        names: The assertions of the circle, each waiting for the next, the last for the first.
    """

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(f"assertions wait for each other: {' -> '.join([*names, names[0]])}")
        self.names = tuple(names)


def settled_last(dependencies: Mapping[str, Iterable[str]]) -> list[str]:
    """Return the names so that each comes after those it depends on, else in the given order.

    Raises:
        CircleError: A name depends on itself in a circle.
        ValueError: A name depends on one that does not exist.
    """
    ordered: dict[str, None] = {}
    for start in dependencies:
        trail: dict[str, Iterator[str]] = {}
        if start not in ordered:
            trail[start] = iter(dependencies[start])
        while trail:
            name, rest = next(reversed(trail.items()))
            following = next(rest, None)
            if following is None:
                trail.popitem()
                ordered[name] = None
            elif following not in dependencies:
                raise ValueError(f"assertion {name} depends on {following}, which does not exist")
            elif following in trail:
                names = list(trail)
                raise CircleError(names[names.index(following) :])
            elif following not in ordered:
                trail[following] = iter(dependencies[following])
    return list(ordered)
