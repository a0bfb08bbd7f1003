from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

Reading = TypeVar("Reading")
Held: TypeAlias = Mapping[str, Mapping[str, Any]]
"""The parameters of everyone who holds a fault, by holder, in the order of their names."""


class Injector(Protocol[Reading]):
    """A fault that a route can carry, held by one or by several at a time.

    ``apply`` is a pure function: the same arguments give the same result, so that a lockstep run
    repeats. What is random is drawn anew for each time, from numbers that belong to the injector.
    """

    @property
    def name(self) -> str:
        """The word that the fault is set by."""

    def apply(
        self,
        reading: Reading,
        last: Reading | None,
        time_ns: int,
        held: Held,
        /,
    ) -> Reading | None:
        """What goes on in place of ``reading``.

        Args:
            reading: what arrives from the source or the injector before.
            last: what this injector let through last, whether it was active or not; None at first.
            time_ns: simulation time at which the reading passes.
            held: the parameters of everyone who holds the fault; how they combine is the fault's.

        Returns:
            The reading itself, another one (a frozen sensor returns ``last``, stamp included), or
            None to let nothing through.
        """


class StartedInjector(Injector[Reading], Protocol[Reading]):
    """A fault that depends on when, and from what, it began."""

    def started(
        self, parameters: Mapping[str, Any], held: Held, time_ns: int, /
    ) -> Mapping[str, Any]:
        """The parameters, with what it has to know of its beginning.

        Args:
            parameters: as they were set.
            held: what it acted with until now; empty when it did not act.
            time_ns: simulation time of the beginning.
        """


class Route(Generic[Reading]):
    """The chain of injectors between a source and a topic, or a topic and the drive.

    An injector acts only while somebody holds it; when nobody does the reading passes as it is.
    Each holder has parameters of its own and lifts nobody else's.

    Args:
        name: the route's name in the contract.
        injectors: in the order in which they act.
    """

    def __init__(self, name: str, injectors: Iterable[Injector[Reading]] = ()) -> None:
        self.name = name
        self._injectors = tuple(injectors)
        self._held: dict[str, dict[str, Mapping[str, Any]]] = {}
        self._last: dict[str, Reading] = {}
        self._reached: dict[str, Reading] = {}
        self._newest: Reading | None = None  # the last one that passed while nothing acted

    @property
    def active(self) -> Mapping[str, Held]:
        """What is held of each injector that acts now, by name, in the order they act in."""
        names = [each.name for each in self._injectors]
        return {name: self._held[name] for name in names if name in self._held}

    def set_fault(
        self,
        injector: str,
        parameters: Mapping[str, Any] | None,
        time_ns: int = 0,
        *,
        holder: str = "",
    ) -> None:
        """Hold an injector with these parameters from the next reading on; None lets go of it.

        Args:
            injector: its name.
            parameters: as the fault has them; they take the place of the holder's earlier ones.
            time_ns: simulation time at which it begins.
            holder: who holds it.

        Raises:
            LookupError: the route has no injector of that name; the message lists those it has.
        """
        known = {each.name: each for each in self._injectors}
        if injector not in known:
            has = ", ".join(known) or "none"
            raise LookupError(f"route {self.name} has no injector {injector} (has: {has})")
        held = self._held.get(injector, {})
        others = {name: each for name, each in held.items() if name != holder}
        if parameters is not None:
            self._remember()
            begun = getattr(known[injector], "started", None)
            if begun is not None:
                parameters = begun(parameters, held, time_ns)
            others[holder] = dict(parameters)
        # by name: in which order the holders came changes no sum in its last digit
        self._held[injector] = dict(sorted(others.items()))
        if not others:
            del self._held[injector]

    def pass_through(self, reading: Reading, time_ns: int) -> Reading | None:
        """Send one reading along the chain; None when an injector held it back."""
        if not self._held:
            self._newest = reading
            return reading
        return self._pass(reading, time_ns, self._injectors)

    def again_from(self, injector: str, time_ns: int) -> Reading | None:
        """Send what reached an injector last along the rest of the chain once more.

        For a route whose last reading stands until the next one comes, when a fault changes.

        Returns:
            What comes out; None when nothing has reached the injector yet.
        """
        self._remember()
        reading = self._reached.get(injector)
        if reading is None:
            return None
        names = [each.name for each in self._injectors]
        return self._pass(reading, time_ns, self._injectors[names.index(injector) :])

    def _remember(self) -> None:
        """Note that every injector has seen what passed while none acted."""
        if self._newest is not None:
            names = [each.name for each in self._injectors]
            self._last = dict.fromkeys(names, self._newest)
            self._reached = dict.fromkeys(names, self._newest)
            self._newest = None

    def _pass(
        self, reading: Reading, time_ns: int, injectors: Iterable[Injector[Reading]]
    ) -> Reading | None:
        for injector in injectors:
            self._reached[injector.name] = reading
            held = self._held.get(injector.name)
            if held is not None:
                last = self._last.get(injector.name)
                changed = injector.apply(reading, last, time_ns, held)
                if changed is None:
                    return None
                reading = changed
            self._last[injector.name] = reading
        return reading
