"""The one scanner of TOML text: statements, which together are the text, and the parts of their keys."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ..values.problems import KeyPath

TEXT = r"""
    \"{3} (?: [^"\\]++ | \\[\s\S]? | "(?!"") )*+ (?: "{3,5} | \Z )
  | '{3} (?: [^']++ | '(?!'') )*+ (?: '{3,5} | \Z )
  | " (?: [^"\\\n]++ | \\[^\n]? )*+ "?
  | ' [^'\n]*+ '?
"""
"""A quoted text, for verbose patterns. Each form also matches when it is not closed, so that no text makes
the search start again."""
QUOTED = re.compile(rf"\#[^\n]*+ | {TEXT}", re.VERBOSE)
"""Finds comments and quoted texts."""
_BARE = r"[^\s\"'\#\[\]{}=,.]++"
_KEY = rf"(?: {_BARE} | \"(?:[^\"\\\n]|\\.)*+\" | '[^'\n]*+' )"
_KEYS = rf"{_KEY} (?: [ \t]*+ \. [ \t]*+ {_KEY} )*+"
_STATEMENT = re.compile(
    rf"""[ \t]*+ (?:
      (?P<comment> \#[^\n]*+ )
    | \[ (?P<list> \[ )? [ \t]*+ (?P<header> {_KEYS} ) [ \t]*+ \]\]? [ \t]*+ (?: \#[^\n]*+ )?
    | (?P<key> {_KEYS} ) [ \t]*+ = [ \t]*+
      (?P<value> {TEXT} | [^\s\"'\#\[{{]++ (?: [ ]\d[^\s\#]*+ )? ) [ \t]*+ (?: \#[^\n]*+ )?
    | ) \r?(?: \n | \Z )""",
    re.VERBOSE,
)
_OPENING = re.compile(rf"[ \t]*+ (?P<key> {_KEYS} ) [ \t]*+ = [ \t]*+ (?= [\[{{] )", re.VERBOSE)
_BRACKET = re.compile(rf"\#[^\n]*+ | {TEXT} | (?P<open> [\[{{] ) | (?P<close> [\]}}] )", re.VERBOSE)
_LINE_END = re.compile(r"[^\n]*+\n?")
_PLAIN_KEY = re.compile(_BARE)
_KEY_PART = re.compile(rf"{_BARE} | {TEXT}", re.VERBOSE)


class Statement(NamedTuple):
    """A line of a TOML text, or the several lines of a long value."""

    kind: Literal["blank", "comment", "header", "list", "item"]
    """A ``list`` is a header of a table in a list: ``[[edges]]``."""
    text: str
    """All of it, with its line ending."""
    key: str = ""
    """The key of a header or an item, as it is written."""
    opening: int = 0
    """Where in the text the value of an item starts."""
    closing: int = 0
    """Where in the text the value of an item ends."""


def statements(text: str) -> Iterator[Statement]:
    """Cut a text that a TOML parser has read into statements; together they are the text."""
    at, end = 0, len(text)
    while at < end:
        match = _STATEMENT.match(text, at)
        if match is None:
            found = _long_item(text, at)
            yield found
            at += len(found.text)
            continue
        name, whole = match.lastgroup, match.group()
        if name == "value":
            opening, closing = match.span("value")
            yield Statement("item", whole, match["key"], opening - at, closing - at)
        elif name == "header":
            yield Statement("list" if match["list"] else "header", whole, match["header"])
        else:
            yield Statement("comment" if name == "comment" else "blank", whole)
        at = match.end()


def _long_item(text: str, at: int) -> Statement:
    """Read an item whose value is a list or an inline table."""
    start = _OPENING.match(text, at)
    if start is None:  # no TOML parser would have read this
        return Statement("comment", _line_from(text, at))
    closing = end_of_brackets(text, start.end())
    whole = text[at:closing] + _line_from(text, closing)
    return Statement("item", whole, start["key"], start.end() - at, closing - at)


def end_of_brackets(text: str, at: int) -> int:
    """Find the end of the list or inline table that begins at a place; that of the text where it has none."""
    depth = 0
    for match in _BRACKET.finditer(text, at):
        depth += (match["open"] is not None) - (match["close"] is not None)
        if depth == 0 and match["close"] is not None:
            return match.end()
    return len(text)


def _line_from(text: str, at: int) -> str:
    match = _LINE_END.match(text, at)
    return match.group() if match else ""


def key_parts(key: str) -> list[str]:
    """Cut a key into its parts, each as it is written."""
    return [match.group() for match in _KEY_PART.finditer(key)]


def key_path(key: str) -> tuple[str, ...]:
    """Read the parts of a key as it is written, quotes taken off."""
    if _PLAIN_KEY.fullmatch(key):
        return (key,)
    return tuple(unquoted(part) if part[0] in "\"'" else part for part in key_parts(key))


def without_quoted(text: str) -> str:
    """``text`` with each quoted text as one quote and without comments, line numbers kept."""
    return QUOTED.sub(_placeholder, text)


def _placeholder(match: re.Match[str]) -> str:
    piece = match.group()
    if piece[0] == "#":
        return ""
    return '"' + "\n" * piece.count("\n")


def last_open_text(text: str) -> int | None:
    """Find the line of the last quoted text, which may not be closed; None where there is none."""
    last = None
    for match in QUOTED.finditer(text):
        if match.group()[0] != "#":
            last = match.start()
    return None if last is None else line_at(text, last)


def line_at(text: str, offset: int) -> int:
    """Find the line of a character, counted from 1."""
    return text.count("\n", 0, offset) + 1


def unquoted(text: str) -> str:
    """Read the key that a quoted text stands for; the text itself when it is none."""
    try:
        key = next(iter(tomllib.loads(f"{text} = 0")))
    except tomllib.TOMLDecodeError:
        return text
    return key


class ListSizes(dict[KeyPath, int]):
    """How many tables each list of tables has until now, by its path in the document."""

    def inside(self, parts: Iterable[str]) -> KeyPath:
        """Find the path of the parts of a header: a list of tables stands for its last table."""
        path: KeyPath = ()
        for part in parts:
            path = (*path, part)
            if path in self:
                path = (*path, self[path] - 1)
        return path

    def add(self, path: KeyPath) -> KeyPath:
        """Add a table to a list, and return its own path."""
        self[path] = self.get(path, 0) + 1
        return (*path, self[path] - 1)


# Lists and inline tables

_TOKEN = re.compile(
    rf"""(?P<newline> \r?\n ) | (?P<space> [ \t\r]++ ) | (?P<comment> \#[^\n]*+ ) | (?P<text> {TEXT} )
      | (?P<open> [\[{{] ) | (?P<close> [\]}}] ) | (?P<comma> , ) | (?P<equals> = )
      | (?P<bare> [^\s"'\#\[\]{{}},=]++ )""",
    re.VERBOSE,
)


@dataclass
class Element:
    """One item of a list, or one pair of an inline table, as it is written."""

    text: str = ""
    above: list[str] = field(default_factory=list)
    """Comments on lines of their own before it."""
    behind: str = ""
    """The comment on its line."""
    start: int = 0
    """Where it begins in the list or the table."""
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
    """What is between two brackets."""

    items: tuple[Element, ...]
    below: tuple[str, ...]
    """Comments after the last item, on lines of their own."""


class _ElementReader:
    """Cuts the text of a list or an inline table into its items."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._items: list[Element] = []
        self._item: Element | None = None
        self._above: list[str] = []
        self._below: list[str] = []  # comments between an item and its comma, or the closing bracket
        self._end = 0  # of the item, as far as it was read
        self._is_same_line = False  # whether the last item ended on this line

    def read(self) -> Elements:
        at = 1  # after the opening bracket
        while (match := _TOKEN.match(self._text, at)) is not None:
            kind, at = match.lastgroup or "", match.end()
            if kind == "close":
                break
            if kind == "open":
                at = end_of_brackets(self._text, match.start())
            if kind in ("comment", "newline", "comma", "space"):
                self._between(kind, match.group())
            else:
                self._part(kind, match.start(), at)
        self._close()
        return Elements(tuple(self._items), (*self._below, *self._above))

    def _between(self, kind: str, text: str) -> None:
        if kind == "comma":
            if self._item is not None:
                self._item.above += self._below
                self._below = []
            self._close()
        elif kind == "newline":
            self._is_same_line = False
        elif kind == "comment" and self._is_same_line and not self._items[-1].behind:
            self._items[-1].behind = text.rstrip()
        elif kind == "comment":
            (self._above if self._item is None else self._below).append(text.rstrip())

    def _part(self, kind: str, start: int, end: int) -> None:
        if self._item is None:
            self._item = Element("", self._above, start=start)
            self._items.append(self._item)
            self._above = []
        if kind == "equals" and self._item.equals < 0:
            self._item.equals = start - self._item.start
        self._end = end
        self._is_same_line = True

    def _close(self) -> None:
        """End the item: its text is cut out once, however many brackets are in it."""
        if self._item is not None:
            self._item.text = self._text[self._item.start : self._end]
            self._item = None


def elements(text: str) -> Elements:
    """Cut a list or an inline table into its items or pairs, as they are written."""
    return _ElementReader(text).read()
