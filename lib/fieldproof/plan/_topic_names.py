import itertools
from collections.abc import Iterable


def is_hidden(name: str) -> bool:
    """Return whether ROS tools leave the topic out unless it is asked for by name."""
    return any(part.startswith("_") for part in name.split("/"))


def is_slip(name: str, known: Iterable[str]) -> bool:
    """Return whether a name is a known one with a letter too many, too few, wrong or swapped."""
    for other in known:
        start = _shared(name, other)
        left, right = name[start:], other[start:]
        end = _shared(left[::-1], right[::-1])
        left, right = left[: len(left) - end], right[: len(right) - end]
        swapped = len(left) == len(right) == 2 and left == right[::-1]  # noqa: PLR2004
        one_letter = len(left) <= 1 and len(right) <= 1 and (left + right).isalpha()
        if swapped or one_letter:
            return True
    return False


def _shared(left: str, right: str) -> int:
    """Return how many characters two texts begin with together."""
    pairs = zip(left, right, strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
