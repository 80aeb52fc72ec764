"""The text of a value: the items of lists and inline tables, and the comments in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .lexer import TEXT
from .statements import key_path

_PIECE = re.compile(
    rf"""(?P<newline> \r?\n ) | (?P<space> [ \t\r]++ ) | (?P<comment> \#[^\n]*+ ) | (?P<text> {TEXT} )
      | (?P<open> [\[{{] ) | (?P<close> [\]}}] ) | (?P<comma> , ) | (?P<equals> = )
      | (?P<bare> [^\s"'\#\[\]{{}},=]++ )""",
    re.VERBOSE,
)
_COMMENT = re.compile(rf"(?P<comment> \#[^\n]*+ ) | {TEXT}", re.VERBOSE)


def same(one: Any, other: Any) -> bool:
    """Whether two values would be written alike: ``1``, ``1.0`` and ``true`` are three values."""
    if one is other:
        return True
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(item, other[key]) for key, item in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if type(one) is not type(other):
        return False
    return bool(one == other) if isinstance(one, (str, int)) else repr(one) == repr(other)


class Comment(NamedTuple):
    """A comment in a text."""

    line: int
    """Counted from 0 where the text starts."""
    text: str


def comments_in(text: str) -> Iterator[Comment]:
    """The comments in a text of TOML, in order."""
    if "#" not in text:
        return
    line = start = 0
    for match in _COMMENT.finditer(text):
        if match["comment"] is not None:
            line, start = line + text.count("\n", start, match.start()), match.start()
            yield Comment(line, match["comment"].rstrip())


# Lists and inline tables


@dataclass
class Element:
    """One item of a list, or one pair of an inline table, as it is written."""

    text: str = ""
    above: list[str] = field(default_factory=list)
    """Comments on lines of their own before it."""
    behind: str = ""
    """The comment on its line."""
    equals: int = -1
    """Where in the text the sign between key and value stands; -1 in a list."""

    @property
    def path(self) -> tuple[str, ...]:
        """The parts of the key of a pair."""
        return key_path(self.text[: self.equals].strip())

    @property
    def value(self) -> str:
        """The text of the value of a pair."""
        return self.text[self.equals + 1 :].strip()


class Elements(NamedTuple):
    """What stands between two brackets."""

    items: tuple[Element, ...]
    below: tuple[str, ...]
    """Comments behind the last item, on lines of their own."""


class _Reader:
    """Cuts the text of a list or an inline table into its items."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._items: list[Element] = []
        self._item: Element | None = None
        self._above: list[str] = []
        self._below: list[str] = []  # comments between an item and its comma, or the closing bracket
        self._start = 0
        self._is_same_line = False  # whether the last item ended on this line

    def read(self) -> Elements:
        depth = 0
        for match in _PIECE.finditer(self._text):
            kind = match.lastgroup
            depth -= kind == "close"
            if depth == 0 and kind == "close":
                break
            if depth == 1 and kind in ("comment", "newline", "comma", "space"):
                self._between(kind, match.group())
            elif depth >= 1:
                self._part(kind, depth, *match.span())
            depth += kind == "open"
        return Elements(tuple(self._items), (*self._below, *self._above))

    def _between(self, kind: str, text: str) -> None:
        if kind == "comma":
            if self._item is not None:
                self._item.above += self._below
            self._item, self._below = None, []
        elif kind == "newline":
            self._is_same_line = False
        elif kind == "comment" and self._is_same_line and not self._items[-1].behind:
            self._items[-1].behind = text.rstrip()
        elif kind == "comment":
            (self._above if self._item is None else self._below).append(text.rstrip())

    def _part(self, kind: str | None, depth: int, start: int, end: int) -> None:
        if self._item is None:
            self._item = Element("", self._above)
            self._items.append(self._item)
            self._above, self._start = [], start
        if kind == "equals" and depth == 1 and self._item.equals < 0:
            self._item.equals = start - self._start
        self._item.text = self._text[self._start : end]
        self._is_same_line = True


def elements(text: str) -> Elements:
    """The items of a list, or the pairs of an inline table, as they are written."""
    return _Reader(text).read()


def list_text(items: Sequence[Element], below: Sequence[str], indent: str = "    ", outer: str = "") -> str:
    """A list of several lines, each item with its comments."""
    lines = ["["]
    for item in items:
        lines += [indent + comment for comment in item.above]
        behind = f"  {item.behind}" if item.behind else ""
        lines.append(f"{indent}{item.text},{behind}")
    lines += [indent + comment for comment in below]
    return "\n".join([*lines, f"{outer}]"])
