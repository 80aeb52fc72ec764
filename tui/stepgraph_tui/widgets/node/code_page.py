"""The Python code of a node or of an edge's predicate, line by line as it stands in its file."""

from __future__ import annotations

import builtins
import keyword
import tokenize
from collections.abc import Iterator
from io import StringIO
from textwrap import dedent
from typing import TYPE_CHECKING

from stepgraph_tui.text.plain import plural, visible
from stepgraph_tui.text.system import people_path
from stepgraph_tui.widgets.lines import Role, Span
from stepgraph_tui.widgets.lines.page_lines import Line, paragraph

from .facts import Masked, section

if TYPE_CHECKING:
    from stepgraph.nodes.source_lines import SourceLines
    from stepgraph_tui.commands.hints import Hints

_MOST = 300  # lines that are shown
_DEFINES = frozenset({"def", "class"})
_KINDS: dict[int, Role] = {tokenize.COMMENT: "dim", tokenize.STRING: "value", tokenize.NUMBER: "value"}


def code_lines(source: SourceLines, masked: Masked, hints: Hints) -> Iterator[Line]:
    """Make the section of a function: its file, and its lines with their numbers."""
    lines = source.lines[:_MOST]
    width = len(str(source.first + len(lines)))
    shown = (
        Line(((f"{source.first + at:>{width}}  ", "dim"), *spans), hang=width + 2)
        for at, spans in enumerate(coloured(dedent("\n".join(masked(line) for line in lines))))
    )
    where = f"{visible(people_path(source.file))}, line {source.first}"
    yield from section("Code", [paragraph(where, "dim"), *shown])
    if len(source.lines) > _MOST:
        more = plural(len(source.lines) - _MOST, "more line")
        yield paragraph(f"… {more}: {hints('{workbench.editor} opens your editor there')}", "dim")


def coloured(text: str) -> Iterator[tuple[Span, ...]]:
    """Colour the words of some Python code, a line at a time; what is not Python is left plain."""
    lines = text.split("\n")
    roles: dict[int, list[tuple[int, int, Role]]] = {}
    for role, (first, start), (last, end) in _found(text):
        for number in range(first, last + 1):
            begin = start if number == first else 0
            stop = end if number == last else len(lines[number - 1])
            roles.setdefault(number, []).append((begin, stop, role))
    for number, line in enumerate(lines, 1):
        yield tuple(_spans(line, roles.get(number, [])))


def _found(text: str) -> Iterator[tuple[Role, tuple[int, int], tuple[int, int]]]:
    before = ""
    try:
        for token in tokenize.generate_tokens(StringIO(text).readline):
            role = _KINDS.get(token.type) or _role_of(token, before)
            if role is not None:
                yield role, token.start, token.end
            if token.string.strip():
                before = token.string
    except (tokenize.TokenError, SyntaxError):  # a piece that was cut off
        return


def _role_of(token: tokenize.TokenInfo, before: str) -> Role | None:
    if tokenize.tok_name[token.type].startswith("FSTRING"):
        return "value"
    if token.type != tokenize.NAME:
        return None
    if keyword.iskeyword(token.string):
        return "key"
    if before in _DEFINES:
        return "name"
    return "title" if before != "." and token.string in vars(builtins) else None


def _spans(line: str, roles: list[tuple[int, int, Role]]) -> Iterator[Span]:
    at = 0
    for start, end, role in roles:
        if start > at:
            yield visible(line[at:start]), "plain"
        yield visible(line[start:end]), role
        at = max(at, end)
    if at < len(line):
        yield visible(line[at:]), "plain"
