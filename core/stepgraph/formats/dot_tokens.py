"""The words and signs of DOT, and how its texts are spelt."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.entities import html5
from typing import NamedTuple

from .reading import refused

_SKIPPED = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/|^\#[^\n]*)+", re.DOTALL | re.MULTILINE)
_WORD = re.compile(r"[^\W\d]\w*")
_NUMBER = re.compile(r"-?(?:\.\d+|\d+(?:\.\d*)?)")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_JOINED = re.compile(r"\s*\+\s*(?=\")")
_SIGNS = ("->", "--", *"{}[];,=:")
_ANGLES = re.compile(r"[<>]")
_ENTITY = re.compile(r"&(?:#(\d{1,7})|#[xX]([0-9A-Fa-f]{1,6})|(\w{1,32}));")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_TAG = re.compile(r"<[^<>]{0,2000}>")
_BREAK = re.compile(r"<br[^<>]{0,100}>|</tr>", re.IGNORECASE)


class DotToken(NamedTuple):
    """A word or a sign."""

    kind: str
    """A sign itself, or ``id`` for a word or a number, ``text``, ``html``; empty at the end."""
    text: str
    at: int

    @property
    def is_id(self) -> bool:
        """Whether it can name something."""
        return self.kind in ("id", "text", "html")


def dot_tokens(text: str, name: str) -> Iterator[DotToken]:
    """Cut a text into words and signs; comments are left out.

    Raises:
        GraphFileError: There is something that DOT does not have.
    """
    at = 0
    while True:
        skipped = _SKIPPED.match(text, at)
        at = skipped.end() if skipped is not None else at
        if at == len(text):
            yield DotToken("", "", at)
            return
        token, end = _token(text, at, name)
        yield token
        at = end


def _token(text: str, at: int, name: str) -> tuple[DotToken, int]:
    for pattern in (_WORD, _NUMBER):
        if (found := pattern.match(text, at)) is not None:
            return DotToken("id", found[0], at), found.end()
    if text[at] == '"':
        return _quoted(text, at, name)
    if text[at] == "<":
        return _html(text, at, name)
    sign = next((each for each in _SIGNS if text.startswith(each, at)), None)
    if sign is None:
        hint = "texts stand in quotes"
        raise refused("F031", f"{text[at]!r} has no meaning in DOT", name, line_of(text, at), hint)
    return DotToken(sign, sign, at), at + len(sign)


def _quoted(text: str, at: int, name: str) -> tuple[DotToken, int]:
    """Read a text in quotes, and those that are joined to it; only quotes in it are unescaped."""
    parts, end = [], at
    while True:
        found = _QUOTED.match(text, end)
        if found is None:
            raise refused("F031", "a text in quotes has no end", name, line_of(text, at), 'end it with "')
        parts.append(found[1].replace("\\\n", "").replace('\\"', '"') if "\\" in found[1] else found[1])
        end = found.end()
        joined = _JOINED.match(text, end)
        if joined is None:
            return DotToken("text", "".join(parts), at), end
        end = joined.end()


def _html(text: str, at: int, name: str) -> tuple[DotToken, int]:
    """Read a text between angles, which may have more of them inside."""
    depth = 0
    for found in _ANGLES.finditer(text, at):
        depth += 1 if found[0] == "<" else -1
        if not depth:
            return DotToken("html", text[at + 1 : found.start()], at), found.end()
    raise refused("F031", "a text in angles has no end", name, line_of(text, at), "end it with >")


def line_of(text: str, at: int) -> int:
    """Count the lines up to a place."""
    return text.count("\n", 0, at) + 1


def shown_text(token: DotToken, node: str = "") -> str:
    """Read what a label shows.

    Args:
        token: The label.
        node: The node that it is of, which it may quote.
    """
    if token.kind == "html":
        return _ENTITY.sub(_character, _TAG.sub("", _BREAK.sub("\n", token.text))).strip()
    said = {"n": "\n", "l": "\n", "r": "\n", "N": node}
    plain = _ESCAPE.sub(lambda found: said.get(found[1], found[1]), token.text)
    return _ENTITY.sub(_character, plain)


def _character(found: re.Match[str]) -> str:
    decimal, hexadecimal, name = found.groups()
    if name is not None:
        return html5.get(f"{name};", found[0])
    code = int(decimal) if decimal is not None else int(hexadecimal, 16)
    return chr(code) if code < 0xD800 or 0xDFFF < code < 0x110000 else found[0]
