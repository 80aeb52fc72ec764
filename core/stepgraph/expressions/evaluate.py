"""From a parsed expression to nested closures: what runs at every step.

The commonest form, a top-level key against a constant, has closures of its own without any call inside.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any, Protocol, TypeAlias

from ..values.errors import EvaluationError
from ..values.json_values import (
    Json,
    contains,
    escaped,
    is_number,
    json_equal,
    orderable,
    type_name,
    with_kind,
)
from ..values.problems import did_you_mean, nearest
from .tree import (
    Compare,
    Constant,
    Group,
    IsNone,
    Not,
    Path,
    RunFact,
    Tree,
    Visits,
    quoted,
    quoted_piece,
    step_text,
    written_key,
)


class Facts(Protocol):
    """The part of the executor's routing context that conditions read."""

    @property
    def values(self) -> Mapping[str, Json]:
        """The state after the node, not copied: it is never changed, and no container of it is handed out."""

    @property
    def step(self) -> int:
        """The number of the step that is being routed."""

    @property
    def last_output(self) -> str:
        """What the node just run put out; made when it is read, so read it only when it is named."""

    def visit_count(self, node: str) -> int:
        """Count how often the node has been visited, this visit included."""


Test: TypeAlias = Callable[[Facts], bool]
Getter: TypeAlias = Callable[[Facts], Json]


_COMPARED = 1000  # names that a missing one is compared with: in a huge table that would take seconds

_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def compile_test(tree: Tree) -> Test:
    """Compile the function that answers the expression.

    It raises EvaluationError when a path is missing or values are unlike, keeps no value of the state
    and allocates nothing on the common paths.
    """
    match tree:
        case Compare():
            return _compare(tree)
        case IsNone():
            return _is_none(tree)
        case Not():
            part = compile_test(tree.part)
            return lambda context: not part(context)
        case Group():
            return _group(tree)
        case _:
            get = compile_value(tree)
            return lambda context: bool(get(context))


def compile_value(tree: Tree) -> Getter:
    """Compile the function that gives an operand's value, as it is in the state."""
    match tree:
        case Constant(value=value):
            return lambda context: value
        case Path():
            return getter(tree)
        case RunFact(name="last_output"):
            return lambda context: context.last_output
        case RunFact():
            return lambda context: context.step
        case Visits(node=node):
            return lambda context: context.visit_count(node)
        case _:
            return compile_test(tree)


def _group(tree: Group) -> Test:
    tests = tuple(map(compile_test, tree.parts))
    if len(tests) == 2:
        first, second = tests
        if tree.word == "and":
            return lambda context: first(context) and second(context)
        return lambda context: first(context) or second(context)
    stop = tree.word == "or"

    def walk(context: Facts) -> bool:
        for test in tests:
            if test(context) is stop:
                return stop
        return not stop

    return walk


def _is_none(tree: IsNone) -> Test:
    get, negated = compile_value(tree.operand), tree.negated
    if not isinstance(tree.operand, Path):
        return lambda context: (get(context) is None) is not negated

    def ask(context: Facts) -> bool:
        try:
            return (get(context) is None) is not negated
        except EvaluationError:
            return not negated

    if tree.operand.parts:
        return ask
    key = tree.operand.key
    return lambda context: (context.values.get(key) is None) is not negated


def _compare(tree: Compare) -> Test:
    if isinstance(tree.right, Constant):
        if isinstance(tree.left, Path) and not tree.left.parts:
            quick = _key_against_constant(tree, tree.left, tree.right.value)
            if quick is not None:
                return quick
        if tree.operator in ("in", "not in") and isinstance(tree.right.value, list):
            return _among(compile_value(tree.left), tree.right.value, tree.operator == "not in")
    left, right = compile_value(tree.left), compile_value(tree.right)
    if tree.operator in _ORDER:
        return _ordered(tree, left, right)
    if tree.operator in ("in", "not in"):
        return _contained(tree, left, right)
    if tree.operator == "==":
        return lambda context: json_equal(left(context), right(context))
    return lambda context: not json_equal(left(context), right(context))


def _ordered(tree: Compare, left: Getter, right: Getter) -> Test:
    compare = _ORDER[tree.operator]

    def test(context: Facts) -> bool:
        one, other = left(context), right(context)
        if orderable(one, other):
            return compare(one, other)
        raise _unordered(tree, one, other)

    return test


def _contained(tree: Compare, left: Getter, right: Getter) -> Test:
    negated = tree.operator == "not in"

    def test(context: Facts) -> bool:
        item, container = left(context), right(context)
        found = contains(container, item)
        if found is None:
            raise _unsearchable(tree, item, container)
        return found is not negated

    return test


def _among(get: Getter, members: list[Json], negated: bool) -> Test:
    """Test membership in a constant list: of texts, the usual case, by hash."""
    texts = frozenset(member for member in members if isinstance(member, str))
    others = [member for member in members if not isinstance(member, str)]

    def test(context: Facts) -> bool:
        value = get(context)
        if type(value) is str:
            return (value in texts) is not negated
        return any(json_equal(value, member) for member in others) is not negated

    return test


