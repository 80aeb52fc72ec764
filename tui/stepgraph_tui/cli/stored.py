"""Stores as commands meet them, and graphs rebuilt from the definitions in them."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from stepgraph.errors import GraphError, StepgraphError
from stepgraph.stores import default_store_url, open_store

from .text import plural

if TYPE_CHECKING:
    from stepgraph.graph import CompiledGraph, StateGraph
    from stepgraph.stores.base import StateStore, StoredRun

    from .output import Output

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")  # two letters or more: C: is a drive


def opened(output: Output, *, create: bool = False) -> StateStore:
    """The store that the command line or STEPGRAPH_STORE names, or the default one.

    Args:
        output: Knows what was named; told when there is nothing yet.
        create: Whether a file that is missing is made; otherwise an empty store stands in for it.

    Raises:
        StoreError: It cannot be opened.
    """
    address = output.store if output.store is not None else default_store_url()
    file = store_file(address)
    if not create and file is not None and not file.exists():
        output.narrate(f"note: there is no store at {file} yet")
        return open_store("memory:")
    store = open_store(address)
    if create and store.url.startswith("memory:"):
        output.narrate("note: this store is in memory; the run is gone when the command ends")
    if output.store is not None or os.environ.get("STEPGRAPH_STORE"):
        output.address = store.url
    return store


def store_file(address: str) -> Path | None:
    """The file of a store's address; None for stores that are no files."""
    if address.lower().startswith("sqlite:///"):
        return Path(address[len("sqlite:///") :]).expanduser()
    return None if _SCHEME.match(address) or not address.strip() else Path(address).expanduser()


def stored_graph(store: StateStore, run: StoredRun) -> StateGraph:
    """The graph that a run goes by, rebuilt from the definition in its store."""
    from stepgraph.document import from_document

    source = Path(run.head.source) if run.head.source is not None else None
    return from_document(json.loads(store.definition(run.pointer.definition)), source=source)


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


def _has_opaque_parts(graph: StateGraph) -> bool:
    from stepgraph.conditions import Opaque
    from stepgraph.document import OPAQUE

    return any(isinstance(edge.condition, Opaque) for edge in graph.edges) or any(
        tool.handler == OPAQUE for tool in graph.tools.values()
    )


def showable(store: StateStore, run: StoredRun) -> CompiledGraph:
    """The plan that a run goes by, as far as it can be shown: nothing in it is checked or bound."""
    from stepgraph.graph import CompiledGraph

    graph = stored_graph(store, run)
    return CompiledGraph(
        graph.settings,
        MappingProxyType(graph.nodes),
        tuple(edge for edge in graph.edges if edge.source in graph.nodes),
        MappingProxyType(dict(graph.keys)),
        MappingProxyType(dict(graph.tools)),
        graph.source,
    )


def tell_if_changed(output: Output, app: CompiledGraph) -> None:
    """Remark that the graph file is another one by now than the definition the run goes by."""
    from stepgraph.document import differences, to_document
    from stepgraph.files import read_graph

    if app.source is None:
        return
    goes_on = "the run goes on with the definition it started with"
    try:
        changes = differences(app.document, to_document(read_graph(app.source)))
    except StepgraphError:
        output.narrate(f"note: {app.source} cannot be read any more; {goes_on}")
        return
    if changes:
        output.narrate(
            f"note: {app.source} has changed since ({plural(len(changes), 'difference')}); {goes_on}"
        )
