"""From a document (a parsed graph file, or a stored definition) to a StateGraph."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from ..graphs.builder import StateGraph
from .notes import Notes
from .parts import edge_of, key_of, node_of, tool_of
from .reuse import Kept, Made, Shelf
from .schema import GraphPart

if TYPE_CHECKING:
    from ..graphs.parts import Edge, Locator, NodeEntry
    from ..values.json_values import Json

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
    kept: Kept | None = None,
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
        kept: What was made for an earlier version of the document in the same file, if there was one.
    """
    notes = Notes(file, locate)
    head = {key: value for key, value in data.items() if not isinstance(value, _SECTIONS.get(key, ()))}
    part = notes.checked(GraphPart, notes.json_only(head), (), "the graph")
    if "format" not in data:
        notes.add("F008", "the graph does not say its format", ("format",), "make the first line: format = 1")
    graph = _graph(part)
    graph.source, graph.locate = source, locate
    sections = {key: data[key] for key in _SECTIONS if key in data and key not in head}
    _Loader(graph, notes, opaque, kept or Kept()).add(sections)
    notes.close()
    graph.noted.extend(notes.problems)
    return graph


def _graph(part: GraphPart) -> StateGraph:
    return StateGraph(
        part.name,
        start=part.start,
        max_steps=part.max_steps,
        on_max_steps=part.on_max_steps,
        on_no_match=part.on_no_match,
        feedback=part.feedback,
        no_feedback=part.no_feedback,
        max_seconds=part.max_seconds,
        note=part.note,
    )


class _Loader:
    """Adds the tables of a document to a graph, each made anew only when it was not made before."""

    def __init__(self, graph: StateGraph, notes: Notes, opaque: bool, kept: Kept) -> None:
        self._graph = graph
        self._notes = notes
        self._opaque = opaque
        self._kept = kept

    def add(self, sections: Mapping[str, object]) -> None:
        graph, kept = self._graph, self._kept
        for key in self._named(sections, "state", kept.keys, key_of):
            graph.keys[key.thing.name] = key.thing
        for tool in self._named(sections, "tools", kept.tools, tool_of):
            graph.tools[tool.thing.name] = tool.thing
        for index, node in enumerate(self._named(sections, "nodes", kept.nodes, self._node)):
            entry = node.thing = node.thing.at(index)
            graph.add_entry(entry)
        for index, table in enumerate(cast("list[object]", sections.get("edges", []))):
            edge = self._edge(index, table)
            if edge is None:
                graph.skip_edge()
            else:
                graph.put_edge(edge)

    def _node(self, name: str, found: Json, notes: Notes) -> NodeEntry:
        return node_of(name, found, notes, self._opaque)

    def _named(
        self,
        sections: Mapping[str, object],
        section: str,
        shelf: Shelf[T],
        make: Callable[[str, Json, Notes], T],
    ) -> Iterator[Made[T]]:
        """What is made of the tables of a section, each under its name."""
        for name, table in cast("dict[str, object]", sections.get(section, {})).items():
            made = shelf.get(name, table)
            if made is None:
                notes = self._notes.apart()
                found = cast("dict[str, Json]", notes.json_only({name: table}, (section,)))
                if name not in found:
                    self._notes.take(notes)
                    continue
                thing = make(name, found[name], notes)
                made = shelf.put(name, Made(table, thing, notes if notes.count else None))
            if made.notes is not None:
                self._notes.take(made.notes)
            yield made

    def _edge(self, index: int, table: object) -> Edge | None:
        shelf = self._kept.edges
        made = shelf.get("", table)
        if made is not None:
            edge = made.thing = made.thing.at(index)
            return edge
        notes, path = self._notes.apart(), ("edges", index)
        found = None
        if notes.is_json(table, path):
            found = edge_of(index, notes.json_only(table, path), notes, self._opaque)
        self._notes.take(notes)
        if found is None or notes.count:
            return found  # not kept: its problems tell its position
        return shelf.put("", Made(table, found.at(index))).thing
