"""Mermaid: a graph as a flowchart that Markdown pages show.

A node's text is its name, and an edge's is its label and its condition (see ``edge_texts``), whatever is in
them: what Mermaid or the Markdown inside of it would take for something else is written by its number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..graphs.parts import END
from .drawn_graph import START, DrawnGraph, DrawnNode, drawn_graph
from .export import Exported

if TYPE_CHECKING:
    from .export import Exportable

MARK = "%% stepgraph 1: the text of a node is its name, that of an edge its label and [its condition]"
"""The line by which a flowchart is known to be ours."""
_KEYWORDS = frozenset(
    (
        *("graph", "flowchart", "subgraph", "end", "direction", "start", "o", "x", "v"),
        *("style", "linkstyle", "classdef", "class", "click", "call", "href", "default", "interpolate"),
        *("acctitle", "accdescr"),
    )
)
_SHAPES = {
    "approval": ("{{", "}}"),
    "router": ("{", "}"),
    "llm_router": ("{", "}"),
    "tool": ("(", ")"),
    "http_request": ("(", ")"),
    "handler": ("(", ")"),
    "transform": ("(", ")"),
    "subgraph": ("[[", "]]"),
}
_BOX = ("[", "]")
_CLASSES = {
    "done": "fill:#dafbe1,stroke:#1a7f37,color:#0a3d1a",
    "next": "fill:#ddf4ff,stroke:#0969da,stroke-width:3px,color:#0a3069",
    "waits": "fill:#fff8c5,stroke:#9a6700,stroke-width:3px,color:#4d2d00",
    "failed": "fill:#ffebe9,stroke:#cf222e,stroke-width:3px,color:#82071e",
}
_FIRED = "stroke:#1a7f37,stroke-width:3px"
_SAFE = frozenset(" ,/?'()=-+.!:_[]")
"""What stands in a text as it is, beside letters and digits, unless ``_MEANT`` finds a meaning in it."""
_MEANT = re.compile(
    r"""^[ ]|[ ]$|[ ](?=[ ])      # blanks that would be lost
    |^[-+=:]|^\d(?=\d*[.)])        # the beginning of a list, or a line below a heading
    |(?<![^\W_])_|_(?![^\W_])      # a sign of emphasis
    |\](?=[(:\[])|!(?=\[)         # a link or a picture
    |(?<=www)\.|:(?=//)           # an address
    |(?<=direction)[ ]            # a statement of Mermaid's, wherever it stands
    """,
    re.VERBOSE | re.MULTILINE,
)
_NAMED = {'"': "#quot;", "&": "#amp;", "<": "#lt;", ">": "#gt;"}
"""The characters that are written by their names; others by their numbers."""
_STYLED = re.compile(r"style|classdef|\bfa", re.IGNORECASE)
"""Where it stands, Mermaid reads what follows a colon as its own."""


def write(source: Exportable) -> Exported:
    """Write a graph as a flowchart; of a run, what it visited and took is coloured."""
    drawn = drawn_graph(source, _KEYWORDS)
    return Exported("\n".join(_lines(drawn)) + "\n")


def _lines(drawn: DrawnGraph) -> Iterator[str]:
    yield from ("---", f"title: {_title(drawn.name)}", "---")
    yield "flowchart TD"
    yield f"    {MARK}"
    yield f"    {START}([{START}])"
    for node in drawn.nodes:
        opened, closed = _SHAPES.get(node.type, _BOX)
        yield f'    {node.id}{opened}"{mermaid_text(node.name)}"{closed}'
    if any(edge.target == END for edge in drawn.edges):
        yield f"    {END}([{END}])"
    yield f"    {START} --> {drawn.start}"
    for edge in drawn.edges:
        text = f'|"{mermaid_text(edge.text)}"|' if edge.text else ""
        yield f"    {edge.source} -->{text} {edge.target}"
    if drawn.has_run:
        yield from _marks(drawn)


def _title(name: str) -> str:
    """Write a title as YAML; Mermaid looks for tags before it reads it, and would go on into the diagram."""
    return json.dumps(name, ensure_ascii=not name.isprintable()).replace("<", r"\u003c")


def _marks(drawn: DrawnGraph) -> Iterator[str]:
    """Colour where a run has been, and where it stands."""
    ended = [DrawnNode(END, END, "", "done")] if drawn.ended else []
    nodes = [DrawnNode(START, START, "", "done"), *drawn.nodes, *ended]
    for mark, style in _CLASSES.items():
        ids = [node.id for node in nodes if node.mark == mark]
        if ids:
            yield f"    classDef {mark} {style}"
            yield f"    class {','.join(ids)} {mark}"
    fired = [0, *(position for position, edge in enumerate(drawn.edges, 1) if edge.times)]
    yield f"    linkStyle {','.join(map(str, fired))} {_FIRED}"


def mermaid_text(text: str) -> str:
    """Write a text between quotes, so that it is shown as it is; ``plain_text`` of the reader undoes it."""
    meant = {found.start() for found in _MEANT.finditer(text)}
    colon = _STYLED.search(text) is not None
    return "".join(_character(char, at in meant or (colon and char == ":")) for at, char in enumerate(text))


def _character(char: str, is_meant: bool) -> str:
    if char == "\n":
        return "<br/>"
    if not is_meant and (char in _SAFE or (char.isalnum() and char != "\ufb02") or _is_shown(char)):
        return char
    return _NAMED.get(char) or f"#{ord(char)};"


def _is_shown(char: str) -> bool:
    """Tell whether a character beyond ASCII stands for itself: a mark above a letter, a sign, an emoji."""
    return ord(char) > 0xA0 and char.isprintable() and char not in "\ufb02\xb6"
