"""How the text of a value changes when the value does: its style, and the comments in it, stay."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Any

from .value_text import Element, elements, list_text, same
from .values_as_toml import WIDTH, element_text, inline_text, key_text, value_text

_MOST = 1_000_000
"""How many pairs of items are compared to find out which of a list are still there."""


def changed_text(text: str, old: Any, new: Any, room: int = WIDTH) -> str:
    """The text of a new value where another stood, in the style of that and with its comments.

    Args:
        text: How the old value is written.
        old: The old value.
        new: The new value.
        room: How wide a list may be on one line.
    """
    written = _styled(text, old, new)
    if written is not None and _reads(written, new):
        return written
    return value_text(new, room)


def _reads(text: str, value: Any) -> bool:
    try:
        return same(tomllib.loads(f"x = {text}")["x"], value)
    except tomllib.TOMLDecodeError:
        return False


def _styled(text: str, old: Any, new: Any) -> str | None:
    if isinstance(new, str) and isinstance(old, str):
        return _like_text(text, new)
    if isinstance(new, list) and isinstance(old, list) and "\n" in text:
        return _like_list(text, old, new)
    if isinstance(new, Mapping) and isinstance(old, Mapping):
        return _like_table(text, old, new)
    return None


def _like_text(text: str, new: str) -> str | None:
    """A text between quotes of the same kind, where it can stand there."""
    starts_below = text[3:].lstrip("\r").startswith("\n") or new.startswith("\n")
    if text.startswith("'''"):
        start = "\n" if starts_below else ""
        return f"'''{start}{new}'''"
    if text.startswith('"""'):
        written = value_text(new if "\n" in new else f"{new}\n")
        if not written.startswith('"""\n'):
            return None
        body = written[4:] if "\n" in new else written.removesuffix('\n"""')[4:] + '"""'
        return f'"""\n{body}' if starts_below else f'"""{body}'
    return f"'{new}'" if text.startswith("'") and new.isprintable() else None


def _like_list(text: str, old: Sequence[Any], new: Sequence[Any]) -> str:
    items, below = elements(text)
    if not new and not below:
        return "[]"
    found = []
    for value, at in zip(new, kept(old, new), strict=True):
        if at is None or at >= len(items):
            found.append(Element(element_text(value)))
        elif same(old[at], value):
            found.append(items[at])
        else:
            written = _styled(items[at].text, old[at], value)
            found.append(replace(items[at], text=written or element_text(value)))
    lines = text.split("\n")
    outer = lines[-1][: -len(lines[-1].lstrip())] if lines[-1].strip() == "]" else ""
    inner = [line[: -len(line.lstrip())] for line in lines[1:-1] if line.strip()]
    return list_text(found, below, inner[0] if inner else f"{outer}    ", outer)


def _like_table(text: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> str | None:
    pairs = {pair.path: pair for pair in elements(text).items}
    if not new or any(len(path) > 1 for path in pairs):
        return None
    found = []
    for key, value in new.items():
        pair = pairs.get((key,))
        if pair is None or key not in old:
            found.append(f"{key_text(key)} = {inline_text(value)}")
        elif same(old[key], value):
            found.append(pair.text)
        else:
            written = _styled(pair.value, old[key], value) or inline_text(value)
            found.append(f"{pair.text[: pair.equals]}= {written}")
    return "{ " + ", ".join(found) + " }"


def kept(old: Sequence[Any], new: Sequence[Any]) -> list[int | None]:
    """For each item of a new list the position of the one in the old list that it was, or None."""
    one, other = [_word(item) for item in old], [_word(item) for item in new]
    start, shorter = 0, min(len(one), len(other))
    while start < shorter and one[start] == other[start]:
        start += 1
    end = 0
    while end < shorter - start and one[-1 - end] == other[-1 - end]:
        end += 1
    found: list[int | None] = [*range(start), *[None] * (len(new) - start)]
    for at in range(1, end + 1):
        found[-at] = len(old) - at
    one, other = one[start : len(one) - end], other[start : len(other) - end]
    for at, was in _pairs(one, other):
        found[start + at] = start + was
    return found


def _pairs(old: list[str], new: list[str]) -> Iterator[tuple[int, int]]:
    """Which new item was which old one: the same ones, and between them one after the other."""
    if len(old) * len(new) > _MOST:
        yield from zip(range(len(new)), range(len(old)), strict=False)
        return
    for _, i, i_end, j, j_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        yield from zip(range(j, j_end), range(i, i_end), strict=False)


def _word(value: Any) -> str:
    """A text that is the same for the same value alone."""
    return repr(sorted(value.items())) if isinstance(value, Mapping) else repr(value)
