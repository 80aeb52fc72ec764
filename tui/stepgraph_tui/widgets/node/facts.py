"""Lines that all pages of the Node pane are made of: named facts, values, problems, conditions."""

from __future__ import annotations

import builtins
import keyword
import tokenize
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import StringIO
from textwrap import dedent
from typing import TYPE_CHECKING

from ...drawing.picture.glyphs import UNICODE
from ...drawing.picture.run_marks import sign_of
from ...text.plain import plural, shortened, value_text, with_arrows
from ...text.run_list import way_text
from ...text.state_diff import breakpoint_text
from ...text.system import people_path
from ..lines import Role, Span
from ..lines.page import Line, blank, heading, paragraph, text_block

if TYPE_CHECKING:
    from stepgraph.graphs import Edge
    from stepgraph.nodes import SourceLines
    from stepgraph.runs.debug import Breakpoint
    from stepgraph.values import Json, Problem

    from ...commands.hints import Hints
    from ..breaks import BreakList


MOST = 100
"""How many edges, keys or items are listed."""
NAME = 12
"""Cells of a fact's name."""
_VALUE = 400  # characters of a value
_INDENT = 2


def fact(name: str, text: str, role: Role = "plain") -> Line:
    """Write a fact with its name before it."""
    gap = 1 if len(name) < NAME else 2
    return Line(((f"{name:<{NAME - 1}}{' ' * gap}", "dim"), (text, role)), hang=NAME)


def section(title: str, lines: Iterable[Line]) -> Iterator[Line]:
    """Return lines under a heading; nothing when there are none."""
    for number, line in enumerate(lines):
        if not number:
            yield blank()
            yield heading(title)
        yield line


def setting(name: str, value: Json) -> Iterator[Line]:
    """Write a setting of a node: texts with their line breaks, lists and tables item by item."""
    if isinstance(value, str) and "\n" not in value.rstrip("\n"):
        yield fact(name, shortened(value.rstrip("\n"), _VALUE), "value")
    elif isinstance(value, str):
        yield fact(name, "")
        yield from text_block(value, "value", _INDENT)
    elif isinstance(value, list) and _is_long(value):
        for number, item in enumerate(value[:MOST], 1):
            yield from setting(f"{name} {number}", item)
    elif isinstance(value, list) and all(isinstance(item, str) for item in value):
        yield fact(name, ", ".join(str(item) for item in value), "value")
    elif isinstance(value, dict) and value:
        for key in list(value)[:MOST]:
            yield from setting(f"{name}.{key}", value[key])
    else:
        yield fact(name, value_text(value, _VALUE), "value")


def _is_long(items: list[Json]) -> bool:
    return any(isinstance(item, str) and (len(item) > NAME * 4 or "\n" in item) for item in items)


def changed(name: str, value: Json, op: str | None) -> Line:
    """Describe what a visit did to a key of the state."""
    if value is None and op not in ("append", "same"):
        return fact(name, "removed", "dim")
    word = {"append": "appended ", "merge": "merged "}.get(op or "", "")
    return fact(name, word + value_text(value, _VALUE), "value")


def ways(edges: Sequence[Edge], to: str | None = None) -> Iterator[Line]:
    """List the edges out of a node in the order in which they are tried, each with its condition.

    Args:
        edges: All edges out of the node.
        to: Lists only those that lead to this node, and all of them: in the picture they may be one line.
    """
    for at, edge in enumerate(edges[: MOST if to is None else None]):
        if to is None or edge.target == to:
            yield Line(((way_of(edge, at, len(edges)), "plain"),), hang=4)
            yield from labeled_condition(edge)
    if to is None and len(edges) > MOST:
        yield Line(((f"… {len(edges) - MOST:,} more", "dim"),))


def labeled_condition(edge: Edge) -> Iterator[Line]:
    """Write the condition of an edge that goes by another name, or that does not parse."""
    if edge.broken is not None or (edge.label and not edge.unconditional):
        yield condition(edge, 4)


def way_of(edge: Edge, at: int, count: int) -> str:
    """Describe an edge in a few words."""
    described = "a broken condition" if edge.broken is not None else edge.condition.describe()
    label = edge.label or ("" if edge.unconditional else described)
    return way_text(label, described, edge.target, at, count)


