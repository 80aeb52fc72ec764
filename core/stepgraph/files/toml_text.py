"""From a document to the text of a graph file: tomli-w for values and keys, table by table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import tomli_w

from ..json_values import Json

_WIDTH = 100
_ESCAPED = re.compile(r'\\\\|(?:\\")+')
"""An escaped backslash, or a run of escaped quotes: between three quotes one or two need no escape."""
_DEEPEST_HEADER = 8
"""How many parts a header may have; what is deeper stays inline."""


def graph_text(document: Mapping[str, Json]) -> str:
    """The text of a graph file: settings, state, tools, nodes, edges, each table by itself."""
    tables = ("state", "tools", "nodes", "edges")
    blocks = ["".join(_line(key, value) for key, value in document.items() if key not in tables)]
    for kind in tables[:3]:
        entries = document.get(kind, {})
        for name, entry in entries.items() if isinstance(entries, dict) else ():
            blocks += _table((kind, name), entry)
    edges = document.get("edges", [])
    for edge in edges if isinstance(edges, list) else ():
        lines = (f"{_key(key)} = {_inline(value)}\n" for key, value in _items(edge))
        blocks.append("[[edges]]\n" + "".join(lines))
    return "\n".join(blocks)


def _items(table: Json) -> list[tuple[str, Json]]:
    return list(table.items()) if isinstance(table, dict) else []


def _table(path: tuple[str, ...], table: Json) -> Iterator[str]:
    """The blocks of a table: its own keys first, then its large tables under headers of their own."""
    own: list[str] = []
    large: list[tuple[str, Json]] = []
    for key, value in _items(table):
        line = _line(key, value)
        if isinstance(value, dict) and len(line) > _WIDTH and len(path) < _DEEPEST_HEADER:
            large.append((key, value))
        else:
            own.append(line)
    header = ".".join(_key(part) for part in path)
    yield f"[{header}]\n" + "".join(own)
    for key, value in large:
        yield from _table((*path, key), value)


def _line(key: str, value: Json) -> str:
    if isinstance(value, str):
        return f"{_key(key)} = {_text(value)}\n"
    flat = f"{_key(key)} = {_inline(value)}\n"
    several_lines = isinstance(value, list) and any(isinstance(item, str) and "\n" in item for item in value)
    if isinstance(value, list) and value and (several_lines or len(flat) > _WIDTH):
        items = "".join(f"    {_text(item) if isinstance(item, str) else _inline(item)},\n" for item in value)
        return f"{_key(key)} = [\n{items}]\n"
    return flat


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
    return tomli_w.dumps({"x": value})[4:-1]


def _inline(value: Json) -> str:
    if isinstance(value, dict):
        items = ", ".join(f"{_key(key)} = {_inline(item)}" for key, item in value.items())
        return f"{{ {items} }}" if items else "{}"
    if isinstance(value, list):
        return "[" + ", ".join(_inline(item) for item in value) + "]"
    if isinstance(value, str):
        return _on_one_line(value)
    return tomli_w.dumps({"x": value})[4:-1]


def _key(key: str) -> str:
    return tomli_w.dumps({key: 0})[:-5]
