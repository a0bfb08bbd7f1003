from importlib.metadata import entry_points

import pytest
from fieldproof_example_events import Announce, AnnounceEvent

from fieldproof.events import ActionRecord, Refused, Worker, begin, event_registry
from fieldproof.model import ScenarioError, validated

ENTRY = {"action": "example.announce", "vehicle": "ugv1", "text": "hello"}
RESOLVED = {"topic": "/ugv1/announce", "type": "std_msgs/msg/String"}


class Context:
    """What the event needs of a run."""

    def __init__(self, refusal=None):
        self.published = []
        self.refusal = refusal

    def publish(self, topic, message_type, fields):
        if self.refusal:
            raise Refused(self.refusal)
        self.published.append((topic, message_type, fields))

    def background(self, call, *, name):
        return Worker(call, name=name)


def announced(context):
    record = ActionRecord("hello", "example.announce", "ugv1")
    running = begin(AnnounceEvent(), ENTRY, RESOLVED, context, record)
    while not running.poll():
        pass
    return record


def test_the_text_is_published_on_the_vehicles_topic():
    context = Context()
    record = announced(context)
    assert context.published == [("/ugv1/announce", "std_msgs/msg/String", {"data": "hello"})]
    assert (record.status, record.detail) == ("ok", "published 'hello' on /ugv1/announce")


def test_a_refusal_fails_the_entry_with_its_reason():
    record = announced(Context(refusal="nobody listens"))
    assert (record.status, record.detail) == ("failed", "nobody listens")


@pytest.mark.parametrize("missing", ["vehicle", "text"])
def test_an_entry_needs_a_vehicle_and_a_text(missing):
    with pytest.raises(ScenarioError, match=missing):
        validated(Announce, {key: value for key, value in ENTRY.items() if key != missing})


def test_the_installed_plugin_is_known_by_its_action_and_distribution():
    registry = event_registry(entry_points(group="fieldproof.events"))
    assert isinstance(registry.kinds["example.announce"], AnnounceEvent)
    assert registry.distributions["example.announce"] == "fieldproof-example-events"
    assert registry.problems == ()
