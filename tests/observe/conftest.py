import pytest

from fieldproof.backends import claim_domain
from tests.bridge.peer import PeerSimulator
from tests.observe.peer import NodeProcess, ObserverProcess


@pytest.fixture(scope="module")
def domain():
    """A ROS domain of the module's own."""
    claim = claim_domain()
    yield claim.number
    claim.release()


@pytest.fixture(scope="module")
def simulator():
    peer = PeerSimulator()
    yield peer
    peer.close()


@pytest.fixture(scope="module")
def observer(simulator, domain, tmp_path_factory):
    """Start observers; keys of the configuration may be given."""
    started = []

    def start(mode="lockstep", **changes):
        folder = tmp_path_factory.mktemp("observer")
        started.append(ObserverProcess(simulator, folder, domain, mode=mode, **changes))
        return started[-1]

    yield start
    for process in started:
        process.stop()


@pytest.fixture(scope="module")
def node(domain):
    """Start nodes."""
    started = []

    def start(name="talker", **options):
        started.append(NodeProcess(domain, name=name, **options))
        return started[-1]

    yield start
    for process in started:
        process.stop()
