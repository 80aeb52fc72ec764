"""The graphs that a graph names: their files are read, or their documents where they are in its own."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from ..documents.loader import from_document
from ..graphs.builder import StateGraph
from ..nodes.subgraph import SubgraphNode
from ..values.errors import GraphError, GraphFileError
from ..values.json_values import Json
from .reader import read_graph

DEEPEST = 8
"""How many graphs may be inside of one another."""


def child_of(graph: StateGraph, node: SubgraphNode) -> StateGraph:
    """Read the graph that a node is; nothing that it names is imported.

    Raises:
        GraphError: It cannot be read, is one of those that it is in, or is too deep inside.
    """
    settings = node.settings
    if len(graph.inside) >= DEEPEST:
        raise GraphError(
            f"it is the {DEEPEST + 1}th graph inside of another",
            hint=f"{DEEPEST} are the most: leave some out",
        )
    if settings.definition is not None:
        return _stored(graph, settings.definition)
    if graph.source is None:
        message = f"the graph {settings.graph!r} is looked for beside the graph's file, and there is none"
        raise GraphError(message, hint="save the graph, or read it from a file")
    path = graph.source.parent / settings.graph
    chain = (*graph.inside, graph.source)
    if path in chain:
        way = " -> ".join(each.name for each in (*chain[chain.index(path) :], path))
        raise GraphError(f"it names itself: {way}", hint="a graph cannot contain itself: loop with an edge")
    try:
        return _read(path, chain, _stamp(path))
    except GraphFileError as error:
        problem = error.problems[0]
        raise GraphError(problem.message, hint=problem.hint) from None


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return (0, 0)
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=32)  # an editor asks after every edit
def _read(path: Path, inside: tuple[Path, ...], stamp: tuple[int, int]) -> StateGraph:
    child = read_graph(path)
    child.inside = inside
    return child


def _stored(graph: StateGraph, definition: Mapping[str, Json]) -> StateGraph:
    child = from_document(definition, source=graph.source)
    child.inside = (*graph.inside, graph.source or Path())
    return child
