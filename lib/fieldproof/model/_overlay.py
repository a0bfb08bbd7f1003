from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import Field

from fieldproof.model._durations import PositiveDuration
from fieldproof.model._names import TopicName
from fieldproof.model._settings import Mode
from fieldproof.model._strict import Strict

# Where each value of an overlay stands in a scenario.
_PLACES: Mapping[str, tuple[str, str]] = {
    "mode": ("time", "mode"),
    "tick_s": ("time", "tick_s"),
    "rtf": ("time", "rtf"),
    "seed": ("time", "seed"),
    "record": ("outputs", "record"),
    "topics": ("outputs", "topics"),
    "timeout_s": ("budget", "timeout_s"),
}
_MODE_OF = {"tick_s": "lockstep", "rtf": "sim"}
_DEFAULT_MODE = "sim"


class Overlay(Strict):
    """Values for what a scenario leaves open: from the command line, or from fieldproof.toml."""

    mode: Mode | None = Field(default=None, description="How time passes.")
    tick_s: PositiveDuration | None = Field(default=None, description="With lockstep: the tick.")
    rtf: Annotated[float, Field(gt=0, le=1000)] | None = Field(
        default=None, description="With sim: the target real-time factor."
    )
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] | None = Field(
        default=None, description="What all randomness of the run is drawn from."
    )
    record: bool | None = Field(default=None, description="Record topics as MCAP.")
    topics: list[TopicName] | None = Field(default=None, description="What is recorded.")
    timeout_s: PositiveDuration | None = Field(
        default=None, description="How long the timeline may last."
    )

    def over(self, other: "Overlay") -> "Overlay":
        """Return an overlay with the values of this one before those of another."""
        return Overlay.model_validate(
            self.given()
            | {key: value for key, value in other.given().items() if getattr(self, key) is None}
        )

    def filled(self, data: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Return a scenario's data with its gaps filled.

        Sections that are no mappings are left alone: they have a problem of their own.

        Args:
            data: The scenario as it was read.

        Returns:
            The data, and the names of the values that had no effect: those that the scenario sets
            itself, and those that do not go with its time mode.
        """
        filled = dict(data)
        unused = []
        for key, value in self.given().items():
            section, name = _PLACES[key]
            part = filled.get(section, {})
            if not isinstance(part, Mapping) or name in part or not self._fits(key, filled):
                unused.append(key)
            else:
                filled[section] = {**part, name: value}
        return filled, tuple(unused)

    def _fits(self, key: str, data: Mapping[str, Any]) -> bool:
        """Whether a value goes with the mode that the scenario comes to have."""
        wanted = _MODE_OF.get(key)
        time = data.get("time", {})
        mode = time.get("mode") if isinstance(time, Mapping) else None
        return wanted is None or wanted == (mode or _DEFAULT_MODE)

    def given(self) -> dict[str, Any]:
        """Return the given values as JSON data; the mode comes first, others depend on it."""
        return self.model_dump(mode="json", exclude_none=True)


class Folders(Strict):
    """Where a workspace keeps what runs are made of, and where runs go."""

    worlds: str | None = Field(default=None, description="Folder of worlds.")
    robots: str | None = Field(default=None, description="Folder of robots.")
    runs: str | None = Field(default=None, description="Folder of runs.")


class Workspace(Strict):
    """A workspace's fieldproof.toml: what its scenarios leave open, and its folders."""

    run: Overlay = Field(default_factory=Overlay)
    paths: Folders = Field(default_factory=Folders)


def overlay_words(names: tuple[str, ...]) -> Iterator[str]:
    """Yield where in a scenario each value of an overlay would stand: `time.seed`."""
    return (".".join(_PLACES[name]) for name in names)
