import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from fieldproof.driving.agents._fault import AgentError
from fieldproof.model import nearest

GROUP = "fieldproof.agents"


@dataclass(frozen=True, slots=True)
class AgentReference:
    """An agent that can be started.

    Attributes:
        name: as it was given.
        path: its file, absolute; None for a module.
        module: its module; None for a file.
        attribute: the class or function that makes it; None for the usual one.
        file_sha256: of its file; None for a module.
    """

    name: str
    path: Path | None
    module: str | None
    attribute: str | None
    file_sha256: str | None

    @property
    def read(self) -> tuple[Path, ...]:
        """Its file; none of a module."""
        return () if self.path is None else (self.path,)

    def is_as_found(self) -> bool:
        """Whether its file is what it was when it was found; of a module it is not known."""
        if self.path is None:
            return True
        try:
            return hashlib.sha256(self.path.read_bytes()).hexdigest() == self.file_sha256
        except OSError:
            return False

    def to_request(self) -> dict[str, Any]:
        """Return what the agent's process needs to load it."""
        return {
            "op": "load",
            "path": None if self.path is None else str(self.path),
            "module": self.module,
            "attribute": self.attribute,
        }


def find_agent(name: str, plugins: Iterable[EntryPoint] | None = None) -> AgentReference:
    """Return the agent that a text means.

    Args:
        name: `FILE.py`, `FILE.py:CLASS`, `MODULE:CLASS`, or the name of an entry point.
        plugins: entry points; those installed under `fieldproof.agents` when None.

    Raises:
        AgentError: There is no such file or entry point.
    """
    file, _, attribute = name.partition(":")
    if file.endswith(".py"):
        path = Path(file)
        if not path.is_file():
            raise AgentError(f"{file}: there is no such agent; give a Python file with an agent")
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        return AgentReference(name, path.resolve(), None, attribute or None, digest)
    if attribute:
        return AgentReference(name, None, file, attribute, None)
    points = entry_points(group=GROUP) if plugins is None else plugins
    known = {point.name: point for point in points}
    if name not in known:
        hint = nearest(name, known) or "give FILE.py, FILE.py:CLASS or MODULE:CLASS"
        raise AgentError(f"unknown agent {name!r} ({hint})")
    module, _, inner = known[name].value.partition(":")
    return AgentReference(name, None, module, inner or None, None)
