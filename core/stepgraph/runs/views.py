"""Reading a run out of a store: no executor, nothing bound, and so nothing that need be trusted."""

from __future__ import annotations

import json
from collections.abc import Container
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..conditions import Opaque
from ..files.graph_refs import graph_ref
from ..graphs.parts import OPAQUE, to_document
from ..graphs.plan import CompiledGraph
from ..stores.ledger import RunStatus
from ..stores.opening import damaged
from ..values.errors import GraphError
from .history import History
from .records import error_from_json
from .run import Run

if TYPE_CHECKING:
    from ..graphs.builder import StateGraph
    from ..stores.base import StateStore, StoredRun
    from ..stores.ledger import Pointer


def open_run(store: StateStore, run_id: str) -> Run:
    """Read a run: its values, its history, any past state, and as ``plan`` the graph that it follows.

    The handle is for looking, forking and extending (see ``operations``): its plan is as the store has
    it, neither checked nor bound.

    Raises:
        UnknownRun: There is no such run.
        StoreError: The store is damaged.
    """
    return view_run(store, store.load(run_id))


def view_run(store: StateStore, stored: StoredRun, plan: CompiledGraph | None = None) -> Run:
    """Read a run, as ``open_run`` does, where it stood when it was loaded.

    Args:
        store: Where it is.
        stored: The run.
        plan: The graph of its definition, where that was read before; a run that cannot be in it is checked
            as if it had not been.

    Raises:
        StoreError: The store is damaged.
    """
    if plan is None or not _fits(stored.pointer, plan.nodes):
        plan = shown_plan(store, stored)
    return read_run(store, stored, History(store, stored.head.id, plan))


def read_run(store: StateStore, stored: StoredRun, history: History) -> Run:
    """Build the handle of a run at its pointer, over a history that may be kept."""
    head, pointer = stored
    error = error_from_json(pointer.error) if pointer.error is not None else None
    return Run(head, pointer, store.values(head.id, pointer.version), history, error)


def stored_graph(store: StateStore, stored: StoredRun) -> StateGraph:
    """Build the graph of a run from the definition in its store.

    Raises:
        StoreError: The store has no such graph, or the run cannot be at the node where it is.
    """
    from ..documents.loader import from_document

    source = Path(stored.head.source) if stored.head.source is not None else None
    document = json.loads(store.definition(stored.pointer.definition))
    graph = from_document(document, source=source)
    _refuse_damaged(store, stored, graph, document)
    return graph


def shown_plan(store: StateStore, stored: StoredRun) -> CompiledGraph:
    """Build a run's plan as far as it can be shown: nothing in it is checked or bound.

    Raises:
        StoreError: The store is damaged.
    """
    return stored_graph(store, stored).plan()


def runnable_plan(store: StateStore, stored: StoredRun) -> CompiledGraph:
    """Compile the graph of a run, for an executor; one in a Python module is imported.

    Nothing of that is taken from the store: whoever trusts a module trusts what it makes, and no more. An
    executor that loads the run reports how the two differ.

    Raises:
        GraphError: It has parts that only the program which built the graph has, or needs a node type
            that is not installed here.
        GraphFileError: It is in a Python module that does not import, or no longer has it.
        TrustError: It is in a Python module that nobody has trusted as it is now.
        StoreError: The store is damaged.
    """
    graph = stored_graph(store, stored)
    ref = graph_ref(graph.source)
    if ref is not None:  # the trust in a module covers what the module makes, not what a store says of it
        from ..files import load_graph  # with all that reads and imports

        return load_graph(ref).compile()
    _refuse_opaque(graph, stored)
    return graph.compile()


def refuse_elsewhere(store: StateStore, stored: StoredRun) -> None:
    """Refuse a run that cannot continue on this machine, as far as that shows without importing anything.

    Raises:
        GraphError: Its graph has parts that only the program which built it has.
        GraphFileError: The Python module that it is in is gone.
        TrustError: It names code or commands that nobody has trusted here as they are now.
        StoreError: The store is damaged.
    """
    from ..files import require_trust, unopened

    graph = stored_graph(store, stored)
    ref = graph_ref(graph.source)
    if ref is not None:
        require_trust(unopened(ref))
    else:
        _refuse_opaque(graph, stored)
        require_trust(graph)


def _refuse_opaque(graph: StateGraph, stored: StoredRun) -> None:
    opaque = [name for name, entry in graph.nodes.items() if entry.node is None and entry.settings is None]
    if opaque or _has_opaque_parts(graph):
        what = f"nodes {', '.join(opaque)}" if opaque else "conditions or tools"
        raise GraphError(
            f"run {stored.head.id!r} cannot continue here: {what} of its graph "
            f"{stored.head.graph!r} are Python objects that the store does not hold",
            hint="continue it in the program that built the graph",
        )


def _has_opaque_parts(graph: StateGraph) -> bool:
    return any(isinstance(edge.condition, Opaque) for edge in graph.edges) or any(
        tool.handler == OPAQUE for tool in graph.tools.values()
    )


def _fits(pointer: Pointer, nodes: Container[str]) -> bool:
    """Check whether a run can be where it is, in a graph with these nodes."""
    if pointer.current is None:
        return pointer.status not in (RunStatus.READY, RunStatus.PAUSED)
    return pointer.current in nodes


def _refuse_damaged(
    store: StateStore, stored: StoredRun, graph: StateGraph, document: dict[str, Any]
) -> None:
    """Refuse what no engine has stored: somebody else may have made the store."""
    from ..documents.comparing import differences

    head, pointer = stored
    wrong = [problem.message for problem in graph.noted if problem.is_error]
    if not _fits(pointer, graph.nodes) and not _fits(pointer, graph.plan().nodes):
        wrong.append(f"it is at {pointer.current!r}, which is not a node of its graph")
    if "\0" in (head.source or ""):
        wrong.append("its file has no possible name")
    try:
        differences(document, to_document(graph))
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        wrong.append(f"its definition is unreadable ({error})")
    if wrong:
        raise damaged(store.url, f"run {head.id!r} cannot be read: {wrong[0]}")
