"""Write keys that are new in a table where somebody who writes by hand would put them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..values.problems import KeyPath
from .tables import Item, TableText, new_table
from .text import EDGES, NAMED, header_text
from .values import DEEPEST_HEADER, WIDTH, key_text, table_texts, value_text


@dataclass
class EditedTable:
    """A table while it changes."""

    origin: TableText
    """The table that it began as."""
    path: KeyPath
    """Where it will be, counted from the part that it belongs to."""
    items: list[Item]
    foot: str = ""

    def build(self) -> TableText:
        """Write the table as it is now; the same one when nothing changed."""
        items, foot = self.origin.body
        if self.foot == foot and list(map(id, self.items)) == list(map(id, items)):
            return self.origin
        return self.origin.holding(self.items, self.foot)

    def insert(self, place: int, item: Item) -> None:
        """Insert an item."""
        if place == 0 and self.items:  # what is at the very top stays there
            first = self.items[0]
            item = replace(item, free=first.free)
            self.items[0] = replace(first, free="")
        self.items.insert(place, item)


@dataclass
class EditedTables:
    """The tables of a part, or of the settings, while they change."""

    base: KeyPath
    """The path of the part in the document; empty for the settings."""
    tables: list[EditedTable] = field(default_factory=list)
    written: set[KeyPath] = field(default_factory=set)
    """The paths of the items that are there."""
    _begun: set[KeyPath] = field(default_factory=set)
    """These paths, those of the tables, and of all that they are in."""

    def write(self, path: KeyPath) -> None:
        """Note that an item is there."""
        self.written.add(path)
        self._begin(path)

    def append(self, table: EditedTable) -> None:
        """Copy a table."""
        self.tables.append(table)
        self._begin(table.path)

    def _begin(self, path: KeyPath) -> None:
        self._begun.update(path[:size] for size in range(len(path) + 1))

    def is_begun(self, path: KeyPath) -> bool:
        """Whether a table at a path, or something in it, is there."""
        return path in self._begun

    def first(self, path: KeyPath) -> int:
        """Find the position of the first table at a path or below it."""
        return next((place for place, _ in self._below(path)), len(self.tables))

    def behind(self, path: KeyPath) -> int:
        """Find the position after the last table at a path or below it."""
        return max((place + 1 for place, _ in self._below(path)), default=len(self.tables))

    def behind_items(self, path: KeyPath, position: int) -> int:
        """Find the position after the last table of the items of a list that come before one of them."""
        size = len(path)
        before = [place + 1 for place, found in self._below(path) if _number(found, size) < position]
        return before[-1] if before else self.first(path)

    def _below(self, path: KeyPath) -> list[tuple[int, KeyPath]]:
        size = len(path)
        return [(place, table.path) for place, table in enumerate(self.tables) if table.path[:size] == path]

    def insert(self, place: int, path: KeyPath, above: str = "", behind: str = "") -> EditedTable:
        """Begin a new table, with comments above and after its header."""
        full = (*self.base, *path)
        header = header_text(full) + (f"  {behind}" if behind else "") + "\n"
        table = EditedTable(TableText(full, "\n", above, header, ""), path, [])
        self.tables.insert(place, table)
        self._begin(path)
        return table

    def insert_text(self, place: int, path: KeyPath, text: str) -> None:
        """Begin a new table that is written already."""
        table = new_table((*self.base, *path), text)
        self.tables.insert(place, EditedTable(table, path, list(table.body.items)))


def _number(path: KeyPath, size: int) -> float:
    number = path[size] if len(path) > size else None
    return number if isinstance(number, int) else float("inf")


def is_list_of_tables(value: Any) -> bool:
    """Whether a value can be under headers such as ``[[edges]]``."""
    return isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)


def value_at(value: Any, path: Sequence[str | int]) -> Any:
    """Read what is at a path.

    Raises:
        KeyError: There is nothing at it.
    """
    for step in path:
        if isinstance(step, str) and not isinstance(value, Mapping):
            raise KeyError(step)
        value = value[step]
    return value


Rank = Callable[[str], int]
"""Gives a key its rank: keys with lower ranks are above it."""


@dataclass(frozen=True)
class Addition:
    """A key that is to be written."""

    path: KeyPath
    value: Any
    above: str = ""
    """Its comment lines."""
    behind: str = ""
    """The comment after it."""


class KeyAdder:
    """Writes what is new.

    Args:
        changing: The tables.
        rank: Where keys of the first table belong.
        moved: Values that stood elsewhere until now, with their comments.
        skipped: The identities of items that say something of another part.
    """

    def __init__(
        self, changing: EditedTables, rank: Rank, moved: Mapping[KeyPath, Addition], skipped: frozenset[int]
    ) -> None:
        self._changing, self._rank, self._moved, self._skipped = changing, rank, moved, skipped

    def add_missing(self, path: KeyPath, value: Mapping[str, Any]) -> None:
        """Write every key of a table that no item says yet."""
        for key, inside in value.items():
            at = (*path, key)
            if at in self._changing.written:
                continue
            is_begun = self._changing.is_begun(at)
            if is_begun and isinstance(inside, Mapping):
                self.add_missing(at, inside)
            elif is_begun and is_list_of_tables(inside):
                self._add_tables(at, inside)
            else:
                self._add(self._moved.get(at) or Addition(at, inside), value)

    def _add_tables(self, path: KeyPath, tables: Sequence[Mapping[str, Any]]) -> None:
        """Write the tables of a list of which some have headers already."""
        for position, table in enumerate(tables):
            at = (*path, position)
            if not self._changing.is_begun(at):
                self._changing.insert(self._changing.behind_items(path, position), at)
            self.add_missing(at, table)

    def _add(self, addition: Addition, order: Iterable[str]) -> None:
        path, value = addition.path, addition.value
        if isinstance(value, Mapping) and is_table(self._changing.base, path, value_text(dict(value))):
            self._add_table(addition)
            return
        table, names = self._home(path[:-1])
        names = (*names, str(path[-1]))
        start = ".".join(map(key_text, names)) + " = "
        text = value_text(value, WIDTH - len(start) - 1)
        tail = f"  {addition.behind}\n" if addition.behind else "\n"
        place = self._place(table, names, order)
        item = Item("", addition.above, f"{_indent(table, place)}{start}", names, text, tail, 0)
        table.insert(place, item)
        self._changing.write(path)

    def _add_table(self, addition: Addition) -> None:
        """Write a large table, and the large ones in it, each under a header of its own."""
        path, base = addition.path, self._changing.base
        names = tuple(part for part in (*base, *path) if isinstance(part, str))
        first, *others = table_texts(names, addition.value)
        place = self._changing.behind(path[:-1])
        table = self._changing.insert(place, path, addition.above, addition.behind)
        table.origin = replace(table.origin, inner=new_table(table.origin.path, first).inner)
        table.items = list(table.origin.body.items)
        for text in reversed(others):
            self._changing.insert_text(place + 1, path, text)
        self._changing.write(path)

    def _home(self, path: KeyPath) -> tuple[EditedTable, tuple[str, ...]]:
        """Find the table that a key at a path goes to, and the keys that lead from it to the path."""
        for table in self._changing.tables:
            if table.path == path:
                return table, ()
        for table in self._changing.tables:
            rest = tuple(str(part) for part in path[len(table.path) :])
            if table.path == path[: len(table.path)] and any(
                item.path[: len(rest)] == rest for item in table.items
            ):
                return table, rest
        return self._changing.insert(self._changing.first(path), path), ()

    def _place(self, table: EditedTable, names: tuple[str, ...], order: Iterable[str]) -> int:
        """Find the position of a new item: in the usual order of its table."""
        order_of = {key: position for position, key in enumerate(order)}
        head, size = names[:-1], len(names) - 1
        is_first = not table.path and not head

        def weight(key: str) -> tuple[int, int]:
            return (self._rank(key) if is_first else 0, order_of.get(key, len(order_of)))

        near = [
            (place, item)
            for place, item in enumerate(table.items)
            if item.path[:size] == head and len(item.path) > size and id(item) not in self._skipped
        ]
        here = weight(names[-1])
        before = [place for place, item in near if weight(item.path[size]) < here]
        if before:
            return before[-1] + 1
        return near[0][0] if near else len(table.items)


def is_table(base: KeyPath, path: KeyPath, text: str) -> bool:
    """Whether an inline table is better written under a header of its own.

    Args:
        base: The path of the part that it belongs to; empty for the settings.
        path: Its path in there.
        text: How it would be written on one line.
    """
    if not base:
        return path in [(kind,) for kind in NAMED]  # other tables of this kind have headers, too
    is_wide = len(str(path[-1])) + len(" = ") + len(text) >= WIDTH
    return is_wide and base[0] != EDGES and len(base) + len(path) <= DEEPEST_HEADER


def _indent(table: EditedTable, place: int) -> str:
    """Indent a new item like its neighbor."""
    if not table.items:
        return ""
    key = table.items[max(place - 1, 0)].key
    return key[: len(key) - len(key.lstrip())]
