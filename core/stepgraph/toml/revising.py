"""Change values in a part of a graph file or its settings: what did not change keeps its text."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..values.errors import GraphFileError
from ..values.problems import KeyPath
from .adding import Addition, EditedTable, EditedTables, KeyAdder, Rank, is_list_of_tables, is_table, value_at
from .statements import key_parts, statements
from .tables import Item, TableText, lines_of, new_table
from .text import EDGES, NAMED, PartText, TomlText, header_text, newline_of, pairs_of
from .values import (
    WIDTH,
    Comment,
    changed_text,
    comment_counts,
    comments_in,
    edge_text,
    key_text,
    match_items,
    same,
    standard_text,
    table_texts,
)


@dataclass(frozen=True)
class Revision:
    """What became of some tables."""

    tables: tuple[TableText, ...]
    lost: tuple[Comment, ...] = ()
    """Comments without a place, although their table or key is still there; lines count from 1."""


@dataclass(frozen=True)
class ForeignItems:
    """Items that say something of another part than the tables that they are in."""

    items: frozenset[int] = frozenset()
    """The identities of all of them."""
    staying: frozenset[int] = frozenset()
    """The identities of those that stay; the others go with their comments."""
    parting: frozenset[int] = frozenset()
    """The identities of those that go and leave their comments behind."""


def revised(
    tables: Sequence[TableText],
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    rank: Rank,
    base: KeyPath = (),
    foreign: ForeignItems | None = None,
) -> Revision:
    """Change the values of tables.

    Args:
        tables: The tables as they are.
        old: What they say.
        new: What they are to say.
        rank: Where new keys of the first table belong.
        base: The path of the part in the document; empty for the settings.
        foreign: The items that say nothing of this part.
    """
    foreign = foreign or ForeignItems()
    work = _Reviser(old, new, base, foreign)
    for table in tables:
        work.take(table)
    KeyAdder(work.changing, rank, work.moved, foreign.items).add_missing((), new)
    if base and not work.changing.tables:
        work.changing.insert(0, ())
    return work.revision()


class _Reviser:
    """Takes over the tables and items that are still there, and changes the values that are others now."""

    def __init__(
        self, old: Mapping[str, Any], new: Mapping[str, Any], base: KeyPath, foreign: ForeignItems
    ) -> None:
        self._old, self._new, self._foreign = old, new, foreign
        self.changing = EditedTables(base)
        self.moved: dict[KeyPath, Addition] = {}
        """Inline tables that became too long for one line."""
        self._positions: dict[KeyPath, dict[int, int]] = {}
        self._before = -1
        self._lost: list[Comment] = []

    def take(self, table: TableText) -> None:
        """Copy a table, unless it is no more."""
        # What comes before the table is the part's own where another table of the part comes before that.
        is_inside = bool(self.changing.base) and 0 <= self._before == table.place - 1
        self._before = table.place
        rest = table.path[len(self.changing.base) :]
        found = self._now(rest)
        if found is None and any(id(item) in self._foreign.staying for item in table.body.items):
            found = rest, {}
        if found is None or not isinstance(found[1], Mapping):
            if found is not None:  # its key is still there, with a value of another kind
                self._lost += _own_comments(table)
            if is_inside and "#" in table.gap:
                self._leave(table)
            return
        path, value = found
        if is_inside and not self.changing.tables and "#" in table.gap:
            table = replace(table, lead=table.gap.strip("\r\n") + "\n\n" + table.lead)
        self.changing.append(self._changed(table, path, value_at(self._old, rest), value))

    def _leave(self, table: TableText) -> None:
        """Keep the comments that stood before a table of the part which is no more."""
        if self.changing.tables:
            last = self.changing.tables[-1]
            last.foot = _foot(last.foot + table.gap)
        else:
            self._lost += _comments(table.gap, table.line - table.gap.count("\n"))

    def _changed(
        self, table: TableText, path: KeyPath, old: Mapping[str, Any], new: Mapping[str, Any]
    ) -> EditedTable:
        items: list[Item] = []
        carried = ""
        for item in table.body.items:
            found = self._item(item, path, old, new)
            if found is None:
                left = item.own + (f"{item.comment}\n" if item.comment else "")
                left = left + "\n" if left and id(item) in self._foreign.parting else ""
                carried = joined(carried, item.free + left)
                continue
            if carried:
                found, carried = replace(found, free=joined(carried, found.free)), ""
            items.append(found)
        foot = table.body.foot
        if "#" in carried:
            foot = _foot(carried + foot) if table.path else joined(carried, foot)
        return EditedTable(table, path, items, foot)

    def _now(self, rest: KeyPath) -> tuple[KeyPath, Any] | None:
        """Follow a path into the new values: where it leads now, and what is there; None when it is gone."""
        was: Any = self._old
        value: Any = self._new
        path: KeyPath = ()
        for size, step in enumerate(rest):
            now: str | int | None = step
            if isinstance(step, int):
                if value != [] and not is_list_of_tables(value):
                    return path, None  # the list is something else now
                now = self._position(rest[:size], was, value, step)
            elif not isinstance(value, Mapping) or step not in value:
                return None
            if now is None:
                return None
            was, value, path = was[step], value[now], (*path, now)
        return path, value

    def _position(self, path: KeyPath, old: Any, new: Any, position: int) -> int | None:
        """Find the new position of a table of a list; None when it is gone."""
        if path not in self._positions:
            were = match_items(old, new) if is_list_of_tables(new) else []
            self._positions[path] = {was: now for now, was in enumerate(were) if was is not None}
        return self._positions[path].get(position)

    def _item(self, item: Item, path: KeyPath, was: Any, value: Any) -> Item | None:
        """Set the new value of an item; None removes it."""
        at = (*path, *item.path)
        if id(item) in self._foreign.items:
            if id(item) not in self._foreign.staying:
                return None
            self.changing.write(at)
            return item
        try:
            old, new = value_at(was, item.path), value_at(value, item.path)
        except KeyError:
            return None
        if not same(old, new):
            room = WIDTH - len(item.key) - 1
            text = changed_text(item.value, old, new, room)
            was_short = len(item.value) <= room
            if was_short and isinstance(new, Mapping) and is_table(self.changing.base, at, text):
                self.moved[at] = Addition(at, new, item.own, item.comment)
                self._lost += _comments(item.value, item.value_line)
                return None
            self._lost += _lost_comments(item.value, text, item.value_line)
            item = replace(item, value=text)
        self.changing.write(at)
        return item

    def revision(self) -> Revision:
        """Return the new tables, and the comments that have no place in them."""
        return Revision(tuple(table.build() for table in self.changing.tables), tuple(self._lost))


def _comments(text: str, line: int) -> Iterator[Comment]:
    return (Comment(line + offset, comment) for offset, comment in comments_in(text))


def _own_comments(table: TableText) -> Iterator[Comment]:
    """Find the comments of a table that belong to none of its items."""
    yield from _comments(table.lead + table.header, table.line)
    for item in table.body.items:
        yield from _comments(item.free, item.line)
    end = table.line + table.text.count("\n") - table.body.foot.count("\n")
    yield from _comments(table.body.foot, end)


def _lost_comments(old: str, new: str, line: int) -> Iterator[Comment]:
    """Find the comments of a value that its new text has not."""
    still_there = comment_counts(new)
    for comment in _comments(old, line):
        still_there[comment.text] -= 1
        if still_there[comment.text] < 0:
            yield comment


def joined(one: str, other: str) -> str:
    """Join two stretches of blank lines and comments as one, without blank lines that meet blank lines."""
    if not one.strip():
        return other or one
    if not other.strip():
        return one
    if one.endswith(("\n\n", "\r\n\r\n")):
        return one + other.lstrip("\r\n")
    return f"{one}{other}" if other.startswith(("\n", "\r\n")) else f"{one}\n{other}"


def _foot(text: str) -> str:
    """Write comments as they stand after the last item: blank lines would part them from the table."""
    return "".join(f"{line}\n" for line in lines_of(text) if line.strip())


def new_tables(kind: str, name: str, table: Mapping[str, Any]) -> tuple[TableText, ...]:
    """Write the tables of a part that was never in a file."""
    path: KeyPath = (kind, 0) if kind == EDGES else (kind, name)
    texts = [edge_text(dict(table))] if kind == EDGES else table_texts((kind, name), dict(table))
    return tuple(new_table(path, text) for text in texts)


def rewritten(part_text: PartText, name: str, table: Mapping[str, Any], rank: Rank) -> Revision:
    """Write the tables of a part that says something else now, or has another name."""
    found = revised(part_text.tables, part_text.table, table, rank, part_text.path)
    if name == part_text.name:
        return found
    return Revision(tuple(_renamed(each, name) for each in found.tables), found.lost)


def rewritten_head(
    toml: TomlText, head: Mapping[str, Any], rank: Rank, staying: Iterable[int] = ()
) -> Revision:
    """Change the settings in the tables that belong to no part.

    Args:
        toml: The text of the file.
        head: The settings.
        rank: Where new keys of the first table belong.
        staying: The identities of the stray items that stay.
    """
    foreign = ForeignItems(
        frozenset(id(stray.item) for stray in toml.strays),
        frozenset(staying),
        frozenset(id(stray.item) for stray in toml.strays if stray.kind),
    )
    tables = [toml.tables[place] for place in toml.head_places]
    return revised(tables, toml.head, head, rank, (), foreign)


def _renamed(table: TableText, name: str) -> TableText:
    """Rename the table of a part; all else in its header stays."""
    (found,) = statements(table.header)
    start, end = _parts(found.key)
    return replace(table, header=table.header.replace(found.key, f"{start}{key_text(name)}{end}", 1))


def _parts(key: str) -> tuple[str, str]:
    """Cut the key of a header into what comes before the name and after it."""
    kind, old = key_parts(key)[:2]
    start = key.index(old, len(kind))
    return key[:start], key[start + len(old) :]


def formatted(text: str, document: Mapping[str, Any]) -> str:
    """Write a graph file in the standard shape, with all its comments.

    Args:
        text: The text of the file.
        document: What a TOML parser returns for it.

    Raises:
        GraphFileError: The new text would mean something else, or lack a comment. That is a bug.
    """
    toml = TomlText(text.replace("\r\n", "\n"), document)
    new = "\n".join([*_StandardBlocks(toml).all(), *_notes(toml.end)])
    if not _is_same(new, document) or comment_counts(new) != comment_counts(text):
        raise GraphFileError("formatting it would change its meaning", hint="this is a bug in Stepgraph")
    return toml.mark + new.replace("\n", newline_of(text))


def _no_rank(key: str) -> int:
    return 0  # keys keep their order: formatting adds none


def _is_same(text: str, document: Mapping[str, Any]) -> bool:
    now = tomllib.loads(text)
    return same(now, document) and all(_names(now, kind) == _names(document, kind) for kind in NAMED)


def _names(document: Mapping[str, Any], kind: str) -> list[str]:
    """List the names of the parts of a kind; their order is that of the graph."""
    tables = document.get(kind)
    if not isinstance(tables, Mapping):
        return []
    return [name for name, table in tables.items() if isinstance(table, Mapping)]


class _StandardBlocks:
    """The pieces of a file: tables, and comments that stand apart from them."""

    def __init__(self, toml: TomlText) -> None:
        self._toml = toml
        self._own = rewritten_head(toml, toml.head, _no_rank).tables
        self._has_top = bool(toml.tables[0].text)

    def all(self) -> Iterator[str]:
        """Write the settings, then the parts, kind by kind."""
        if not self._has_top and len(self._toml.tables) > 1:
            yield from _notes(self._toml.tables[1].gap)  # what is at the very top stays there
        kinds = [(kind,) for kind in NAMED]
        yield from self._write([table for table in self._own if table.path not in kinds], ())
        for kind in (*NAMED, EDGES):
            part_texts = [part_text for part_text in self._toml.part_texts if part_text.kind == kind]
            headers = [table for table in self._own if table.path == (kind,) in kinds]
            yield from self._write(headers, (), sparing=bool(part_texts))
            for part_text in part_texts:
                yield from self._write(part_text.tables, part_text.path)

    def _write(self, tables: Iterable[TableText], base: KeyPath, *, sparing: bool = False) -> Iterator[str]:
        """Write tables in the standard shape, with the comments before them.

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


def _table(table: TableText, base: KeyPath) -> Iterator[str]:
    """Write a table, and after it what it has of tables that are too long for one line."""
    lines = _lines(table.lead)
    if table.path:
        lines.append(header_text(table.path) + _behind(table.comment))
    top, large = len(lines), list[TableText]()
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


def _as_table(path: KeyPath, item: Item) -> TableText:
    full = (*path, *item.path)
    header = f"{header_text(full)}{_behind(item.comment)}\n"
    return TableText(full, "", item.own, header, "").holding(pairs_of(item.value), "")


def _behind(comment: str) -> str:
    return f"  {comment}" if comment else ""


def _notes(text: str) -> Iterator[str]:
    """Write comments that stand apart as a block of their own."""
    lines = _lines(text)
    if lines:
        yield "".join(f"{line}\n" for line in lines).rstrip("\n") + "\n"


def _lines(text: str, *, at_top: bool = True) -> list[str]:
    """Split comments and blank lines: one of these at most between two others, and none at the top."""
    found: list[str] = []
    for line in (line.strip() for line in lines_of(text)):
        if line or (found[-1] if found else not at_top):
            found.append(line)
    return found
