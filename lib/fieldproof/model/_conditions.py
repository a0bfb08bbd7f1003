"""The condition language: what may be written, and its compilation to closures.

A condition is parsed with `ast` and every node is translated by hand, so nothing but the listed
forms ever runs: there is no `eval`, no attribute access and no name besides those given. The work
that a condition can do is bounded: the text, its nesting, powers and the size of integers.
"""

import ast
import math
import operator
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import AfterValidator

from fieldproof.model._arithmetic import BINARY, COMPARISONS, FUNCTIONS, UNARY
from fieldproof.model._problems import fault, nearest, shown

CONSTANTS: Mapping[str, float] = {"pi": math.pi, "inf": math.inf, "nan": math.nan}
RESERVED = frozenset(CONSTANTS) | frozenset(FUNCTIONS) | {"and", "or", "not", "in", "is"}
_LONGEST = 1000
_DEEPEST = 32
_LONGEST_LITERAL = 200
_LONGEST_REASON = 200
_LARGEST = 10**18

_Values = Mapping[str, Any]
_Term = Callable[[_Values], Any]


class ConditionError(ValueError):
    """A text is no condition.

    Attributes:
        what: The fault.
        offset: Characters from the start of the text to the fault.
        hint: A way out; may be empty.
    """

    def __init__(self, what: str, offset: int, hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.offset = offset
        self.hint = hint


class ConditionEvaluationError(ValueError):
    """A condition has no answer for the values at hand, such as text compared with a number."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A compiled condition: call it with a value for every name it reads.

    Attributes:
        text: As written.
        names: The given names that the condition reads.
    """

    text: str
    names: frozenset[str]
    _term: _Term = field(repr=False, compare=False)

    def __call__(self, values: Mapping[str, Any]) -> bool:
        """Return whether the condition holds; NaN compares as in IEEE 754.

        Raises:
            ConditionEvaluationError: A value is missing or of a kind that the condition cannot
                take, or a calculation leaves its bounds.
        """
        try:
            return bool(self._term(values))
        except (ArithmeticError, TypeError, ValueError, LookupError, RecursionError) as error:
            reason = f"no value for {error}" if isinstance(error, KeyError) else str(error)
            if len(reason) > _LONGEST_REASON:  # some quote the value, which may be of any length
                reason = f"{reason[:_LONGEST_REASON]}…"
            raise ConditionEvaluationError(f"{self.text}: {reason}") from error


def compile_condition(text: str, names: Iterable[str] = ("value",)) -> Condition:
    """Return the condition that a text stands for.

    The grammar: numbers, text, lists, `True`, `False`, `None`; the given names and `pi`, `inf`,
    `nan`; comparisons with `in` and `is`; `+ - * / // % **` on numbers; `and`, `or`, `not`;
    `a if b else c`; indexing; and the functions abs, min, max, round, sqrt, len, float, int,
    isnan and isinf.

    Args:
        text: At most 1000 characters, nested at most 32 deep.
        names: What the condition may read.

    Raises:
        ConditionError: The text leaves that grammar or its bounds; says where.
    """
    known = frozenset(names)
    tree = _parsed(text)
    _check_depth(tree)
    translator = _Translator(text, known)
    term = translator.term(tree)
    return Condition(text, frozenset(translator.read), term)


def signal_name_fault(name: str) -> str:
    """Return why a signal cannot have this name, or an empty text when it can."""
    if not name.isidentifier() or not name.isascii():
        return "must be an identifier"
    if name in RESERVED or name in {"if", "else", "True", "False", "None"}:
        return f"{name} already means something in a condition"
    return "" if _is_name(name) else f"{name} is a word of the language"


def _is_name(name: str) -> bool:
    try:
        return isinstance(ast.parse(name, mode="eval").body, ast.Name)
    except SyntaxError:
        return False


def _parsed(text: str) -> ast.expr:
    if len(text) > _LONGEST:
        raise ConditionError(f"is longer than {_LONGEST} characters", 0)
    if not text.strip():
        raise ConditionError("is empty", 0)
    for offset, character in enumerate(text):
        if character == "\\" or (not character.isprintable() and character not in " \n"):
            raise ConditionError(f"cannot contain {shown(character)}", offset)
    leading = len(text) - len(text.lstrip())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text.strip().replace("\n", " "), mode="eval").body
    except SyntaxError as error:
        offset = leading + (error.offset - 1 if error.offset else len(text.strip()))
        reason = (error.msg or "").split(". ")[0]
        raise ConditionError(
            f"is no condition: {reason}", min(offset, len(text)), _syntax_hint(text)
        ) from error
    except (MemoryError, RecursionError, ValueError) as error:
        raise ConditionError("is no condition: nested too deeply", 0) from error


