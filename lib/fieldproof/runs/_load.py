from typing import Any

from fieldproof.runs._directory import RunDirectory
from fieldproof.runs._errors import UnreadableRunError
from fieldproof.runs._files import read_versioned
from fieldproof.runs._record import merge_envelope

RUN = "run.json"
ENVELOPE = "envelope.json"


def load(run: RunDirectory) -> dict[str, Any]:
    """Return a run's record with its time and place.

    Raises:
        UnreadableRunError: run.json is missing, or a file does not hold what it should.
        NewerVersionError: A file was written by a newer Fieldproof.
    """
    record = read_versioned(run.path / RUN)
    if not (run.path / ENVELOPE).is_file():
        return record
    envelope = read_versioned(run.path / ENVELOPE)
    try:
        return merge_envelope(record, envelope)
    except (KeyError, TypeError, ValueError) as error:
        raise UnreadableRunError(
            run.path, f"{RUN} and {ENVELOPE} do not fit together: {error!r}"
        ) from error
