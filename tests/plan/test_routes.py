import pytest

from fieldproof.model import ScenarioError
from fieldproof.plan._routes import InjectorRoute, route_for

ROUTES = (
    InjectorRoute("lidar", "/ugv1/scan", "lidar", ("dropout", "freeze")),
    InjectorRoute("gps_front", "/ugv1/gps/fix", "gnss", ("deny", "dropout")),
    InjectorRoute("gps_rear", "/ugv1/gps_rear/fix", "gnss", ("deny", "dropout")),
    InjectorRoute("imu", "/ugv1/imu/data", "imu", ("bias", "dropout")),
)


def asked(sensor, fault):
    topic = sensor if sensor is None or sensor.startswith("/") else f"/ugv1/{sensor}"
    return route_for(
        "ugv1", ROUTES, sensor=sensor, topic=topic, fault=fault, unrouted=["camera", "lidar"]
    )


@pytest.mark.parametrize("sensor", ["lidar", "scan", "/ugv1/scan"])
def test_a_route_is_found_by_its_name_and_by_its_topic(sensor):
    assert asked(sensor, "freeze").name == "lidar"


def test_the_only_route_that_takes_a_fault_need_not_be_named():
    assert asked(None, "bias").name == "imu"


@pytest.mark.parametrize(
    ("sensor", "fault", "said"),
    [
        (None, "deny", "ugv1 has several that take it (name one of gps_front, gps_rear)"),
        (None, "drain", "nothing of ugv1 takes the fault drain"),
        ("imu", "deny", "imu does not take the fault deny (it takes bias, dropout; deny goes with"),
        ("camera", "dropout", "camera does not pass through an injector of the bridge"),
        ("lidr", "dropout", "unknown sensor 'lidr' of ugv1 (nearest: lidar)"),
        ("/ugv2/scan", "dropout", "unknown sensor '/ugv2/scan' of ugv1"),
    ],
    ids=["ambiguous", "none", "unfit", "unrouted", "slip", "another_vehicle"],
)
def test_a_fault_that_no_route_carries_is_refused_with_what_would_do(sensor, fault, said):
    with pytest.raises(ScenarioError) as refused:
        asked(sensor, fault)
    assert said in str(refused.value)
