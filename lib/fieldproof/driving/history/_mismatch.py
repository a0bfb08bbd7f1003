"""Where a run and a baseline are not of the same thing, so that figures cannot be compared."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Mismatch:
    """What of a run is not what the baseline is of.

    Attributes:
        failures: a sentence each.
        scenarios: ids of the scenarios whose files differ.
        figures: names of the figures that are defined otherwise.
    """

    failures: tuple[str, ...] = ()
    scenarios: frozenset[str] = frozenset()
    figures: frozenset[str] = frozenset()


def mismatch_of(
    summary: Mapping[str, Any],
    metrics: Mapping[str, Any],
    earlier_summary: Mapping[str, Any],
    earlier_metrics: Mapping[str, Any],
) -> Mismatch:
    """Return where scenarios, data and definitions are not those of a baseline.

    Another agent is none: that is what is compared. Where a side has no hash, nothing is said.

    Args:
        summary: the run's summary.json, or its provenance alone under `provenance`.
        metrics: its metrics.json.
        earlier_summary: the baseline's summary.json.
        earlier_metrics: the baseline's metrics.json.
    """
    mine, theirs = summary.get("provenance", {}), earlier_summary.get("provenance", {})
    scenarios = _changed_scenarios(mine, metrics, theirs, earlier_metrics)
    figures = _redefined(metrics, earlier_metrics)
    failures = [
        f"scenario {name} is not what it was in the baseline, its file is another: it cannot be "
        f"compared; take the file as it was, or make the baseline anew"
        for name in sorted(scenarios)
    ]
    failures += _data_failures(mine, theirs)
    failures += _count_failures(metrics, earlier_metrics)
    failures += [
        f"{name} cannot be compared: it is defined otherwise than in the baseline ({texts})"
        for name, texts in sorted(figures.items())
    ]
    return Mismatch(tuple(failures), frozenset(scenarios), frozenset(figures))


def _changed_scenarios(
    mine: Mapping[str, Any],
    metrics: Mapping[str, Any],
    theirs: Mapping[str, Any],
    earlier: Mapping[str, Any],
) -> list[str]:
    """Return the scenarios of both whose file is not the baseline's.

    An older baseline does not say which file is whose: it must be one of them then.
    """
    known = set(theirs.get("scenario_file_hashes", {}).values())
    named = theirs.get("scenario_hashes", {})
    hashes = mine.get("scenario_hashes", {})
    return [
        name
        for name in set(metrics.get("scenarios", {})) & set(earlier.get("scenarios", {}))
        if name in hashes
        and hashes[name] not in ({named[name]} if name in named else known or {hashes[name]})
    ]


def _data_failures(mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> Iterator[str]:
    now, before = mine.get("dataset_hash"), theirs.get("dataset_hash")
    if now == before or now is None or before is None:
        return
    files, earlier = _files_of(mine), _files_of(theirs)
    named = [
        f"{name} is {'missing' if name not in files else 'new' if name not in earlier else 'other'}"
        for name in sorted({*files, *earlier})
        if files.get(name) != earlier.get(name)
    ]
    more = f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
    said = ", ".join(named[:_MOST_NAMED]) or f"{now} and not {before}"
    yield (
        f"the dataset is not that of the baseline: {said}{more}; its figures cannot be compared: "
        f"take the dataset as it was, or make the baseline anew"
    )


def _files_of(provenance: Mapping[str, Any]) -> dict[str, str]:
    """Return the hashes of a dataset's files by their names in it."""
    found = {}
    for key in ("dataset_sample_hashes", "dataset_annotation_hashes"):
        for path, sha256 in provenance.get(key, {}).items():
            name = path.removeprefix(f"{provenance.get('dataset_path', '')}".rstrip("/") + "/")
            found[name] = sha256
    metadata = provenance.get("dataset_metadata_hash")
    return found | ({"metadata.yaml": metadata} if metadata else {})


def _count_failures(metrics: Mapping[str, Any], earlier: Mapping[str, Any]) -> Iterator[str]:
    now = metrics.get("openloop", {}).get("sample_count")
    before = earlier.get("openloop", {}).get("sample_count")
    if now is not None and before is not None and now < before:
        yield f"sample_count is {now}, in the baseline {before}: samples were left out"


def _redefined(metrics: Mapping[str, Any], earlier: Mapping[str, Any]) -> dict[str, str]:
    mine, theirs = metrics.get("definitions", {}), earlier.get("definitions", {})
    return {
        name: f"now: {mine[name]}; then: {theirs[name]}"
        for name in mine
        if name in theirs and mine[name] != theirs[name]
    }