def _syntax_hint(text: str) -> str:
    if "&&" in text or "||" in text or "!" in text.replace("!=", ""):
        return "write and, or, not"
    bare = text
    for pair in ("==", "<=", ">=", "!="):
        bare = bare.replace(pair, "")
    return "compare with ==" if "=" in bare else ""


def _check_depth(tree: ast.expr) -> None:
    level: list[ast.AST] = [tree]
    for _ in range(_DEEPEST):
        level = [
            child
            for node in level
            for child in ast.iter_child_nodes(node)
            if isinstance(child, ast.expr)
        ]
        if not level:
            return
    raise ConditionError(f"is nested deeper than {_DEEPEST}", 0)


_REFUSED: Mapping[type[ast.expr], str] = {
    ast.Attribute: "attributes cannot be read",
    ast.Lambda: "functions cannot be defined",
    ast.ListComp: "comprehensions are not part of the language",
    ast.SetComp: "comprehensions are not part of the language",
    ast.DictComp: "comprehensions are not part of the language",
    ast.GeneratorExp: "comprehensions are not part of the language",
    ast.JoinedStr: "format strings are not part of the language",
    ast.NamedExpr: "values cannot be assigned",
    ast.Starred: "* cannot unpack",
    ast.Slice: "an index must be one value, not a range",
    ast.Dict: "mappings are not part of the language",
    ast.Set: "sets are not part of the language; write a list",
    ast.Await: "await is not part of the language",
    ast.Yield: "yield is not part of the language",
    ast.YieldFrom: "yield is not part of the language",
}


