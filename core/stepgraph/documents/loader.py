"""From a document (a parsed graph file, or a stored definition) to a StateGraph, table by table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from ..conditions import Condition, HandlerPredicate, KeyEquals, Opaque
from ..graphs.builder import StateGraph
from ..graphs.parts import OPAQUE, Edge, NodeEntry
from ..graphs.validation.report import quoted
from ..reviews.terms import ReviewTerms
from ..tools.protocols import ToolEntry
from ..values.json_values import Json, with_kind
from ..values.problems import KeyPath
from ..values.state import StateKey
from .notes import Notes
from .schema import (
    COMMON,
    EdgePart,
    EqualsPart,
    GraphPart,
    KeyPart,
    NodePart,
    PredicatePart,
    ReviewsPart,
    ToolPart,
)

if TYPE_CHECKING:
    from ..graphs.parts import Locator


def key_of(name: str, found: Json, notes: Notes) -> StateKey:
    """Read the key of a table ``[state.NAME]``."""
    key = notes.checked(KeyPart, found, ("state", name), f"state key {quoted(name)}")
    return StateKey(name, key.reducer, key.default, key.type, key.input, key.secret, key.note)


def tool_of(name: str, found: Json, notes: Notes) -> ToolEntry:
    """Read the tool of a table ``[tools.NAME]``."""
    tool = notes.checked(ToolPart, found, ("tools", name), f"tool {quoted(name)}")
    about = tool.side_effects, tool.requires_approval, tool.note
    return ToolEntry(name, None, tool.handler, tool.returns, *about, tool.as_command())


def node_of(name: str, found: Json, notes: Notes, opaque: bool) -> NodeEntry:
    """Read the node of a table ``[nodes.NAME]``; one whose type is missing stays known to the edges."""
    path, what = ("nodes", name), f"node {quoted(name)}"
    table = found if isinstance(found, dict) else {}
    common: Json = {key: table[key] for key in COMMON if key in table} if found is table else found
    node = notes.checked(NodePart, common, path, what)
    settings = {key: value for key, value in table.items() if key not in COMMON}
    if node.type and not (opaque and node.type == OPAQUE):
        common_parts = node.review, node.side_effects, node.note, terms_of(node)
        return NodeEntry.declared(name, node.type, settings, *common_parts, node.timeout)
    if found is table and table.get("type", "") == "":
        notes.add("F021", f"{what} has no type", path, 'such as type = "llm"')
    kept = None if node.type else settings
    about, terms = (node.review, node.side_effects, node.note), terms_of(node)
    return NodeEntry(name, None, node.type, kept, *about, terms=terms, timeout=node.timeout)


def terms_of(part: NodePart | ReviewsPart) -> ReviewTerms:
    """Read the terms of reviews that are in a node's table, or in the graph's table of them."""
    return ReviewTerms.from_table(vars(part))


def edge_of(index: int, found: Json, notes: Notes, opaque: bool) -> Edge | None:
    """Read the edge of a table ``[[edges]]``; None when it does not say where it leads from or to."""
    path, table = ("edges", index), found if isinstance(found, dict) else {}
    what = _edge_name(index, table)
    edge = notes.checked(EdgePart, found, path, what)
    for key in ("from", "to"):
        if found is table and key not in table:
            notes.add("F021", f"{what} has no {key!r}", path, f'such as {key} = "name-of-a-node"')
    if not isinstance(table.get("from"), str) or not isinstance(table.get("to"), str):
        return None
    when = _condition(edge.when, (*path, "when"), what, notes, opaque)
    return Edge.asking(edge.source, edge.target, when, edge.label, edge.note)


def _edge_name(index: int, table: Mapping[str, object]) -> str:
    ends = [table.get(key) for key in ("from", "to")]
    if all(isinstance(end, str) for end in ends):
        source, target = (quoted(end)[1:-1] for end in ends)
        return f"edge {index + 1} ({source} -> {target})"
    return f"edge {index + 1}"


def _condition(when: Json, path: KeyPath, what: str, notes: Notes, opaque: bool) -> Condition | str | None:
    """Read what an edge asks; what is wrong is noted, and Opaque stands in for it."""
    if when is None or isinstance(when, str):
        return when
    before = notes.count
    condition: Condition = Opaque()
    if not isinstance(when, dict):
        hint = "a condition is text, or a table with key and equals, or with predicate"
        notes.add("F022", f"{what}: 'when' takes text or a table, not {with_kind(when)}", path, hint)
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
    return condition if notes.count == before else Opaque()


T = TypeVar("T")

_SECTIONS: dict[str, type] = {"state": dict, "tools": dict, "nodes": dict, "edges": list}
"""What holds the tables of each kind; anything else in their place is wrong."""


def from_document(
    data: Mapping[str, object],
    *,
    source: Path | None = None,
    locate: Locator | None = None,
    file: str | None = None,
    opaque: bool = True,
) -> StateGraph:
    """Build the graph of a document. It never raises for content: what is wrong goes to ``graph.noted``.

    Parts that the document calls ``python`` come back without their Python object: enough to show and
    to compare the graph, not to run it.

    Args:
        data: The tables of a graph file, or a stored definition.
        source: The file that the graph came from.
        locate: Finds the line of a path in that file.
        file: The file's name in problems.
        opaque: Whether ``python`` may stand for Python objects; False for graph files.
    """
    graph, _ = _built(data, source, Notes(file, locate), opaque, _AllLoaded())
    graph.locate = locate
    return graph


class GraphRebuilder:
    """Builds the graphs of documents that follow from one another, and loads only tables that are new.

    A table is known again by its identity: tables are never changed in place.
    """

    def __init__(self) -> None:
        self._file: str | None = None
        self._before = _AllLoaded()

    def build(self, document: Mapping[str, object], source: Path | None = None) -> StateGraph:
        """Build the graph of a document, as ``from_document`` does for a graph file.

        Args:
            document: The document, right or not.
            source: The file that it belongs to, where the Python modules that it names are looked up.
        """
        file = str(source) if source is not None else None
        if file != self._file:  # problems name their file
            self._before = _AllLoaded()
        graph, self._before = _built(document, source, Notes(file, None), opaque=False, before=self._before)
        self._file = file
        return graph


@dataclass(slots=True)
class _Loaded(Generic[T]):
    """What came of one table."""

    table: object
    """The table itself: as long as it is held here, nothing else has its identity."""
    thing: T
    """What the graph keeps of it; an edge at the position where it stood last."""
    notes: Notes | None = None
    """What is wrong with it, if anything is."""


@dataclass(slots=True)
class _AllLoaded:
    """What came of the tables of a document, each by its name and the identity of the table."""

    keys: dict[tuple[str, int], _Loaded[StateKey]] = field(default_factory=dict)
    tools: dict[tuple[str, int], _Loaded[ToolEntry]] = field(default_factory=dict)
    nodes: dict[tuple[str, int], _Loaded[NodeEntry]] = field(default_factory=dict)
    edges: dict[int, _Loaded[Edge]] = field(default_factory=dict)


def _built(
    data: Mapping[str, object], source: Path | None, notes: Notes, opaque: bool, before: _AllLoaded
) -> tuple[StateGraph, _AllLoaded]:
    """Build a graph, with what was loaded for an earlier version of the document in the same file."""
    head = {key: value for key, value in data.items() if not isinstance(value, _SECTIONS.get(key, ()))}
    part = notes.checked(GraphPart, notes.json_only(head), (), "the graph")
    if "format" not in data:
        notes.add("F008", "the graph does not say its format", ("format",), "make the first line: format = 1")
    graph = StateGraph(
        part.name,
        start=part.start,
        max_steps=part.max_steps,
        on_max_steps=part.on_max_steps,
        on_no_match=part.on_no_match,
        feedback=part.feedback,
        no_feedback=part.no_feedback,
        max_seconds=part.max_seconds,
        max_cost=part.max_cost,
        max_tokens=part.max_tokens,
        note=part.note,
        review=part.review,
        reviews=terms_of(notes.checked(ReviewsPart, part.reviews, ("reviews",), "the table 'reviews'")),
    )
    graph.source = source
    loader = _Loader(graph, notes, opaque, before)
    loader.add({key: data[key] for key in _SECTIONS if key in data and key not in head})
    notes.close()
    graph.noted.extend(notes.problems)
    return graph, loader.loaded


class _Loader:
    """Adds the tables of a document to a graph, each loaded only when it was not loaded before."""

    def __init__(self, graph: StateGraph, notes: Notes, opaque: bool, before: _AllLoaded) -> None:
        self._graph, self._notes, self._opaque, self._before = graph, notes, opaque, before
        self.loaded = _AllLoaded()

    def add(self, sections: Mapping[str, object]) -> None:
        graph, before, now = self._graph, self._before, self.loaded
        for key in self._load_tables(sections, "state", before.keys, now.keys, key_of):
            graph.keys[key.thing.name] = key.thing
        for tool in self._load_tables(sections, "tools", before.tools, now.tools, tool_of):
            graph.tools[tool.thing.name] = tool.thing
        for node in self._load_tables(sections, "nodes", before.nodes, now.nodes, self._node):
            graph.add_entry(node.thing)
        self._add_edges(cast("list[object]", sections.get("edges", [])))

    def _node(self, name: str, found: Json, notes: Notes) -> NodeEntry:
        return node_of(name, found, notes, self._opaque)

    def _load_tables(
        self,
        sections: Mapping[str, object],
        section: str,
        before: Mapping[tuple[str, int], _Loaded[T]],
        now: dict[tuple[str, int], _Loaded[T]],
        load: Callable[[str, Json, Notes], T],
    ) -> Iterator[_Loaded[T]]:
        """Load the tables of a section, each under its name, in which its problems name it."""
        for name, table in cast("dict[str, object]", sections.get(section, {})).items():
            known_by = name, id(table)
            loaded = before.get(known_by)
            if loaded is None:
                notes = self._notes.apart(kept=True)
                found = cast("dict[str, Json]", notes.json_only({name: table}, (section,)))
                if name not in found:
                    self._notes.take(notes)
                    continue
                thing = load(name, found[name], notes)
                loaded = _Loaded(table, thing, notes if notes.count else None)
            now[known_by] = loaded
            if loaded.notes is not None:
                self._notes.take(loaded.notes)
            yield loaded

    def _add_edges(self, tables: Iterable[object]) -> None:
        graph, before, now = self._graph, self._before.edges, self.loaded.edges
        for index, table in enumerate(tables):
            loaded = before.get(id(table))
            if loaded is None:
                self._add_new_edge(index, table)
                continue
            now[id(table)] = loaded
            loaded.thing = loaded.thing.at(index)
            graph.put_edge(loaded.thing)

    def _add_new_edge(self, index: int, table: object) -> None:
        notes, path = self._notes.apart(), ("edges", index)
        edge = None
        if notes.is_json(table, path):
            edge = edge_of(index, notes.json_only(table, path), notes, self._opaque)
        self._notes.take(notes)
        if edge is None:
            self._graph.skip_edge()
            return
        if not notes.count:  # else its problems tell its position
            self.loaded.edges[id(table)] = _Loaded(table, edge.at(index))
        self._graph.put_edge(edge)
