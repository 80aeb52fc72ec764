"""A part of a graph file with other values or another name: its tables, held to say exactly that."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ..problems import KeyPath
from .blocks import Table
from .revising import Foreign, Revision, revised
from .sheet import Block, Sheet
from .statements import statements
from .toml_text import edge_text, key_text, table_texts
from .usual import EDGES
from .usual_order import rank_of
from .values import Comment, comments_in, same


def new_tables(kind: str, name: str, table: Mapping[str, Any]) -> tuple[Table, ...]:
    """The tables of a part that was never in a file."""
    path: KeyPath = (kind, 0) if kind == EDGES else (kind, name)
    texts = [edge_text(dict(table))] if kind == EDGES else table_texts((kind, name), dict(table))
    return tuple(Table(path, "\n", "", *_headed(text)) for text in texts)


def rewritten(block: Block, name: str, table: Mapping[str, Any]) -> Revision:
    """The tables of a part that says something else now, or has another name."""
    kind = block.kind
    found = revised(block.tables, block.table, table, rank_of(kind), block.path)
    tables = found.tables if name == block.name else tuple(_renamed(each, name) for each in found.tables)
    if _says(tables, kind, name, table):
        return Revision(tables, found.lost)
    return _anew(block, name, table)


def rewritten_head(sheet: Sheet, head: Mapping[str, Any], foreign: Foreign) -> Revision:
    """The tables that belong to no part, with other settings."""
    tables = [sheet.tables[place] for place in sheet.own_places]
    return revised(tables, sheet.head, head, rank_of(""), (), foreign)


def _says(tables: Iterable[Table], kind: str, name: str, table: Mapping[str, Any]) -> bool:
    try:
        document = tomllib.loads("".join(f"{each.text}\n" for each in tables))
        return document.keys() == {kind} and same(document[kind], [table] if kind == EDGES else {name: table})
    except tomllib.TOMLDecodeError:
        return False


def _anew(block: Block, name: str, table: Mapping[str, Any]) -> Revision:
    """All of a part written anew: the comments at its header are all that can be kept."""
    was, (first, *others) = block.tables, new_tables(block.kind, name, table)
    main = next((each for each in was if each.path == block.path), None)
    if main is not None:
        header = first.header[:-1] + (f"  {main.comment}" if main.comment else "") + "\n"
        first = replace(first, lead=main.lead, header=header, place=main.place)
    tables = (first, *others)
    left = [text for each in tables for _, text in comments_in(each.text)]
    lost = []
    for position, each in enumerate(was):
        gap = each.gap if position else ""
        for line, text in comments_in(gap + each.text):
            if text in left:
                left.remove(text)
            else:
                lost.append(Comment(each.line - gap.count("\n") + line, text))
    return Revision(tables, tuple(lost))


def _renamed(table: Table, name: str) -> Table:
    """The table of a part that has another name; all else in its header stays."""
    (found,) = statements(table.header)
    first, *rest = _keys(found.key)
    key = "".join([first, key_text(name), *rest[1:]])
    return replace(table, header=table.header.replace(found.key, key, 1))


def _keys(key: str) -> list[str]:
    """A key as it is written, cut behind the first dot and its space, and behind the second key."""
    from .lexer import tokens

    kind, old = [token.text for token in tokens(key) if token.kind != "mark"][:2]
    start = key.index(old, len(kind))
    return [key[:start], old, key[start + len(old) :]]


def _headed(text: str) -> tuple[str, str]:
    header, end, inner = text.partition("\n")
    return header + end, inner
