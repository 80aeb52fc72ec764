"""Cut TOML text into tokens: a lexer that takes anything, and leaves none of the text out."""

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
