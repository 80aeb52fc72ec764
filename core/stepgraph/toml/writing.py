"""Write a document as the text of a graph file: tomli-w for values and keys, table by table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import tomli_w

from ..values.json_values import Json

WIDTH = 100
"""How wide lists and inline tables may be on one line."""
_ESCAPED = re.compile(r'\\\\|(?:\\")+')
"""An escaped backslash, or a run of escaped quotes: between three quotes one or two need no escape."""
DEEPEST_HEADER = 8
"""How many parts a header may have; what is deeper stays inline."""


def graph_text(document: Mapping[str, Json]) -> str:
    """The text of a graph file: settings, state, tools, nodes, edges, each table by itself."""
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
    """The blocks of a table: its own keys first, then its large tables under headers of their own."""
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
    """The block of an edge: all of it under one header."""
    return "[[edges]]\n" + "".join(_line(key, value) for key, value in _items(edge))


def value_text(value: Json, room: int = WIDTH) -> str:
    """What stands behind ``key =``: texts and lists of several lines are laid out in lines.

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
    """An item of a list that has a line for each."""
    return _text(item) if isinstance(item, str) else inline_text(item)


def inline_text(value: Json) -> str:
    """A value on one line."""
    if isinstance(value, dict):
        items = ", ".join(f"{key_text(key)} = {inline_text(item)}" for key, item in value.items())
        return f"{{ {items} }}" if items else "{}"
    if isinstance(value, list):
        return "[" + ", ".join(map(inline_text, value)) + "]"
    if isinstance(value, str):
        return _on_one_line(value)
    return _dumped(value)


def key_text(key: str) -> str:
    """A key, in quotes where it must be."""
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
