"""What a run is told of names and modes when nothing of its place may stay in it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath

from fieldproof.driving.agents import AgentReference
from fieldproof.driving.artefacts import ArtefactError
from fieldproof.driving.loading import LoadedSuite

_FOLDER_MODE, _FILE_MODE = 0o755, 0o644


def placeless_suite(suite: LoadedSuite) -> LoadedSuite:
    """Return a suite that goes by its file's own name, and whose scenarios by what it calls them.

    Neither depends on the working directory or on how the suite was named.
    """
    scenarios = tuple(
        replace(one, path=str(PurePosixPath(written)))
        for one, written in zip(suite.scenarios, suite.file.scenarios, strict=True)
    )
    return replace(suite, path=Path(suite.path).resolve().name, scenarios=scenarios)


def placeless_agent(agent: AgentReference) -> AgentReference:
    """Return an agent that goes by its file's own name."""
    if agent.path is None:
        return agent
    attribute = f":{agent.attribute}" if agent.attribute else ""
    return replace(agent, name=f"{agent.path.name}{attribute}")


@contextmanager
def new_folder(folder: Path) -> Iterator[None]:
    """Make a folder for a run, and give all that is written into it the usual modes.

    Raises:
        ArtefactError: Something is there already, or it cannot be made.
    """
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise ArtefactError(
            f"{folder} exists already, and nothing is written over: name a folder that does not"
        ) from None
    except OSError as error:
        raise ArtefactError(
            f"{folder} cannot be made: {error.strerror or error}; name a folder whose parent can "
            f"be written to"
        ) from None
    try:
        yield
    finally:
        for path in (folder, *folder.rglob("*")):
            if not path.is_symlink():
                path.chmod(_FOLDER_MODE if path.is_dir() else _FILE_MODE)
