"""GraphML: a graph as networkx, Gephi, yEd and others open it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import networkx as nx

from ..graphs.parts import END
from .export import Exported
from .mermaid import UniqueTexts
from .node_link import asked_by

if TYPE_CHECKING:
    from .export import Exportable

_NO_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML has no way to write; a carriage return would come back as a line break."""


def write(source: Exportable) -> Exported:
    """Write a graph with texts and numbers as attributes; of a run, how often it was where."""
    graph: Any = nx.MultiDiGraph()
    graph.graph.update(_texts(_head(source)))
    mask, document = source.mask, source.document
    trail, step = source.trail(), source.run.step if source.run is not None else 0
    unique = UniqueTexts((END,))
    ids = {shown: unique.fresh(_xml_text(shown)) for shown in map(mask.text, source.graph.nodes)}
    nodes: Any = document["nodes"]
    for name in source.graph.nodes:
        shown = mask.text(name)
        table = nodes[shown]
        attributes = {"name": shown, "type": table["type"], "note": table.get("note", "")}
        settings = {key: value for key, value in table.items() if key not in ("type", "note")}
        attributes["settings"] = json.dumps(settings, ensure_ascii=False)
        counts = {"visits": trail.times(name, step)} if source.run is not None else {}
        graph.add_node(ids[shown], **_texts(attributes), **counts)
    graph.add_node(END, name=END, type="end")
    for position, edge in enumerate(source.graph.edges):
        ends = (ids[mask.text(edge.source)], ids.get(mask.text(edge.target), END))
        asked = {"label": edge.label, "when": asked_by(edge.condition), "note": edge.note}
        counts = {"order": position}
        if source.run is not None:
            counts["times"] = trail.times(position, step)
        attributes = {key: mask.text(text) for key, text in asked.items() if text}
        graph.add_edge(*ends, key=f"e{position}", **_texts(attributes), **counts)
    return Exported("\n".join(nx.generate_graphml(graph)) + "\n")


def _head(source: Exportable) -> Mapping[str, str]:
    document = source.document
    head = {key: str(document.get(key, "")) for key in ("name", "start", "note")}
    return head | ({"run": source.run.id} if source.run is not None else {})


def _texts(texts: Mapping[str, Any]) -> dict[str, str]:
    return {key: _xml_text(text) for key, text in texts.items()}


def _xml_text(text: str) -> str:
    """Write out what XML cannot hold, by its number as Python writes it."""
    return _NO_XML.sub(lambda found: repr(found[0])[1:-1], text)
