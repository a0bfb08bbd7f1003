"""Calls of the hooks that types have, built-in ones and those of plugins."""

from typing import Any

from fieldproof.model import ScenarioError, TimelineBase, canonical_json
from fieldproof.plan._context import PlanContext
from fieldproof.plan._facts import Unchecked
from fieldproof.plan._planned import plain


def planned_by(kind: Any, context: PlanContext) -> Any:
    """Return what a type says that an entry stands for; of an event, as JSON data.

    None where a look-up of the context refused something without which the hook could not go on.

    Raises:
        ScenarioError: The type refuses the entry.
        Exception: Whatever the hook raises, or what it returned is no data.
    """
    try:
        planned = kind.plan(context.entry, context)
    except (Unchecked, ScenarioError):
        raise
    except Exception:  # a plugin may raise anything
        if not context.refused:
            raise
        return None
    if isinstance(context.entry, TimelineBase) and not context.refused:
        return _data(planned)
    return planned


def _data(resolved: object) -> dict[str, Any]:
    """Return what an event resolved as JSON data, poses included; raises when it is none."""
    data = plain(resolved)
    if not isinstance(data, dict):
        raise TypeError(f"plan returned {type(resolved).__name__}, not a mapping")
    canonical_json(data)
    return data
