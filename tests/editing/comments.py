"""Where the comments of a graph file are: each belongs to a key, to a table, or to the file itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from stepgraph.editing import Design, Part
from stepgraph.editing.text import read_design
from stepgraph.toml.text import Block, Sheet
from stepgraph.toml.values import comments_in

Path = tuple[str | int, ...]
FILE: Path = ("file",)
"""Where a comment is that belongs to no table: a banner, or a table that is commented out."""


def places(text: str) -> dict[str, list[Path]]:
    """Where each comment of a text is, by what it says; a copy of a node has its comments, too."""
    sheet = read_design(text).origin
    assert sheet is not None
    found: dict[str, list[Path]] = {}
    for comment, path in _places(sheet):
        found.setdefault(comment, []).append(path)
    return found


def _places(sheet: Sheet) -> Iterator[tuple[str, Path]]:
    for place, table in enumerate(sheet.tables):
        own = table.path or FILE
        before = sheet.tables[place - 1].path[:2] if place else ()
        is_inside = len(table.path) > 1 and table.path[:2] == before
        yield from _each(table.gap, table.path[:2] if is_inside else FILE)
        yield from _each(table.lead + table.header, own)
        for item in table.body.items:
            yield from _each(item.free, own)
            yield from _each(item.own + item.key + item.value + item.tail, (*table.path, *item.path))
        yield from _each(table.body.foot, own)
    yield from _each(sheet.end, FILE)


def _each(text: str, path: Path) -> Iterator[tuple[str, Path]]:
    return ((comment, path) for _, comment in comments_in(text))


def named_place(comment: str, document: Mapping[str, Any]) -> Path:
    """The place that a comment of the corpus names behind its last ``@``."""
    name = comment.rpartition("@ ")[2]
    return FILE if name == "file" else tuple(_steps(name, document))


def _steps(name: str, inside: Any) -> Iterator[str | int]:
    while name:
        if isinstance(inside, list):
            key, _, name = name.partition(".")
            yield int(key)
            inside = inside[int(key)]
            continue
        key = next(key for key in inside if name == key or name.startswith(f"{key}."))
        yield key
        inside, name = inside[key], name[len(key) + 1 :]


def place_now(place: Path, before: Design, after: Design) -> Path | None:
    """Where something is after edits; None when it is gone."""
    block = _block(place, before)
    if block is None:
        inside = FILE if place == FILE else _found(place, after.document())
        return place if inside is not None else None
    part = next((part for part in after.parts if part.origin is block), None)
    if part is None or _found(place[2:], part.table) is None:
        return None
    return (part.kind, _name(part, after), *place[2:])


def _block(place: Path, design: Design) -> Block | None:
    assert design.origin is not None
    return next((block for block in design.origin.blocks if block.path == place[:2]), None)


def _name(part: Part, design: Design) -> str | int:
    return design.edges.index(part) if part.kind == "edges" else part.name


def _found(path: Path, inside: Any) -> Any:
    for step in path:
        try:
            inside = inside[step]
        except (KeyError, IndexError, TypeError):
            return None
    return inside
