"""Cut TOML text into tokens and statements: a lexer that takes anything, and leaves none of the text out."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple, cast

from ..values.problems import KeyPath

Kind = Literal["comment", "text", "newline", "mark", "bare"]

TEXT = r"""
    \"{3} (?: [^"\\]++ | \\[\s\S]? | "(?!"") )*+ (?: "{3,5} | \Z )
  | '{3} (?: [^']++ | '(?!'') )*+ (?: '{3,5} | \Z )
  | " (?: [^"\\\n]++ | \\[^\n]? )*+ "?
  | ' [^'\n]*+ '?
"""
"""A quoted text, for verbose patterns. Each form also matches when it is not closed, so that no text makes
the search start again."""
_TOKEN = re.compile(
    rf"(?P<comment> \#[^\n]*+ ) | (?P<text> {TEXT} ) | (?P<newline> \n )"
    r"| (?P<mark> [\[\]{}=,.] ) | (?P<bare> [^\s\"'\#\[\]{}=,.]++ )",
    re.VERBOSE,
)
_QUOTED = re.compile(rf"\#[^\n]*+ | {TEXT}", re.VERBOSE)


class Token(NamedTuple):
    """A piece of TOML text."""

    kind: Kind
    text: str
    line: int
    """Where it starts, counted from 1."""


def tokens(text: str) -> Iterator[Token]:
    """Cut a text into tokens in order, white space left out."""
    line = 1
    for match in _TOKEN.finditer(text):
        piece = match.group()
        yield Token(cast(Kind, match.lastgroup), piece, line)
        line += piece.count("\n")


def without_quoted(text: str) -> str:
    """``text`` with each quoted text as one quote and without comments, line numbers kept."""
    return _QUOTED.sub(_placeholder, text)


def _placeholder(match: re.Match[str]) -> str:
    piece = match.group()
    if piece[0] == "#":
        return ""
    return '"' + "\n" * piece.count("\n")


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
    depth, closing = 0, len(text)
    for match in _BRACKET.finditer(text, start.end()):
        depth += (match["open"] is not None) - (match["close"] is not None)
        if depth == 0 and match["close"] is not None:
            closing = match.end()
            break
    whole = text[at:closing] + _line_from(text, closing)
    return Statement("item", whole, start["key"], start.end() - at, closing - at)


def _line_from(text: str, at: int) -> str:
    match = _LINE_END.match(text, at)
    return match.group() if match else ""


def key_path(key: str) -> tuple[str, ...]:
    """Read the parts of a key as it is written, quotes taken off."""
    if _PLAIN_KEY.fullmatch(key):
        return (key,)
    return tuple(
        token.text if token.kind == "bare" else unquoted(token.text)
        for token in tokens(key)
        if token.kind in ("bare", "text")
    )


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
