"""``stepgraph import langgraph MODULE:NAME``: a graph file of the nodes of a LangGraph graph."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from stepgraph.files import graph_ref, located
from stepgraph.values import StepgraphError

from .graphs import imported

if TYPE_CHECKING:
    from stepgraph.files import GraphRef
    from stepgraph.formats import Imported

    from .output import Output


def read(args: Namespace, output: Output) -> Imported:
    """Import the module, which must be trusted, and make a graph of its LangGraph graph.

    Raises:
        StepgraphError: There is no such graph, it is none of LangGraph's, or it cannot be carried.
    """
    ref = graph_ref(located(args.graph))
    if ref is None:
        raise StepgraphError(
            f"{args.graph!r} names no graph in a Python module",
            hint="write module:name or file.py:name, such as my_agent.py:graph",
        )
    return imported(output, ref, args.trust, lambda: _read(args, ref))


def _read(args: Namespace, ref: GraphRef) -> Imported:
    from stepgraph.files import load_graph, require_trust, resolve_object, unopened
    from stepgraph.formats import Imported

    graph = load_graph(ref)
    if not any(entry.type == "langgraph" for entry in graph.nodes.values()):
        raise StepgraphError(
            f"{args.graph} is not a graph of LangGraph", hint=f"open it as it is: stepgraph {ref.path}"
        )
    from stepgraph.extras.langgraph.conversion import notes

    found = resolve_object(ref.handler, require_trust(unopened(ref)))
    return Imported(graph, "a LangGraph graph", (*notes(found, ref), *_where(args, ref)))


def _where(args: Namespace, ref: GraphRef) -> list[str]:
    """Describe where the module must be found when the file runs."""
    out: Path | None = args.output
    if out is None or out.resolve().parent == ref.folder.resolve():
        return []
    return [
        f"its nodes are in the module {ref.module}, which must lie beside {out.name} or be installed; "
        f"it is in {ref.folder}"
    ]
