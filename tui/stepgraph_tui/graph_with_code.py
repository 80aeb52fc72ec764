"""A graph that Python code has made, with the lines in which its functions are written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stepgraph.files import load_graph
from stepgraph.nodes import source_lines
from stepgraph.runs import bind
from stepgraph.values import GraphFileError, Place, Problem, StepgraphError

if TYPE_CHECKING:
    from stepgraph.files import GraphRef
    from stepgraph.graphs import StateGraph
    from stepgraph.nodes import SourceLines


@dataclass(frozen=True, slots=True)
class GraphWithCode:
    """A graph, and the lines as they were when it was made: the files may have changed since."""

    graph: StateGraph
    sources: Mapping[str | int, SourceLines]
    """The function of each node by its name, and the predicate of each edge by its position."""

    @classmethod
    def of(cls, graph: StateGraph) -> GraphWithCode:
        """Look up the lines of a graph that was made just now."""
        return cls(graph, dict(_find_sources(graph)))

    @classmethod
    def load(cls, ref: GraphRef) -> GraphWithCode:
        """Import a module and take the graph that it has under a name; this may take as long as it likes.

        Raises:
            GraphFileError: The module does not import, or there is no such graph.
            TrustError: Nobody has trusted the module as it is now; nothing was imported.
        """
        try:
            return cls.of(load_graph(ref))
        except KeyboardInterrupt as error:  # nobody has pressed a key: the module raised it
            problem = Problem("F013", "error", "it raised KeyboardInterrupt", Place(file=str(ref.file)))
            raise GraphFileError("this graph cannot be read", [problem]) from error


def _find_sources(graph: StateGraph) -> Iterator[tuple[str | int, SourceLines]]:
    functions = _functions(graph)
    for entry in graph.nodes.values():
        lines = source_lines(entry.node if entry.settings is None else functions.get(entry.name))
        if lines is not None:
            yield entry.name, lines
    for edge in graph.edges:
        lines = source_lines(edge.condition)
        if lines is not None:
            yield edge.index, lines


def _functions(graph: StateGraph) -> Mapping[str, object]:
    """Find the functions of nodes that only name them; none of a graph that is not ready to run."""
    if all(entry.settings is None for entry in graph.nodes.values()):
        return {}
    try:
        bound = bind(graph.compile(), None, None, live=False)
    except StepgraphError:  # running it reports that
        return {}
    return {name: node.function for name, node in bound.items()}
