"""Opening a graph, be it a file of its own or an object in a Python module."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ..graphs.builder import StateGraph
from ..graphs.plan import CompiledGraph
from ..langgraph import is_langgraph
from ..values.errors import GraphError, GraphFileError, HandlerError
from ..values.problems import Place, Problem
from .graph_refs import GraphRef, graph_ref
from .handlers import resolve_object
from .reader import read_graph
from .trust import require_trust


def open_graph(path: Path) -> StateGraph:
    """Read a graph file, or import a Python module and take the graph that it has under a name.

    Raises:
        GraphFileError: It cannot be read, the module does not import, or there is no graph of that name.
        TrustError: It is a Python module that nobody has trusted as it is now; nothing was imported.
    """
    ref = graph_ref(path)
    return read_graph(path) if ref is None else load_graph(ref)


def unopened(ref: GraphRef) -> StateGraph:
    """Make what stands for a graph in a module that was not imported: enough to ask for trust."""
    graph = StateGraph(ref.name, start="")
    graph.source = ref.path
    return graph


def load_graph(ref: GraphRef) -> StateGraph:
    """Import a module and take the graph that it has under a name; a function there is called to make it.

    Raises:
        GraphFileError: The module does not import, or there is no graph of that name.
        TrustError: Nobody has trusted the module as it is now; nothing was imported.
    """
    sources = require_trust(unopened(ref))
    try:
        graph = _as_graph(resolve_object(ref.handler, sources), ref)
    except HandlerError as error:
        raise _refused(ref, error.message, error.hint) from error
    graph.source = ref.path
    return graph


def _as_graph(found: object, ref: GraphRef) -> StateGraph:
    """Turn what a module has under a name into a graph.

    Raises:
        GraphFileError: It is no graph.
    """
    if isinstance(found, StateGraph):
        return found
    if isinstance(found, CompiledGraph):
        return graph_of(found)
    if is_langgraph(found):
        return _of_langgraph(found, ref)
    if callable(found) and not isinstance(found, type):
        return _as_graph(found(), ref)
    message = f"{ref.name!r} is a {type(found).__name__}, not a graph"
    raise _refused(
        ref, message, "name a StateGraph, a CompiledGraph, a graph of LangGraph, or a function that makes one"
    )


def _of_langgraph(found: object, ref: GraphRef) -> StateGraph:
    from ..langgraph.conversion import as_state_graph  # and with it LangGraph

    try:
        return as_state_graph(found, ref)
    except GraphError as error:
        problems = [
            problem
            if problem.place.file
            else replace(problem, place=replace(problem.place, file=str(ref.file)))
            for problem in error.problems
        ]
        raise GraphFileError(error.message, problems) from error


def graph_of(plan: CompiledGraph) -> StateGraph:
    """Make the builder of a plan: the same settings, keys, tools, nodes and edges."""
    level = plan.level()
    graph = StateGraph(level.name, start=level.start)
    graph.settings = replace(level.settings)
    graph.keys, graph.tools = dict(level.keys), dict(level.tools)
    for entry in level.nodes.values():
        graph.add_entry(entry)
    for edge in level.edges:
        graph.put_edge(edge)
    graph.source = plan.source
    return graph


def _refused(ref: GraphRef, message: str, hint: str) -> GraphFileError:
    place = Place(file=str(ref.file))
    return GraphFileError("this graph cannot be read", [Problem("F013", "error", message, place, hint)])
