"""Rules of Amazon States Language as conditions of ours: comparisons of what plain paths lead to.

A rule becomes an expression that is false where what it reads is not there. What has no words among our
expressions, and all of JSONata, raises ``Untold``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from ...conditions import Condition
from ...expressions.tree import Compare, Constant, Group, IsNone, Not, Path, Tree, path_text
from ...formats.python import literal
from ...values.json_values import Json

JsonPath: TypeAlias = tuple[str, ...]

_PATH = re.compile(r"""\$(?:\.[^\s.\[\]()'"*@?$,:]+)+""")
_DEEPEST = 20
_COMPARED = {
    "Equals": "==",
    "LessThan": "<",
    "LessThanEquals": "<=",
    "GreaterThan": ">",
    "GreaterThanEquals": ">=",
}
_KINDS: dict[str, Callable[[Any], bool]] = {
    "String": lambda value: isinstance(value, str),
    "Numeric": lambda value: type(value) in (int, float) and math.isfinite(value),
    "Boolean": lambda value: isinstance(value, bool),
    "Timestamp": lambda value: isinstance(value, str),
}
_COMPARISON = re.compile(f"({'|'.join(_KINDS)})({'|'.join(sorted(_COMPARED, key=len, reverse=True))})(Path)?")
_TESTS = ("IsNull", "IsPresent", "IsNumeric", "IsString", "IsBoolean", "IsTimestamp", "StringMatches")


class Untold(ValueError):
    """What has no words among our expressions."""


def json_path(text: object) -> JsonPath | None:
    """Read a path of names, such as ``$.order.id``; None for the whole state, and for any other path."""
    if not isinstance(text, str) or not _PATH.fullmatch(text):
        return None
    return tuple(text.split(".")[1:])


def choice_rule(rule: Mapping[str, Any], depth: int = 0) -> str:
    """Read a rule of a Choice state as an expression.

    Raises:
        Untold: We have no words for it.
        TypeError: It is not a rule.
    """
    if depth > _DEEPEST:
        raise Untold("rules so deep inside of one another")
    if "Condition" in rule:
        raise Untold("JSONata")
    for word in ("And", "Or"):
        if word in rule:
            parts = [choice_rule(_rule(part), depth + 1) for part in _rules(rule[word])]
            return f" {word.lower()} ".join(f"({part})" for part in parts) if len(parts) > 1 else parts[0]
    if "Not" in rule:
        return f"not ({choice_rule(_rule(rule['Not']), depth + 1)})"
    names = [key for key in rule if _COMPARISON.fullmatch(key) or key in _TESTS]
    if len(names) != 1 or "Variable" not in rule:
        raise TypeError("it needs Variable and one comparison, such as StringEquals; or And, Or, Not")
    (name,) = names
    path = json_path(rule["Variable"])
    if path is None:
        raise Untold(f"Variable {rule['Variable']!r}")
    found = _COMPARISON.fullmatch(name)
    return _test(path, name, rule[name]) if found is None else _comparison(path, found, rule[name])


def _rules(value: Any) -> list[Any]:
    if not isinstance(value, list) or not value:
        raise TypeError("And and Or take a list of rules")
    return value


def _rule(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("a rule is a table")
    return value


def _comparison(path: JsonPath, found: re.Match[str], value: Any) -> str:
    kind, operator = found[1], _COMPARED[found[2]]
    if found[3]:
        other = json_path(value)
        if other is None:
            raise Untold(f"{found[0]} {value!r}")
        return if_there(f"{path_text(path)} {operator} {path_text(other)}", path, other)
    if not _KINDS[kind](value):
        raise TypeError(f"{found[0]} takes a {kind.lower()}, not {value!r}")
    return if_there(f"{path_text(path)} {operator} {_constant(value)}", path)


def _test(path: JsonPath, name: str, value: Any) -> str:
    spelled = path_text(path)
    if name == "StringMatches" and isinstance(value, str):
        inside = value.strip("*")
        if "*" not in value:
            return if_there(f"{spelled} == {_constant(value)}", path)
        if value == f"*{inside}*" and "*" not in inside and "\\" not in inside:
            return if_there(f"{_constant(inside)} in {spelled}", path)
    if name in ("IsNull", "IsPresent") and isinstance(value, bool):
        return f"{spelled} {'is' if value == (name == 'IsNull') else 'is not'} None"
    raise Untold(f"{name} {value!r}")


def if_there(text: str, *reads: JsonPath) -> str:
    """Guard an expression: false where one of the places that it reads has nothing."""
    return " and ".join((*(f"{path_text(path)} is not None" for path in dict.fromkeys(reads)), text))


def _constant(value: Any) -> str:
    """Write a text, a number or a boolean as expressions have it."""
    return literal(value) if isinstance(value, str) else repr(value)


_LONGEST = 20
"""How long a list gets for a position in it that is asked for."""


def sample_state(conditions: Iterable[Condition]) -> dict[str, Json]:
    """Invent a state in which each condition can be evaluated, the first one for a key mostly true."""
    state: dict[str, Any] = {}
    for condition in conditions:
        for path, value in _example_values(condition.tree) if condition.tree is not None else ():
            _set_at(state, (path.key, *path.parts), value)
    return state


def _example_values(tree: Tree) -> Iterator[tuple[Path, Json]]:
    """Find the paths of a condition, each with a value that it can be compared with there."""
    if isinstance(tree, Path):
        yield tree, True
    elif isinstance(tree, Not):
        yield from _example_values(tree.part)
    elif isinstance(tree, Group):
        # What is there at all is asked for beside what it is, and that says more.
        for part in sorted(tree.parts, key=lambda part: isinstance(part, IsNone)):
            yield from _example_values(part)
    elif isinstance(tree, IsNone):
        if tree.negated and isinstance(tree.operand, Path):
            yield tree.operand, True
    elif isinstance(tree, Compare):
        yield from ((path, value) for path, value in _compared(tree) if value is not None)


def _compared(tree: Compare) -> Iterator[tuple[Path, Json]]:
    left, right = tree.left, tree.right
    if isinstance(left, Path):
        value = right.value if isinstance(right, Constant) else 0
        if tree.operator.endswith("in") and isinstance(value, list):
            value = value[0] if value else ""
        yield left, value
    if isinstance(right, Path):
        value = left.value if isinstance(left, Constant) else 0
        yield right, [value] if tree.operator.endswith("in") else value


def _set_at(state: Any, path: tuple[str | int, ...], value: Json) -> None:
    """Set a value at a path, where nothing else was put on the way to it."""
    at: Any = state
    for part, following in zip(path, (*path[1:], None), strict=True):
        if isinstance(part, int):
            if not isinstance(at, list) or not -_LONGEST <= part < _LONGEST:
                return
            at += [""] * ((part + 1 if part >= 0 else -part) - len(at))
        elif not isinstance(at, dict):
            return
        there = at.get(part) if isinstance(part, str) else at[part]
        if there in (None, ""):  # nothing, or what fills a list up
            there = at[part] = value if following is None else [] if isinstance(following, int) else {}
        at = there
