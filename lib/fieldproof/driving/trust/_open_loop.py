"""What of an open-loop run does not follow from its samples."""

from pathlib import Path

from fieldproof.driving.artefacts import ArtefactError
from fieldproof.driving.report import render_openloop
from fieldproof.driving.trust._files import (
    Documents,
    Problems,
    differing,
    hash_problems,
    lines_of,
    record_problems,
    report_problems,
)

_VERDICTS = {"pass": "passed", "fail": "failed", "incomplete": "inconclusive"}


def open_loop_problems(folder: Path, documents: Documents) -> Problems:
    """Return what of a run is not as it should be, file by file; none if all agrees.

    The figures themselves need the dataset, which a run does not hold: they are compared with each
    other only.
    """
    short, metrics = documents["summary.json"], documents["metrics.json"]
    regression = documents["regression.json"]
    try:
        problems = hash_problems(folder, documents["outcome.json"]["files"], ())
        if problems:
            return problems
        lines = list(lines_of(folder / "openloop" / "per_sample_metrics.jsonl"))
        predicted = list(lines_of(folder / "openloop" / "predictions.jsonl"))
        missing = sum(one["status"] == "missing" for one in lines)
        counts = {"sample_count": len(lines), "missing_samples": missing}
        found = {key: metrics["openloop"][key] for key in counts}
        problems += differing("metrics.json", found, counts, "the samples give", "openloop")
        problems += differing(
            "summary.json", short["openloop"], metrics["openloop"], "metrics.json says", "openloop"
        )
        status = "incomplete" if missing else regression["status"]
        reason = "; ".join(regression["failures"]) or f"{len(lines)} samples predicted"
        wanted = {"status": status, "reason": reason, "provenance": documents["provenance.json"]}
        shown = {key: short[key] for key in wanted}
        problems += differing("summary.json", shown, wanted, "the figures give")
        if not missing and regression["failures"] and regression["baseline"] is None:
            problems.append("regression.json: has failures, and nothing is missing")
        verdict = {"status": _VERDICTS[status], "reason": reason}
        told = {key: documents["verdict.json"][key] for key in verdict}
        problems += differing("verdict.json", told, verdict, "the figures give")
        problems += record_problems(folder, documents)
        lost = [
            {"sample_id": one["sample_id"], "fault": one["fault"]}
            for one in predicted
            if one["fault"] is not None
        ]
        problems += report_problems(folder, render_openloop(short, metrics, lost))
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise ArtefactError(f"{folder}: a file does not hold what it should: {error!r}") from None
    return problems
