"""Whatever stands in a file: it resolves, or a ScenarioError says why, with what is installed."""

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fieldproof.assertions import assertion_types
from fieldproof.engine.resolve import resolve
from fieldproof.events import event_types
from fieldproof.model import ScenarioError

ROOT = Path(__file__).parents[2]
SOUND = [yaml.safe_load(path.read_text()) for path in sorted((ROOT / "scenarios").glob("*.yaml"))]
WORDS = [
    *event_types(),
    *assertion_types(),
    *("ugv1", "scan", "value > 1", "1s", "-1h", "spawn_dock", "model://traffic_cone", "lockstep"),
    *("/", "..", "é", "\u2028", "a/b", "inf", "0x10", "null"),
]
KEYS = sorted({key for kind in event_types().values() for key in kind.Entry.model_fields})
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63) + 1, 2**63 - 1)
    | st.floats()
    | st.sampled_from(WORDS)
)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=10,
)
LIMITS = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def outcome(text):
    """What came of a text: its plans, or everything that is wrong with it."""
    try:
        return resolve(text, ROOT / "worlds", ROOT / "robots", file="s.yaml")
    except ScenarioError as error:
        refusal = error
    assert refusal.problems
    assert all(problem.file for problem in refusal.problems)
    return str(refusal)


@LIMITS
@given(st.text(max_size=200) | st.binary(max_size=200).map(lambda raw: raw.decode("latin-1")))
def test_any_text_is_read_or_refused(text):
    assert outcome(text)


@LIMITS
@given(ANYTHING)
def test_any_document_is_read_or_refused(value):
    assert outcome(yaml.safe_dump(value, allow_unicode=True))


@st.composite
def spoilt(draw):
    """A sound scenario with something put where something else was."""
    document = json.loads(json.dumps(draw(st.sampled_from(SOUND))))
    for _ in range(draw(st.integers(1, 3))):
        at = document
        while True:
            keys = list(at) if isinstance(at, dict) else range(len(at))
            if not keys:
                break
            key = draw(st.sampled_from(list(keys)))
            deeper = isinstance(at[key], dict | list) and at[key]
            if deeper and draw(st.booleans()):
                at = at[key]
                continue
            if draw(st.booleans()):
                at[key] = draw(ANYTHING)
            elif isinstance(at, dict):
                del at[key]
            break
    return document


@LIMITS
@given(spoilt())
def test_any_change_of_a_sound_scenario_is_read_or_refused(document):
    assert outcome(json.dumps(document, allow_nan=True))


@pytest.mark.parametrize(
    "entry",
    [
        {"action": action, **{key: value for key in kind.Entry.model_fields if key != "action"}}
        for action, kind in event_types().items()
        for value in (None, 0, "x", [], {}, [None], 1e308)
    ],
    ids=str,
)
def test_no_event_breaks_on_values_that_it_does_not_expect(entry):
    document = SOUND[0] | {"timeline": [entry]}
    assert isinstance(outcome(json.dumps(document)), str)