class _Translator:
    """Turns the nodes of one condition into closures and notes the names read."""

    def __init__(self, text: str, known: frozenset[str]) -> None:
        self._text = text
        self._stripped = text.strip()
        self._leading = len(text) - len(text.lstrip())
        self._known = known
        self.read: set[str] = set()

    def term(self, node: ast.expr) -> _Term:  # noqa: C901, PLR0911 - one case for each form
        match node:
            case ast.Constant(value=value):
                return self._constant(node, value)
            case ast.Name(id=name):
                return self._name(node, name)
            case ast.BoolOp(op=op, values=parts):
                terms = [self.term(part) for part in parts]
                return _all_of(terms) if isinstance(op, ast.And) else _any_of(terms)
            case ast.UnaryOp(op=op, operand=operand):
                return self._unary(node, op, self.term(operand))
            case ast.BinOp(left=left, op=op, right=right):
                return self._binary(node, left, op, right)
            case ast.Compare():
                return self._comparison(node)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return _choice(self.term(test), self.term(body), self.term(orelse))
            case ast.Subscript(value=owner, slice=index):
                return _indexed(self.term(owner), self.term(index))
            case ast.Call():
                return self._call(node)
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                terms = [self.term(part) for part in parts]
                return lambda values: [term(values) for term in terms]
        raise self._refused(node, _REFUSED.get(type(node), "this is not part of the language"))

    def _refused(self, node: ast.expr, what: str, hint: str = "") -> ConditionError:
        before = self._stripped.replace("\n", " ").encode()[: node.col_offset]
        return ConditionError(what, self._leading + len(before.decode()), hint)

    def _constant(self, node: ast.expr, value: object) -> _Term:
        if isinstance(value, str):
            if len(value) > _LONGEST_LITERAL:
                raise self._refused(node, f"a text is longer than {_LONGEST_LITERAL} characters")
        elif isinstance(value, int) and not isinstance(value, bool) and abs(value) > _LARGEST:
            raise self._refused(node, "a whole number is beyond 10**18")
        elif value is not None and not isinstance(value, bool | int | float):
            raise self._refused(node, "this is not part of the language")
        return lambda _values: value

    def _name(self, node: ast.expr, name: str) -> _Term:
        if name in self._known:
            self.read.add(name)
            return lambda values: values[name]
        if name in CONSTANTS:
            constant = CONSTANTS[name]
            return lambda _values: constant
        if name in FUNCTIONS:
            raise self._refused(node, f"{name} is a function", f"write {name}(…)")
        hint = nearest(name, [*self._known, *CONSTANTS, *FUNCTIONS])
        if not hint.startswith("nearest"):
            hint = nearest(name, self._known)
        if name.lower() in {"true", "false", "none", "null"}:
            hint = f"write {'None' if name.lower() == 'null' else name.capitalize()}"
        raise self._refused(node, f"unknown name {name}", hint)

    def _unary(self, node: ast.expr, op: ast.unaryop, operand: _Term) -> _Term:
        if isinstance(op, ast.Not):
            return lambda values: not operand(values)
        function = UNARY.get(type(op))
        if function is None:
            raise self._refused(node, "bits cannot be worked on")
        return lambda values: function(operand(values))

    def _binary(self, node: ast.expr, left: ast.expr, op: ast.operator, right: ast.expr) -> _Term:
        function = BINARY.get(type(op))
        if function is None:
            raise self._refused(node, "bits and matrices cannot be worked on", "write and, or")
        for side in (left, right):
            if isinstance(side, ast.Constant) and isinstance(side.value, str):
                raise self._refused(side, "text cannot be calculated with")
            if isinstance(side, ast.List | ast.Tuple):
                raise self._refused(side, "a list cannot be calculated with")
        first, second = self.term(left), self.term(right)
        return lambda values: function(first(values), second(values))

    def _comparison(self, node: ast.Compare) -> _Term:
        operands = [node.left, *node.comparators]
        for place, op in enumerate(node.ops):
            sides = operands[place : place + 2]
            if isinstance(op, ast.Is | ast.IsNot) and not any(map(_is_singleton, sides)):
                raise self._refused(
                    operands[place + 1], "is compares with None, True or False", "write =="
                )
        terms = [self.term(operand) for operand in operands]
        functions = [COMPARISONS[type(op)] for op in node.ops]
        if len(functions) == 1:
            return self._compared(functions[0], operands, terms)
        return _chain(terms, functions)

    def _compared(
        self, compare: Callable[[Any, Any], bool], operands: list[ast.expr], terms: list[_Term]
    ) -> _Term:
        """Return one comparison; that of a name with a constant, the usual one, is short."""
        first, second = terms
        left, right = operands
        if not isinstance(right, ast.Constant):
            return lambda values: compare(first(values), second(values))
        constant = right.value
        if isinstance(left, ast.Name) and left.id in self._known:
            name = left.id
            return lambda values: compare(values[name], constant)
        return lambda values: compare(first(values), constant)

    def _call(self, node: ast.Call) -> _Term:
        if not isinstance(node.func, ast.Name):
            raise self._refused(
                node.func, _REFUSED.get(type(node.func), "only the named functions can be called")
            )
        name = node.func.id
        function = FUNCTIONS.get(name)
        if function is None:
            raise self._refused(node.func, f"unknown function {name}", nearest(name, FUNCTIONS))
        if node.keywords:
            raise self._refused(node.keywords[0].value, f"{name} takes no named arguments")
        if not function.least <= len(node.args) <= function.most:
            takes = f"{function.least} to {function.most} arguments"
            if function.least == function.most:
                takes = "1 argument"
            raise self._refused(node, f"{name} takes {takes} (got {len(node.args)})")
        terms = [self.term(argument) for argument in node.args]
        call = function.call
        if len(terms) == 1:
            only = terms[0]
            return lambda values: call(only(values))
        return lambda values: call(*(term(values) for term in terms))


def _is_singleton(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, bool))


def _all_of(terms: list[_Term]) -> _Term:
    def term(values: _Values) -> Any:
        result: Any = True
        for part in terms:
            result = part(values)
            if not result:
                break
        return result

    return term


def _any_of(terms: list[_Term]) -> _Term:
    def term(values: _Values) -> Any:
        result: Any = False
        for part in terms:
            result = part(values)
            if result:
                break
        return result

    return term


def _choice(test: _Term, body: _Term, orelse: _Term) -> _Term:
    return lambda values: body(values) if test(values) else orelse(values)


def _indexed(owner: _Term, index: _Term) -> _Term:
    def term(values: _Values) -> Any:
        sequence, place = owner(values), index(values)
        if isinstance(sequence, Mapping):
            raise TypeError("a mapping cannot be indexed")
        return sequence[operator.index(place)]

    return term


def _chain(terms: list[_Term], functions: list[Callable[[Any, Any], bool]]) -> _Term:
    def term(values: _Values) -> bool:
        left = terms[0](values)
        for function, right_term in zip(functions, terms[1:], strict=True):
            right = right_term(values)
            if not function(left, right):
                return False
            left = right
        return True

    return term


def _value_condition(text: str) -> str:
    try:
        compile_condition(text)
    except ConditionError as error:
        raise fault(error.what, hint=error.hint, offset=error.offset) from error
    return text


ValueCondition = Annotated[str, AfterValidator(_value_condition)]
"""The text of a condition over `value`; compile it with `compile_condition`."""
