from collections.abc import Iterable, Mapping


def settled_last(dependencies: Mapping[str, Iterable[str]]) -> list[str]:
    """Return the names so that each comes after those it depends on, else in the given order.

    Raises:
        ValueError: A name depends on one that does not exist, or on itself in a circle.
    """
    ordered: dict[str, None] = {}
    for name in dependencies:
        path: list[str] = []
        _visit(name, dependencies, ordered, path)
    return list(ordered)


def _visit(
    name: str,
    dependencies: Mapping[str, Iterable[str]],
    ordered: dict[str, None],
    path: list[str],
) -> None:
    if name in ordered:
        return
    if name in path:
        circle = " -> ".join([*path[path.index(name) :], name])
        raise ValueError(f"assertions wait for each other: {circle}")
    path.append(name)
    for other in dependencies[name]:
        if other not in dependencies:
            raise ValueError(f"assertion {name} depends on {other}, which does not exist")
        _visit(other, dependencies, ordered, path)
    path.pop()
    ordered[name] = None
