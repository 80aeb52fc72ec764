"""All about a node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from stepgraph.graphs.parts import END
from stepgraph.nodes.base import BaseNode
from stepgraph_tui.drawing.picture.glyphs import UNICODE
from stepgraph_tui.text.plain import plural, visible
from stepgraph_tui.widgets.breaks import NO_LIST, BreakList
from stepgraph_tui.widgets.lines.page_lines import Line, blank, paragraph

from .break_lines import break_lines
from .facts import (
    MOST,
    Masked,
    edges_in,
    edges_out,
    fact,
    labelled_condition,
    problem_lines,
    section,
    setting,
    way_of,
    ways,
)
from .visit import failure_lines, failure_of, visit_lines

if TYPE_CHECKING:
    from stepgraph.graphs.builder import StateGraph
    from stepgraph.graphs.parts import Edge, NodeEntry
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph.values.problems import Problem
    from stepgraph_tui.run_view import RunSnapshot

TYPES = {
    "llm": "language model",
    "tool": "tool call",
    "approval": "asks a person",
    "router": "router by a number",
    "handler": "Python function",
    "transform": "changes keys",
    "guardrail": "rules that must hold",
    "subgraph": "another graph",
    "wait": "waits for a time",
    "http": "asks a server",
    "llm_router": "a model picks the way",
    "agent": "a model with tools",
    "langgraph": "a node of LangGraph",
    "python": "Python object",
}
_GATES = {
    "before": "a person must agree before it runs",
    "after": "a person must agree to what it did",
    "last": "a person must agree to what it did, where that leads to END",
}


def node_lines(
    graph: StateGraph | CompiledGraph,
    name: str,
    problems: Sequence[Problem],
    moment: RunSnapshot | None,
    pauses: str = "",
    breaks: BreakList = NO_LIST,
) -> Iterator[Line]:
    """Make the page of a node; one that only edges name has no more than those.

    Args:
        graph: The graph.
        name: The node.
        problems: All that is wrong with the graph.
        moment: A moment of a run; None without one.
        pauses: What is said of a node after which a run pauses.
        breaks: The breakpoints; those at the node and at the edges out of it are told.
    """
    entry, edges = graph.nodes.get(name), list(graph.edges)
    out = edges_out(edges, name)
    masked: Masked = moment.view.mask.text if moment is not None else str
    type_ = "" if entry is None else TYPES.get(entry.type, visible(entry.type))
    yield Line(((visible(name), "name"),), (type_, "dim") if type_ else None)
    if pauses:
        yield Line(((f"{UNICODE.pause} ", "warn"), (pauses, "plain")))
    yield from break_lines(breaks, lambda each: each.node == name, masked)
    note, facts = list(_note(name, entry, masked)), list(_facts(graph, name, entry, masked))
    parted = [blank()] if facts else []
    failure = failure_of(moment, name) if moment is not None else None
    if moment is not None and failure is not None:
        yield from section("Failed", failure_lines(moment, failure))
        yield from section("About", [*note, *(parted if note else []), *facts])
    else:
        yield from (*note, *parted, *facts)
    here = {edge.index for edge in out}
    yield from section(
        "Problems",
        problem_lines(each for each in problems if each.place.node == name or each.place.edge in here),
    )
    if moment is not None:
        yield from section("This run", visit_lines(moment, name))
    yield from section("Edges", _edges(out, edges_in(edges, name), edges, masked))
    if entry is not None and entry.settings:
        lines = (line for key, value in entry.settings.items() for line in setting(key, value, masked))
        yield from section("Settings", lines)


def _note(name: str, entry: NodeEntry | None, masked: Masked) -> Iterator[Line]:
    if entry is None:
        said = "where a run ends" if name == END else "no node has this name: only edges lead here"
        yield paragraph(said, "dim")
    elif entry.note:
        yield paragraph(visible(masked(" ".join(entry.note.split()))))


def _facts(
    graph: StateGraph | CompiledGraph, name: str, entry: NodeEntry | None, masked: Masked
) -> Iterator[Line]:
    if entry is None:
        return
    if graph.settings.start == name:
        yield fact("start", "runs start here")
    node = entry.node
    if entry.settings is None and node is not None:
        yield fact("runs", visible(getattr(node, "__name__", type(node).__name__)))
    gate = _GATES.get(entry.gate(graph.settings.review) or "")
    if gate is not None:
        yield fact("gate", f"? {gate}")
    tools = entry.tools(graph.tools)
    asking = [visible(tool.name) for tool in entry.tools_that_ask(graph.tools)]
    if asking:
        yield fact("gate", f"? a person must agree to its tool {', '.join(asking)}")
    if entry.timeout is not None:
        yield fact("timeout", visible(f"{entry.timeout}{'' if isinstance(entry.timeout, str) else ' s'}"))
    acting = [visible(tool.name) for tool in tools if tool.side_effects]
    if entry.side_effects or acting:
        by = f", by its tool {', '.join(acting)}" if acting else ""
        yield fact("effects", f"! changes the world outside the state{by}", "warn")
    if isinstance(node, BaseNode):
        yield from _keys("reads", entry.facts.all_reads, masked)
        yield from _keys("writes", entry.facts.writes, masked)


def _keys(name: str, keys: frozenset[str] | None, masked: Masked) -> Iterator[Line]:
    if keys is None:
        yield fact(name, "any key of the state")
    elif keys:
        shown = ", ".join(visible(masked(key)) for key in sorted(keys)[:MOST])
        yield fact(name, shown + (f", … {len(keys) - MOST:,} more" if len(keys) > MOST else ""))


def _edges(
    out: Sequence[Edge], into: Sequence[Edge], edges: Sequence[Edge], masked: Masked
) -> Iterator[Line]:
    if out:
        yield paragraph(f"out, {'first match wins' if len(out) > 1 else 'the only one'}", "dim")
        yield from ways(out, masked)
    if into:
        yield paragraph("in", "dim")
    leaving = _leaving(edges) if into else {}
    for edge in into[:MOST]:
        siblings = leaving[edge.source]
        way = way_of(edge, siblings.index(edge.index), len(siblings)).rpartition("→ ")[0].strip()
        yield Line(((masked(f"{visible(edge.source)}  {way}".rstrip()), "plain"),), hang=4)
        yield from labelled_condition(edge, masked)
    if len(into) > MOST:
        yield paragraph(f"… {plural(len(into) - MOST, 'more edge')}", "dim")


def _leaving(edges: Sequence[Edge]) -> dict[str, list[int]]:
    leaving: dict[str, list[int]] = {}
    for edge in edges:
        leaving.setdefault(edge.source, []).append(edge.index)
    return leaving
