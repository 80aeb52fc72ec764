"""From other ways to write a part of a graph to the usual one, with its comments.

A part may also stand in a list or an inline table (``edges = [{ from = "a", to = "b" }]``), or its keys
may be dotted (``nodes.draft.type = "llm"``). Such a part is written under a header of its own when it
changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..values.problems import KeyPath
from .blocks import Item, Table, lines_of
from .value_text import Element, Elements, elements
from .values_as_toml import key_text

EDGES = "edges"
"""The one kind of part that has no names."""


class Claim(NamedTuple):
    """An item that says something of a part, and does not stand under the part's header."""

    item: Item
    path: KeyPath
    """The path of what it says, in the document."""


def header_text(path: KeyPath) -> str:
    """The header of a table, without the end of its line."""
    keys = ".".join(key_text(part) for part in path if isinstance(part, str))
    return f"[[{keys}]]" if isinstance(path[-1], int) else f"[{keys}]"


def usual_tables(path: KeyPath, claims: Sequence[Claim], own: Sequence[Table]) -> tuple[Table, ...]:
    """The tables of a part that stands, wholly or in part, in another form.

    Args:
        path: Where the part is in the document.
        claims: What is said of it elsewhere.
        own: The tables that it has all the same.
    """
    found = _Found(path)
    for claim in claims:
        found.take(claim)
    return (found.table(claims[0].item.value_line), *(replace(table, gap=table.gap or "\n") for table in own))


def _lines(comments: Iterable[str]) -> str:
    return "".join(f"{comment.strip()}\n" for comment in comments)


class _Found:
    """What is said of a part, and the comments with it."""

    def __init__(self, path: KeyPath) -> None:
        self._path = path
        self._items: list[Item] = []
        self._above: list[str] = []
        self._behind: list[str] = []
        self._foot: list[str] = []

    def take(self, claim: Claim) -> None:
        """Add what one item says of the part."""
        item, rest = claim.item, claim.path[len(self._path) :]
        if rest:
            self._items.append(_as_own(item, tuple(map(str, rest))))
        elif len(claim.path) == len(self._path):
            self._above += lines_of(item.own)
            self._behind += [item.comment] if item.comment else []
            self._items += pairs_of(item.value, item.value_line)
        elif self._path[0] == EDGES:
            self._take_edge(elements(item.value), item.value_line)
        else:
            for pair in elements(item.value).items:
                if pair.path[0] == self._path[1]:
                    self._items += _of_pair(pair, item.value_line)

    def _take_edge(self, found: Elements, line: int) -> None:
        element = found.items[int(self._path[1])]
        self._above += element.above
        self._behind += [element.behind] if element.behind else []
        self._items += pairs_of(element.text, line)
        if element is found.items[-1]:
            self._foot += found.below

    def table(self, line: int) -> Table:
        """All of it under a header."""
        header = header_text(self._path) + "".join(f"  {comment}" for comment in self._behind[:1])
        main = Table(self._path, "\n", _lines(self._above), f"{header}\n", "", line)
        return main.holding(self._items, _lines([*self._behind[1:], *self._foot]))


def _as_own(item: Item, path: tuple[str, ...]) -> Item:
    """An item with the keys that it has under the header of the part."""
    key = ".".join(map(key_text, path))
    return replace(item, free="", own=_lines(lines_of(item.own)), key=f"{key} = ", path=path)


def _of_pair(pair: Element, line: int) -> Iterator[Item]:
    """The items of a part that is a pair of an inline table: ``nodes = { draft = { type = "llm" } }``."""
    rest = pair.path[1:]
    if rest:
        yield _item(rest, pair.value, line)
    else:
        yield from pairs_of(pair.value, line)


def pairs_of(text: str, line: int = 0) -> Iterator[Item]:
    """The pairs of an inline table as items."""
    for pair in elements(text).items:
        yield _item(pair.path, pair.value, line)


def _item(path: tuple[str, ...], value: str, line: int) -> Item:
    return Item("", "", f"{'.'.join(map(key_text, path))} = ", path, value, "\n", line)
