"""From a document (a parsed graph file, or a stored definition) to a StateGraph."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..compare import named
from ..conditions import Condition, HandlerPredicate, KeyEquals, Opaque
from ..document import OPAQUE
from ..graph import END, NodeEntry, StateGraph
from ..json_values import Json
from ..problems import KeyPath
from .notes import Notes, quoted
from .schema import COMMON, EdgePart, EqualsPart, GraphPart, KeyPart, NodePart, PredicatePart, ToolPart

if TYPE_CHECKING:
    from ..graph import Locator


def build(
    data: Mapping[str, object], source: Path | None, locate: Locator | None, file: str | None, opaque: bool
) -> StateGraph:
    """The graph of a document; what does not fit goes to ``noted``, and the rest is built."""
    notes = Notes(file, locate)
    table = notes.json_only(dict(data))
    part = notes.checked(GraphPart, table, (), "the graph")
    if "format" not in data:
        notes.add("F008", "the graph does not say its format", ("format",), "make the first line: format = 1")
    graph = StateGraph(
        part.name,
        start=_place(part.start),
        max_steps=part.max_steps,
        on_max_steps=part.on_max_steps,
        on_no_match=part.on_no_match,
        feedback=part.feedback,
        no_feedback=part.no_feedback,
        max_seconds=part.max_seconds,
        note=part.note,
    )
    graph.source, graph.locate = source, locate
    _add_keys(graph, part, notes)
    _add_tools(graph, part, notes)
    for name, found in part.nodes.items():
        _add_node(graph, name, found, notes, opaque)
    for index, found in enumerate(part.edges):
        _add_edge(graph, index, found, notes, opaque)
    notes.close()
    graph.noted.extend(notes.problems)
    return graph


def _place(name: str) -> str:
    """The name of a node or of END, which files write without underscores."""
    return END if name == "END" else name


def _add_keys(graph: StateGraph, part: GraphPart, notes: Notes) -> None:
    for name, found in part.state.items():
        key = notes.checked(KeyPart, found, ("state", name), f"state key {quoted(name)}")
        graph.add_key(
            name,
            reducer=key.reducer,
            default=key.default,
            type=key.type,
            input=key.input,
            secret=key.secret,
            note=key.note,
        )


def _add_tools(graph: StateGraph, part: GraphPart, notes: Notes) -> None:
    for name, found in part.tools.items():
        tool = notes.checked(ToolPart, found, ("tools", name), f"tool {quoted(name)}")
        graph.add_tool(
            name,
            handler=tool.handler,
            returns=tool.returns,
            side_effects=tool.side_effects,
            requires_approval=tool.requires_approval,
            note=tool.note,
        )


def _add_node(graph: StateGraph, name: str, found: Json, notes: Notes, opaque: bool) -> None:
    path, what = ("nodes", name), f"node {quoted(name)}"
    table = found if isinstance(found, dict) else {}
    before = len(notes.problems)
    common: Json = {key: table[key] for key in COMMON if key in table} if found is table else found
    node = notes.checked(NodePart, common, path, what)
    settings = {key: value for key, value in table.items() if key not in COMMON}
    if node.type and not (opaque and node.type == OPAQUE):
        graph.declare_node(
            name, node.type, settings, review=node.review, side_effects=node.side_effects, note=node.note
        )
        return
    if found is table and "type" not in table:
        notes.add("F021", f"{what} has no type", path, 'such as type = "llm"')
    # The node stays known to the edges, and says itself what is wrong with it.
    problems = tuple(notes.problems[before:])
    del notes.problems[before:]
    entry = NodeEntry(
        name,
        None,
        node.type,
        None if node.type else settings,
        node.review,
        node.side_effects,
        node.note,
        problems,
    )
    graph.add_entry(entry)


def _add_edge(graph: StateGraph, index: int, found: Json, notes: Notes, opaque: bool) -> None:
    path, table = ("edges", index), found if isinstance(found, dict) else {}
    what = _edge_name(index, table)
    edge = notes.checked(EdgePart, found, path, what)
    for key in ("from", "to"):
        if found is table and key not in table:
            notes.add("F021", f"{what} has no {key!r}", path, f'such as {key} = "name-of-a-node"')
    if not isinstance(table.get("from"), str) or not isinstance(table.get("to"), str):
        graph.skip_edge()
        return
    when = _condition(edge.when, (*path, "when"), what, notes, opaque)
    graph.add_edge(_place(edge.source), _place(edge.target), when, edge.label)


def _edge_name(index: int, table: Mapping[str, object]) -> str:
    ends = [table.get(key) for key in ("from", "to")]
    if all(isinstance(end, str) for end in ends):
        source, target = (quoted(end)[1:-1] for end in ends)
        return f"edge {index + 1} ({source} -> {target})"
    return f"edge {index + 1}"


def _condition(when: Json, path: KeyPath, what: str, notes: Notes, opaque: bool) -> Condition | str | None:
    """What ``add_edge`` takes; what is wrong is noted, and Opaque stands in for it."""
    if when is None or isinstance(when, str):
        return when
    before = len(notes.problems)
    condition: Condition = Opaque()
    if not isinstance(when, dict):
        hint = "a condition is text, or a table with key and equals, or with predicate"
        notes.add("F022", f"{what}: 'when' takes text or a table, not {named(when)}", path, hint)
    elif "predicate" in when:
        ref = notes.checked(PredicatePart, when, path, f"{what}: when").predicate
        if not opaque or ref != OPAQUE:
            condition = HandlerPredicate(ref)
    else:
        equals = notes.checked(EqualsPart, when, path, f"{what}: when")
        condition = KeyEquals(equals.key, equals.equals)
        for key in sorted({"key", "equals"} - when.keys()):
            hint = 'such as { key = "category", equals = "billing" }'
            notes.add("F021", f"{what}: 'when' has no {key!r}", path, hint)
    return condition if len(notes.problems) == before else Opaque()
