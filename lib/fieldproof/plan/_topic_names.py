import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fieldproof.model import nearest
from fieldproof.plan._planned import PlannedVehicle


@dataclass(frozen=True, slots=True)
class Unlisted:
    """A topic of a vehicle that nothing is known to publish.

    Attributes:
        hint: What may be meant, and what makes it a known one.
        in_full: Whether the manifest says that there are no others than it lists.
        is_slip: Whether a known one differs by a slip of the pen.
    """

    hint: str
    in_full: bool
    is_slip: bool


def unlisted(
    vehicle: PlannedVehicle, absolute: str, published: Mapping[str, str]
) -> Unlisted | None:
    """Return what to say of a topic of a vehicle; None of one that may well be there.

    Args:
        vehicle: Whose.
        absolute: The topic.
        published: The topics that events publish.
    """
    prefix = f"/{vehicle.namespace}/"
    relative, listed = absolute.removeprefix(prefix), vehicle.manifest.topics()
    if absolute in published or relative in listed or _is_hidden(relative):
        return None
    of_events = [one.removeprefix(prefix) for one in published if one.startswith(prefix)]
    known = [*listed, *of_events]
    slip, in_full = _is_slip(relative, known), vehicle.manifest.stack.topics is not None
    hint = nearest(relative, known)
    if not in_full:
        hint = f"{hint}; give message_type if it is another topic"
    elif not slip:
        hint = f"{hint}; what else its stack publishes belongs in stack.topics of {vehicle.robot}"
    return Unlisted(hint, in_full, slip)


def _is_hidden(name: str) -> bool:
    """Return whether ROS tools leave the topic out unless it is asked for by name."""
    return any(part.startswith("_") for part in name.split("/"))


def _is_slip(name: str, known: Iterable[str]) -> bool:
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
