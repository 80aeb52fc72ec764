"""Node-link JSON: a graph as networkx writes it, with all that a graph file holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..graphs.parts import END
from .export import Exported
from .json_lines import indented

if TYPE_CHECKING:
    from .export import Exportable

OURS = "stepgraph"
"""The attribute under which nodes, edges and the graph have what only we know of."""


def write(source: Exportable) -> Exported:
    """Write a graph as ``networkx.node_link_graph`` reads it; of a run, how often it was where."""
    table = node_link(source.document)
    if source.run is not None:
        trail = source.trail()
        table["graph"]["run"] = source.run.id
        for name, node in zip(source.graph.nodes, table["nodes"], strict=False):  # END comes behind them
            node["visits"] = trail.times(name, source.run.step)
        for position, edge in enumerate(table["edges"]):
            edge["times"] = trail.times(position, source.run.step)
    return Exported(indented(table) + "\n")


def node_link(document: Mapping[str, Any]) -> dict[str, Any]:
    """Turn the tables of a graph file around: nodes and edges as lists, the rest as attributes."""
    nodes, edges = document.get("nodes", {}), document.get("edges", [])
    head = {key: value for key, value in document.items() if key not in ("nodes", "edges")}
    ends = {end for edge in edges for end in (edge["from"], edge["to"])} - nodes.keys()
    return {
        "directed": True,
        "multigraph": True,
        "graph": {"name": document["name"], OURS: head},
        "nodes": [
            *({"id": name, "type": table["type"], OURS: table} for name, table in nodes.items()),
            *({"id": end} for end in sorted(ends)),
        ],
        "edges": [_edge(number, edge) for number, edge in enumerate(edges)],
    }


def _edge(number: int, edge: Mapping[str, Any]) -> dict[str, Any]:
    said = {key: value for key, value in edge.items() if key not in ("from", "to")}
    label = {"label": edge["label"]} if "label" in edge else {}
    return {"source": edge["from"], "target": edge["to"], "key": number, **label, OURS: said}


def document_of(table: Mapping[str, Any]) -> dict[str, Any] | None:
    """Read the tables of a graph file out of node-link JSON that ``write`` made; None where others did."""
    graph = table.get("graph")
    head = graph.get(OURS) if isinstance(graph, dict) else None
    nodes, edges = table.get("nodes"), table.get("edges")
    if not (isinstance(head, dict) and isinstance(nodes, list) and isinstance(edges, list)):
        return None
    if not all(isinstance(each, dict) for each in (*nodes, *edges)):
        return None
    own = {node.get("id"): node[OURS] for node in nodes if OURS in node and isinstance(node.get("id"), str)}
    ways = [
        {"from": edge.get("source"), "to": edge.get("target"), **edge[OURS]}
        for edge in edges
        if isinstance(edge.get(OURS), dict)
    ]
    if len(ways) < len(edges) or len(own) + sum(node.get("id") == END for node in nodes) < len(nodes):
        return None
    return {**head, "nodes": own, "edges": ways}
