"""Runs: their identity, verdict, folder, seal and record."""

from fieldproof.runs._directory import MANIFEST, Claim, RunDirectory
from fieldproof.runs._errors import (
    NewerVersionError,
    RunBusyError,
    RunError,
    RunsFolderError,
    SealedRunError,
    UnknownRunError,
    UnreadableRunError,
    UnwritableRunError,
)
from fieldproof.runs._files import SCHEMA_VERSION, read_json, sha256_of, write_json
from fieldproof.runs._identity import is_run_id, make_run_id
from fieldproof.runs._load import ENVELOPE, RUN, load
from fieldproof.runs._record import (
    Envelope,
    compose_invalid_record,
    compose_run_record,
    list_artefacts,
    merge_envelope,
)
from fieldproof.runs._recover import mark_recovered
from fieldproof.runs._seal import (
    EVIDENCE_FILES,
    RECORDING,
    Difference,
    Manifest,
    evidence_digest,
    read_manifest,
    seal,
    verify,
    verify_files,
)
from fieldproof.runs._status import Status, Verdict, gap_text, verdict_of
from fieldproof.runs._store import BY_DIGEST, LATEST, RunsFolder, rewrite_sealed

__all__ = [
    "BY_DIGEST",
    "ENVELOPE",
    "EVIDENCE_FILES",
    "LATEST",
    "MANIFEST",
    "RECORDING",
    "RUN",
    "SCHEMA_VERSION",
    "Claim",
    "Difference",
    "Envelope",
    "Manifest",
    "NewerVersionError",
    "RunBusyError",
    "RunDirectory",
    "RunError",
    "RunsFolder",
    "RunsFolderError",
    "SealedRunError",
    "Status",
    "UnknownRunError",
    "UnreadableRunError",
    "UnwritableRunError",
    "Verdict",
    "compose_invalid_record",
    "compose_run_record",
    "evidence_digest",
    "gap_text",
    "is_run_id",
    "list_artefacts",
    "load",
    "make_run_id",
    "mark_recovered",
    "merge_envelope",
    "read_json",
    "read_manifest",
    "rewrite_sealed",
    "seal",
    "sha256_of",
    "verdict_of",
    "verify",
    "verify_files",
    "write_json",
]
