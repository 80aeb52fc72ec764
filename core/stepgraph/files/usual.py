"""From other ways to write a part of a graph to the usual one, with its comments.

A part may also stand in a list or an inline table (``edges = [{ from = "a", to = "b" }]``), or its keys
may be dotted (``nodes.draft.type = "llm"``). Such a part is written under a header of its own when it
changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..problems import KeyPath
from .blocks import Item, Table
from .toml_text import key_text
from .values import Element, elements

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
    items: list[Item] = []
    above: list[str] = []
    behind: list[str] = []
    foot: list[str] = []
    for claim in claims:
        _take(claim, path, items, above, behind, foot)
    line = claims[0].item.value_line
    header = header_text(path) + "".join(f"  {comment}" for comment in behind[:1])
    main = Table(path, "\n", _lines(above), f"{header}\n", "", line)
    main = main.holding(items, _lines(behind[1:] + foot))
    return (main, *(replace(table, gap=table.gap or "\n") for table in own))


def _lines(comments: list[str]) -> str:
    return "".join(f"{comment.strip()}\n" for comment in comments)


def _take(
    claim: Claim, path: KeyPath, items: list[Item], above: list[str], behind: list[str], foot: list[str]
) -> None:
    """Add what one item says of the part."""
    item, rest = claim.item, claim.path[len(path) :]
    if rest:
        key = ".".join(key_text(str(part)) for part in rest)
        own = _lines(item.own.splitlines())
        names = tuple(str(part) for part in rest)
        items.append(replace(item, free="", own=own, key=f"{key} = ", path=names))
    elif len(claim.path) == len(path):
        above += item.own.splitlines()
        behind += [item.comment] if item.comment else []
        items += _inside(item.value, item.value_line)
    elif path[0] == EDGES:
        found = elements(item.value)
        element = found.items[int(path[1])]
        above += element.above
        behind += [element.behind] if element.behind else []
        items += _inside(element.text, item.value_line)
        if element is found.items[-1]:
            foot += found.below
    else:
        for pair in elements(item.value).items:
            if pair.path[0] == path[1]:
                items += _of_pair(pair, item.value_line)


def _of_pair(pair: Element, line: int) -> Iterator[Item]:
    """The items of a part that is a pair of an inline table: ``nodes = { draft = { type = "llm" } }``."""
    rest = pair.path[1:]
    if rest:
        yield _item(rest, pair.value, line)
    else:
        yield from _inside(pair.value, line)


def _inside(text: str, line: int) -> Iterator[Item]:
    """The pairs of an inline table as items."""
    for pair in elements(text).items:
        yield _item(pair.path, pair.value, line)


def _item(path: tuple[str, ...], value: str, line: int) -> Item:
    return Item("", "", f"{'.'.join(map(key_text, path))} = ", path, value, "\n", line)
