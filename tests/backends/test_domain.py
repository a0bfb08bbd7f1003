import socket

import pytest

from fieldproof.backends import DomainError, claim_domain


def test_two_claims_never_get_the_same_domain():
    claims = [claim_domain() for _ in range(4)]
    numbers = [claim.number for claim in claims]
    for claim in claims:
        claim.release()
    assert len(set(numbers)) == 4


def test_a_released_domain_can_be_claimed_again():
    first = claim_domain()
    number = first.number
    first.release()
    again = claim_domain(number)
    assert again.number == number
    again.release()


@pytest.mark.parametrize("number", [-1, 233, 1000])
def test_a_domain_without_ports_is_refused_before_anything_starts(number):
    with pytest.raises(DomainError, match=r"0\.\.232"):
        claim_domain(number)


def test_a_claimed_domain_is_refused_and_named():
    claim = claim_domain()
    with pytest.raises(DomainError, match=f"domain {claim.number} is in use"):
        claim_domain(claim.number)
    claim.release()


def test_a_foreign_process_on_the_discovery_port_makes_the_domain_taken():
    claim = claim_domain()
    number = claim.number
    claim.release()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("0.0.0.0", 7400 + 250 * number + 10))
        with pytest.raises(DomainError):
            claim_domain(number)
