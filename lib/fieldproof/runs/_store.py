import difflib
import os
import shutil
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from fieldproof.runs._directory import MANIFEST, Claim, RunDirectory
from fieldproof.runs._errors import (
    NewerVersionError,
    RunError,
    RunsFolderError,
    UnknownRunError,
    UnreadableRunError,
    UnwritableRunError,
)
from fieldproof.runs._files import replace_link, write_bytes
from fieldproof.runs._identity import is_run_id, start_of
from fieldproof.runs._seal import EVIDENCE_FILES, Manifest, read_manifest, seal, verify

LATEST = "latest"
BY_DIGEST = "by-digest"
_PART = ".part"


class RunsFolder:
    """The folder that holds all runs of a workspace.

    `latest` points to the run that started last, `by-digest/<digest>` to a run with that evidence
    digest or that digest. Evidence files that are equal to the byte are stored once, by hard
    links: removing either run leaves the other whole.

    Attributes:
        path: the folder.
    """

    def __init__(self, path: Path) -> None:
        """Stand for a folder, which need not exist yet."""
        self.path = path

    def create(self, run_id: str) -> RunDirectory:
        """Make the folder of a new run, and the runs folder if needed; it becomes the latest.

        The folder appears already held by this process; `RunDirectory.claim` hands the hold out.

        Raises:
            ValueError: The id has not the form of one.
            RunsFolderError: The folder cannot be made or written to, or the run exists.
        """
        if not is_run_id(run_id):
            raise ValueError(f"{run_id!r} is not a run id")
        path, part = self.path / run_id, self.path / f".{run_id}{_PART}"
        if self.path.exists() and not self.path.is_dir():
            raise RunsFolderError(self.path, "it is not a folder")
        if path.exists():
            raise RunsFolderError(self.path, f"{run_id} exists already")
        try:
            part.mkdir(parents=True)
            claim = Claim(part)
            part.rename(path)
            replace_link(self.path / LATEST, run_id)
        except OSError as error:
            raise RunsFolderError(self.path, error.strerror or str(error)) from error
        return RunDirectory(path, claim=claim)

    def runs(self) -> tuple[RunDirectory, ...]:
        """Return all runs, sealed or not, the oldest first."""
        if not self.path.is_dir():
            return ()
        found = [
            each
            for each in self.path.iterdir()
            if is_run_id(each.name) and each.is_dir() and not each.is_symlink()
        ]
        found.sort(key=lambda each: (start_of(each.name), each.stat().st_ctime_ns, each.name))
        return tuple(RunDirectory(each) for each in found)

    def abandoned(self) -> tuple[RunDirectory, ...]:
        """Return the runs that were never sealed and that no process holds any more."""
        return tuple(run for run in self.runs() if not run.sealed and not run.claimed)

    def find(self, wanted: str) -> RunDirectory:
        """Return the run that a text means: a path, an id or the start of one, a digest, `latest`.

        A path is one that has a separator in it, or the bare name of a folder that holds a run,
        unless a run has that very name as its id or digest.

        Raises:
            UnknownRunError: None is meant, or several are; it names what comes closest.
        """
        as_path = Path(wanted)
        if os.sep in wanted:
            if as_path.is_dir():
                return RunDirectory(as_path.resolve())
            raise UnknownRunError(wanted, "there is no such folder")
        if wanted == LATEST:
            newest = self.runs()[-1:]
            if not newest:
                raise UnknownRunError(wanted, f"there is no run in {self.path}")
            return newest[0]
        link = self.path / BY_DIGEST / wanted
        if wanted and link.is_dir() and link.parent == self.path / BY_DIGEST:
            return RunDirectory(link.resolve())
        known = {run.run_id: run for run in self.runs()}
        meant = (
            [wanted]
            if wanted in known
            else [name for name in known if wanted and name.startswith(wanted)]
        )
        here = [] if wanted in known or not _holds_run(as_path) else [f".{os.sep}{wanted}"]
        if here and not meant:
            return RunDirectory(as_path.resolve())
        if len(meant) == 1 and not here:
            return known[meant[0]]
        if meant:
            reason = (
                "a folder has that name, and runs begin so" if here else "several runs begin so"
            )
            raise UnknownRunError(wanted, reason, [*here, *meant])
        reason = f"there is none of that name in {self.path}"
        if wanted and as_path.is_dir():
            raise UnknownRunError(wanted, f"{reason}, and the folder of that name holds no run")
        raise UnknownRunError(wanted, reason, difflib.get_close_matches(wanted, known, n=3))

    def enter(self, run: RunDirectory) -> None:
        """Enter a sealed run under its digests, and store evidence that another run has once.

        Raises:
            UnreadableRunError: The run is not sealed.
            OSError: A link cannot be made.
        """
        manifest = read_manifest(run)
        folder = self.path / BY_DIGEST
        folder.mkdir(exist_ok=True)
        twin = folder / manifest.evidence_digest
        if twin.is_dir() and twin.resolve() != run.path.resolve():
            _share(RunDirectory(twin.resolve()), run, manifest)
        else:
            replace_link(twin, _beside(run.run_id))
        replace_link(folder / manifest.digest, _beside(run.run_id))

    def remove(self, run: RunDirectory) -> None:
        """Remove a run for good; links to it go to another run that they fit, or away.

        Raises:
            RunBusyError: A process holds the run.
            OSError: A file cannot be removed.
        """
        with run.claim():
            # the manifest goes first: a removal that is cut leaves a run that is plainly not whole
            (run.path / MANIFEST).unlink(missing_ok=True)
            shutil.rmtree(run.path)
        self.repair_links()

    def repair_links(self) -> None:
        """Make `latest` and `by-digest` agree with the runs that are there.

        What a process that was killed while it made a run left of it goes as well.
        """
        for part in self.path.glob(f".*{_PART}"):
            if part.is_dir() and not RunDirectory(part).claimed:
                part.rmdir()
        runs = self.runs()
        latest = self.path / LATEST
        if runs:
            replace_link(latest, runs[-1].run_id)
        else:
            latest.unlink(missing_ok=True)
        folder = self.path / BY_DIGEST
        if folder.is_dir():
            _repair_digests(folder, _entries(runs))


