"""The text of an edge in a diagram: its label, and in brackets behind it what it asks.

``billing [category == "billing"]`` is a label with a condition, ``[score < 3]`` a condition alone, and any
other text a label alone. A label that would be read as something else stands in quotes, as JSON has them. A
function that is asked is named: ``[predicate rules:is_billing]``.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress

from ..conditions import Chosen, Condition, HandlerPredicate
from ..conditions.base import Expression, KeyEquals
from ..expressions.spelling import quoted, spelt
from ..values.errors import ExpressionError

_PREDICATE = re.compile(r"predicate (\S+)")
_EQUALITY = re.compile(r'("(?:[^"\\]|\\.)*") equals (.*)')
_decode = json.JSONDecoder().raw_decode


def edge_text(label: str | None, asked: str | None) -> str:
    """Write a label and a condition as one text; empty where there is neither."""
    guard = f"[{asked}]" if asked else ""
    text = " ".join(filter(None, (label, guard)))
    if edge_parts(text) == (label or None, asked or None):
        return text
    return " ".join(filter(None, (json.dumps(label, ensure_ascii=False), guard)))


def edge_parts(text: str) -> tuple[str | None, str | None]:
    """Read a label and a condition, as ``edge_text`` writes them; None for what is not there."""
    if text.startswith('"'):
        quoted = _quoted_label(text)
        if quoted is not None:
            return quoted
    if not text.endswith("]"):
        return text or None, None
    label, opened, asked = text[:-1].partition(" [") if text[0] != "[" else ("", "[", text[1:-1])
    return (label or None, asked or None) if opened and asked else (text, None)


def _quoted_label(text: str) -> tuple[str | None, str | None] | None:
    try:
        label, end = _decode(text)
    except ValueError:
        return None
    rest = text[end:]
    if not rest:
        return label, None
    return (label, rest[2:-1]) if rest.startswith(" [") and rest.endswith("]") and len(rest) > 3 else None


def asked_by(condition: Condition) -> str | None:
    """Write what a condition asks; None where it asks nothing that the edge itself says."""
    if condition.kind == "always" or isinstance(condition, Chosen):
        return None
    if isinstance(condition, KeyEquals):
        return _equality(condition)
    if isinstance(condition, HandlerPredicate):
        return f"predicate {condition.ref}"
    return condition.describe() if condition.kind != "predicate" else f"predicate {condition.describe()}"


def _equality(condition: KeyEquals) -> str:
    """Write it as an expression; what no expression has, such as a table or a page of text, as JSON."""
    value = condition.value
    written = quoted(value) if isinstance(value, str) else json.dumps(value)
    if value is None or isinstance(value, bool):
        written = str(value)
    text = f"{spelt(condition.key)} {'is' if value is None else '=='} {written}"
    try:
        return Expression(text).text
    except ExpressionError:
        return f"{json.dumps(condition.key)} equals {json.dumps(value)}"


def condition_of(asked: str) -> Condition:
    """Read what ``asked_by`` wrote.

    Raises:
        ExpressionError: It is an expression that does not parse.
    """
    named = _PREDICATE.fullmatch(asked)
    if named is not None:
        return HandlerPredicate(named[1])
    equality = _EQUALITY.fullmatch(asked)
    if equality is not None:
        with suppress(ValueError):
            return KeyEquals(json.loads(equality[1]), json.loads(equality[2]))
    return Expression(asked)