def _key_against_constant(tree: Compare, path: Path, value: Json) -> Test | None:
    if tree.operator in _ORDER:
        if is_number(value):
            return _number_order(tree, path, value)
        return None
    if tree.operator in ("==", "!=") and not isinstance(value, (list, dict)):
        return _scalar_equal(path, value, tree.operator == "!=")
    return None


def _number_order(tree: Compare, path: Path, limit: Any) -> Test:
    key, compare = path.key, _ORDER[tree.operator]

    def test(context: Facts) -> bool:
        try:
            value = context.values[key]
        except KeyError:
            raise missing(path, context.values) from None
        if type(value) is int or type(value) is float:
            return compare(value, limit)
        raise _unordered(tree, value, limit)

    return test


def _scalar_equal(path: Path, constant: Json, negated: bool) -> Test:
    key, kind = path.key, type(constant)
    number = is_number(constant)

    def same_kind(context: Facts) -> bool:
        try:
            value = context.values[key]
        except KeyError:
            raise missing(path, context.values) from None
        return (type(value) is kind and value == constant) is not negated

    def same_number(context: Facts) -> bool:
        try:
            value = context.values[key]
        except KeyError:
            raise missing(path, context.values) from None
        return (type(value) is not bool and value == constant) is not negated

    return same_number if number else same_kind


def getter(path: Path) -> Getter:
    """Compile a function that reads a path, and raises EvaluationError when it is missing."""
    key = path.key
    if not path.parts:

        def read_key(context: Facts) -> Json:
            try:
                return context.values[key]
            except KeyError:
                raise missing(path, context.values) from None

        return read_key
    parts = path.parts

    def read_parts(context: Facts) -> Json:
        value: Any = context.values
        try:
            value = value[key]
            for part in parts:
                if type(part) is int and type(value) is not list:
                    raise LookupError
                value = value[part]
        except (LookupError, TypeError):  # TypeError: a name asked of what is not a table
            raise missing(path, context.values) from None
        found: Json = value
        return found

    return read_parts


def missing(path: Path, values: Mapping[str, Json]) -> EvaluationError:
    """Build the error for a path that is missing, at the first part that is not there."""
    if path.key not in values:
        message = f"{quoted_piece(path.text)}: the state has no key {quoted(path.key)}"
        return EvaluationError(message, hint=_advice(path, path.key, values))
    value, there = values[path.key], written_key(path.key)
    for part in path.parts:
        if isinstance(value, dict) and part in value:
            value = value[str(part)]
        elif isinstance(value, list) and isinstance(part, int) and -len(value) <= part < len(value):
            value = value[part]
        else:
            break
        there += step_text(part)
    return _broken(path, there, value, part)


def _broken(path: Path, there: str, value: Json, part: str | int) -> EvaluationError:
    start = f"{quoted_piece(path.text)}: {quoted_piece(there)}"
    if isinstance(value, dict):
        hint = _advice(path, str(part), value)
        if isinstance(part, int) and str(part) in value:
            hint = f'the keys of a table are text: write ["{part}"]'
        return EvaluationError(f"{start} has no key {quoted(str(part))}", hint=hint)
    if isinstance(value, list) and isinstance(part, int):
        count = "1 item" if len(value) == 1 else f"{len(value)} items"
        return EvaluationError(f"{start} has {count}", hint=_ask_first(path))
    if isinstance(value, list):
        hint = f"name an item by its position, such as {quoted_piece(there)}[0]"
    else:
        hint = f"end the path at {quoted_piece(there)}, or fix what writes it"
    kind = type_name(value)
    kind = kind if kind in ("text", "null") else f"a {kind}"
    return EvaluationError(f"{start} is {kind}, so it has no {quoted_piece(step_text(part))}", hint=hint)


def _advice(path: Path, name: str, known: Iterable[str]) -> str:
    names = [escaped(key[:40]) for key in islice(known, _COMPARED)]
    close = nearest(name, names)
    if close is not None:
        return f"did you mean {close!r}?"
    listing = did_you_mean(name, names, listing="there is")
    return f"{listing}; {_ask_first(path)}" if listing else _ask_first(path)


def _ask_first(path: Path) -> str:
    return f"if it may be missing, write: {quoted_piece(path.text)} is not None and ..."


def _unordered(tree: Compare, one: Json, other: Json) -> EvaluationError:
    return EvaluationError(
        f"{quoted_piece(tree.text)}: {with_kind(one)} and {with_kind(other)} cannot be ordered",
        hint="only two numbers, or two texts, can be ordered",
    )


def _unsearchable(tree: Compare, item: Json, container: Json) -> EvaluationError:
    return EvaluationError(
        f"{quoted_piece(tree.text)}: {with_kind(item)} cannot be looked for in {with_kind(container)}",
        hint="'in' finds an item in a list, text in text, and a key in a table",
    )
