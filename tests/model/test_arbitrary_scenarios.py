import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldproof.model import ScenarioError, read_yaml

from .kinds import SCENARIO, load

SOUND = read_yaml(SCENARIO, file="s.yaml").value
ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63) + 1, 2**63 - 1)
    | st.floats()
    | st.text(st.characters(min_codepoint=32, max_codepoint=0x2FF), max_size=8)
    | st.sampled_from(["drive", "reach", "first", "ugv1", "value > 1", "1s", "-1h", "gate", "a/b"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["name", "action", "type", "vehicle", "when", "metric", "x", "y", "frame", "at"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


def paths(value, path=()):
    yield path
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, item in items:
        yield from paths(item, (*path, key))


PATHS = list(paths(SOUND))


def replaced(document, path, value):
    if not path:
        return value
    document = copy.deepcopy(document)
    part = document
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    return document


def as_yaml(value):
    """JSON is YAML, but for the numbers that JSON lacks."""
    text = json.dumps(value)
    return text.replace("-Infinity", "-.inf").replace("Infinity", ".inf").replace("NaN", ".nan")


@given(st.sampled_from(PATHS), ANYTHING, st.sampled_from(PATHS), ANYTHING)
@settings(max_examples=400, deadline=None)
def test_a_scenario_with_anything_anywhere_is_read_or_refused_with_positions(
    one, first, two, second
):
    document = replaced(SOUND, one, first)
    if two in set(paths(document)):
        document = replaced(document, two, second)
    problems = ()
    try:
        load(as_yaml(document))
    except ScenarioError as error:
        problems = error.problems
        assert problems
    assert all(problem.file and problem.line >= 1 and problem.what for problem in problems)


@pytest.mark.parametrize("path", [p for p in PATHS if p], ids=lambda p: ".".join(map(str, p)))
def test_a_mapping_where_something_else_belongs_is_refused_at_its_place(path):
    document = replaced(SOUND, path, {"unexpected": [1]})
    with pytest.raises(ScenarioError) as caught:
        load(as_yaml(document))
    assert any(problem.path[: len(path)] == path for problem in caught.value.problems)
