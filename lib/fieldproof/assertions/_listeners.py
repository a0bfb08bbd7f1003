from collections.abc import Iterable

from fieldproof.assertions._checker import Checker
from fieldproof.assertions._prepared import asked
from fieldproof.kpis import Collector
from fieldproof.samples import BySubject, Subject

Told = tuple[tuple[Checker, ...], tuple[Collector, ...]]
"""Who is told of a sample, in the scenario's order."""


class Listeners:
    """Knows who wants to be told of which samples.

    Args:
        checkers: Those of the assertions.
        collectors: The collectors.

    Raises:
        EvaluationError: One raises when it is asked for its subjects.
    """

    def __init__(self, checkers: Iterable[Checker], collectors: Iterable[Collector]) -> None:
        self._checkers = [(one, _wishes(one)) for one in checkers]
        self._collectors = [(one, _wishes(one)) for one in collectors]

    def drop(self, one: Checker | Collector) -> None:
        """Tell one of nothing any more."""
        self._checkers = [each for each in self._checkers if each[0] is not one]
        self._collectors = [each for each in self._collectors if each[0] is not one]

    def table(self) -> tuple[BySubject[Told], tuple[Checker, ...]]:
        """Return who is told by the subject of a sample, and who is told of every other one."""
        told: dict[Subject, tuple[list[Checker], list[Collector]]] = {}
        everybody = tuple(one for one, wishes in self._checkers if wishes is None)
        for checker, wishes in self._checkers:
            for subject in wishes or ():
                told.setdefault(subject, ([], []))[0].append(checker)
        for collector, wishes in self._collectors:
            for subject in wishes or ():
                told.setdefault(subject, ([], []))[1].append(collector)
        table = {
            subject: ((*checkers, *everybody), tuple(collectors))
            for subject, (checkers, collectors) in told.items()
        }
        return BySubject(table), everybody


def _wishes(one: Checker | Collector) -> tuple[Subject, ...] | None:
    """Return the subjects that one wants to be told of, each once; None for all there are."""
    subjects = asked(one, one.subjects)
    return None if subjects is None else tuple(dict.fromkeys(subjects))
