"""A part of a graph file with other values or another name: its tables as they are then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..values.problems import KeyPath
from .adding import Rank
from .blocks import Table, new_table
from .lexer import tokens
from .statements import statements
from .table_change import Foreign, Revision, revised
from .text import Block, Sheet
from .usual_form import EDGES
from .values_as_toml import edge_text, key_text, table_texts


def new_tables(kind: str, name: str, table: Mapping[str, Any]) -> tuple[Table, ...]:
    """The tables of a part that was never in a file."""
    path: KeyPath = (kind, 0) if kind == EDGES else (kind, name)
    texts = [edge_text(dict(table))] if kind == EDGES else table_texts((kind, name), dict(table))
    return tuple(new_table(path, text) for text in texts)


def rewritten(block: Block, name: str, table: Mapping[str, Any], rank: Rank) -> Revision:
    """The tables of a part that says something else now, or has another name."""
    found = revised(block.tables, block.table, table, rank, block.path)
    if name == block.name:
        return found
    return Revision(tuple(_renamed(each, name) for each in found.tables), found.lost)


def rewritten_head(sheet: Sheet, head: Mapping[str, Any], foreign: Foreign, rank: Rank) -> Revision:
    """The tables that belong to no part, with other settings."""
    tables = [sheet.tables[place] for place in sheet.own_places]
    return revised(tables, sheet.head, head, rank, (), foreign)


def _renamed(table: Table, name: str) -> Table:
    """The table of a part that has another name; all else in its header stays."""
    (found,) = statements(table.header)
    start, end = _parts(found.key)
    return replace(table, header=table.header.replace(found.key, f"{start}{key_text(name)}{end}", 1))


def _parts(key: str) -> tuple[str, str]:
    """What stands before and behind the name in the key of a header."""
    kind, old = [token.text for token in tokens(key) if token.kind != "mark"][:2]
    start = key.index(old, len(kind))
    return key[:start], key[start + len(old) :]
