"""Where things stand in a template: Jinja2's tree and its errors know lines, but no columns."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress

import jinja2
from jinja2 import nodes
from jinja2.lexer import TokenStream
from jinja2.parser import Parser

_BLANK = ("whitespace", "comment", "comment_begin", "comment_end")
_LITERALS = ("float", "integer", "string")
_Piece = tuple[int, str, str]
"""A line, a kind and a text, as Jinja2's lexer has them."""


class PlacedName(str):
    """A name, and where it stands in the template."""

    __slots__ = ("at",)
    at: int


def parsed_with_places(text: str, env: jinja2.Environment) -> nodes.Template:
    """Parse a template so that the names in the tree are those of ``PlacedName``.

    Raises:
        TemplateSyntaxError: It does not parse.
    """
    return _parsed(env, (piece for _, piece in _pieces(text, env)))


def place_of_error(text: str, env: jinja2.Environment) -> int:
    """Find what the parser stopped at, in a template that does not parse."""
    at = 0

    def followed() -> Iterator[_Piece]:
        nonlocal at
        end = 0
        try:
            for start, piece in _pieces(text, env):
                if piece[1] not in _BLANK:
                    at = start
                end = start + len(piece[2])
                yield piece
        except jinja2.TemplateSyntaxError:  # it is not a token that stands here
            at = end + len(text[end:]) - len(text[end:].lstrip())
            raise
        at = len(text.rstrip())

    with suppress(jinja2.TemplateSyntaxError):
        _parsed(env, followed())
    return at


def place_of_word(text: str, word: str, line: int, env: jinja2.Environment) -> int:
    """Find a word in a line, or else the beginning of the line; a name knows where it is."""
    if isinstance(word, PlacedName):
        return word.at
    places = (at for at, (number, _, value) in _pieces(text, env) if number == line and value == word)
    return next(places, start_of_line(text, line))


def start_of_line(text: str, number: int) -> int:
    """Find the first sign of a line, counted from 1."""
    *before, line = _with_newlines(text).split("\n")[:number]
    return sum(len(each) + 1 for each in before) + len(line) - len(line.lstrip())


def _with_newlines(text: str) -> str:
    """Make every line end a newline, as Jinja2 does, but of the same length, so that all is where it was."""
    return text.replace("\r\n", " \n").replace("\r", "\n")


def _pieces(text: str, env: jinja2.Environment) -> Iterator[tuple[int, _Piece]]:
    """Yield the pieces of a template, each with its place; names know it themselves."""
    text = _with_newlines(text)
    end = 0
    for line, kind, value in env.lexer.tokeniter(text, None):
        start = text.index(value, end)  # the lexer leaves out nothing but blanks
        end = start + len(value)
        if kind == "name":
            value = PlacedName(value)
            value.at = start
        elif kind in _LITERALS:
            _check_literal(kind, value, line)
        yield start, (line, kind, value)


def _check_literal(kind: str, literal: str, line: int) -> None:
    """Refuse a number or a text that no state can hold.

    Raises:
        TemplateSyntaxError: It is one.
    """
    if kind == "string":
        if "\\" in literal and any("\ud800" <= char <= "\udfff" for char in content(literal)):
            raise jinja2.TemplateSyntaxError("an unpaired surrogate: write the character itself", line)
    elif len(literal) > 4_000 or (kind == "float" and math.isinf(float(literal))):
        raise jinja2.TemplateSyntaxError(f"the number {literal:.20} is too large", line)


def content(literal: str) -> str:
    """Read a text in quotes."""
    return literal[1:-1].encode("ascii", "backslashreplace").decode("unicode-escape")


def _parsed(env: jinja2.Environment, pieces: Iterator[_Piece]) -> nodes.Template:
    parser = Parser(env, "")
    parser.stream = TokenStream(env.lexer.wrap(pieces), None, None)
    return parser.parse()
