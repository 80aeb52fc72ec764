"""The text of one value: its items and comments, a new value in its style, its standard shape."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Any, NamedTuple

import tomli_w

from ..values.json_values import Json
from .statements import QUOTED, Element, elements

WIDTH = 100
"""How wide lists and inline tables may be on one line."""
_ESCAPED = re.compile(r'\\\\|(?:\\")+')
"""An escaped backslash, or a run of escaped quotes: between three quotes one or two need no escape."""
DEEPEST_HEADER = 8
"""How many parts a header may have; what is deeper stays inline."""


def graph_text(document: Mapping[str, Json]) -> str:
    """Write a graph file: settings, state, tools, nodes, edges, each table by itself."""
    tables = ("state", "tools", "nodes", "edges")
    blocks = ["".join(_line(key, value) for key, value in document.items() if key not in tables)]
    for kind in tables[:3]:
        entries = document.get(kind, {})
        for name, entry in entries.items() if isinstance(entries, dict) else ():
            blocks += table_texts((kind, name), entry)
    edges = document.get("edges", [])
    blocks += [edge_text(edge) for edge in edges] if isinstance(edges, list) else []
    return "\n".join(filter(None, blocks))


def table_texts(path: tuple[str, ...], table: Json) -> Iterator[str]:
    """Write the blocks of a table: its own keys first, then its large tables under headers of their own."""
    own: list[str] = []
    large: list[tuple[str, Json]] = []
    for key, value in _items(table):
        line = _line(key, value)
        if isinstance(value, dict) and len(line) > WIDTH and len(path) < DEEPEST_HEADER:
            large.append((key, value))
        else:
            own.append(line)
    yield f"[{'.'.join(map(key_text, path))}]\n" + "".join(own)
    for key, value in large:
        yield from table_texts((*path, key), value)


def edge_text(edge: Json) -> str:
    """Write the block of an edge: all of it under one header."""
    return "[[edges]]\n" + "".join(_line(key, value) for key, value in _items(edge))


def value_text(value: Json, room: int = WIDTH) -> str:
    """Write what comes after ``key =``: texts and lists of several lines are laid out in lines.

    Args:
        value: The value.
        room: How wide a list may be on one line.
    """
    if isinstance(value, str):
        return _text(value)
    flat = inline_text(value)
    if not isinstance(value, list) or not value:
        return flat
    items = list(map(element_text, value))
    if len(flat) <= room and not any("\n" in item for item in items):
        return flat
    return "[\n" + "".join(f"    {item},\n" for item in items) + "]"


def element_text(item: Json) -> str:
    """Write an item of a list that has a line for each."""
    return _text(item) if isinstance(item, str) else inline_text(item)


def inline_text(value: Json) -> str:
    """Write a value on one line."""
    if isinstance(value, dict):
        items = ", ".join(f"{key_text(key)} = {inline_text(item)}" for key, item in value.items())
        return f"{{ {items} }}" if items else "{}"
    if isinstance(value, list):
        return "[" + ", ".join(map(inline_text, value)) + "]"
    if isinstance(value, str):
        return _on_one_line(value)
    return _dumped(value)


def key_text(key: str) -> str:
    """Write a key, in quotes where it must be."""
    return tomli_w.dumps({key: 0})[:-5]


def _items(table: Json) -> list[tuple[str, Json]]:
    return list(table.items()) if isinstance(table, dict) else []


def _line(key: str, value: Json) -> str:
    start = f"{key_text(key)} = "
    return f"{start}{value_text(value, WIDTH - len(start) - 1)}\n"


def _text(value: str) -> str:
    # Between three quotes a carriage return would be lost: such a text is written on one line.
    if "\n" not in value or "\r" in value:
        return _on_one_line(value)
    body = tomli_w.dumps({"x": value}, multiline_strings=True)[4:-1].removeprefix('"""').removesuffix('"""')

    def readable(match: re.Match[str]) -> str:
        few = match[0][1] == '"' and len(match[0]) <= 4 and match.end() < len(body)
        return match[0].replace("\\", "") if few else match[0]

    return f'"""{_ESCAPED.sub(readable, body)}"""'


def _on_one_line(value: str) -> str:
    if ('"' in value or "\\" in value) and "'" not in value and value.isprintable():
        return f"'{value}'"  # a condition such as 'category == "billing"' stays readable
    return _dumped(value)


def _dumped(value: Json) -> str:
    return tomli_w.dumps({"x": value})[4:-1]


def same(one: Any, other: Any) -> bool:
    """Whether two values would be written alike: ``1``, ``1.0`` and ``true`` are three values."""
    if one is other:
        return True
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(item, other[key]) for key, item in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if type(one) is not type(other):
        return False
    return bool(one == other) if isinstance(one, (str, int)) else repr(one) == repr(other)


class Comment(NamedTuple):
    """A comment in a text."""

    line: int
    """Counted from 0 where the text starts."""
    text: str


def comments_in(text: str) -> Iterator[Comment]:
    """Find the comments in a text of TOML, in order."""
    if "#" not in text:
        return
    line = start = 0
    for match in QUOTED.finditer(text):
        if match.group()[0] == "#":
            line, start = line + text.count("\n", start, match.start()), match.start()
            yield Comment(line, match.group().rstrip())


def comment_counts(text: str) -> Counter[str]:
    """Count the comments in a text of TOML, wherever they stand."""
    return Counter(comment for _, comment in comments_in(text))


def list_text(items: Sequence[Element], below: Sequence[str], indent: str = "    ", outer: str = "") -> str:
    """Write a list on several lines, each item with its comments."""
    lines = ["["]
    for item in items:
        lines += [indent + comment for comment in item.above]
        behind = f"  {item.behind}" if item.behind else ""
        lines.append(f"{indent}{item.text},{behind}")
    lines += [indent + comment for comment in below]
    return "\n".join([*lines, f"{outer}]"])


_MOST = 1_000_000
"""How many pairs of items are compared to find out which of a list are still there."""


def changed_text(text: str, old: Any, new: Any, room: int = WIDTH) -> str:
    """Write a new value where another stood, in the style of that and with its comments.

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
    """Write a text between quotes of the same kind, where it can be there."""
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
    for value, at in zip(new, match_items(old, new), strict=True):
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


