from collections.abc import Iterable, Mapping
from typing import Any

import fieldproof
from fieldproof.driving.agents import AgentReference
from fieldproof.driving.artefacts import SCHEMA_VERSION
from fieldproof.driving.loading import LoadedSuite
from fieldproof.driving.provenance._surroundings import Surroundings, python_version
from fieldproof.model import canonical_json


def suite_provenance(
    surroundings: Surroundings,
    agent: AgentReference,
    suite: LoadedSuite,
    *,
    agent_version: str | None,
    errors: Iterable[str] = (),
) -> dict[str, Any]:
    """Return the content of a closed-loop run's provenance.json."""
    names = {one.file.simulator_settings().name for one in suite.scenarios}
    common = _common(surroundings, agent, agent_version=agent_version, errors=errors)
    packs = marketplace_of(suite)
    return {
        **common,
        "suite_path": suite.path,
        "suite_file_hash": suite.sha256,
        "scenario_file_hashes": {one.path: one.sha256 for one in suite.scenarios},
        "scenario_hashes": {one.id: one.sha256 for one in suite.scenarios},
        "simulator_name": ", ".join(sorted(names)),
        **({"marketplace": packs} if packs else {}),
    }


def dataset_provenance(
    surroundings: Surroundings,
    agent: AgentReference,
    hashes: Mapping[str, Any],
    *,
    agent_version: str | None,
    errors: Iterable[str] = (),
) -> dict[str, Any]:
    """Return the content of an open-loop run's provenance.json.

    Args:
        surroundings: where it ran.
        agent: who predicted.
        hashes: `dataset_path`, `dataset_hash` and those of its parts.
        agent_version: as the agent says.
        errors: what else could not be found out.
    """
    return {**_common(surroundings, agent, agent_version=agent_version, errors=errors), **hashes}


def marketplace_of(suite: LoadedSuite) -> list[dict[str, Any]]:
    """Return where a suite's scenarios come from.

    Everything that is said of it, once for all scenarios that say the same, whose ids stand under
    `scenarios`; those that say nothing are left out.
    """
    found: dict[str, dict[str, Any]] = {}
    for scenario in suite.scenarios:
        about = scenario.file.environment.marketplace()
        if about:
            entry = found.setdefault(canonical_json(about), {**about, "scenarios": []})
            entry["scenarios"].append(scenario.id)
    return list(found.values())


def _common(
    surroundings: Surroundings,
    agent: AgentReference,
    *,
    agent_version: str | None,
    errors: Iterable[str],
) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA_VERSION,
        "git_commit_sha": surroundings.git_commit_sha,
        "git_branch": surroundings.git_branch,
        "dirty_working_tree": surroundings.dirty,
        "agent_path": agent.name,
        "agent_file_hash": agent.file_sha256,
        "agent_version": agent_version,
        "hash_algorithm": "sha256",
        "python_version": python_version(),
        "fieldproof_version": fieldproof.__version__,
        "roboci_version": fieldproof.__version__,
        "created_at": surroundings.created_at,
        "hostname": surroundings.hostname,
        "collection_errors": [*surroundings.errors, *errors],
    }
