"""Cut the text of a graph file into tables and items, with the comments that belong to each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from ..values.problems import KeyPath
from .statements import ListSizes, Statement, key_path, statements


@dataclass(frozen=True, slots=True)
class Item:
    """One ``key = value`` with its comments. The texts together are what is in the file."""

    free: str
    """Blank lines and comments above, which a blank line parts from the item."""
    own: str
    """Comment lines directly above."""
    key: str
    """The key as it is written, with its indentation and all that comes before the value."""
    path: tuple[str, ...]
    """The parts of the key: more than one when it is dotted."""
    value: str
    """The value as it is written."""
    tail: str
    """What comes after the value: a comment, perhaps, and the end of the line."""
    line: int
    """The line where ``free`` starts, counted from 1."""

    @property
    def text(self) -> str:
        """All of it."""
        return f"{self.free}{self.own}{self.key}{self.value}{self.tail}"

    @property
    def comment(self) -> str:
        """The comment after the value; empty when there is none."""
        return self.tail.strip()

    @property
    def own_line(self) -> int:
        """The line of the first comment directly above, or of the key."""
        return self.line + self.free.count("\n")

    @property
    def value_line(self) -> int:
        """The line where the value starts."""
        return self.own_line + self.own.count("\n")


class Body(NamedTuple):
    """What is under a header."""

    items: tuple[Item, ...]
    foot: str
    """Comments and blank lines after the last item."""


@dataclass(frozen=True)
class TableText:
    """A header with its items; the top level of a file is one without a header."""

    path: KeyPath
    """Where it is in the document; a table in a list has its position there."""
    gap: str
    """The file's own text before it: blank lines, and comments that blank lines part from the table."""
    lead: str
    """Comment lines directly above the header."""
    header: str
    """The line of the header, with the comment after it."""
    inner: str
    """The text of the items and of the comments after them."""
    line: int = 0
    """The line where ``lead`` starts, counted from 1."""
    place: int = -1
    """Its position among the tables of its file; -1 when it comes from none."""

    @cached_property
    def text(self) -> str:
        """All of it but the gap."""
        return f"{self.lead}{self.header}{self.inner}"

    @cached_property
    def body(self) -> Body:
        """The items, found when somebody first asks."""
        return _body(self.inner, self.line + self.lead.count("\n") + self.header.count("\n"))

    @property
    def comment(self) -> str:
        """The comment after the header; empty when there is none."""
        return comment_of(self.header)

    def holding(self, items: Iterable[Item], foot: str) -> TableText:
        """Return the same table with other items."""
        inner = stacked(*(item.text for item in items), foot)
        return replace(self, header=stacked(self.header, inner).removesuffix(inner), inner=inner)


def new_table(path: KeyPath, text: str) -> TableText:
    """Build a table that was never in a file, from the text of its header and its items."""
    header, end, inner = text.partition("\n")
    return TableText(path, "\n", "", header + end, inner)


def stacked(*texts: str) -> str:
    """Stack texts one below the other: where another follows, the last line of each has its end."""
    found = [text for text in texts if text]
    return "".join([*(text if text.endswith("\n") else f"{text}\n" for text in found[:-1]), *found[-1:]])


def lines_of(text: str) -> list[str]:
    """Split a text into lines as TOML counts them: a comment may hold signs that end lines elsewhere."""
    return text.removesuffix("\n").split("\n") if text else []


def comment_of(line: str) -> str:
    """Find the comment after a header; empty when there is none."""
    for statement in statements(line):
        if statement.kind in ("header", "list"):
            _, _, behind = statement.text.partition(statement.key)
            return behind[behind.index("#") :].strip() if "#" in behind else ""
    return ""


def _body(text: str, line: int) -> Body:
    items: list[Item] = []
    above: list[Statement] = []
    for statement in statements(text):
        if statement.kind != "item":
            above.append(statement)
            continue
        free, own = parted(above)
        whole, opening, closing = statement.text, statement.opening, statement.closing
        path = key_path(statement.key)
        item = Item(free, own, whole[:opening], path, whole[opening:closing], whole[closing:], line)
        items.append(item)
        line += item.text.count("\n")
        above.clear()
    return Body(tuple(items), "".join(statement.text for statement in above))


def parted(above: Sequence[Statement]) -> tuple[str, str]:
    """Split comments and blank lines into those that stand apart and the comments directly above."""
    at = len(above)
    while at and above[at - 1].kind == "comment":
        at -= 1
    texts = [statement.text for statement in above]
    return "".join(texts[:at]), "".join(texts[at:])


def split_tables(text: str) -> tuple[list[TableText], str]:
    """Cut a text, as a TOML parser has read it, into tables.

    A table takes the comments directly above its header, and those directly after its last item. What
    blank lines part from it is the file's own: the gap before the next table.

    Returns:
        The top level and then each table, and the file's own text after the last.
    """
    cutter = _Cutter()
    for statement in statements(text):
        cutter.take(statement)
    return cutter.tables, cutter.close()


class _Cutter:
    """Takes the statements of a text, one after the other."""

    def __init__(self) -> None:
        self.tables: list[TableText] = []
        self._path: KeyPath = ()
        self._gap = self._lead = self._header = ""
        self._inner: list[str] = []
        self._pending: list[Statement] = []  # comments and blank lines after the last item
        self._line = self._start = 1
        self._sizes = ListSizes()

    def take(self, statement: Statement) -> None:
        """Continue with the next statement."""
        if statement.kind == "item":
            self._inner += [above.text for above in self._pending]
            self._inner.append(statement.text)
            self._pending = []
        elif statement.kind in ("header", "list"):
            self._begin(statement)
        else:
            self._pending.append(statement)
        self._line += statement.text.count("\n")

    def _begin(self, header: Statement) -> None:
        _, lead = parted(self._pending)
        size = lead.count("\n")
        self._pending = self._pending[: len(self._pending) - size]
        self._gap = self.close()
        *parts, name = key_path(header.key)
        path = (*self._sizes.inside(parts), name)
        self._path = self._sizes.add(path) if header.kind == "list" else path
        self._lead, self._header, self._start = lead, header.text, self._line - size
        self._inner, self._pending = [], []

    def close(self) -> str:
        """End the table, and return the text after it that is the file's own."""
        size = 0
        while (self._header or self._inner) and size < len(self._pending):
            if self._pending[size].kind != "comment":
                break
            size += 1
        inner = "".join([*self._inner, _text(self._pending[:size])])
        place = len(self.tables)
        self.tables.append(
            TableText(self._path, self._gap, self._lead, self._header, inner, self._start, place)
        )
        return _text(self._pending[size:])


def _text(statements: Sequence[Statement]) -> str:
    return "".join(statement.text for statement in statements)
