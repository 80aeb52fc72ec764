"""Tables while they change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..values.problems import KeyPath
from .blocks import Item, Table, new_table
from .usual_form import header_text


@dataclass
class ChangingTable:
    """A table while it changes."""

    origin: Table
    """The table that it began as."""
    path: KeyPath
    """Where it will be, counted from the part that it belongs to."""
    items: list[Item]
    foot: str = ""

    def made(self) -> Table:
        """The table as it is now; the same one when nothing changed."""
        items, foot = self.origin.body
        if self.foot == foot and list(map(id, self.items)) == list(map(id, items)):
            return self.origin
        return self.origin.holding(self.items, self.foot)

    def put(self, place: int, item: Item) -> None:
        """Insert an item."""
        if place == 0 and self.items:  # what stands at the very top stays there
            first = self.items[0]
            item = replace(item, free=first.free)
            self.items[0] = replace(first, free="")
        self.items.insert(place, item)


@dataclass
class ChangingTables:
    """The tables of a part, or of the settings, while they change."""

    base: KeyPath
    """The path of the part in the document; empty for the settings."""
    tables: list[ChangingTable] = field(default_factory=list)
    written: set[KeyPath] = field(default_factory=set)
    """The paths of the items that are there."""
    _begun: set[KeyPath] = field(default_factory=set)
    """These paths, those of the tables, and of all that they are in."""

    def write(self, path: KeyPath) -> None:
        """Note that an item is there."""
        self.written.add(path)
        self._begin(path)

    def append(self, table: ChangingTable) -> None:
        """Take over a table."""
        self.tables.append(table)
        self._begin(table.path)

    def _begin(self, path: KeyPath) -> None:
        self._begun.update(path[:size] for size in range(len(path) + 1))

    def is_begun(self, path: KeyPath) -> bool:
        """Whether a table at a path, or something in it, is there."""
        return path in self._begun

    def first(self, path: KeyPath) -> int:
        """The position of the first table at a path or below it."""
        return next((place for place, _ in self._below(path)), len(self.tables))

    def behind(self, path: KeyPath) -> int:
        """The position behind the last table at a path or below it."""
        return max((place + 1 for place, _ in self._below(path)), default=len(self.tables))

    def behind_items(self, path: KeyPath, position: int) -> int:
        """The position behind the last table of the items of a list that come before one of them."""
        size = len(path)
        before = [place + 1 for place, found in self._below(path) if _number(found, size) < position]
        return before[-1] if before else self.first(path)

    def _below(self, path: KeyPath) -> list[tuple[int, KeyPath]]:
        size = len(path)
        return [(place, table.path) for place, table in enumerate(self.tables) if table.path[:size] == path]

    def insert(self, place: int, path: KeyPath, above: str = "", behind: str = "") -> ChangingTable:
        """Begin a new table, with comments above and behind its header."""
        full = (*self.base, *path)
        header = header_text(full) + (f"  {behind}" if behind else "") + "\n"
        table = ChangingTable(Table(full, "\n", above, header, ""), path, [])
        self.tables.insert(place, table)
        self._begin(path)
        return table

    def insert_text(self, place: int, path: KeyPath, text: str) -> None:
        """Begin a new table that is written already."""
        table = new_table((*self.base, *path), text)
        self.tables.insert(place, ChangingTable(table, path, list(table.body.items)))


def _number(path: KeyPath, size: int) -> float:
    number = path[size] if len(path) > size else None
    return number if isinstance(number, int) else float("inf")


def is_list_of_tables(value: Any) -> bool:
    """Whether a value can stand under headers such as ``[[edges]]``."""
    return isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)


def value_at(value: Any, path: Sequence[str | int]) -> Any:
    """What is at a path.

    Raises:
        KeyError: There is nothing at it.
    """
    for step in path:
        if isinstance(step, str) and not isinstance(value, Mapping):
            raise KeyError(step)
        value = value[step]
    return value
