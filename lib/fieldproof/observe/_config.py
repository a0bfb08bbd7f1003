"""What the observer is told when it starts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fieldproof.observe._watching import TRANSITIONS


@dataclass(frozen=True, slots=True)
class ObserverConfig:
    """The observer's whole configuration, as the engine writes it.

    Attributes:
        control: ZeroMQ address to serve requests on.
        sim_control: the simulator's control address.
        sim_publish: the simulator's frame address.
        mode: `lockstep`, `sim` or `realtime`.
        target_rtf: the real-time factor aimed at; None in lockstep, and where it is not known.
        vehicles: names of the vehicles, which are the names of their models in the world.
        observe: the plan's observation part (models, contacts, rates, values, latencies,
            lifecycles).
        record: whether and which topics to record (`enabled`, `topics`; empty means all visible).
        gates: topics that the readiness gates wait for.
        handshake: topics on which nodes acknowledge ticks; to subscribe to them changes what the
            nodes do, and they say nothing about the vehicle.
        recording: folder of the recording, None where nothing is recorded.
    """

    control: str
    sim_control: str
    sim_publish: str
    mode: str
    target_rtf: float | None
    vehicles: tuple[str, ...]
    observe: Mapping[str, Any]
    record: Mapping[str, Any]
    gates: tuple[str, ...]
    handshake: tuple[str, ...]
    recording: Path | None

    @property
    def lockstep(self) -> bool:
        """Whether the engine releases the ticks."""
        return self.mode == "lockstep"

    @classmethod
    def read(cls, path: Path) -> ObserverConfig:
        """Parse the file that the engine wrote."""
        data = json.loads(path.read_text())
        return cls(
            control=data["control"],
            sim_control=data["sim"]["control"],
            sim_publish=data["sim"]["publish"],
            mode=data["mode"],
            target_rtf=data.get("target_rtf"),
            vehicles=tuple(data["vehicles"]),
            observe=data["observe"],
            record=data["record"],
            gates=tuple(data["gates"]),
            handshake=tuple(data["handshake"]),
            recording=Path(data["recording"]) if data["recording"] else None,
        )

    def wants(self, topic: str) -> bool:
        """Whether a topic is to be subscribed to: watched, gated on, or recorded."""
        if self.lockstep and topic == "/clock":
            return True  # where it stands tells that nothing of the first tick is missing
        return topic in self.watched or topic in self.gates or self.records(topic)

    @property
    def watched(self) -> frozenset[str]:
        """Topics that an assertion or a condition reads."""
        kinds = ("rates", "values", "latencies")
        topics = {item["topic"] for kind in kinds for item in self.observe.get(kind, ())}
        if not self.lockstep:  # there, nodes are asked at every tick
            topics.update(node + TRANSITIONS for node in self.managed)
        return frozenset(topics)

    @property
    def managed(self) -> tuple[str, ...]:
        """The managed nodes whose state is watched."""
        return tuple(sorted({item["node"] for item in self.observe.get("lifecycles", ())}))

    def records(self, topic: str) -> bool:
        """Whether a topic belongs in the recording."""
        if not self.record["enabled"]:
            return False
        if self.record["topics"]:
            return topic in self.record["topics"]
        hidden = any(part.startswith("_") for part in topic.split("/"))
        # logs and parameter changes follow the wall clock of the processes, so that with them no
        # two lockstep recordings would be alike; they can still be asked for by name
        talk = topic in ("/rosout", "/parameter_events")
        if hidden or topic in self.handshake:
            return False
        return not (talk and self.lockstep)
