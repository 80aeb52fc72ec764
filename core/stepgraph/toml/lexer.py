"""The pieces of TOML text that guards and the line finder need: a lexer that takes anything."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, cast

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
    """The pieces of ``text`` in order, white space left out."""
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
    """The line of a character, counted from 1."""
    return text.count("\n", 0, offset) + 1
