"""Cut TOML text into statements, which together are the text: what is edited is one of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from .lexer import TEXT, tokens, unquoted

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