def _holds_run(path: Path) -> bool:
    return path != Path() and any(
        (path / name).is_file() for name in (MANIFEST, "run.json", "outcome.json")
    )


def _entries(runs: Iterable[RunDirectory]) -> dict[str, str]:
    """Return the run that each digest stands for; of runs with equal evidence the oldest."""
    entries: dict[str, str] = {}
    for run in runs:
        if run.sealed:
            try:
                manifest = read_manifest(run)
            except (UnreadableRunError, NewerVersionError):
                continue  # its digests are not known; its files stay as they are
            entries.setdefault(manifest.evidence_digest, run.run_id)
            entries[manifest.digest] = run.run_id
    return entries


def _repair_digests(folder: Path, entries: Mapping[str, str]) -> None:
    for link in folder.iterdir():
        if link.name not in entries:
            link.unlink()
    for digest, run_id in entries.items():
        target, link = _beside(run_id), folder / digest
        if not link.is_symlink() or link.readlink() != Path(target):
            replace_link(link, target)


def rewrite_sealed(folder: RunsFolder, run: RunDirectory, texts: Mapping[str, str]) -> None:
    """Write derived files of a sealed run anew and seal it again; the evidence stays what it is.

    A run that lies outside the folder of runs is entered among those beside it, if there are any.

    Raises:
        RunError: The run is not as it was sealed: nothing is written, so that the new seal does
            not cover up what was changed. Or a file cannot be written: then the run is what it
            was, as far as it can be written to at all.
        OSError: A file cannot be read.
    """
    differences = verify(run)
    if differences:
        raise RunError(f"{run.run_id} is not as it was sealed: {differences[0]}")
    with run.claim():
        names = (*texts, MANIFEST)
        earlier = {name: _bytes_or_none(run.path / name) for name in names}
        try:
            (run.path / MANIFEST).unlink()
            for name, text in texts.items():
                run.write_text(name, text)
            seal(run)
        except (RunError, OSError) as error:
            with suppress(OSError):
                _put_back(run, earlier)
            if isinstance(error, RunError):
                raise
            path = Path(error.filename or run.path)
            raise UnwritableRunError(path, error.strerror or str(error)) from error
    home = folder
    if run.path.resolve().parent != folder.path.resolve():
        home = RunsFolder(run.path.parent)
        if not (home.path / BY_DIGEST).is_dir():
            return
    home.enter(run)
    home.repair_links()


def _bytes_or_none(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _put_back(run: RunDirectory, earlier: Mapping[str, bytes | None]) -> None:
    """Give files the content that they had; the last is the seal."""
    for name, data in earlier.items():
        path = run.path / name
        if data is None:
            path.unlink(missing_ok=True)
        elif _bytes_or_none(path) != data:
            write_bytes(path, data)


def _beside(run_id: str) -> str:
    """Return a link's target for a run, as seen from the by-digest folder."""
    return f"{os.pardir}/{run_id}"


def _share(twin: RunDirectory, run: RunDirectory, manifest: Manifest) -> None:
    try:
        stored = {path: sha256 for path, _, sha256 in read_manifest(twin).files}
    except (UnreadableRunError, NewerVersionError):
        return
    mine = {path: sha256 for path, _, sha256 in manifest.files}
    for name in EVIDENCE_FILES:
        if name in mine and mine[name] == stored.get(name):
            _link_file(twin.path / name, run.path / name)


def _link_file(stored: Path, mine: Path) -> None:
    if not stored.is_file() or stored.samefile(mine):
        return
    part = mine.with_name(f".{mine.name}.part")
    part.unlink(missing_ok=True)
    os.link(stored, part)
    part.replace(mine)
