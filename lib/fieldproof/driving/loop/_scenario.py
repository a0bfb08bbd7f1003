"""One scenario: its episode in a closed loop, its verdict, its files."""

import hashlib
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from fieldproof.driving.agents import (
    AgentFault,
    AgentProcess,
    AgentReference,
    Limits,
    checked_action,
    working_folder,
)
from fieldproof.driving.judge import (
    AGENT_FAULT,
    FAILURE,
    FAULTS,
    SIMULATOR_FAULT,
    SUCCESS,
    AssertionMonitor,
    EpisodeMetrics,
    Reason,
    ending_event,
    reasons_of,
    summary,
)
from fieldproof.driving.loading import LoadedScenario
from fieldproof.driving.loop._files import write_file
from fieldproof.driving.loop._geojson import Ways
from fieldproof.driving.loop._recorder import Recorder, line_of
from fieldproof.driving.loop._timeline_events import timeline_events
from fieldproof.driving.simulators import (
    ClosedLoopSimulator,
    SimulatorFault,
    StepResult,
    open_simulator,
)


@dataclass(frozen=True, slots=True)
class Task:
    """What is needed to run one scenario, in this process or another.

    Attributes:
        scenario: which.
        agent: who drives.
        limits: what the agent may take.
        folder: the run's folder.
        host: the environment of whoever started the suite.
        mark: variables that mark the agent's process as belonging to the run.
    """

    scenario: LoadedScenario
    agent: AgentReference
    limits: Limits
    folder: Path
    host: Mapping[str, str]
    mark: Mapping[str, str]


class DrivingAgent(Protocol):
    """What a scenario asks of its agent; each may raise `AgentFault`."""

    log: bytearray
    about: dict[str, Any]

    def load(self) -> None:
        """Make the agent."""

    def reset(self, scenario: Mapping[str, Any]) -> None:
        """Tell it of the scenario that begins."""

    def act(self, observation: Mapping[str, Any]) -> Any:
        """Return its answer to an observation."""

    def close(self) -> None:
        """End it."""


def start_process(task: Task, folder: Path) -> DrivingAgent:
    """Start the agent of a task in a process of its own, with a folder to work in."""
    return AgentProcess(
        task.agent, limits=task.limits, folder=folder, host=task.host, mark=task.mark
    )


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """What came of a scenario.

    Attributes:
        entry: its entry of metrics.json.
        reasons: why it failed.
        files: SHA-256 of each file of the episode, by path in the run's folder.
        ways: some points of everybody's way by name, metres, for a sketch.
        about: `file` and `version` of the agent; empty if it was not loaded.
    """

    entry: dict[str, Any]
    reasons: tuple[Reason, ...]
    files: Mapping[str, str]
    ways: dict[str, list[tuple[float, float]]]
    about: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class _Episode:
    recorder: Recorder
    metrics: EpisodeMetrics
    assertions: AssertionMonitor
    ways: Ways
    fault: AgentFault | SimulatorFault | None = None
    log: bytes = b""
    about: Mapping[str, Any] = field(default_factory=dict)
    end: Mapping[str, Any] | None = None
    at: tuple[float, int | None] = field(default=(0.0, None))

    @classmethod
    def of(cls, scenario: LoadedScenario, initial: Mapping[str, Any]) -> "_Episode":
        return cls(
            Recorder(scenario.id),
            EpisodeMetrics(initial),
            AssertionMonitor(scenario.assertions, initial),
            Ways(initial),
        )

    def take(self, step: StepResult, action: Mapping[str, Any], clamped: tuple[str, ...]) -> None:
        frame = self.recorder.take(step, action, clamped)
        self.metrics.take(frame, step.observation.get("goal_distance"))
        self.assertions.take(frame)
        self.ways.take(frame)
        self.at = (step.t, frame["frame_index"])


def run_scenario(
    task: Task, *, start_agent: Callable[[Task, Path], DrivingAgent] = start_process
) -> ScenarioResult:
    """Run a scenario and leave its files in the run's folder.

    An agent or a simulator that does not do its part fails the scenario, each by its own name.

    Args:
        task: the scenario, and who drives.
        start_agent: starts the agent, given a folder that is there while it drives.

    Raises:
        OSError: A file cannot be written, or no process started.
    """
    scenario = task.scenario
    episode = _Episode.of(scenario, _unstarted(scenario))
    try:
        with closing(open_simulator(scenario)) as simulator:
            try:
                first = simulator.start()
                episode = _Episode.of(scenario, _initial(first))
                _drive(task, simulator, first, episode, start_agent)
            except SimulatorFault as fault:
                episode.fault = fault
    except SimulatorFault as fault:  # of opening or closing it
        episode.fault = episode.fault or fault
    return _judged(task, episode)


def scenario_info(scenario: LoadedScenario) -> dict[str, Any]:
    """Return what an agent is told of a scenario when it begins: nothing of what is asked of it."""
    data = scenario.to_data()
    environment = data["environment"]
    kept = ("id", "task_type", "duration_seconds", "timestep_seconds", "ego")
    about = {key: data[key] for key in kept}
    about |= {key: environment[key] for key in ("weather", "road_type", "speed_limit")}
    about["road_paths"] = environment["replay_scene"]["road_paths"]
    about["bounds"] = environment["replay_scene"]["bounds"]
    return about


_PATHS = (
    "episode_path",
    "steps_path",
    "replay_timeline_path",
    "replay_geojson_path",
    "replay_timeline_events_path",
)


