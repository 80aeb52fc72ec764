"""The text of a graph file with its comments: its tables, and which of them say something of which part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

from ..values.problems import KeyPath
from .statements import Element, Elements, elements
from .tables import Item, TableText, lines_of, split_tables
from .values import key_text

EDGES = "edges"
"""The one kind of part that has no names."""


def header_text(path: KeyPath) -> str:
    """Write the header of a table, without the end of its line."""
    keys = ".".join(key_text(part) for part in path if isinstance(part, str))
    return f"[[{keys}]]" if isinstance(path[-1], int) else f"[{keys}]"


def tables_under_headers(
    path: KeyPath, strays: Sequence[StrayItem], own: Sequence[TableText]
) -> tuple[TableText, ...]:
    """Write the tables of a part that stands, wholly or in part, in another form.

    Args:
        path: Where the part is in the document.
        strays: Its keys in other tables.
        own: The tables that it has all the same.
    """
    found = _PartCollector(path)
    for stray in strays:
        found.take(stray)
    return (found.table(strays[0].item.value_line), *(replace(table, gap=table.gap or "\n") for table in own))


def _lines(comments: Iterable[str]) -> str:
    return "".join(f"{comment.strip()}\n" for comment in comments)


class _PartCollector:
    """The keys of a part, with their comments."""

    def __init__(self, path: KeyPath) -> None:
        self._path = path
        self._items: list[Item] = []
        self._above: list[str] = []
        self._behind: list[str] = []
        self._foot: list[str] = []

    def take(self, stray: StrayItem) -> None:
        """Add what one item says of the part."""
        item, rest = stray.item, stray.path[len(self._path) :]
        if rest:
            self._items.append(_as_own(item, tuple(map(str, rest))))
        elif len(stray.path) == len(self._path):
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

    def table(self, line: int) -> TableText:
        """Put all of it under a header."""
        header = header_text(self._path) + "".join(f"  {comment}" for comment in self._behind[:1])
        main = TableText(self._path, "\n", _lines(self._above), f"{header}\n", "", line)
        return main.holding(self._items, _lines([*self._behind[1:], *self._foot]))


def _as_own(item: Item, path: tuple[str, ...]) -> Item:
    """Return an item's keys as they are under the header of the part."""
    key = ".".join(map(key_text, path))
    return replace(item, free="", own=_lines(lines_of(item.own)), key=f"{key} = ", path=path)


def _of_pair(pair: Element, line: int) -> Iterator[Item]:
    """Read the items of a part from a pair of an inline table: ``nodes = { draft = { type = "llm" } }``."""
    rest = pair.path[1:]
    if rest:
        yield _item(rest, pair.value, line)
    else:
        yield from pairs_of(pair.value, line)


def pairs_of(text: str, line: int = 0) -> Iterator[Item]:
    """Read the pairs of an inline table as items."""
    for pair in elements(text).items:
        yield _item(pair.path, pair.value, line)


def _item(path: tuple[str, ...], value: str, line: int) -> Item:
    return Item("", "", f"{'.'.join(map(key_text, path))} = ", path, value, "\n", line)


NAMED = ("state", "tools", "nodes")
"""The kinds of tables that have names."""
_MARK = "\ufeff"


class PartText:
    """The text of one part of a graph: its tables, and its keys in other tables.

    Args:
        toml: The text of the whole file.
        kind: What it describes.
        path: Where it is in the document.
        table: What it says.
    """

    def __init__(self, toml: TomlText, kind: str, path: KeyPath, table: Mapping[str, Any]) -> None:
        self.toml, self.kind, self.path, self.table = toml, kind, path, table
        self.name = "" if kind == EDGES else str(path[1])
        """The name in its header; empty for an edge."""
        self.places: list[int] = []
        """The positions of its own tables in the file."""
        self.strays: list[StrayItem] = []

    @cached_property
    def runs(self) -> list[range]:
        """Its tables, those that follow each other together."""
        found: list[range] = []
        for place in self.places:
            if found and found[-1].stop == place:
                found[-1] = range(found[-1].start, place + 1)
            else:
                found.append(range(place, place + 1))
        return found

    @property
    def own_tables(self) -> list[TableText]:
        """Its tables as they are in the file."""
        return [self.toml.tables[place] for place in self.places]

    @cached_property
    def text(self) -> str:
        """Its tables as they are in the file, with what is between them."""
        first, *rest = self.own_tables
        return first.text + "".join(table.gap + table.text for table in rest)

    @cached_property
    def tables(self) -> tuple[TableText, ...]:
        """Its tables as they would be in a file of the usual form."""
        own = self.own_tables
        return tables_under_headers(self.path, self.strays, own) if self.strays else tuple(own)