def condition(edge: Edge, indent: int) -> Line:
    """Write the whole condition of an edge."""
    if edge.broken is not None:
        return Line(((f"{edge.broken.text}  {edge.broken}", "bad"),), indent=indent, hang=_INDENT)
    python: tuple[str, Role] | None = ("Python code", "dim") if edge.condition.kind == "predicate" else None
    text = " ".join(edge.condition.describe().split())
    return Line(((text, "value"),), python, indent, _INDENT)


def problem_lines(problems: Iterable[Problem]) -> Iterator[Line]:
    """List what is wrong, errors first, each with its hint."""
    for problem in sorted(problems, key=lambda problem: not problem.is_error)[:MOST]:
        role: Role = "bad" if problem.is_error else "warn"
        yield Line(
            (
                (f"{problem.code} {problem.severity}  ", role),
                (with_arrows(problem.message), "plain"),
            ),
            hang=2,
        )
        if problem.hint:
            yield Line(((problem.hint, "dim"),), indent=2)


def edges_out(edges: Sequence[Edge], node: str) -> list[Edge]:
    """Pick the edges out of a node, in the order in which they are tried."""
    return [edge for edge in edges if edge.source == node]


def edges_in(edges: Sequence[Edge], node: str) -> list[Edge]:
    """Pick the edges into a node."""
    return [edge for edge in edges if edge.target == node]


def break_lines(listed: BreakList, waits: Callable[[Breakpoint], bool]) -> Iterator[Line]:
    """Describe the breakpoints that wait there: each with its sign, and whether the run halts at it."""
    for each in filter(waits, listed.entries):
        is_broken, is_hit = each.id in listed.broken, each.id == listed.hit
        sign = UNICODE.breaks["broken" if is_broken else sign_of(each)]
        role: Role = "bad" if is_broken or each.enabled else "dim"
        text = f"{breakpoint_text(each)}{', can never be met' if is_broken else ''}"
        yield Line(
            (
                (f"{sign} ", role),
                (f"{each.id}  ", "title" if is_hit else "dim"),
                (text, "plain" if each.enabled else "dim"),
            ),
            ("HALTED", "warn") if is_hit else None,
            hang=len(each.id) + 4,
        )


_MOST = 300  # lines that are shown
_DEFINES = frozenset({"def", "class"})
_KINDS: dict[int, Role] = {tokenize.COMMENT: "dim", tokenize.STRING: "value", tokenize.NUMBER: "value"}


def code_lines(source: SourceLines, hints: Hints) -> Iterator[Line]:
    """Build the section of a function: its file, and its lines with their numbers."""
    lines = source.lines[:_MOST]
    width = len(str(source.first + len(lines)))
    shown = (
        Line(((f"{source.first + at:>{width}}  ", "dim"), *spans), hang=width + 2)
        for at, spans in enumerate(colored(dedent("\n".join(lines))))
    )
    where = f"{people_path(source.file)}, line {source.first}"
    yield from section("Code", [paragraph(where, "dim"), *shown])
    if len(source.lines) > _MOST:
        more = plural(len(source.lines) - _MOST, "more line")
        yield paragraph(f"… {more}: {hints('{workbench.editor} opens your editor there')}", "dim")


def colored(text: str) -> Iterator[tuple[Span, ...]]:
    """Color the words of some Python code, a line at a time; what is not Python is left plain."""
    lines = text.split("\n")
    roles: dict[int, list[tuple[int, int, Role]]] = {}
    for role, (first, start), (last, end) in _find_names(text):
        for number in range(first, last + 1):
            begin = start if number == first else 0
            stop = end if number == last else len(lines[number - 1])
            roles.setdefault(number, []).append((begin, stop, role))
    for number, line in enumerate(lines, 1):
        yield tuple(_spans(line, roles.get(number, [])))


def _find_names(text: str) -> Iterator[tuple[Role, tuple[int, int], tuple[int, int]]]:
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
            yield line[at:start], "plain"
        yield line[start:end], role
        at = max(at, end)
    if at < len(line):
        yield line[at:], "plain"