def names_of(scenario_id: str) -> tuple[str, ...]:
    """Return the files of an episode relative to the run's folder, the agent's log at the end."""
    return (
        f"episodes/{scenario_id}.jsonl",
        f"episodes/{scenario_id}.steps.jsonl",
        f"replay/{scenario_id}.timeline.json",
        f"replay/{scenario_id}.geojson",
        f"replay/{scenario_id}.timeline_events.json",
        f"logs/{scenario_id}.agent.log",
    )


def _drive(
    task: Task,
    simulator: ClosedLoopSimulator,
    first: StepResult,
    episode: _Episode,
    start_agent: Callable[[Task, Path], DrivingAgent],
) -> None:
    """Let the agent drive until an event ends the episode, or the agent fails."""
    with working_folder() as work:
        agent = start_agent(task, work)
        try:
            _ask(agent, task.scenario, simulator, first, episode)
        except AgentFault as fault:
            episode.fault = fault
        finally:
            agent.close()
            episode.log, episode.about = bytes(agent.log), agent.about


def _ask(
    agent: DrivingAgent,
    scenario: LoadedScenario,
    simulator: ClosedLoopSimulator,
    first: StepResult,
    episode: _Episode,
) -> None:
    agent.load()
    agent.reset(scenario_info(scenario))
    step = first
    while episode.end is None:
        answer = agent.act(step.observation)
        action, clamped = checked_action(answer, scenario.task_type, joints=simulator.joints)
        step = simulator.step(action)
        episode.take(step, action, clamped)
        episode.end = ending_event(scenario, step.events)


def _judged(task: Task, episode: _Episode) -> ScenarioResult:
    """Judge an episode and write its files."""
    scenario, recorder = task.scenario, episode.recorder
    completed = episode.fault is None
    figures = episode.metrics.figures(completed=completed)
    assertions = episode.assertions.results(completed=completed)
    reasons = reasons_of(scenario, figures, recorder.events, assertions)
    code, fault = _fault_of(episode.fault)
    if code:
        reasons.insert(0, Reason(code, "critical", fault["text"], *episode.at))
    readable = timeline_events(
        scenario,
        recorder.events,
        first_t=scenario.file.timestep_seconds if recorder.count else None,
        hard_brakes=episode.metrics.hard_brakes,
        assertions=assertions,
        fault=(code, fault.get("text", "")),
        end=episode.at,
    )
    transform = scenario.file.environment.replay_scene.coordinate_transform
    *names, log = names_of(scenario.id)
    texts = (
        recorder.episode(),
        recorder.steps(),
        recorder.timeline(),
        line_of(episode.ways.geojson(scenario.id, transform)) + "\n",
        line_of(readable) + "\n",
    )
    files = {
        name: _written(task.folder, name, text) for name, text in zip(names, texts, strict=True)
    }
    if episode.log:
        write_file(task.folder, log, episode.log)
    faults = {one: fault if one == code else None for one in FAULTS}
    entry = _entry(
        scenario, episode, figures, assertions=assertions, reasons=reasons, faults=faults
    )
    return ScenarioResult(entry, tuple(reasons), files, episode.ways.sketch(), episode.about)


def _entry(
    scenario: LoadedScenario,
    episode: _Episode,
    figures: dict[str, Any],
    *,
    assertions: list[dict[str, Any]],
    reasons: list[Reason],
    faults: Mapping[str, dict[str, Any] | None],
) -> dict[str, Any]:
    end = "fault" if episode.end is None else str(episode.end["type"])
    return {
        "scenario_id": scenario.id,
        "name": scenario.file.name,
        "tags": list(scenario.tags),
        "task_type": scenario.task_type,
        "status": FAILURE if reasons else SUCCESS,
        "reasons": [one.to_data() for one in reasons],
        "ended_by": end,
        **faults,
        "metrics": figures,
        "assertion_summary": summary(assertions),
        "assertions": assertions,
        "events": episode.recorder.events,
        "frame_count": episode.recorder.count,
        **dict(zip(_PATHS, names_of(scenario.id), strict=False)),
        **scenario.file.environment.marketplace(),
    }


def _fault_of(fault: AgentFault | SimulatorFault | None) -> tuple[str, dict[str, Any]]:
    """Return whose fault it is that broke an episode off, empty for nobody's, and what of it."""
    if fault is None:
        return "", {}
    if isinstance(fault, SimulatorFault):
        return SIMULATOR_FAULT, {"text": f"The simulator failed: {fault}."}
    text = f"The agent failed: {fault.text}."
    return AGENT_FAULT, {"kind": fault.kind, "text": text, "trace": fault.trace}


def _written(folder: Path, name: str, text: str) -> str:
    data = text.encode()
    write_file(folder, name, data)
    return hashlib.sha256(data).hexdigest()


def _initial(first: StepResult) -> dict[str, Any]:
    state = {"ego": first.ego, "actors": first.actors}
    distance = first.observation.get("goal_distance")
    return state if distance is None else {**state, "goal_distance": distance}


def _unstarted(scenario: LoadedScenario) -> dict[str, Any]:
    """Return the state that the scenario asks for, where no simulator gives one."""
    data = scenario.to_data()
    actors = [
        {"id": one["id"], "type": one["type"], **_start(one["start"])} for one in data["actors"]
    ]
    return {"ego": _start(data["ego"]["start"]), "actors": actors}


def _start(start: Mapping[str, Any]) -> dict[str, Any]:
    return {**start, "z": start["z"] or 0.0}
