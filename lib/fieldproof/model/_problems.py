import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pydantic_core import InitErrorDetails, PydanticCustomError, ValidationError

Path = tuple[str | int, ...]

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]*\Z")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
# ECMA-48: control sequences, strings such as a window's title, and the other escapes
_ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?"
    r"|\x1b[ -/]*[0-~]"
)
_SHOWN = 60
_LISTED = 8
_LONGEST_SENTENCE = 500


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with what a person wrote, and where it stands.

    Attributes:
        what: The fault, as the end of a sentence that starts with the path.
        path: Keys and indices from the root of the document to the value.
        hint: A way out, such as the nearest valid name; empty when there is none.
        file: The file as the user named it; empty until it is known.
        line: Counted from 1; 0 until it is known.
        column: Counted from 1, in characters; 0 until it is known.
    """

    what: str
    path: Path = ()
    hint: str = ""
    file: str = ""
    line: int = 0
    column: int = 0

    def placed(self, *, file: str, line: int, column: int) -> "Problem":
        """Return the same problem with its position filled in."""
        return replace(self, file=file, line=line, column=column)

    def under(self, prefix: Path) -> "Problem":
        """Return the same problem with its path seen from further up the document."""
        return replace(self, path=(*prefix, *self.path))

    def __str__(self) -> str:
        place = ""
        if self.file or self.line:
            place = f"{self.file}:{self.line}:{self.column}: " if self.line else f"{self.file}: "
        dotted = f"{path_text(self.path)}: " if self.path else ""
        hint = f" ({self.hint})" if self.hint else ""
        return printable(f"{place}{dotted}{self.what}{hint}")


class ScenarioError(Exception):
    """What a person wrote cannot be used; carries every problem found, not only the first.

    Event and assertion types raise it from their `plan` hook to refuse an entry:
    `ScenarioError("needs a radio link", path=("profile",))`. The path is relative to the entry;
    the caller completes path and position.
    """

    def __init__(
        self, problems: str | Problem | Iterable[Problem], *, path: Path = (), hint: str = ""
    ) -> None:
        if isinstance(problems, str):
            problems = (Problem(problems, path, hint),)
        elif isinstance(problems, Problem):
            problems = (problems,)
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(str(problem) for problem in self.problems)


def path_text(path: Path) -> str:
    """Return a path as people read it: `timeline[2].goal.x`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif _PLAIN_KEY.match(part):
            text += f".{part}" if text else part
        else:
            text += f"[{shown(part)}]"
    return text


def printable(text: str) -> str:
    """Return the text without a terminal's escape sequences, and what is not printable escaped.

    Control characters and lone surrogates become visible escapes.
    """
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", _ESCAPE.sub("", text))


def legible(text: str, *, most: int = _LONGEST_SENTENCE) -> str:
    """Return what a program said for a sentence: no escape sequences, not endlessly long.

    Args:
        text: May have several lines, which stay.
        most: Characters; of a longer text the beginning is kept, and its length is told.
    """
    plain = _ESCAPE.sub("", text)
    if len(plain) <= most:
        return plain
    return f"{plain[:most].rstrip()}… ({len(plain)} characters)"


def shown(value: object) -> str:
    """Return a short, printable form of a value for an error message."""
    if value is None or isinstance(value, bool):
        return {None: "nothing", True: "true", False: "false"}[value]
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list"
    text = printable(repr(value) if isinstance(value, str) else str(value))
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def counted(count: int, one: str) -> str:
    """Return how many there are of something: `1 window`, `2 windows`."""
    return f"{count} {one}{'' if count == 1 else 's'}"


def nearest(name: str, known: Iterable[str], *, cutoff: float = 0.6) -> str:
    """Return a hint that names the closest known names, or else the first few of them.

    Args:
        name: What was written.
        known: What could have been.
        cutoff: How alike names must be to be close, from 0 to 1 (`difflib`'s ratio).

    Returns:
        Text such as `nearest: spawn_dock`, `known: a, b` or `known: a, …, h and 3 more`; empty when
        nothing is known.
    """
    names = sorted(set(known))
    close = difflib.get_close_matches(name[:200], names, n=2, cutoff=cutoff)
    if close:
        return f"nearest: {', '.join(close)}"
    if not names:
        return ""
    rest = len(names) - _LISTED
    more = f" and {rest} more" if rest > 0 else ""
    return f"known: {', '.join(names[:_LISTED])}{more}"


def fault(what: str, *, hint: str = "", offset: int = 0, path: Path = ()) -> PydanticCustomError:
    """Return the error for a pydantic validator to raise when a value is refused.

    Args:
        what: The fault; it reaches the user as written.
        hint: A way out.
        offset: Characters from the start of the value to the fault, for one-line texts.
        path: From the value to the part of it that is meant; the part may be absent.
    """
    context = {"what": what, "hint": hint, "offset": offset, "tail": path}
    return PydanticCustomError("refused", "{what}", context)


def faults(title: str, found: Sequence[Problem]) -> ValidationError:
    """Return one pydantic error with many places, for a validator that looks at a whole model.

    Args:
        title: The model's name.
        found: The problems, with paths relative to the model; at least one.
    """
    details = [
        InitErrorDetails(
            type=fault(one.what, hint=one.hint, path=one.path), loc=one.path, input=None
        )
        for one in found
    ]
    return ValidationError.from_exception_data(title, details)
