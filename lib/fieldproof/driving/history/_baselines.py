import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any

from fieldproof.driving.artefacts import (
    Artefact,
    ArtefactError,
    Baseline,
    Failures,
    Metrics,
    OpenLoopMetrics,
    SummaryHead,
    read_artefact,
    read_json_file,
)
from fieldproof.model import canonical_document, nearest
from fieldproof.runs import RunDirectory, Status

MARKER = "baseline.json"
_VERDICT = "verdict.json"
COPIED = (
    "summary.json",
    "metrics.json",
    "failures.json",
    "regression.json",
    "provenance.json",
    "config.yaml",
    "report.md",
)
_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,99}\Z", re.ASCII)


class BaselinesFolder:
    """The named baselines of a workspace, a folder each.

    Attributes:
        path: the folder.
    """

    def __init__(self, path: Path) -> None:
        """Stand for a folder, which need not exist yet."""
        self.path = path

    def create(
        self, name: str, run: RunDirectory, *, created_at: str, description: str, replace: bool
    ) -> Baseline:
        """Make a baseline of a run and return what its marker says.

        Args:
            name: of the baseline.
            run: a run of a suite or of a dataset; the folder itself, not a link to it.
            created_at: ISO 8601 in UTC.
            description: for people.
            replace: whether one of that name may go.

        Raises:
            ArtefactError: The name is no name or is taken, the run is no such run or was not
                complete, or a file cannot be written.
        """
        if not _NAME.match(name) or ".." in name:
            what = "use lower-case letters, digits, dots, hyphens and underscores"
            raise ArtefactError(f"{name!r} cannot name a baseline: {what}")
        source = run.path.resolve()
        summary = read_artefact(source / "summary.json", SummaryHead)
        _check_complete(source, summary)
        target = self.path / name
        if target.exists() and not replace:
            raise ArtefactError(f"the baseline {name} exists already; give --replace to replace it")
        marker = Baseline(
            name=name,
            source_run_id=summary.run_id or run.run_id,
            source_run_dir=str(source),
            created_at=created_at,
            description=description,
            path=target.as_posix(),
        )
        part = self.path / f".{name}.part"
        with _refusing(target):
            if part.exists():
                shutil.rmtree(part)
            part.mkdir(parents=True)
            for file in COPIED:
                if (source / file).is_file():
                    shutil.copyfile(source / file, part / file)
            data = marker.model_dump(mode="json")
            (part / MARKER).write_text(canonical_document(data), encoding="utf-8")
            if target.exists():
                shutil.rmtree(target)
            part.replace(target)
        return marker

    def list(self) -> list[Baseline]:
        """Return all baselines by name; folders without a marker are passed over.

        Raises:
            ArtefactError: A marker cannot be read.
        """
        if not self.path.is_dir():
            return []
        found = sorted(self.path.glob(f"*/{MARKER}"))
        return [read_artefact(path, Baseline) for path in found if path.parent.name[0] != "."]

    def find(self, name: str) -> "BaselineFolder":
        """Return a baseline by its name.

        Raises:
            ArtefactError: There is none of that name.
        """
        known = [one.name for one in self.list()]
        if name not in known:
            hint = nearest(name, known) or "make one with fieldproof baseline create"
            raise ArtefactError(f"unknown baseline {name!r} in {self.path} ({hint})")
        return BaselineFolder(self.path / name)


class BaselineFolder:
    """The files of one baseline.

    Attributes:
        path: the folder; its name is the baseline's.
    """

    def __init__(self, path: Path) -> None:
        """Stand for a baseline that exists."""
        self.path = path
        self._kept: dict[str, Any] = {}

    @property
    def name(self) -> str:
        """The baseline's name."""
        return self.path.name

    def remembered(self) -> "BaselineFolder":
        """Return the same as it is now, whatever becomes of its files.

        Raises:
            ArtefactError: One cannot be read.
        """
        one = BaselineFolder(self.path)
        one._kept = {
            "summary": self.summary(),
            "metrics": self.metrics(),
            "failures": self.failures(),
        }
        return one

    def summary(self) -> dict[str, Any]:
        """Return its summary.json.

        Raises:
            ArtefactError: It cannot be read.
        """
        if "summary" in self._kept:
            return deepcopy(self._kept["summary"])
        return read_artefact(self.path / "summary.json", SummaryHead).model_dump(mode="json")

    def metrics(self) -> dict[str, Any]:
        """Return its metrics.json.

        Raises:
            ArtefactError: It cannot be read.
        """
        if "metrics" in self._kept:
            return deepcopy(self._kept["metrics"])
        return read_metrics(self.path / "metrics.json")

    def failures(self) -> dict[str, Any] | None:
        """Return its failures.json, None where it has none.

        Raises:
            ArtefactError: It cannot be read.
        """
        if "failures" in self._kept:
            found: dict[str, Any] | None = deepcopy(self._kept["failures"])
            return found
        path = self.path / "failures.json"
        if not path.is_file():
            return None
        return read_artefact(path, Failures).model_dump(mode="json")

    def write_failures(self, failures: dict[str, Any]) -> None:
        """Write its failures.json anew, in one step.

        Raises:
            ArtefactError: It cannot be written; the one that it has stays.
        """
        with self.failures_after(failures):
            pass

    @contextmanager
    def failures_after(self, failures: dict[str, Any]) -> Iterator[None]:
        """Write a new failures.json beside its own, which it becomes when the block has ended well.

        Raises:
            ArtefactError: It cannot be written, which is known before the block mostly; the one
                that it has stays.
        """
        part = self.path / ".failures.json.part"
        path = self.path / "failures.json"
        with _refusing(path):
            part.write_text(canonical_document(failures), encoding="utf-8")
        try:
            yield
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        with _refusing(path):
            part.replace(path)


def _check_complete(source: Path, summary: SummaryHead) -> None:
    """Refuse a run that lacks something: whatever lacks more would be compared with it as equal.

    Raises:
        ArtefactError: It does.
    """
    ended: Any = summary.status
    if (source / _VERDICT).is_file():
        verdict = read_json_file(source / _VERDICT)
        ended = verdict.get("status") if isinstance(verdict, dict) else None
    if summary.status == "incomplete" or ended in {Status.ERROR, Status.INTERRUPTED}:
        raise ArtefactError(
            f"{source} cannot be a baseline, since something is missing in it: {summary.reason}; "
            f"take a run that went to its end"
        )


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ArtefactError(f"{path} cannot be written: {error.strerror or error}") from error


def read_metrics(path: Path) -> dict[str, Any]:
    """Return a metrics.json of either kind of run.

    Raises:
        ArtefactError: It cannot be read.
    """
    data = read_json_file(path)
    is_open_loop = isinstance(data, dict) and "openloop" in data
    model: type[Artefact] = OpenLoopMetrics if is_open_loop else Metrics
    return read_artefact(path, model).model_dump(mode="json")
