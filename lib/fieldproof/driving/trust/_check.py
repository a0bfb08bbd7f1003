"""A run before it is believed: its seal, or what its files say of each other."""

from fieldproof.driving.artefacts import ArtefactError, SummaryHead, read_artefact
from fieldproof.driving.trust._closed_loop import closed_loop_problems
from fieldproof.driving.trust._files import Problems, documents_of
from fieldproof.driving.trust._open_loop import open_loop_problems
from fieldproof.runs import ENVELOPE, RunDirectory, RunError, verify

UNSEALED = (
    "not sealed: its files agree with each other; whether all of them were changed together "
    "cannot be known"
)
"""What is to be said of a run without a seal that agrees with itself."""

_MOST_NAMED = 10


def check_run(run: RunDirectory) -> bool:
    """Refuse a run that is not as it was sealed, and return whether it has a seal at all.

    What `--out` and the build write has none. Then the episodes must have the hashes that
    `outcome.json` gives them, the figures must follow from the episodes, and status, reason and
    reports from the figures and gates. A live run without its seal is refused: it was never
    finished, or somebody took the seal away.

    Raises:
        RunError: It is refused; names the files.
        ArtefactError: A file of it cannot be read.
        OSError: A file cannot be read.
    """
    if not run.path.is_dir():
        raise ArtefactError(f"there is no folder {run.path}")
    if run.sealed:
        _refuse(run, "is not as it was sealed", list(map(str, verify(run))))
        return True
    head = read_artefact(run.path / "summary.json", SummaryHead)
    if head.run_id is not None or (run.path / ENVELOPE).exists():
        raise RunError(
            f"{run.path} is not sealed: the run was not finished, or its manifest.json was taken "
            f"away; run it again"
        )
    problems: Problems = []
    documents = documents_of(run.path, problems)
    if not problems:
        is_open_loop = "task" in documents["summary.json"]
        judge = open_loop_problems if is_open_loop else closed_loop_problems
        problems += judge(run.path, documents)
    _refuse(run, "has no seal, and its files do not agree", problems)
    return False


def _refuse(run: RunDirectory, what: str, problems: list[str]) -> None:
    if not problems:
        return
    shown = [f"  {one}" for one in problems[:_MOST_NAMED]]
    if len(problems) > _MOST_NAMED:
        shown.append(f"  and {len(problems) - _MOST_NAMED} more")
    raise RunError("\n".join([f"{run.path} {what}: nothing that it says counts", *shown]))
