from typing import Literal

from fieldproof.model import (
    NS_PER_S,
    AssertionBase,
    Duration,
    KpiBase,
    Label,
    Name,
    Placement,
    PositiveDuration,
    TimelineBase,
    TopicName,
    ValueCondition,
    load_scenario,
)


class Drive(TimelineBase):
    vehicle: Name
    action: Literal["drive"]
    goal: Placement
    timeout_s: PositiveDuration = Duration(300 * NS_PER_S)


class Say(TimelineBase):
    action: Literal["say"]
    text: str
    value: bool | float | str | None = None


class Reach(AssertionBase):
    type: Literal["reach"]
    vehicle: Name
    target: Placement
    tolerance_m: float = 0.5


class Within(AssertionBase):
    type: Literal["within"]
    action: Label
    max_s: PositiveDuration


class Holds(AssertionBase):
    type: Literal["holds"]
    vehicle: Name | None = None
    topic: TopicName
    condition: ValueCondition
    mode: Literal["always", "eventually"] = "always"
    corner: tuple[float, float] | None = None


class Span(KpiBase):
    type: Literal["span"]
    start: Label | None = None
    end: Label | None = None


EVENTS = {"drive": Drive, "say": Say}
ASSERTIONS = {"reach": Reach, "within": Within, "holds": Holds}
KPIS = {"span": Span}

SCENARIO = """\
apiVersion: fieldproof.dev/v0alpha1
kind: Scenario
name: example
world: yard
time: { mode: lockstep, seed: 1 }
vehicles:
  - { name: ugv1, manifest: ugv_ref, spawn: { x: 1.0, y: 2.0 } }
timeline:
  - name: first
    vehicle: ugv1
    action: drive
    goal: { frame: gate }
  - name: second
    after: first
    at: 2s
    action: say
    text: hello
assertions:
  - name: arrives
    type: reach
    vehicle: ugv1
    target: { frame: gate }
  - name: soon
    type: within
    action: first
    max_s: 1m
kpis:
  - { name: mission, type: span, start: first }
outputs: { record: true, topics: [odom] }
budget: { timeout_s: 5m }
"""


def load(text=SCENARIO):
    return load_scenario(
        text, file="s.yaml", event_types=EVENTS, assertion_types=ASSERTIONS, kpi_types=KPIS
    )
