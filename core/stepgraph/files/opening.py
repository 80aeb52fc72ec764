"""Opening a graph that is an object in a Python module."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from types import ModuleType
from typing import TypeGuard

from ..documents.loader import from_document
from ..extras.langgraph import is_langgraph
from ..extras.langgraph.factories import call_factory, lacking
from ..graphs.builder import StateGraph
from ..graphs.plan import CompiledGraph
from ..values.errors import GraphError, GraphFileError
from ..values.json_values import class_name
from ..values.problems import Place, Problem, did_you_mean
from .graph_refs import GraphRef, graph_ref, refused
from .importing import MAX_SOURCE, ImportFailure, Sources, import_failure, load_module
from .reader import read_bytes
from .trust import require_trust

_WANTED = (
    "name a StateGraph, a CompiledGraph, a graph of LangGraph, or a function without arguments that makes one"
)


def unopened(ref: GraphRef) -> StateGraph:
    """Build a placeholder for a graph in a module that was not imported: enough to ask for trust.

    Raises:
        GraphFileError: There is no such file, or none that can be read.
    """
    try:
        read_bytes(ref.file, str(ref.file), MAX_SOURCE, ".py")
    except GraphFileError as error:
        raise refused(*error.problems) from None
    return StateGraph(ref.path.name, start="").of_module(ref.path)


def to_be_trusted(graph: StateGraph | CompiledGraph) -> StateGraph | CompiledGraph:
    """Return what a person is asked to trust where a graph is to run: its module, if it is in one.

    Raises:
        GraphFileError: There is no such module, or none that can be read.
    """
    ref = graph_ref(graph.source)
    return graph if ref is None or graph.is_of_module else unopened(ref)


def load_graph(ref: GraphRef) -> StateGraph:
    """Import a module and take the graph that it has under a name; a function there is called to make it.

    The module is imported once for each content of its files; what is given back is a builder of its own.

    Raises:
        GraphFileError: The module does not import, or there is no graph of that name.
        TrustError: Nobody has trusted the module as it is now; nothing was imported.
    """
    module = _imported(ref, require_trust(unopened(ref)))
    try:
        return _found_in(module, ref)
    except (GraphFileError, KeyboardInterrupt):
        raise
    except BaseException as error:  # to be looked at, an object of theirs may run any code
        raise _raised(ref, f"{ref.name!r} cannot be looked at", error) from error


def _found_in(module: ModuleType, ref: GraphRef) -> StateGraph:
    """Find the graph that a module has under a name.

    Raises:
        GraphFileError: There is none.
    """
    try:
        found = getattr(module, ref.name)
    except AttributeError:
        hint = did_you_mean(ref.name, _graphs_in(module), listing="it has") or f"define {ref.name} in it"
        raise _refusal(ref, f"there is no {ref.name!r} in it", hint) from None
    return _builder_of(found, ref, module).of_module(ref.path)


def _imported(ref: GraphRef, sources: Sources) -> ModuleType:
    try:
        return load_module(ref.module, sources)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        failure = import_failure(error, sources.folder)
        raise _failed(ref, replace(failure, message=f"it {failure.message}"), error) from error


def _builder_of(found: object, ref: GraphRef, module: ModuleType) -> StateGraph:
    """Build the builder of what a module has under a name.

    Raises:
        GraphFileError: It is not a graph.
    """
    graph = _as_graph(found, ref)
    if graph is not None:
        return graph
    others = [name for name in _graphs_in(module) if name != ref.name]
    hint = did_you_mean(ref.name, others, listing="it has") or _WANTED
    if not _is_function(found):
        what = "a class" if isinstance(found, type) else f"of the type {class_name(found)}"
        raise _refusal(ref, f"{ref.name!r} is {what}, and not a graph", hint)
    made = _call(found, ref, hint)
    graph = _as_graph(made, ref)
    if graph is None:
        returned = "nothing" if made is None else f"something of the type {class_name(made)}"
        raise _refusal(
            ref, f"the function {ref.name!r} returned {returned}, and no graph", "return the graph"
        )
    return graph


def _as_graph(found: object, ref: GraphRef) -> StateGraph | None:
    """Take an object for a graph; None where it is none.

    Raises:
        GraphFileError: It is a graph of LangGraph that cannot be carried over.
    """
    if isinstance(found, StateGraph):
        return found
    if is_langgraph(found):
        return _of_langgraph(found, ref)
    return graph_of(found) if isinstance(found, CompiledGraph) else None


def _of_langgraph(found: object, ref: GraphRef) -> StateGraph:
    from ..extras.langgraph.conversion import as_state_graph  # and with it LangGraph

    try:
        return as_state_graph(found, ref)
    except GraphError as error:
        file = str(ref.file)
        problems = [
            each if each.place.file else replace(each, place=replace(each.place, file=file))
            for each in error.problems
        ]
        raise GraphFileError(error.message, problems) from error


def _is_function(found: object) -> TypeGuard[Callable[[], object]]:
    return inspect.isroutine(found) or isinstance(found, partial)


def _call(function: Callable[[], object], ref: GraphRef, hint: str) -> object:
    """Call the function that makes a graph.

    Raises:
        GraphFileError: It needs arguments, or raises.
    """
    needed = lacking(function)
    if needed:
        raise _refusal(ref, f"the function {ref.name!r} needs arguments: {', '.join(needed)}", hint)
    try:
        return call_factory(function)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise _raised(ref, f"the function {ref.name!r} failed", error) from error


def _graphs_in(module: ModuleType) -> list[str]:
    """Name the graphs that a module has, else the functions of its own that could make one."""
    own = {name: value for name, value in vars(module).items() if not name.startswith("_")}
    graphs = [
        name
        for name, value in own.items()
        if isinstance(value, StateGraph | CompiledGraph) or is_langgraph(value)
    ]
    return graphs or [
        name
        for name, value in own.items()
        if inspect.isfunction(value) and value.__module__ == module.__name__ and not lacking(value)
    ]


def graph_of(plan: CompiledGraph) -> StateGraph:
    """Convert a plan to a builder: the same settings, keys, tools, nodes and edges."""
    filed = plan.as_filed()
    whole = from_document(plan.document)  # where subgraphs are nodes: in a plan they are laid out
    graph = StateGraph(filed.name, start=filed.start)
    graph.settings, graph.keys, graph.tools = filed.settings, dict(filed.keys), dict(filed.tools)
    for name, entry in filed.nodes.items():
        graph.add_entry(whole.nodes[name] if entry.type == "subgraph" else entry)
    for edge in filed.edges:
        graph.put_edge(edge)
    graph.source = plan.source
    return graph


def _refusal(ref: GraphRef, message: str, hint: str) -> GraphFileError:
    return refused(Problem("F013", "error", message, Place(file=str(ref.file)), hint))


def _raised(ref: GraphRef, what: str, error: BaseException) -> GraphFileError:
    """Build the error for what a module's code has raised after it was imported."""
    return _failed(ref, import_failure(error, ref.folder.resolve(), what), error)


def _failed(ref: GraphRef, failure: ImportFailure, error: BaseException) -> GraphFileError:
    """Build the error for code of a module that raised, with all problems where it was a graph's."""
    place = Place(file=str(failure.file or ref.file), line=failure.line)
    own = Problem("F014", "error", failure.message, place, failure.hint, excerpt=failure.excerpt)
    return refused(own, *(error.problems if isinstance(error, GraphError | GraphFileError) else ()))