def match_items(old: Sequence[Any], new: Sequence[Any]) -> list[int | None]:
    """Find for each item of a new list its position in the old list; None for one that is new."""
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
    """Pair new items with old ones: the same ones, and between them one after the other."""
    if len(old) * len(new) > _MOST:
        yield from zip(range(len(new)), range(len(old)), strict=False)
        return
    for _, i, i_end, j, j_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        yield from zip(range(j, j_end), range(i, i_end), strict=False)


def _word(value: Any) -> str:
    """Return a text that is the same for equal values alone."""
    return repr(sorted(value.items())) if isinstance(value, Mapping) else repr(value)


_STEP = "    "
_LONG = ('"""', "'''")


def standard_text(text: str, room: int = WIDTH) -> str:
    """Write a value in the standard shape.

    Texts between three quotes stay as they are, and so do numbers and times. A list is on one line
    where it fits and has no comments, else each of its items has a line.

    Args:
        text: How the value is written.
        room: How wide a list may be on one line.
    """
    found = _standard(text, room, 0)
    is_kept = comment_counts(found) == comment_counts(text)
    return found if is_kept and same(_value(found), _value(text)) else text.strip()


def _value(text: str) -> object:
    return tomllib.loads(f"x = {text}")["x"]


def _standard(text: str, room: int, depth: int) -> str:
    """Write a value in the standard shape at a depth.

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
    return f"{key} = {_standard(pair.value, WIDTH, depth + 2)}"  # a text in a pair is on one line
