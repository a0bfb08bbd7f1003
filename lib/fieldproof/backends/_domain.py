"""A ROS domain for each run: two runs on one host never hear each other."""

from __future__ import annotations

import errno
import socket
from dataclasses import dataclass

# DDS derives its UDP ports from the domain (7400 + 250 * domain + offsets). Above domain 101 they
# reach into Linux's ephemeral range, above 232 past the last port.
_FIRST, _LAST = 1, 101
_HIGHEST_POSSIBLE = 232
_PORT_BASE, _PORT_GAIN = 7400, 250


class DomainError(Exception):
    """No ROS domain could be had; the text names the domain or range and what to do."""


@dataclass(slots=True)
class RosDomain:
    """A domain claimed for this process until `release` or its end."""

    number: int
    _claim: socket.socket

    def release(self) -> None:
        """Give the domain back; it may be claimed again at once."""
        self._claim.close()


def claim_domain(wanted: int | None = None) -> RosDomain:
    """Claim a ROS domain that no other run on this host has.

    The claim is a socket in the kernel's abstract namespace: it is host-wide, leaves no file, and
    goes with the process however that ends.

    Args:
        wanted: this domain and no other; the first free one of 1..101 when None.

    Raises:
        DomainError: the wanted domain is impossible or taken, or none is free.
    """
    if wanted is not None:
        if not 0 <= wanted <= _HIGHEST_POSSIBLE:
            raise DomainError(
                f"ROS domain {wanted} does not exist: its UDP ports would lie above 65535; "
                f"choose one of 0..{_HIGHEST_POSSIBLE}"
            )
        domain = _try_claim(wanted)
        if domain is None:
            raise DomainError(
                f"ROS domain {wanted} is in use by another run or by a process on UDP port "
                f"{_discovery_port(wanted)}; choose another or let the engine choose"
            )
        return domain
    for number in range(_FIRST, _LAST + 1):
        domain = _try_claim(number)
        if domain is not None:
            return domain
    raise DomainError(
        f"every ROS domain of {_FIRST}..{_LAST} is in use; wait for a run to end or stop one"
    )


def _discovery_port(number: int) -> int:
    return _PORT_BASE + _PORT_GAIN * number + 10  # unicast discovery of the domain's participant 0


def _try_claim(number: int) -> RosDomain | None:
    claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        claim.bind(f"\0fieldproof-ros-domain-{number}")
    except OSError as error:
        claim.close()
        if error.errno == errno.EADDRINUSE:
            return None
        raise
    # a ROS process outside of any run may sit in this domain: its discovery port tells
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind(("0.0.0.0", _discovery_port(number)))  # noqa: S104 - never listens
        except OSError as error:
            claim.close()
            if error.errno == errno.EADDRINUSE:
                return None
            raise
    return RosDomain(number, claim)
