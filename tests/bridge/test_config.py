import pytest

from fieldproof_bridge import BridgeConfig, ConfigError, Manifest


@pytest.mark.parametrize("namespace", ["ugv1", "/ugv1", "/ugv1/"])
def test_a_relative_topic_becomes_absolute_under_the_namespace(config_data, namespace):
    config = BridgeConfig.parse(config_data | {"namespace": namespace})
    assert config.absolute("imu/data") == "/ugv1/imu/data"
    assert config.absolute("/clock") == "/clock"


def test_an_empty_namespace_is_the_root(config_data):
    assert BridgeConfig.parse(config_data | {"namespace": ""}).absolute("scan") == "/scan"


def test_every_problem_of_a_configuration_is_reported_with_its_path(config_data):
    del config_data["urdf"]
    with pytest.raises(ConfigError) as caught:
        BridgeConfig.parse(config_data | {"tick_ns": 0, "sim": {"control": "x"}, "mode": "fast"})
    paths = {problem.split(":")[0] for problem in caught.value.problems}
    assert paths == {"urdf", "tick_ns", "sim.publish", "mode"}


def test_a_configuration_that_is_no_json_names_line_and_column(tmp_path):
    path = tmp_path / "bridge.json"
    path.write_text('{"vehicle": \n "ugv1",,}', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"bridge\.json:2:9: "):
        BridgeConfig.read(path)


def test_a_manifest_names_the_sensor_whose_value_is_wrong(manifest_data):
    manifest_data["sensors"][1]["qos"]["depth"] = 0
    del manifest_data["drive"]["command"]["topic"]
    with pytest.raises(ConfigError) as caught:
        Manifest.parse(manifest_data)
    paths = {problem.split(":")[0] for problem in caught.value.problems}
    assert paths == {"manifest.sensors[1].qos.depth", "manifest.drive.command.topic"}
