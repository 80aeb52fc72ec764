"""Rules of Amazon States Language as conditions of ours: its comparisons of JSONPath, and JSONata.

A rule becomes an expression that is false where what it reads is not there. What has no words among our
expressions is told by ``Untold``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..expressions.spelling import path_text
from .python_code import literal

Path: TypeAlias = tuple[str | int, ...]

_STEP = re.compile(
    r"""\.(?P<name>[^\s.\[\]()'"*@?$,:]+) | \[(?P<index>\d{1,4})\]
    | \[(?P<quote>['"])(?P<key>[^'"\\]+)(?P=quote)\]""",
    re.VERBOSE,
)
_TOKENS = re.compile(
    r"""\s*(?:(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    | (?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
    | (?P<path>\$[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[\d{1,4}\])*)
    | (?P<word>[A-Za-z_]\w*) | (?P<sign><=|>=|!=|[=<>()]))""",
    re.VERBOSE,
)
_OPERATORS = {
    ("sign", "="): "==",
    **{("sign", sign): sign for sign in ("!=", "<", "<=", ">", ">=")},
    ("word", "in"): "in",
}
"""The comparisons of JSONata, as its tokens, with ours."""
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
COMPARISON = re.compile(f"({'|'.join(_KINDS)})({'|'.join(sorted(_COMPARED, key=len, reverse=True))})(Path)?")
"""The names of the comparisons."""
_TESTS = ("IsNull", "IsPresent", "IsNumeric", "IsString", "IsBoolean", "IsTimestamp", "StringMatches")


class Untold(ValueError):
    """What has no words among our expressions."""


@dataclass(frozen=True, slots=True)
class RuleTexts:
    """What a rule asks, as expressions."""

    text: str
    """What it asks of values that are there."""
    safe: str
    """The same, and false where they are not."""

    @classmethod
    def comparing(cls, left: str, operator: str, right: str, reads: tuple[Path, ...]) -> RuleTexts:
        """Compare two operands."""
        text = f"{left} {operator} {right}"
        there = [f"{path_text(path)} is not None" for path in dict.fromkeys(reads)]
        return cls(text, " and ".join((*there, text)) if there else text)

    @classmethod
    def joined(cls, word: str, parts: list[RuleTexts]) -> RuleTexts:
        """Join several by ``and`` or ``or``."""
        if len(parts) == 1:
            return parts[0]

        def join(texts: Iterable[str]) -> str:
            return f" {word} ".join(f"({text})" for text in texts)

        return cls(join(part.text for part in parts), join(part.safe for part in parts))

    def negated(self) -> RuleTexts:
        """Ask the opposite."""
        return RuleTexts(f"not ({self.text})", f"not ({self.safe})")


def json_path(text: object) -> Path | None:
    """Read a JSONPath that leads to one place in the state; None for the whole, and for any other."""
    if not isinstance(text, str) or not text.startswith("$") or text == "$":
        return None
    path: list[str | int] = []
    at = 1
    while at < len(text):
        step = _STEP.match(text, at)
        if step is None:
            return None
        path.append(int(step["index"]) if step["index"] is not None else step["name"] or step["key"])
        at = step.end()
    return tuple(path) if isinstance(path[0], str) else None


def choice_rule(rule: Mapping[str, Any], depth: int = 0) -> RuleTexts:
    """Read a rule of a Choice state that compares what JSONPath names.

    Raises:
        Untold: We have no words for it.
        TypeError: It is no rule; the message says what is wrong.
    """
    if depth > _DEEPEST:
        raise Untold("rules so deep inside of one another")
    for word in ("And", "Or"):
        if word in rule:
            return RuleTexts.joined(
                word.lower(), [choice_rule(_rule(part), depth + 1) for part in _rules(rule[word])]
            )
    if "Not" in rule:
        return choice_rule(_rule(rule["Not"]), depth + 1).negated()
    names = [key for key in rule if COMPARISON.fullmatch(key) or key in _TESTS]
    if len(names) != 1 or "Variable" not in rule:
        raise TypeError("it needs Variable and one comparison, such as StringEquals; or And, Or, Not")
    (name,) = names
    path = json_path(rule["Variable"])
    if path is None:
        raise Untold(f"Variable {rule['Variable']!r}")
    found = COMPARISON.fullmatch(name)
    return _test(path, name, rule[name]) if found is None else _comparison(path, found, rule[name])


def _rules(value: Any) -> list[Any]:
    if not isinstance(value, list) or not value:
        raise TypeError("And and Or take a list of rules")
    return value


def _rule(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("a rule is a table")
    return value


def _comparison(path: Path, found: re.Match[str], value: Any) -> RuleTexts:
    kind, operator = found[1], _COMPARED[found[2]]
    if found[3]:
        other = json_path(value)
        if other is None:
            raise Untold(f"{found[0]} {value!r}")
        return RuleTexts.comparing(path_text(path), operator, path_text(other), (path, other))
    if not _KINDS[kind](value):
        raise TypeError(f"{found[0]} takes a {kind.lower()}, not {value!r}")
    return RuleTexts.comparing(path_text(path), operator, constant(value), (path,))


def _test(path: Path, name: str, value: Any) -> RuleTexts:
    spelt = path_text(path)
    if name == "StringMatches" and isinstance(value, str):
        inside = value.strip("*")
        if "*" not in value:
            return RuleTexts.comparing(spelt, "==", constant(value), (path,))
        if value == f"*{inside}*" and "*" not in inside and "\\" not in inside:
            return RuleTexts(
                f"{constant(inside)} in {spelt}", f"{spelt} is not None and {constant(inside)} in {spelt}"
            )
    if name in ("IsNull", "IsPresent") and isinstance(value, bool):
        word = "is" if value == (name == "IsNull") else "is not"
        text = f"{spelt} {word} None"
        return RuleTexts(text, text)
    raise Untold(f"{name} {value!r}")


def constant(value: Any) -> str:
    """Write a text, a number or a boolean as expressions have it."""
    return literal(value) if isinstance(value, str) else repr(value)


def jsonata_path(text: object) -> Path | None:
    """Read JSONata that is nothing but a way into the input or a variable; None for any other."""
    inner = _jsonata(text)
    found = _TOKENS.fullmatch(inner) if inner is not None else None
    return _variable(found["path"]) if found is not None and found["path"] else None


def _jsonata(text: object) -> str | None:
    if isinstance(text, str) and text.startswith("{%") and text.endswith("%}"):
        return text[2:-2].strip()
    return None


def _variable(text: str) -> Path | None:
    names = re.findall(r"[A-Za-z_]\w*|\d+", text[1:])
    path: Path = tuple(int(name) if name.isdigit() else name for name in names)
    if path[:2] in (("states", "input"), ("states", "result")):
        path = path[2:]
    return path if path and path[0] != "states" and isinstance(path[0], str) else None


def jsonata_rule(text: object) -> RuleTexts:
    """Read a condition in JSONata.

    Raises:
        Untold: We have no words for it.
        TypeError: It is none.
    """
    inner = _jsonata(text)
    if inner is None:
        raise TypeError("a Condition is JSONata between {% and %}")
    return _Parser(inner).whole()


class _Parser:
    """Reads JSONata as far as our expressions have words for it.

    Args:
        text: The expression.
    """

    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, str]] = []
        self._at = 0
        at = 0
        while at < len(text):
            found = _TOKENS.match(text, at)
            if found is None:
                raise Untold(text[at : at + 20].strip())
            self._tokens.append((str(found.lastgroup), found[str(found.lastgroup)]))
            at = found.end()

    def whole(self) -> RuleTexts:
        """Read all of it."""
        asked = self._group("or", 0)
        if self._at < len(self._tokens):
            raise Untold(self._tokens[self._at][1])
        return asked

    def _group(self, word: str, depth: int) -> RuleTexts:
        if depth > _DEEPEST:
            raise Untold("conditions so deep inside of one another")
        read: Callable[[], RuleTexts] = (
            (lambda: self._group("and", depth + 1)) if word == "or" else lambda: self._part(depth)
        )
        parts = [read()]
        while self._takes("word", word):
            parts.append(read())
        return RuleTexts.joined(word, parts)

    def _part(self, depth: int) -> RuleTexts:
        if self._takes("sign", "("):
            asked = self._group("or", depth + 1)
            self._needs(")")
            return asked
        for name in ("$not", "$exists"):
            if self._takes("path", name):
                return self._function(name, depth)
        left, one = self._operand()
        operator = _OPERATORS.get(self._peek())
        if operator is None:
            return RuleTexts.comparing(left, "==", "True", one)
        self._at += 1
        right, other = self._operand()
        return RuleTexts.comparing(left, operator, right, one + other)

    def _function(self, name: str, depth: int) -> RuleTexts:
        self._needs("(")
        if name == "$not":
            asked = self._group("or", depth + 1).negated()
        else:
            spelt, _ = self._operand()
            asked = RuleTexts(f"{spelt} is not None", f"{spelt} is not None")
        self._needs(")")
        return asked

    def _operand(self) -> tuple[str, tuple[Path, ...]]:
        kind, text = self._peek()
        self._at += 1
        if kind == "path":
            path = _variable(text)
            if path is None:
                raise Untold(text)
            return path_text(path), (path,)
        if kind == "number":
            return text, ()
        if kind == "text" and "\\" not in text:
            return literal(text[1:-1]), ()
        if kind == "word" and text in ("true", "false"):
            return text.title(), ()
        raise Untold(text or "the end of a condition")

    def _peek(self) -> tuple[str, str]:
        return self._tokens[self._at] if self._at < len(self._tokens) else ("", "")

    def _takes(self, kind: str, text: str) -> bool:
        found = self._peek() == (kind, text)
        self._at += found
        return found

    def _needs(self, sign: str) -> None:
        if not self._takes("sign", sign):
            raise Untold(self._peek()[1] or "the end of a condition")
