"""Reading node-link JSON: our own, and that of networkx and others."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...documents.loader import from_document
from ...formats.jsonl import parse_json
from ...formats.node_link import document_of
from ...formats.reading import Imported, refused
from ...values.json_values import dumps
from .drafting import ForeignDiagram, drafted

_TEXTS = ("label", "title", "name", "text", "description")
"""Where others keep what a node or an edge says, the likeliest first."""
_EDGE_TEXTS = ("label", "condition", "when", "name", "text")


def looks_like(text: str) -> bool:
    """Check whether a text may be JSON; that of other formats was asked for before."""
    return text.lstrip()[:1] in ("{", "[")


def read(text: str, name: str) -> Imported:
    """Read a graph from node-link JSON.

    Raises:
        GraphFileError: It is not JSON, or no graph.
    """
    table = parse_json(text, name)
    if not isinstance(table, dict) or not isinstance(table.get("nodes"), list):
        message = "it is JSON, but no graph that is known here"
        hint = 'node-link JSON has "nodes" and "edges"; Amazon States Language has "StartAt" and "States"'
        raise refused("F030", message, name, 1, hint)
    if table.get("directed") is False:
        hint = "networkx.DiGraph has directions"
        raise refused("F033", "its edges have no direction, so no run can go along them", name, None, hint)
    document = document_of(table)
    if document is None:
        return drafted(_diagram(table, name))
    # The graphs that it names are looked up beside it, as those of a graph file are.
    source = Path(os.path.abspath(name))  # noqa: PTH100  # Path.absolute keeps ".."
    graph = from_document(document, source=source, file=name, opaque=False)
    return Imported(graph, "node-link JSON of Stepgraph")


def _diagram(table: Mapping[str, Any], name: str) -> ForeignDiagram:
    """Read node-link JSON of others: nodes by their ``id``, edges by ``source`` and ``target``.

    Raises:
        GraphFileError: A node or an edge is none.
    """
    graph = table.get("graph")
    title = graph.get("name") if isinstance(graph, dict) else table.get("name")
    found = ForeignDiagram("node-link JSON", name, title if isinstance(title, str) else "")
    ids = []
    for position, node in enumerate(table["nodes"]):
        id = node.get("id", node.get("name")) if isinstance(node, dict) else node
        if id is None or isinstance(id, dict):
            raise refused("F031", f"nodes[{position}] has no id", name, None, 'such as: {"id": "draft"}')
        ids.append(_id(id))
        found.add_node(ids[-1], _text(node, _TEXTS) if isinstance(node, dict) else "")
    edges = table.get("edges", table.get("links"))
    if not isinstance(edges, list):
        raise refused("F031", 'it has neither "edges" nor "links"', name, None, "networkx writes either")
    for position, edge in enumerate(edges):
        if not isinstance(edge, dict):
            raise refused("F031", f"edges[{position}] is not a table", name, None, _EDGE)
        source, target = (_end(edge.get(key), ids, found.nodes) for key in ("source", "target"))
        if source is None or target is None:
            lacks = "source" if source is None else "target"
            message = f"edges[{position}] has no {lacks} among the nodes"
            raise refused("F031", message, name, None, _EDGE)
        found.add_edge(source, target, _text(edge, _EDGE_TEXTS))
    return found


_EDGE = 'such as: {"source": "draft", "target": "check"}'


def _id(value: Any) -> str:
    """Write an id as text; networkx has numbers and lists as well."""
    return value if isinstance(value, str) else dumps(value)


def _end(value: Any, ids: list[str], nodes: Mapping[str, str]) -> str | None:
    """Find the node that an edge names: by its id, else by its place in the list, as older files do."""
    if value is None:
        return None
    id = _id(value)
    if id not in nodes and isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(ids):
        return ids[value]
    return id if id in nodes else None


def _text(table: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    return next((table[key] for key in keys if isinstance(table.get(key), str)), "")
