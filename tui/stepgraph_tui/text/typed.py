"""From a text that a person wrote to a value of the state, by the type that the state wants."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn

from stepgraph.values import StateError, ValueType, check_whole, fits, json_line, type_name

if TYPE_CHECKING:
    from stepgraph.values import Json, StateKey

Refusal = Callable[["Json"], str | None]
"""Says why a value does not suit, in words that follow a name (``takes a number, not ...``); None when it
does."""

_NOTHING: Json = ["no JSON"]


def parse_typed(text: str, refusal: Refusal) -> Json:
    """Read the value that a text means: JSON where it parses and suits, else the text itself.

    Raises:
        StateError: Neither suits; the message is the refusal.
    """
    parsed = _parsed(text)
    if parsed is not _NOTHING and (refusal(parsed) is None or parsed == text):
        return parsed
    refused = refusal(text)
    if refused is None:
        return text
    raise StateError((refusal(parsed) if parsed is not _NOTHING else None) or refused)


def refusal_by(key: StateKey | None, name: str) -> Refusal:
    """Find what keeps a value from becoming the whole of a state key; ``key`` is its declaration, if any."""

    def refusal(value: Json) -> str | None:
        try:
            check_whole(key, name, value)
        except StateError as error:
            if key is not None and key.type is not None and not fits(value, key.type):
                return _takes(key.type, value, key.secret)
            return error.message
        wrong = value is None and key is not None and key.type is not None
        return f"takes a {key.type}, not null" if wrong and key is not None else None

    return refusal


def refusal_of(type_: ValueType, *, secret: bool = False) -> Refusal:
    """Find what keeps a value from being of a type; a secret one is not quoted."""
    return lambda value: None if fits(value, type_) else _takes(type_, value, secret)


def _takes(type_: str, value: Json, secret: bool) -> str:
    return f"takes a {type_}, not the {type_name(value)}" + ("" if secret else f" {json_line(value)}")


def _parsed(text: str) -> Json:
    try:
        value: Json = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):  # also a number of too many digits
        return _NOTHING
    return value


def _no_number(word: str) -> NoReturn:
    raise ValueError(word)  # NaN and Infinity are not JSON
