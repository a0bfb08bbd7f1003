"""Parameters that an operator sets, on real nodes."""

import pytest

pytest.importorskip("rclpy", reason="not proved without ROS: that parameters are set over services")

pytestmark = pytest.mark.ros


@pytest.fixture(scope="module")
def talker(node):
    return node("talker", parameters={"speed": 1.0, "steps": 3, "on": True, "name": "a"})


@pytest.fixture(scope="module")
def operator(observer, talker):
    process = observer("lockstep")

    def set_parameter(parameter, value, *, node="/ugv1/talker", wait_s=20.0):
        return process.call("param_set", node=node, parameter=parameter, value=value, wait_s=wait_s)

    set_parameter.observer = process
    return set_parameter


@pytest.mark.parametrize(
    ("parameter", "value"), [("speed", 2.5), ("steps", -7), ("on", False), ("name", "5")]
)
def test_a_value_of_the_parameters_type_is_taken_as_it_is(operator, talker, parameter, value):
    answer = operator(parameter, value)
    assert (answer["done"], answer["found"], answer["accepted"]) == (True, True, True)
    got = talker.tell("parameter", name=parameter)
    assert (type(got), got) == (type(value), value)


@pytest.mark.parametrize(
    ("parameter", "value", "why"),
    [
        pytest.param("speed", 250.0, "at most 100", id="a callback refuses it"),
        pytest.param("speed", 2, "type", id="an integer for a double"),
        pytest.param("steps", "3", "type", id="a text for an integer"),
        pytest.param("hue", 1, "undeclared", id="never declared"),
    ],
)
def test_a_refused_value_comes_back_with_the_nodes_reason(operator, parameter, value, why):
    answer = operator(parameter, value)
    assert (answer["done"], answer["accepted"]) == (True, False)
    assert why in answer["reason"]


def test_a_value_of_another_kind_is_a_bad_request(operator):
    reply = operator.observer.ask(
        "param_set", node="/ugv1/talker", parameter="speed", value=[1], wait_s=1.0
    )
    assert (reply["ok"], reply["code"]) == (False, "bad_request")


def test_a_node_that_is_not_there_is_given_up_before_its_answer_would_be(operator):
    answer = operator("speed", 1.0, node="/ugv1/nobody", wait_s=600.0)
    assert (answer["done"], answer["found"]) == (False, False)
    waits = operator.observer.tick(calls=[answer["id"]])["calls"][answer["id"]]
    assert (waits["done"], waits["found"]) == (False, False)


def test_an_asked_node_that_comes_later_is_still_asked(operator, node):
    answer = operator("speed", 4.0, node="/ugv1/late", wait_s=0.0)
    late = node("late", parameters={"speed": 1.0})
    identity, calls = answer["id"], {}
    while not calls.get(identity, answer)["done"]:
        calls = operator.observer.tick(calls=[identity])["calls"]
    assert calls[identity]["accepted"]
    assert late.tell("parameter", name="speed") == 4.0


def test_a_frozen_node_is_found_and_answers_when_it_is_thawed(operator, talker):
    assert operator("speed", 3.0)["accepted"]
    talker.freeze()
    answer = operator("speed", 5.0, wait_s=0.2)
    assert (answer["done"], answer["found"]) == (False, True)
    identity = answer["id"]
    assert not operator.observer.tick(calls=[identity])["calls"][identity]["done"]
    talker.thaw()
    calls = {identity: answer}
    while not calls[identity]["done"]:
        calls = operator.observer.tick(calls=[identity])["calls"]
    assert calls[identity]["accepted"]
    assert talker.tell("parameter", name="speed") == 5.0
