"""The text of a value in the standard shape: spacing and quotes, but nothing that was laid out on purpose."""

from __future__ import annotations

import tomllib
from collections import Counter
from dataclasses import replace

from .value_text import Element, comments_in, elements, list_text, same
from .values_as_toml import WIDTH, element_text, inline_text, key_text, value_text

_STEP = "    "
_LONG = ('"""', "'''")


def standard_text(text: str, room: int = WIDTH) -> str:
    """A value in the standard shape.

    Texts between three quotes stay as they are, and so do numbers and times. A list stands on one line
    where it fits and has no comments, else each of its items has a line.

    Args:
        text: How the value is written.
        room: How wide a list may be on one line.
    """
    found = _standard(text, room, 0)
    is_kept = _comments(found) == _comments(text)
    return found if is_kept and same(_value(found), _value(text)) else text.strip()


def _comments(text: str) -> Counter[str]:
    return Counter(comment for _, comment in comments_in(text))


def _value(text: str) -> object:
    return tomllib.loads(f"x = {text}")["x"]


def _standard(text: str, room: int, depth: int) -> str:
    """A value.

    Args:
        text: How it is written.
        room: How wide a list may be on one line.
        depth: In how many lists and tables it stands.
    """
    if text.startswith("["):
        return _list(text, room, depth)
    if text.startswith("{"):
        pairs = ", ".join(_pair(pair, depth) for pair in elements(text).items)
        return f"{{ {pairs} }}" if pairs else "{}"
    if text.startswith(('"', "'")) and not text.startswith(_LONG):
        written = (value_text, element_text)[depth] if depth < 2 else inline_text
        return written(str(_value(text)))
    return text


def _list(text: str, room: int, depth: int) -> str:
    found, below = elements(text)
    items = [replace(item, text=_standard(item.text, WIDTH, depth + 1)) for item in found]
    # Each item has a line when one has a comment or several lines, or when they would not fit on one.
    flat = "[" + ", ".join(item.text for item in items) + "]"
    noted = bool(below) or any(item.above or item.behind for item in items)
    fits = not items or ("\n" not in flat and len(flat) <= room)
    if not noted and (depth or fits):
        return flat
    return list_text(items, below, _STEP * (depth + 1), _STEP * depth)


def _pair(pair: Element, depth: int) -> str:
    key = ".".join(map(key_text, pair.path))
    return f"{key} = {_standard(pair.value, WIDTH, depth + 2)}"  # a text in a pair stands on one line
