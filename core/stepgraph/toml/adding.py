"""Writing keys that are new in a table, where somebody who writes by hand would put them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..values.problems import KeyPath
from .blocks import Item, new_table
from .changing_tables import ChangingTable, ChangingTables, is_list_of_tables
from .text import NAMED
from .usual_form import EDGES
from .values_as_toml import DEEPEST_HEADER, WIDTH, key_text, table_texts, value_text

Rank = Callable[[str], int]
"""Gives a key its rank: keys with lower ranks stand above it."""


@dataclass(frozen=True)
class Addition:
    """A key that is to be written."""

    path: KeyPath
    value: Any
    above: str = ""
    """Its comment lines."""
    behind: str = ""
    """The comment behind it."""


class Adding:
    """Writes what is new.

    Args:
        changing: The tables.
        rank: Where keys of the first table belong.
        moved: Values that stood elsewhere until now, with their comments.
        skipped: The identities of items that say something of another part.
    """

    def __init__(
        self, changing: ChangingTables, rank: Rank, moved: Mapping[KeyPath, Addition], skipped: frozenset[int]
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
        table.put(place, item)
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

    def _home(self, path: KeyPath) -> tuple[ChangingTable, tuple[str, ...]]:
        """The table that a key at a path goes to, and the keys that lead from it to the path."""
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

    def _place(self, table: ChangingTable, names: tuple[str, ...], order: Iterable[str]) -> int:
        """The position of a new item: in the usual order of its table."""
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


def _indent(table: ChangingTable, place: int) -> str:
    """The indentation of a new item: that of its neighbour."""
    if not table.items:
        return ""
    key = table.items[max(place - 1, 0)].key
    return key[: len(key) - len(key.lstrip())]
