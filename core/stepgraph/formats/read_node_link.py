"""Reading node-link JSON: our own, and that of networkx and others."""

from __future__ import annotations

import os
from pathlib import Path

from ..documents.loader import from_document
from .json_text import parse_json
from .node_link import document_of
from .reading import Imported, refused


def looks_like(text: str) -> bool:
    """Tell whether a text may be JSON; that of other formats was asked for before."""
    return text.lstrip()[:1] in ("{", "[")


def read(text: str, name: str) -> Imported:
    """Read a graph from node-link JSON.

    Raises:
        GraphFileError: It is no JSON, or no graph.
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
        raise refused("F030", "it is no node-link JSON of ours", name, 1)
    # The graphs that it names are looked up beside it, as those of a graph file are.
    source = Path(os.path.abspath(name))  # noqa: PTH100  # Path.absolute keeps ".."
    graph = from_document(document, source=source, file=name, opaque=False)
    return Imported(graph, "node-link JSON of Stepgraph")
