"""DOT: a graph in the language of Graphviz.

A node's label is its name, and an edge's is its label and its condition (see ``edge_texts``), whatever is in
them. Names are no node ids, for an id cannot hold every text: one that ends in a backslash, for example.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..graphs.parts import END
from .export import Exported
from .node_link import START, DrawnGraph, DrawnNode, drawn_graph

if TYPE_CHECKING:
    from .export import Exportable
    from .node_link import Mark

KEYWORDS = frozenset(("node", "edge", "graph", "digraph", "subgraph", "strict"))
_SHAPES = {
    "approval": "hexagon",
    "router": "diamond",
    "llm_router": "diamond",
    "subgraph": "box3d",
}
_ROUNDED = ("tool", "http_request", "handler", "transform")
_COLOURS: dict[Mark, str] = {
    "done": 'fillcolor="#dafbe1" color="#1a7f37"',
    "next": 'fillcolor="#ddf4ff" color="#0969da" penwidth=3',
    "waits": 'fillcolor="#fff8c5" color="#9a6700" penwidth=3',
    "failed": 'fillcolor="#ffebe9" color="#cf222e" penwidth=3',
}
_FIRED = ' color="#1a7f37" penwidth=3'
_ESCAPED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "&": "&amp;"}


def write(source: Exportable) -> Exported:
    """Write a graph for Graphviz; of a run, what it visited and took is colored."""
    return Exported("\n".join(_lines(drawn_graph(source, KEYWORDS))) + "\n")


def _lines(drawn: DrawnGraph) -> Iterator[str]:
    name = dot_text(drawn.name)
    yield "digraph {"
    yield f"    graph [stepgraph=1 label={name} labelloc=t fontname=sans]"
    yield '    node [shape=box style=filled fillcolor="#ffffff" fontname=sans]'
    yield "    edge [fontname=sans fontsize=11]"
    done: Mark | None = "done" if drawn.has_run else None
    yield f"    {START} [label={START} shape=oval{_colors(done)}]"
    yield from (f"    {_node(node)}" for node in drawn.nodes)
    if any(edge.target == END for edge in drawn.edges):
        yield f"    {END} [label={END} shape=oval{_colors('done' if drawn.ended else None)}]"
    yield f"    {START} -> {drawn.start}{f' [{_FIRED.strip()}]' if done else ''}"
    for edge in drawn.edges:
        attributes = (f"label={dot_text(edge.text)}" if edge.text else "") + (_FIRED if edge.times else "")
        yield f"    {edge.source} -> {edge.target}" + (f" [{attributes.strip()}]" if attributes else "")
    yield "}"


def _node(node: DrawnNode) -> str:
    style = ' style="filled,rounded"' if node.type in _ROUNDED else ""
    shape = f" shape={_SHAPES[node.type]}" if node.type in _SHAPES else style
    return f"{node.id} [label={dot_text(node.name)}{shape}{_colors(node.mark)}]"


def _colors(mark: Mark | None) -> str:
    return f" {_COLOURS[mark]}" if mark is not None else ""


def dot_text(text: str) -> str:
    """Write a text in quotes, so that Graphviz shows it as it is; the reader's ``shown_text`` undoes it."""
    return f'"{"".join(_ESCAPED.get(char) or _character(char) for char in text)}"'


def _character(char: str) -> str:
    if char.isprintable() or char == "\x7f" or char > "\uffff":  # of a number of these Graphviz makes no text
        return char
    return f"&#{ord(char)};"
