"""Python source of values and calls, as a formatter would put it; any text in it is only ever a literal."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

WIDTH = 88
"""The columns of a line, as the formatters have it by default."""
_SHORT = 40  # characters: a shorter text stays on its line, whatever is in it
_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


@dataclass(frozen=True, slots=True)
class Name:
    """Something that the source calls by a name."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A call, or the making of an object."""

    function: str
    arguments: tuple[tuple[str, Any], ...]
    """The arguments, each with its name; empty for one that goes by its position, ``**`` for a table."""


def code(value: Any, depth: int = 0, taken: int = 0) -> str:
    """Write a value: on one line where it fits, else each part on a line of its own.

    Args:
        value: JSON, a tuple, a name or a call.
        depth: How deep inside of others it is.
        taken: The columns of its line that something else takes.
    """
    one = _flat(value)
    if one is not None and 4 * depth + taken + columns(one) <= WIDTH:
        return one
    if isinstance(value, str):
        return _lines(value) if _has_lines(value) else literal(value)
    if isinstance(value, Call) and value.arguments:
        parts = [(_before(name), part) for name, part in value.arguments]
        return _exploded(f"{value.function}(", parts, ")", depth)
    if isinstance(value, dict) and value:
        return _exploded("{", [(f"{literal(key)}: ", part) for key, part in value.items()], "}", depth)
    if isinstance(value, list | tuple) and value:
        brackets = "[]" if isinstance(value, list) else "()"
        return _exploded(brackets[0], [("", part) for part in value], brackets[1], depth)
    return one or ""


def _before(name: str) -> str:
    return name if name in ("", "**") else f"{name}="


def _exploded(begin: str, parts: Iterable[tuple[str, Any]], end: str, depth: int) -> str:
    pad = "    " * (depth + 1)
    lines = [f"{pad}{head}{code(part, depth + 1, columns(head) + 1)},\n" for head, part in parts]
    return f"{begin}\n{''.join(lines)}{'    ' * depth}{end}"


def _flat(value: Any) -> str | None:
    """Write a value on one line; None where a text in it has lines of its own."""
    if isinstance(value, str):
        return None if _has_lines(value) else literal(value)
    if isinstance(value, Name):
        return value.text
    if isinstance(value, Call):
        found = [(_before(name), _flat(part)) for name, part in value.arguments]
        return _joined(f"{value.function}(", found, ")")
    if isinstance(value, dict):
        return _joined("{", [(f"{literal(key)}: ", _flat(part)) for key, part in value.items()], "}")
    if isinstance(value, list):
        return _joined("[", [("", _flat(part)) for part in value], "]")
    if isinstance(value, tuple):
        return _joined("(", [("", _flat(part)) for part in value], ",)" if len(value) == 1 else ")")
    return repr(value)


def _joined(begin: str, parts: list[tuple[str, str | None]], end: str) -> str | None:
    if any(part is None for _, part in parts):
        return None
    return begin + ", ".join(f"{head}{part}" for head, part in parts) + end


def _has_lines(text: str) -> bool:
    return "\n" in text and len(text) > _SHORT


def literal(text: str) -> str:
    """Write a text on one line, in the quotes that it has fewer of."""
    quote = "'" if text.count('"') > text.count("'") else '"'
    return quote + "".join(f"\\{char}" if char == quote else _escaped(char) for char in text) + quote


def _lines(text: str) -> str:
    """Write a text line by line, between three quotes."""
    before = text.removesuffix('"')
    inside = "".join(char if char == "\n" else _escaped(char) for char in before).replace('"""', '\\"\\"\\"')
    end = '\\"' if before != text else ""  # else it would be one of the quotes that end the literal
    return f'"""\\\n{inside}{end}"""'


def _escaped(char: str) -> str:
    if char.isprintable() and char != "\\":
        return char
    if char in _ESCAPES:
        return _ESCAPES[char]
    number = ord(char)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def remark(text: str) -> str:
    """Make of any text what may stand in a docstring: one line, without quotes of the kind around it."""
    words = " ".join(text.split()).replace('"', "'")
    return "".join(map(_escaped, words))


def columns(text: str) -> int:
    """Count the columns of a text, wide characters as two."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)