class StrayItem(NamedTuple):
    """An item that says something of parts, and is under no header of theirs."""

    item: Item
    path: KeyPath
    """The path of what it says, in the document."""
    owners: tuple[PartText, ...]

    @property
    def kind(self) -> str:
        """The kind of part of which it says all, as ``edges = [...]`` does: no header can add another one."""
        return str(self.path[0]) if len(self.path) == 1 else ""


class TomlText:
    """The text of a whole file, cut into its tables; together they are the text.

    Args:
        text: The text, as a TOML parser has read it.
        document: What the parser returned.
    """

    def __init__(self, text: str, document: Mapping[str, Any]) -> None:
        self.mark = _MARK if text.startswith(_MARK) else ""
        """The byte order mark, when there is one."""
        self.newline = newline_of(text)
        self.tables, self.end = split_tables(text.removeprefix(_MARK))
        """The top level and then each header of the file; the file's own text after the last."""
        found = _PartFinder(self, document)
        self.part_texts = tuple(found.part_texts.values())
        """The parts of the graph, in the order in which they begin."""
        self.strays = found.strays
        """The items that are elsewhere than under a part's own header."""
        self.head_places = found.own
        """The tables that belong to no part; the top level is the first."""
        self.head = found.head()
        """What belongs to no part: the settings of the graph, and what is not a table of parts."""

    def has_header(self, kind: str) -> bool:
        """Whether there is a header for all parts of a kind: ``[nodes]``."""
        return any(self.tables[place].path == (kind,) for place in self.head_places)


def newline_of(text: str) -> str:
    """Describe how the lines of a text end."""
    return "\r\n" if text[: text.find("\n") + 1].endswith("\r\n") else "\n"


class _PartFinder:
    """Finds out which tables and items belong to which part."""

    def __init__(self, toml: TomlText, document: Mapping[str, Any]) -> None:
        self._toml, self._document = toml, document
        self.part_texts: dict[KeyPath, PartText] = {}
        self.strays: list[StrayItem] = []
        self.own: list[int] = []
        self._tables = {kind: document[kind] for kind in (*NAMED, EDGES) if _has_parts(kind, document)}
        for place, table in enumerate(toml.tables):
            part_text = self._part_text(table.path)
            if part_text is not None:
                part_text.places.append(place)
                continue
            self.own.append(place)
            for item in table.body.items:
                self._look_at(item, (*table.path, *item.path))

    def _look_at(self, item: Item, path: KeyPath) -> None:
        if path[0] not in self._tables:
            return
        inside = [path]
        if len(path) == 1:
            inside = [(path[0], key) for key in self._keys(str(path[0]))]
        owners = tuple(owner for each in inside if (owner := self._part_text(each)) is not None)
        if owners or len(path) == 1:
            stray = StrayItem(item, path, owners)
            self.strays.append(stray)
            for owner in owners:
                owner.strays.append(stray)

    def _keys(self, kind: str) -> Iterable[str | int]:
        tables = self._tables[kind]
        return range(len(tables)) if kind == EDGES else tables

    def _part_text(self, path: KeyPath) -> PartText | None:
        """Find the part that a path leads into; None when it leads into none."""
        if len(path) < 2 or path[0] not in self._tables:
            return None
        kind, path = str(path[0]), path[:2]
        if path not in self.part_texts:
            table = self._tables[kind][path[1]]
            if not isinstance(table, Mapping):
                return None
            self.part_texts[path] = PartText(self._toml, kind, path, table)
        return self.part_texts[path]

    def head(self) -> dict[str, Any]:
        """Collect what the document says about no part."""
        tables = self._toml.tables
        paths = {tables[place].path for place in self.own}
        head: dict[str, Any] = {}
        for kind, value in self._document.items():
            if kind not in (*NAMED, EDGES):
                head[kind] = value
            elif not isinstance(value, Mapping) or kind == EDGES:
                if (kind, 0) not in self.part_texts:
                    head[kind] = value
            else:
                rest = {name: item for name, item in value.items() if (kind, name) not in self.part_texts}
                if rest or not value or (kind,) in paths:
                    head[kind] = rest
        return head


def _has_parts(kind: str, document: Mapping[str, Any]) -> bool:
    """Whether what the document has of a kind can be parts: tables by name, or a list of tables."""
    tables = document.get(kind)
    if kind == EDGES:
        return isinstance(tables, list) and all(isinstance(table, Mapping) for table in tables)
    return isinstance(tables, Mapping)
