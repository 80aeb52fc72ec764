"""The words and signs of DOT, and how its texts are spelt."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.entities import html5
from typing import NamedTuple

from .reading import refused

MOST_TOKENS = 2_000_000
"""With the blanks between them; a graph of 20,000 edges with all that Graphviz says of each has fewer."""
_TOKEN = re.compile(
    r"""(?P<skipped>(?:\s+|//[^\n]*|/\*.*?\*/|^\#[^\n]*)+)
    |(?P<id>[^\W\d]\w*|-?(?:\.\d+|\d+(?:\.\d*)?))
    |(?P<sign>->|--|[{}\[\];,=:])
    |"(?P<text>(?:[^"\\]|\\.)*+)"
    """,
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_JOINED = re.compile(r"\s*\+\s*(?=\")")
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
    line: int

    @property
    def is_id(self) -> bool:
        """Whether it can name something."""
        return self.kind in ("id", "text", "html")


def dot_tokens(text: str, name: str) -> Iterator[DotToken]:
    """Cut a text into words and signs; comments are left out.

    Raises:
        GraphFileError: There is something that DOT does not have, or there is more than anybody would write.
    """
    at = count = 0
    line = 1
    while at < len(text):
        count += 1
        if count > MOST_TOKENS:
            message = f"it has more than {MOST_TOKENS:,} words and signs"
            raise refused("F032", message, name, line, "take a part of it")
        found, begun = _TOKEN.match(text, at), at
        kind = found.lastgroup if found is not None else ""
        if found is None:
            at = _html_end(text, at, name, line)
            yield DotToken("html", text[begun + 1 : at - 1], line)
        elif kind == "text":
            said, at = _joined(text, found)
            yield DotToken("text", said, line)
        else:
            at = found.end()
            if kind != "skipped":
                yield DotToken("id" if kind == "id" else found[0], found[0], line)
        line += text.count("\n", begun, at)
    yield DotToken("", "", line)


def _joined(text: str, found: re.Match[str]) -> tuple[str, int]:
    """Read a text in quotes, and those that are joined to it; with the place behind them."""
    parts, end = [_unquoted(found["text"])], found.end()
    while (sign := _JOINED.match(text, end)) is not None:
        following = _TOKEN.match(text, sign.end())
        if following is None:  # it has no end, and is told of next
            break
        parts.append(_unquoted(following["text"]))
        end = following.end()
    return "".join(parts), end


def _unquoted(said: str) -> str:
    """Undo the escapes of quotes and of line breaks; all others are the label's."""
    return said.replace("\\\n", "").replace('\\"', '"') if "\\" in said else said


def _html_end(text: str, at: int, name: str, line: int) -> int:
    """Find the end of a text between angles, which may have more of them inside.

    Raises:
        GraphFileError: It has no end, or here begins nothing that DOT has.
    """
    if text[at] == '"':
        raise refused("F031", "a text in quotes has no end", name, line, 'end it with "')
    if text[at] != "<":
        raise refused("F031", f"{text[at]!r} has no meaning in DOT", name, line, "texts stand in quotes")
    depth = 0
    for found in _ANGLES.finditer(text, at):
        depth += 1 if found[0] == "<" else -1
        if not depth:
            return found.end()
    raise refused("F031", "a text in angles has no end", name, line, "end it with >")


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
