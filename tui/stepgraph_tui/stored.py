"""Graphs rebuilt from the definitions in a store, and the files that stores are."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from stepgraph.stores.ledger import RunStatus
from stepgraph.values.errors import GraphError, StoreError

if TYPE_CHECKING:
    from stepgraph.graphs.builder import StateGraph
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph.stores.base import StateStore, StoredRun

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")  # two letters or more: C: is a drive


def is_missing(file: Path) -> bool:
    """True when there is no such file; where the system won't tell, opening it says why."""
    try:
        return not file.exists()
    except OSError:
        return False


def store_file(address: str) -> Path | None:
    """The file of a store's address; None for stores that are no files."""
    if address.lower().startswith("sqlite:///"):
        return Path(address[len("sqlite:///") :]).expanduser()
    return None if _SCHEME.match(address) or not address.strip() else Path(address).expanduser()


def stored_graph(store: StateStore, run: StoredRun) -> StateGraph:
    """The graph that a run goes by, rebuilt from the definition in its store.

    Raises:
        StoreError: The store has no such graph, or the run cannot be at the node where it is.
    """
    from stepgraph.documents.loader import from_document

    source = Path(run.head.source) if run.head.source is not None else None
    document = json.loads(store.definition(run.pointer.definition))
    graph = from_document(document, source=source)
    _refuse_damaged(store, run, graph, document)
    return graph


def _refuse_damaged(store: StateStore, run: StoredRun, graph: StateGraph, document: dict[str, Any]) -> None:
    """Refuse what no engine has stored: somebody else may have made the store."""
    from stepgraph.documents.differences import differences
    from stepgraph.graphs.definition import to_document

    pointer = run.pointer
    goes_on = pointer.status in (RunStatus.READY, RunStatus.PAUSED)
    wrong = [problem.message for problem in graph.noted if problem.is_error]
    if pointer.current not in graph.nodes and (goes_on or pointer.current is not None):
        wrong.append(f"it is at {pointer.current!r}, which is no node of its graph")
    if "\0" in (run.head.source or ""):
        wrong.append("its file has no possible name")
    try:
        differences(document, to_document(graph))
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        wrong.append(f"its definition is none ({error})")
    if wrong:
        raise StoreError(
            f"the store {store.url} is damaged: run {run.head.id!r} cannot be read: {wrong[0]}",
            hint="put a backup in its place, or choose another store with --store or STEPGRAPH_STORE",
        )


def runnable(store: StateStore, run: StoredRun) -> CompiledGraph:
    """The plan that a run goes by, ready to be bound.

    Raises:
        GraphError: It has parts that only the program which built the graph has, or needs a node type
            that is not installed here.
    """
    graph = stored_graph(store, run)
    opaque = [name for name, entry in graph.nodes.items() if entry.node is None and entry.settings is None]
    if opaque or _has_opaque_parts(graph):
        what = f"nodes {', '.join(opaque)}" if opaque else "conditions or tools"
        raise GraphError(
            f"run {run.head.id!r} cannot go on from the command line: {what} of its graph "
            f"{run.head.graph!r} are Python objects that the store does not hold",
            hint="go on with it in the program that built the graph",
        )
    return graph.compile()


def from_file(run: StoredRun) -> CompiledGraph:
    """The graph file that a run was started from, as it is now.

    Raises:
        GraphError: The run has no file, or the file is wrong.
        GraphFileError: The file cannot be read.
    """
    from stepgraph.files import read_graph

    if run.head.source is None:
        raise GraphError(
            f"run {run.head.id!r} was not started from a graph file, so there is none to adopt",
            hint="load it with adopt=True in the program that built the graph",
        )
    return read_graph(Path(run.head.source)).compile()


def _has_opaque_parts(graph: StateGraph) -> bool:
    from stepgraph.conditions import Opaque
    from stepgraph.graphs.definition import OPAQUE

    return any(isinstance(edge.condition, Opaque) for edge in graph.edges) or any(
        tool.handler == OPAQUE for tool in graph.tools.values()
    )


def showable(store: StateStore, run: StoredRun) -> CompiledGraph:
    """The plan that a run goes by, as far as it can be shown: nothing in it is checked or bound."""
    from stepgraph.graphs.plan import CompiledGraph

    graph = stored_graph(store, run)
    return CompiledGraph(
        graph.settings,
        MappingProxyType(graph.nodes),
        tuple(edge for edge in graph.edges if edge.source in graph.nodes),
        MappingProxyType(dict(graph.keys)),
        MappingProxyType(dict(graph.tools)),
        graph.source,
    )
