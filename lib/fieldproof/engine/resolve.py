import os
import pathlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fieldproof.assertions import assertion_types
from fieldproof.events import event_types
from fieldproof.kpis import kpi_types
from fieldproof.model import Overlay, Problem, Scenario, ScenarioError, scenario_schema
from fieldproof.plan import InjectorRoute, MessageField, Plan, Registries, build_plan
from fieldproof.recording import MessageTypes, RecordingError, share_folders
from fieldproof_bridge import planned_routes
from fieldproof_sim.sdf import SdfError, parse_world


@dataclass(frozen=True, slots=True)
class Resolved:
    """A scenario that can be run.

    Attributes:
        scenario: What the file says.
        plan: The two plans and the files that they name.
    """

    scenario: Scenario
    plan: Plan

    @property
    def execution(self) -> Mapping[str, Any]:
        """All that can change what happens: the content of `execution.json`."""
        return self.plan.execution

    @property
    def evaluation(self) -> Mapping[str, Any]:
        """All that is judged and measured: the content of `evaluation.json`."""
        return self.plan.evaluation


def registries() -> Registries:
    """Return the events, assertions and collectors that are installed, plugins included."""
    return Registries(events=event_types(), assertions=assertion_types(), kpis=kpi_types())


def resolve(
    scenario_file: pathlib.Path | str,
    worlds_dir: pathlib.Path,
    robots_dir: pathlib.Path,
    *,
    known: Registries | None = None,
    overlay: Overlay | None = None,
    file: str | None = None,
) -> Resolved:
    """Return a scenario with its plans; nothing is started and nothing written.

    Args:
        scenario_file: The scenario, or its text.
        worlds_dir: Where worlds are looked for.
        robots_dir: Where robots are looked for.
        known: What the scenario may use; what is installed when None.
        overlay: Values for what the scenario leaves open.
        file: What error positions name; the path when None. To be given with a text.

    Raises:
        ScenarioError: With everything that is wrong, in the order of the file; also when a file
            cannot be read.
    """
    try:
        scenario, plan = build_plan(
            scenario_file,
            worlds_dir=worlds_dir,
            robots_dir=robots_dir,
            registries=known or registries(),
            routes=routes_of,
            models=models_of,
            fields=_Messages().fields_of,
            overlay=overlay,
            file=file,
        )
    except OSError as error:
        where = str(error.filename or scenario_file)
        raise ScenarioError(Problem(error.strerror or str(error), file=where)) from error
    return Resolved(scenario, plan)


def routes_of(namespace: str, manifest: Mapping[str, Any]) -> list[InjectorRoute]:
    """Return the routes on which a vehicle's bridge can put faults."""
    return [
        InjectorRoute(route.name, route.topic, route.kind, route.faults)
        for route in planned_routes(namespace, manifest)
    ]


def models_of(sdf: pathlib.Path) -> frozenset[str] | None:
    """Return the names of a world's own models; None when its file is no world for the simulator.

    Raises:
        OSError: The file cannot be read.
    """
    try:
        return frozenset(model.name for model in parse_world(sdf).models)
    except SdfError:
        return None  # what is wrong with it is said where descriptions are checked


class _Messages:
    """What is known of the message types that are installed here, looked up when it is asked."""

    def __init__(self) -> None:
        self._types: MessageTypes | None = None
        self._known: dict[str, Mapping[str, MessageField] | None] = {}

    def fields_of(self, message_type: str) -> Mapping[str, MessageField] | None:
        """Return the fields of a message type; None for one that is not installed."""
        if self._types is None:
            self._types = MessageTypes(share_folders(os.environ, pathlib.Path(sys.prefix)))
        if message_type not in self._known:
            try:
                self._known[message_type] = self._types.fields(message_type)
            except RecordingError:
                self._known[message_type] = None
        return self._known[message_type]


def installed_schema() -> dict[str, Any]:
    """Return the JSON Schema of scenario files with what is installed, plugins included."""
    known = registries()
    return scenario_schema(known.entry_types(), known.assertion_specs(), known.kpi_specs())
