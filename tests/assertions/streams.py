"""Builds evaluation plans and streams in lockstep time."""

import json
import math

from fieldproof.assertions import Evaluator, assertion_registry
from fieldproof.assertions import conformance as scenario
from fieldproof.kpis import kpi_types
from fieldproof.model import NS_PER_S, Pose, canonical_json, validated
from fieldproof.plan import PlanContext
from fieldproof.samples import Sample

ORIGIN_S = 3.5
ODOM = "/ugv1/odom"
TARGET = {"x": 0.0, "y": 0.0, "z": 0.0, "yaw": 0.0}
TYPES = assertion_registry([]).kinds
FACTS = scenario.facts(
    mode="sim",
    vehicles=("ugv1", "ugv2"),
    frames={"gate": Pose(4.0, 0.0, 0.0, 0.0)},
    actions=("drive", "back"),
    assertions=("first", "second", "third"),
)


def planned(kind, name, spec, *, model=None, topic=None, target=None, resolved=None):
    """One assertion as evaluation.json holds it; durations of the spec are in seconds."""
    return {
        "name": name,
        "type": kind,
        "on_fail": spec.get("on_fail", "continue"),
        "spec": {"name": name, "type": kind, **spec},
        "topic": topic,
        "model": model,
        "target": target,
        "resolved": resolved or {},
        "source": "assertions[0]",
    }


def reach_pose(name="it", target=TARGET, **spec):
    spec = {"vehicle": "ugv1", "target": {"x": 0.0, "y": 0.0}, **spec}
    return planned("reach_pose", name, spec, model="ugv1", target=target)


def within_time(max_s, name="it", label="drive", **spec):
    spec = {"action": label, "max_s": max_s, **spec}
    return planned("within_time", name, spec, resolved={"action": label})


def topic_rate(min_hz, name="it", **spec):
    spec = {"topic": "/scan", "min_hz": min_hz, **spec}
    return planned("topic_rate", name, spec, topic="/scan")


def no_collision(name="it", **spec):
    return planned("no_collision", name, {"vehicle": "ugv1", **spec}, resolved={"vehicle": "ugv1"})


def topic_value(condition, name="it", **spec):
    spec = {"topic": ODOM, "field": "v", "condition": condition, **spec}
    return planned("topic_value", name, spec, topic=ODOM)


def assertion(kind, name="it", **spec):
    """One assertion as the plan makes it of what a scenario writes."""
    return scenario.planned(type(TYPES[kind]), {"name": name, **spec}, FACTS)


def collector(kind, name="it", **spec):
    """One collector likewise."""
    found = kpi_types()[kind]
    model = validated(found.Spec, {"name": name, "type": kind, **spec})
    one = found.plan(model, PlanContext(FACTS, ("kpis", 0), model))
    return json.loads(canonical_json(one.to_data()))


def at(t):
    """The simulation time of a time on the timeline, without the noise of a sum."""
    return round((ORIGIN_S + t) * NS_PER_S) / NS_PER_S


def start():
    return Sample.of("timeline", event="start", sim=ORIGIN_S)


def end(t, status="completed"):
    return Sample.of("timeline", event="end", status=status, sim=at(t))


def pose(t, x, y=0.0, yaw=0.0, *, model="ugv1", z=0.0):
    rest = dict.fromkeys(("qx", "qy", "qz"), 0.0) | {"qw": 1.0}
    return Sample.of("pose", sim=at(t), model=model, x=x, y=y, z=z, yaw=yaw, **rest)


def put(t, x, y=0.0, **rest):
    """The first pose after a teleport."""
    one = pose(t, x, y, **rest)
    return Sample(one.kind, one.wall, one.sim, {**one.data, "teleported": True})


def gone(t, model="ugv1"):
    return Sample.of("gone", sim=at(t), model=model)


def action(t, event, status="running", label="drive"):
    return Sample.of("action", sim=at(t), label=label, event=event, status=status, action="go")


def rate(t, hz, window_s=5, topic="/scan"):
    messages = round(hz * window_s) if math.isfinite(hz) else 0
    return Sample.of("rate", sim=at(t), topic=topic, hz=hz, window_s=window_s, messages=messages)


def contact(t, one="ugv1::base_link::chassis", other="crate::link::box", vehicle="ugv1"):
    return Sample.of(
        "contact", sim=at(t), vehicle=vehicle, collision1=one, collision2=other, count=1
    )


def value(t, content, field="v", topic=ODOM):
    return Sample.of("value", sim=at(t), topic=topic, field=field, value=content)


def field_error(t, message="no field 'v'", field="v", topic=ODOM):
    return Sample.of("field_error", sim=at(t), topic=topic, field=field, message=message)


def clock(t, rtf=1.0):
    return Sample.of("clock", sim=at(t), rtf=rtf)


def latency(t, p95, count=100, window_s=2, topic=ODOM, **others):
    figures = dict.fromkeys(("mean_ms", "max_ms", "min_ms", "p95_ms"), p95 if count else None)
    figures |= others
    return Sample.of("latency", sim=at(t), topic=topic, count=count, window_s=window_s, **figures)


def no_stamp(t, message="std_msgs/msg/Bool has no header.stamp", topic=ODOM):
    return field_error(t, message, "header.stamp", topic)


def lifecycle(t, state, node="/ugv1/driver"):
    return Sample.of("lifecycle", sim=at(t), node=node, state=state)


def resource(t, cpu=50.0, memory=100.0, role="vehicle", vehicle="ugv1"):
    return Sample.of(
        "resource", sim=at(t), container=f"{vehicle}-{role}", role=role, vehicle=vehicle,
        cpu_pct=cpu, memory_mb=memory,
    )  # fmt: skip


def evaluator(*assertions, mode="lockstep", kpis=()):
    plan = {"schema_version": 1, "assertions": list(assertions), "kpis": list(kpis)}
    return Evaluator(plan, mode, types=TYPES)


def verdicts(assertions, samples, mode="lockstep"):
    """All results, in the scenario's order, of a stream from `start` on."""
    judge = evaluator(*assertions, mode=mode)
    for sample in samples:
        judge.feed(sample)
    return judge.results()


def verdict(assertion, samples, mode="lockstep"):
    (result,) = verdicts([assertion], [start(), *samples], mode=mode)
    return result


def measured(one, samples, mode="lockstep"):
    """The result of one collector."""
    judge = evaluator(mode=mode, kpis=[one])
    for sample in [start(), *samples]:
        judge.feed(sample)
    (result,) = judge.collectors()
    return result
