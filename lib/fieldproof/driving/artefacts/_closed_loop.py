"""The files of a closed-loop run as models: what is written, what is read, and their schemas."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from fieldproof.driving.files import Severity

Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Share = Annotated[float, Field(ge=0, le=1)]
Score = Annotated[float, Field(ge=0, le=100)]
Count = Annotated[int, Field(ge=0)]
Version = Annotated[str, Field(pattern=r"^[0-9]+\.[0-9]+$")]


class Artefact(BaseModel):
    """A part of a file that was written; keys that are not known are kept."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True, allow_inf_nan=False)


class AssertionSummary(Artefact):
    """How many assertions there are and how they ended."""

    total: Count
    passed: Count
    failed: Count
    blocking_failed: Count
    not_applicable: Count = 0


class AssertionEntry(Artefact):
    """One assertion's result."""

    name: str
    type: str
    severity: Severity
    status: Literal["pass", "fail", "not_applicable"]
    passed: bool | None = Field(description="None where it is not applicable.")
    actual: Any = Field(description="The worst figure of the episode, or how often it happened.")
    actual_timestamp: float | None = Field(
        default=None, description="Seconds at which `actual` was seen; None where that has none."
    )
    expected: str
    message: str
    timestamp: float | None = Field(description="Seconds at which it first failed.")
    frame_index: Count | None
    actor_id: str | None = Field(default=None, description="Of the actor with whom it failed.")


class Event(Artefact):
    """Something that began in a frame."""

    type: str
    timestamp: float = Field(description="Seconds since the start.")
    frame_index: Count
    actor_id: str | None = None
    actor_type: str | None = None
    distance: float | None = Field(default=None, description="Metres.")
    traffic_light_id: str | None = None
    reason: str | None = None


class EpisodeFigures(Artefact):
    """What one episode measured: counts, metres, seconds, metres a second."""

    collision_count: Count
    near_miss_count: Count
    offroad_count: Count
    red_light_violations: Count
    hard_brake_count: Count
    timeout: bool
    goal_reached: bool
    goal_reached_at_seconds: float | None
    goal_distance_m: float | None
    duration_seconds: float
    distance_m: float
    max_speed_mps: float
    mean_speed_mps: float
    min_actor_distance_m: float | None
    safety_score: Score


class AggregateFigures(Artefact):
    """What all episodes measured together."""

    total_scenarios: Count
    passed_scenarios: Count
    failed_scenarios: Count
    success_rate: Share
    collision_count: Count
    near_miss_count: Count
    offroad_count: Count
    red_light_violations: Count
    hard_brake_count: Count
    timeout: bool
    timeout_count: Count
    goal_reached_count: Count
    agent_fault_count: Count
    simulator_fault_count: Count = 0
    simulated_seconds: float
    distance_m: float
    max_speed_mps: float
    mean_speed_mps: float
    min_actor_distance_m: float | None
    safety_score: Score


class ReasonEntry(Artefact):
    """Why a scenario failed."""

    code: str
    severity: Severity
    text: str
    timestamp: float | None
    frame_index: Count | None


class FaultEntry(Artefact):
    """What an agent did not do."""

    kind: Literal["raised", "hung", "died", "memory", "nonsense", "load"]
    text: str
    trace: str


class SimulatorFaultEntry(Artefact):
    """What a simulator did not do."""

    text: str


class ScenarioEntry(Artefact):
    """One scenario of metrics.json."""

    scenario_id: str
    name: str
    tags: list[str]
    task_type: Literal["driving", "drone", "manipulator"]
    status: Literal["success", "failure"]
    reasons: list[ReasonEntry]
    ended_by: str
    agent_fault: FaultEntry | None
    simulator_fault: SimulatorFaultEntry | None = None
    metrics: EpisodeFigures
    assertion_summary: AssertionSummary
    assertions: list[AssertionEntry]
    events: list[Event]
    frame_count: Count
    episode_path: str
    steps_path: str
    replay_timeline_path: str
    replay_geojson_path: str
    replay_timeline_events_path: str


class Metrics(Artefact):
    """metrics.json of a closed-loop run."""

    schema_version: Version
    aggregate: AggregateFigures
    assertions: AssertionSummary
    scenarios: dict[str, ScenarioEntry]


class Provenance(Artefact):
    """provenance.json: what a run was made of, where and when."""

    schema_version: Version
    git_commit_sha: str | None
    git_branch: str | None
    dirty_working_tree: bool | None
    agent_path: str
    agent_file_hash: Sha256 | None
    agent_version: str | None
    hash_algorithm: Literal["sha256"]
    python_version: str
    fieldproof_version: str
    roboci_version: str = Field(description="The same as fieldproof_version, for older readers.")
    created_at: str | None
    hostname: str | None
    collection_errors: list[str]


class SuiteProvenance(Provenance):
    """provenance.json of a closed-loop run."""

    suite_path: str
    suite_file_hash: Sha256
    scenario_file_hashes: dict[str, Sha256]
    scenario_hashes: dict[str, Sha256] = Field(
        default_factory=dict, description="The same by the scenarios' ids."
    )
    simulator_name: str


class SummaryHead(Artefact):
    """What the summary of every run has."""

    schema_version: Version
    run_id: str | None
    status: Literal["pass", "fail", "incomplete"]
    reason: str


class Summary(SummaryHead):
    """summary.json of a closed-loop run."""

    suite_id: str
    total_scenarios: Count
    passed_scenarios: Count
    failed_scenarios: Count
    success_rate: Share
    collision_count: Count
    offroad_count: Count
    red_light_violations: Count
    hard_brake_count: Count
    safety_score: Score
    duration_seconds: float | None = Field(description="Wall clock; None in a hermetic run.")
    commit_sha: str | None
    branch: str | None
    agent_version: str | None
    assertions: AssertionSummary
    marketplace: list[dict[str, Any]] = Field(
        description="Where scenarios come from, with their ids under scenarios."
    )
    provenance: SuiteProvenance
