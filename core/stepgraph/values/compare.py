"""Comparing JSON values as conditions do, and showing them to people in one short line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from .json_values import Json

SHOWN = 60
"""How many characters of a value messages and explanations show."""

_pieces: Callable[[Json], Iterator[str]] = json.JSONEncoder(ensure_ascii=False).iterencode


def json_equal(one: Json, other: Json) -> bool:
    """True when both are the same JSON value.

    Numbers compare by value (2 equals 2.0), a boolean never equals a number, text equals only text;
    lists compare item by item, tables key by key whatever their order.
    """
    kind = type(one)
    if kind is type(other):
        if kind is list:
            return _same_items(one, other)  # type: ignore[arg-type]  # both are lists
        if kind is dict:
            return _same_table(one, other)  # type: ignore[arg-type]  # both are tables
        return one == other
    return is_number(one) and is_number(other) and one == other


def _same_items(one: list[Json], other: list[Json]) -> bool:
    return len(one) == len(other) and all(map(json_equal, one, other))


def _same_table(one: dict[str, Json], other: dict[str, Json]) -> bool:
    return one.keys() == other.keys() and all(json_equal(item, other[key]) for key, item in one.items())


def is_number(value: Json) -> bool:
    """True for whole and broken numbers, not for booleans."""
    kind = type(value)
    return kind is int or kind is float


def orderable(one: Json, other: Json) -> bool:
    """True when ``<`` means something between the two: numbers, or texts."""
    if type(one) is str:
        return type(other) is str
    return is_number(one) and is_number(other)


def contains(container: Json, item: Json) -> bool | None:
    """Tell whether ``item in container``: an item of a list, a part of a text, a key of a table.

    Returns:
        None when the question makes no sense: a number in a text, anything in a number.
    """
    if type(container) is list:
        return any(json_equal(item, member) for member in container)
    if type(item) is str and (type(container) is str or type(container) is dict):
        return item in container
    return None


_JOINERS = "\u200c\u200d"  # parts of emoji and of several scripts; they move nothing


def escaped(text: str) -> str:
    """Write every character that does not print as itself as an escape."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in _JOINERS else _escape(char) for char in text)


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def shown(value: Json, limit: int = SHOWN) -> str:
    """Write a value as JSON on one line, of at most ``limit`` characters, safe to print to a terminal."""
    if type(value) is str:
        value = value[: limit + 1]  # what is cut off need not be escaped first
    text = ""
    for piece in _pieces(value):
        text += escaped(piece[: limit + 1])
        if len(text) > limit:
            return text[: limit - 1] + "…"
    return text


def named(value: Json) -> str:
    """Show a value with its kind before it: ``the text "12"``."""
    return "null" if value is None else f"the {type_name(value)} {shown(value)}"


def type_name(value: Json) -> str:
    """Name a value's type as graph files do."""
    if isinstance(value, bool):
        return "boolean"
    if value is None:
        return "null"
    if isinstance(value, str):
        return "text"
    if isinstance(value, list):
        return "list"
    return "table" if isinstance(value, dict) else "number"
