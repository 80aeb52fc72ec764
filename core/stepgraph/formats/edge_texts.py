"""The text of an edge in a diagram: its label, and in brackets behind it what it asks.

``billing [category == "billing"]`` is a label with a condition, ``[score < 3]`` a condition alone, and any
other text a label alone. A label that would be read as something else stands in quotes, as JSON has them. A
function that is asked is named: ``[predicate rules:is_billing]``.
"""

from __future__ import annotations

import json
import re

from ..conditions import Chosen, Condition, HandlerPredicate

_PREDICATE = re.compile(r"predicate (\S+)")
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
    if isinstance(condition, HandlerPredicate):
        return f"predicate {condition.ref}"
    return condition.describe() if condition.kind != "predicate" else f"predicate {condition.describe()}"


def condition_of(asked: str) -> Condition | str:
    """Read what ``asked_by`` wrote: a predicate by its name, or the text of an expression."""
    named = _PREDICATE.fullmatch(asked)
    return HandlerPredicate(named[1]) if named else asked
