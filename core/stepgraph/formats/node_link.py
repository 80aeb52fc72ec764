"""Node-link JSON: a graph as networkx writes it, with all that a graph file holds."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ..conditions import Chosen, Condition, HandlerPredicate
from ..conditions.base import Expression, KeyEquals
from ..expressions.tree import quoted, written_key
from ..graphs.parts import END
from ..stores.ledger import RunStatus
from ..values.errors import ExpressionError
from .export import Exported
from .jsonl import indented

if TYPE_CHECKING:
    from ..runs.run import Run
    from ..runs.trail import Trail
    from .export import Exportable


OURS = "stepgraph"
"""The attribute under which nodes, edges and the graph have what only we know of."""


def write(source: Exportable) -> Exported:
    """Write a graph as ``networkx.node_link_graph`` reads it; of a run, how often it was where."""
    table = node_link(source.document)
    if source.run is not None:
        trail = source.trail()
        table["graph"]["run"] = source.run.id
        for name, node in zip(source.graph.nodes, table["nodes"], strict=False):  # END comes after them
            node["visits"] = trail.times(name, source.run.step)
        for position, edge in enumerate(table["edges"]):
            edge["times"] = trail.times(position, source.run.step)
    return Exported(indented(table) + "\n")


def node_link(document: Mapping[str, Any]) -> dict[str, Any]:
    """Turn the tables of a graph file around: nodes and edges as lists, the rest as attributes."""
    nodes, edges = document.get("nodes", {}), document.get("edges", [])
    head = {key: value for key, value in document.items() if key not in ("nodes", "edges")}
    ends = {end for edge in edges for end in (edge["from"], edge["to"])} - nodes.keys()
    return {
        "directed": True,
        "multigraph": True,
        "graph": {"name": document["name"], OURS: head},
        "nodes": [
            *({"id": name, "type": table["type"], OURS: table} for name, table in nodes.items()),
            *({"id": end} for end in sorted(ends)),
        ],
        "edges": [_edge(number, edge) for number, edge in enumerate(edges)],
    }


def _edge(number: int, edge: Mapping[str, Any]) -> dict[str, Any]:
    settings = {key: value for key, value in edge.items() if key not in ("from", "to")}
    label = {"label": edge["label"]} if "label" in edge else {}
    return {"source": edge["from"], "target": edge["to"], "key": number, **label, OURS: settings}


def document_of(table: Mapping[str, Any]) -> dict[str, Any] | None:
    """Read the tables of a graph file out of node-link JSON that ``write`` made; None where others did."""
    graph = table.get("graph")
    head = graph.get(OURS) if isinstance(graph, dict) else None
    nodes, edges = table.get("nodes"), table.get("edges")
    if not (isinstance(head, dict) and isinstance(nodes, list) and isinstance(edges, list)):
        return None
    if not all(isinstance(each, dict) for each in (*nodes, *edges)):
        return None
    own = {node.get("id"): node[OURS] for node in nodes if OURS in node and isinstance(node.get("id"), str)}
    ways = [
        {"from": edge.get("source"), "to": edge.get("target"), **edge[OURS]}
        for edge in edges
        if isinstance(edge.get(OURS), dict)
    ]
    if len(ways) < len(edges) or len(own) + sum(node.get("id") == END for node in nodes) < len(nodes):
        return None
    return {**head, "nodes": own, "edges": ways}


_PREDICATE = re.compile(r"predicate (\S+)")
_EQUALITY = re.compile(r'("(?:[^"\\]|\\.)*") equals (.*)')
_decode = json.JSONDecoder().raw_decode


def edge_text(label: str | None, asked: str | None) -> str:
    """Write a label and a condition as one text; empty where there is neither."""
    guard = f"[{asked}]" if asked else ""
    text = " ".join(filter(None, (label, guard)))
    if edge_parts(text) == (label or None, asked or None):
        return text
    return " ".join(filter(None, (json.dumps(label, ensure_ascii=False), guard)))


def edge_parts(text: str) -> tuple[str | None, str | None]:
    """Read a label and a condition, as ``edge_text`` writes them; None for what is not there."""
    if text.startswith('"'):
        quoted = _quoted_label(text)
        if quoted is not None:
            return quoted
    if not text.endswith("]"):
        return text or None, None
    label, opened, asked = text[:-1].partition(" [") if text[0] != "[" else ("", "[", text[1:-1])
    return (label or None, asked or None) if opened and asked else (text, None)


def _quoted_label(text: str) -> tuple[str | None, str | None] | None:
    try:
        label, end = _decode(text)
    except ValueError:
        return None
    rest = text[end:]
    if not rest:
        return label, None
    return (label, rest[2:-1]) if rest.startswith(" [") and rest.endswith("]") and len(rest) > 3 else None


def asked_by(condition: Condition) -> str | None:
    """Write what a condition asks; None where it asks nothing that the edge itself says."""
    if condition.kind == "always" or isinstance(condition, Chosen):
        return None
    if isinstance(condition, KeyEquals):
        return _equality(condition)
    if isinstance(condition, HandlerPredicate):
        return f"predicate {condition.ref}"
    return condition.describe() if condition.kind != "predicate" else f"predicate {condition.describe()}"


def _equality(condition: KeyEquals) -> str:
    """Write it as an expression; what no expression has, such as a table or a page of text, as JSON."""
    value = condition.value
    written = quoted(value) if isinstance(value, str) else json.dumps(value)
    if value is None or isinstance(value, bool):
        written = str(value)
    text = f"{written_key(condition.key)} {'is' if value is None else '=='} {written}"
    try:
        return Expression(text).text
    except ExpressionError:
        return f"{json.dumps(condition.key)} equals {json.dumps(value)}"


def condition_of(asked: str) -> Condition:
    """Read what ``asked_by`` wrote.

    Raises:
        ExpressionError: It is an expression that does not parse.
    """
    named = _PREDICATE.fullmatch(asked)
    if named is not None:
        return HandlerPredicate(named[1])
    equality = _EQUALITY.fullmatch(asked)
    if equality is not None:
        with suppress(ValueError):
            return KeyEquals(json.loads(equality[1]), json.loads(equality[2]))
    return Expression(asked)


Mark: TypeAlias = Literal["done", "next", "waits", "failed"]
START = "START"
"""Marks in a diagram where a run begins."""
_RUN_MARKS: dict[RunStatus, Mark] = {
    RunStatus.READY: "next",
    RunStatus.PAUSED: "waits",
    RunStatus.FAILED: "failed",
}
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,60}")


@dataclass(frozen=True, slots=True)
class DrawnNode:
    """A box."""

    id: str
    """A word that no other box has."""
    name: str
    type: str
    mark: Mark | None = None
    visits: int = 0


@dataclass(frozen=True, slots=True)
class DrawnEdge:
    """An arrow between two boxes, by their words."""

    source: str
    target: str
    text: str
    times: int = 0
    """How often a run took it."""


@dataclass(frozen=True)
class DrawnGraph:
    """A graph in the words of its boxes; all texts are masked."""

    name: str
    start: str
    nodes: tuple[DrawnNode, ...]
    edges: tuple[DrawnEdge, ...]
    ended: bool = False
    """Whether a run has come to END."""

    @cached_property
    def has_run(self) -> bool:
        """Whether a run has marked it."""
        return any(node.mark is not None for node in self.nodes)


def drawn_graph(source: Exportable, keywords: Container[str]) -> DrawnGraph:
    """Convert a graph to boxes and arrows.

    Args:
        source: The graph, perhaps with a run.
        keywords: Words that no box may have, in small letters.
    """
    graph, mask = source.graph, source.mask
    names = {name: mask.text(name) for name in graph.nodes}
    ids = _ids(names, keywords)
    trail, run = source.trail(), source.run
    step, marks = (run.step, _marks(run, trail)) if run is not None else (0, dict[str, Mark]())
    nodes = tuple(
        DrawnNode(ids[name], names[name], entry.type, marks.get(name), trail.times(name, step))
        for name, entry in graph.nodes.items()
    )
    edges = tuple(
        DrawnEdge(
            ids[edge.source],
            ids.get(edge.target, END),
            mask.text(edge_text(edge.label, asked_by(edge.condition))),
            trail.times(position, step),
        )
        for position, edge in enumerate(graph.edges)
    )
    ended = run is not None and trail.reached(END, step)
    return DrawnGraph(mask.text(graph.name), ids[graph.start], nodes, edges, ended)


def _marks(run: Run, trail: Trail) -> dict[str, Mark]:
    """Mark where a run has been, and where it stands."""
    marks: dict[str, Mark] = {part: "done" for part in trail.parts if isinstance(part, str)}
    if run.current is not None and run.status in _RUN_MARKS:
        marks[trail.drawn_at(run.current) or run.current] = _RUN_MARKS[run.status]
    return marks


def _ids(names: dict[str, str], keywords: Container[str]) -> dict[str, str]:
    """Assign each node an id: its name if that is a word, so that diagrams differ where their graphs do."""
    ids: dict[str, str] = {}
    taken = {START, END}
    for name, shown in names.items():
        if _WORD.fullmatch(shown) and shown.lower() not in keywords and shown not in taken:
            ids[name] = shown
            taken.add(shown)
    number = 0
    for name in names:
        if name not in ids:
            number += 1
            while f"n{number}" in taken:
                number += 1
            ids[name] = f"n{number}"
    return {name: ids[name] for name in names}
