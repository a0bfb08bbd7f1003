from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import yaml

_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)  # libyaml writes the same, faster
_FOREVER = {"sec": 9223372036, "nsec": 854775807}


@dataclass(frozen=True, slots=True)
class OfferedQos:
    """The quality of service that one publisher offers, as a recording keeps it.

    A player needs it to publish a latched topic as latched again. Deadlines, lifespans and leases
    are unbounded.
    """

    reliability: Literal["reliable", "best_effort"] = "reliable"
    durability: Literal["volatile", "transient_local"] = "volatile"
    history: Literal["keep_last", "keep_all"] = "keep_last"
    depth: int = 10

    def profile(self) -> dict[str, object]:
        """Return the profile with the keys and words of rosbag2's metadata, version 9."""
        return {
            "history": self.history,
            "depth": self.depth,
            "reliability": self.reliability,
            "durability": self.durability,
            "deadline": dict(_FOREVER),
            "lifespan": dict(_FOREVER),
            "liveliness": "automatic",
            "liveliness_lease_duration": dict(_FOREVER),
            "avoid_ros_namespace_conventions": False,
        }


def qos_text(offers: Sequence[OfferedQos]) -> str:
    """Return the YAML that the channel metadata key `offered_qos_profiles` holds."""
    return dump_yaml([offer.profile() for offer in offers]).rstrip("\n") if offers else ""


def qos_profiles(text: str) -> list[object]:
    """Return the profiles that an `offered_qos_profiles` text lists, none if unreadable."""
    try:
        profiles = yaml.safe_load(text) if text else []
    except yaml.YAMLError:
        return []
    return profiles if isinstance(profiles, list) else []


def dump_yaml(value: object) -> str:
    """Return block-style YAML with keys in their given order."""
    return str(
        yaml.dump(
            value,
            Dumper=_DUMPER,
            sort_keys=False,
            default_flow_style=False,
            allow_unicode=True,
        )
    )
