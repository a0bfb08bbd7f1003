"""Records of runs that ended in every way, for the tests of all renderers."""

from fieldproof.runs import Envelope, compose_invalid_record, compose_run_record

RUN_ID = "abababab-20260301T120000Z-00000001"

EXECUTION = {
    "schema_version": 1,
    "scenario": {"name": "ugv_nav_to_goal"},
    "world": {"name": "dock_yard"},
    "time": {"mode": "lockstep", "tick_ns": 50_000_000, "rtf": None, "seed": 7},
    "vehicles": [{"name": "ugv1", "namespace": "ugv1", "robot": "ugv_ref", "manifest": {}}],
    "timeline": [
        {"label": "drive_ahead", "action": "navigate_to", "vehicle": "ugv1", "params": {"x": 10.0}}
    ],
}
EVALUATION = {
    "assertions": [
        {
            "name": "reached_goal",
            "type": "reach_pose",
            "on_fail": "continue",
            "source": "assertions[0]",
        },
        {
            "name": "arrived_in_time",
            "type": "within_time",
            "on_fail": "continue",
            "source": "assertions[1]",
        },
        {"name": "clear", "type": "no_collision", "on_fail": "abort", "source": "assertions[2]"},
    ]
}
ENVELOPE = Envelope(
    run_id=RUN_ID,
    started_at="2026-03-01T12:00:00+00:00",
    ended_at="2026-03-01T12:00:03.500+00:00",
    host="bench",
    pid=42,
    engine_version="0.1.0",
    command=("fieldproof", "run", "scenarios/ugv_nav_to_goal.yaml"),
    scenario_path="scenarios/ugv_nav_to_goal.yaml",
    scenario_sha256="ab" * 32,
    phases={"start simulator": 0.25, "timeline": 2.125},
    timeline={"drive_ahead": 1772366401.25},
).to_data()
ARTEFACTS = [
    {"path": "recording/recording_0.mcap", "kind": "recording", "size": 1_536_000},
    {"path": "samples.jsonl", "kind": "evidence", "size": 812},
]
KPIS = [
    {
        "name": "drive",
        "type": "path",
        "status": "measured",
        "reason": "",
        "evidence": {},
        "metrics": {"path_m": 4.62},
    },
    {
        "name": "scan_age",
        "type": "latency",
        "status": "missing",
        "reason": "no window of 2 s over /ugv1/scan was measured",
        "evidence": {"windows": 0},
        "metrics": {"p95_ms": None},
    },
    {
        "kind": "kpis",
        "kpis": {
            "drive.path_m": {"value": 4.62, "unit": "m", "source": "kpi:path"},
            "reached_goal.closest_m": {
                "value": 0.123456789,
                "unit": "m",
                "source": "assertion:reach_pose",
            },
            "clear.contacts": {"value": 0, "unit": "", "source": "assertion:no_collision"},
        },
    },
]


def verdict(name, kind, status="passed", reason="as it should be", t_s=9.45, **evidence):
    return {
        "name": name,
        "type": kind,
        "status": status,
        "reason": reason,
        "t_s": t_s,
        "sim_s": None if t_s is None else t_s + 0.5,
        "evidence": evidence,
        "metrics": {},
    }


REACHED = verdict("reached_goal", "reach_pose", reason="0.48 m from the target", samples=95)
IN_TIME = verdict("arrived_in_time", "within_time", reason="drive_ahead took 9.4 s")
CLEAR = verdict("clear", "no_collision", reason="no contact", t_s=12.0)
LATE = verdict(
    "arrived_in_time",
    "within_time",
    "failed",
    "drive_ahead has not completed 1 s after its start",
    1.0,
    started_t_s=0.0,
    elapsed_s=1.0,
    excerpt=[
        {"t_s": 0.9, "sim_s": 1.4, "event": "running"},
        {"t_s": 1.0, "sim_s": 1.5, "event": "running"},
    ],
)
ENTRY = {
    "name": "drive_ahead",
    "action": "navigate_to",
    "vehicle": "ugv1",
    "at_s": 0.0,
    "trigger": {"at_s": 0.0},
    "occurrence": 1,
    "status": "ok",
    "detail": "goal SUCCEEDED",
    "params": {"x": 10.0},
    "t_s": 0.0,
    "sim_s": 0.5,
    "duration_s": 9.4,
}


def outcome(status="completed", reason="", **more):
    return {
        "status": status,
        "reason": reason,
        "phases": [
            {"name": "start simulator", "status": "ok"},
            {"name": "timeline", "status": "ok"},
        ],
        "sim_ns": 12_500_000_000,
        "origin_ns": 500_000_000,
        "determinism": "exact",
        "complete": True,
        "gaps": [],
        "topics": {
            "/ugv1/odom": {"messages": 625, "lost": 0},
            "/ugv1/scan": {"messages": 125, "lost": 0},
        },
    } | more


def compose(
    ended,
    *,
    timeline=(ENTRY,),
    assertions=(REACHED, IN_TIME, CLEAR),
    kpis=tuple(KPIS),
    envelope=None,
    artefacts=tuple(ARTEFACTS),
):
    return compose_run_record(
        EXECUTION, EVALUATION, ended, timeline, assertions, kpis, envelope, artefacts=artefacts
    )


NOTHING = {
    "phases": [{"name": "start bridges", "status": "failed"}],
    "sim_ns": 0,
    "origin_ns": None,
    "complete": False,
    "topics": {},
}

RECORDS = {
    "passed": compose(outcome()),
    "failed": compose(outcome(), assertions=(LATE, REACHED, CLEAR), envelope=ENVELOPE),
    "timeout": compose(
        outcome("timeout", "the timeline has not ended after 60 s"),
        timeline=({**ENTRY, "status": "timeout", "detail": "the scenario's budget ran out"},),
        assertions=(
            verdict("clear", "no_collision", "skipped", "the timeline did not complete", None),
        ),
        kpis=(),
        envelope=ENVELOPE,
    ),
    "error": compose(
        outcome(
            "error",
            "start bridges: bridge ugv1 died with code 1\n"
            "  last lines of bridge ugv1:\n    Traceback | most recent call last\n"
            "    ImportError: no `nav2_msgs`",
            **NOTHING,
        ),
        timeline=(),
        assertions=(),
        kpis=(),
        envelope=ENVELOPE,
        artefacts=(),
    ),
    "interrupted": compose(
        outcome("interrupted", "interrupted"),
        timeline=({**ENTRY, "status": "cancelled", "detail": "the run is ending"},),
        assertions=(REACHED,),
        kpis=(),
        envelope=ENVELOPE,
    ),
    "invalid": compose_invalid_record(
        "ugv_nav_to_goal",
        [
            "ugv.yaml:4:3: vehicles[0].manifest: unknown robot 'ugv_rf' (did you mean 'ugv_ref'?)",
            "ugv.yaml:12:7: assertions[0].within_s: must be positive (got -3)",
        ],
    ),
    "inconclusive": compose(
        outcome(
            complete=False,
            gaps=[{"topic": "/ugv1/scan", "lost": 2}, {"frames": "pose", "lost": 1}],
            topics={"/ugv1/scan": {"messages": 123, "lost": 2}},
        ),
    ),
    "recovered": compose(
        outcome(
            "error",
            "recovered: the engine was killed",
            complete=False,
            gaps=[{"what": "the run was not ended: the engine was killed"}],
        ),
        timeline=(),
        assertions=(REACHED,),
        kpis=(),
        envelope=ENVELOPE | {"ended_at": "", "recovered": "the engine was killed"},
    ),
}
