"""A graph file in its standard shape: order of tables, spacing, quotes; comments stay where they belong."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..values.errors import GraphFileError
from ..values.problems import KeyPath
from .adding import is_table
from .revising import Foreign, rewritten_head
from .tables import Item, Table, lines_of
from .text import EDGES, NAMED, Sheet, header_text, newline_of, pairs_of
from .values import comments_in, same, standard_text
from .writing import WIDTH, key_text


def formatted(text: str, document: Mapping[str, Any]) -> str:
    """The text of a graph file in the standard shape, with all its comments.

    Args:
        text: The text of the file.
        document: What a TOML parser returns for it.

    Raises:
        GraphFileError: The new text would mean something else, or lack a comment. That is a bug.
    """
    sheet = Sheet(text.replace("\r\n", "\n"), document)
    new = "\n".join([*_Pieces(sheet).all(), *_notes(sheet.end)])
    if not _is_same(new, document) or _comments(new) != _comments(text):
        raise GraphFileError("formatting it would change its meaning", hint="this is a bug in Stepgraph")
    return sheet.mark + new.replace("\n", newline_of(text))


def _no_rank(key: str) -> int:
    return 0  # keys keep their order: formatting adds none


def _is_same(text: str, document: Mapping[str, Any]) -> bool:
    now = tomllib.loads(text)
    return same(now, document) and all(_names(now, kind) == _names(document, kind) for kind in NAMED)


def _names(document: Mapping[str, Any], kind: str) -> list[str]:
    """The names of the parts of a kind; their order is that of the graph."""
    tables = document.get(kind)
    if not isinstance(tables, Mapping):
        return []
    return [name for name, table in tables.items() if isinstance(table, Mapping)]


def _comments(text: str) -> Counter[str]:
    return Counter(comment for _, comment in comments_in(text))


class _Pieces:
    """The pieces of a file: tables, and comments that stand apart from them."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        items = frozenset(id(each.item) for each in sheet.claimed)
        parting = frozenset(id(each.item) for each in sheet.claimed if each.kind)
        self._own = rewritten_head(sheet, sheet.head, Foreign(items, frozenset(), parting), _no_rank).tables
        self._has_top = bool(sheet.tables[0].text)

    def all(self) -> Iterator[str]:
        """The settings, then the parts, kind by kind."""
        if not self._has_top and len(self._sheet.tables) > 1:
            yield from _notes(self._sheet.tables[1].gap)  # what stands at the very top stays there
        kinds = [(kind,) for kind in NAMED]
        yield from self._written([table for table in self._own if table.path not in kinds], ())
        for kind in (*NAMED, EDGES):
            blocks = [block for block in self._sheet.blocks if block.kind == kind]
            headers = [table for table in self._own if table.path == (kind,) in kinds]
            yield from self._written(headers, (), sparing=bool(blocks))
            for block in blocks:
                yield from self._written(block.tables, block.path)

    def _written(self, tables: Iterable[Table], base: KeyPath, *, sparing: bool = False) -> Iterator[str]:
        """Tables in the standard shape, with the comments before them.

        Args:
            tables: The tables.
            base: The path of the part that they belong to.
            sparing: Whether a header that says nothing is left out.
        """
        for table in tables:
            if self._has_top or table.place != 1:
                yield from _notes(table.gap)
            if not sparing or table.inner or "#" in table.text:
                yield from _table(table, base)


def _table(table: Table, base: KeyPath) -> Iterator[str]:
    """A table, and behind it what it has of tables that are too long for one line."""
    lines = _lines(table.lead)
    if table.path:
        lines.append(header_text(table.path) + _behind(table.comment))
    top, large = len(lines), list[Table]()
    for item in table.body.items:
        start = ".".join(map(key_text, item.path)) + " = "
        value = standard_text(item.value, WIDTH - len(start) - 1)
        free = _lines(item.free, at_top=len(lines) == top or not lines[-1])
        if _is_large(table.path, item, base, value):
            large.append(_as_table(table.path, item))
            lines += free if "#" in item.free else []
        else:
            lines += [*free, *_lines(item.own), f"{start}{value}{_behind(item.comment)}"]
    lines += _lines(table.body.foot, at_top=len(lines) == top or not lines[-1])
    while lines and not lines[-1]:
        lines.pop()
    if lines:
        yield "".join(f"{line}\n" for line in lines)
    for each in large:
        yield from _table(each, base)


def _is_large(path: KeyPath, item: Item, base: KeyPath, value: str) -> bool:
    """Whether an item is a table that belongs under a header of its own."""
    if not base or len(item.path) > 1 or not item.value.startswith("{"):
        return False
    return is_table(base, (*path, *item.path)[len(base) :], value)


def _as_table(path: KeyPath, item: Item) -> Table:
    full = (*path, *item.path)
    header = f"{header_text(full)}{_behind(item.comment)}\n"
    return Table(full, "", item.own, header, "").holding(pairs_of(item.value), "")


def _behind(comment: str) -> str:
    return f"  {comment}" if comment else ""


def _notes(text: str) -> Iterator[str]:
    """Comments that stand apart, as a piece of their own."""
    lines = _lines(text)
    if lines:
        yield "".join(f"{line}\n" for line in lines).rstrip("\n") + "\n"


def _lines(text: str, *, at_top: bool = True) -> list[str]:
    """Comments and blank lines: one of these at most between two others, and none at the top."""
    found: list[str] = []
    for line in (line.strip() for line in lines_of(text)):
        if line or (found[-1] if found else not at_top):
            found.append(line)
    return found
