"""The values of secret keys, and hiding them wherever a text quotes them."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from .model import Gate

if TYPE_CHECKING:
    from ..stores.ledger import Row
    from ..values.json_values import Json

MASK = "***"
"""What stands where a secret was."""
_SHORTEST = 4  # characters; shorter texts would be found in everything


def written(rows: Iterable[Row]) -> Iterator[Mapping[str, Json]]:
    """Read what rows of a ledger have brought into the state of their run, or may bring into it later."""
    for row in rows:
        if row.updates:
            yield row.updates
        if row.kind == "decision":
            yield _edited(row.data)
        elif row.kind == "review":
            yield _held(row.data)


def _edited(decision: dict[str, Json] | None) -> Mapping[str, Json]:
    """Collect what a decision set, by the top-level key that it belongs to: it comes into the state later."""
    values = (decision or {}).get("values")
    return {path.split(".")[0]: value for path, value in values.items()} if isinstance(values, dict) else {}


def _held(review: dict[str, Json] | None) -> Mapping[str, Json]:
    """Find what a node did that waits at the gate behind it: it comes into the state later, if at all."""
    data = review or {}
    request, side = data.get("request"), Gate.side_in(data)
    held = request.get("arguments") if side == "after" and isinstance(request, dict) else None
    return held if isinstance(held, dict) else {}


def secrets_in(names: Collection[str], states: Iterable[Mapping[str, Json]]) -> set[str]:
    """Collect the texts and numbers that secret keys have in some states, or in parts of them."""
    found = {text for state in states for name in names for text in _texts(state.get(name))}
    return {text for text in found if len(text) >= _SHORTEST}


def spelt(secrets: Iterable[str]) -> set[str]:
    """Spell secrets as they may be quoted."""
    return {form for text in secrets for form in _spellings(text)}


def hidden(text: str, spellings: Iterable[str]) -> str:
    """Hide secrets in a text that may quote them.

    Args:
        text: The text.
        spellings: How they are spelt (see ``spelt``), the longest first.
    """
    for secret in spellings:
        text = text.replace(secret, MASK)
    return text


def _texts(value: Json) -> Iterator[str]:
    """Collect the texts and numbers in a value."""
    if isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)
    elif isinstance(value, str):
        yield value
    elif value is not None and not isinstance(value, bool):
        yield json.dumps(value)


def _spellings(text: str) -> set[str]:
    """Spell the text as it may be quoted: in JSON or in Python, and that once more, as in a tool's result."""
    ways: list[Callable[[str], str]] = [json.dumps, partial(json.dumps, ensure_ascii=False), repr]
    forms = {text}
    for _ in range(2):
        forms |= {way(form)[1:-1] for form in forms for way in ways}
    return forms
