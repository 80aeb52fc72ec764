"""What designing a graph often offers: the types of nodes, and the places that an edge can lead to."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from stepgraph_tui.drawing.picture.node_content import NodeCaption

from .choice import Choice

if TYPE_CHECKING:
    from stepgraph.editing import Design

_END = "END"


def types_to_pick() -> list[Choice]:
    """All node types that can be used, each with its letter and what it does."""
    from stepgraph.nodes.registry import node_types

    return [
        Choice(name, name, _first_line(cls).removesuffix("."), NodeCaption(name, name).letter)
        for name, cls in node_types().items()
    ]


def _first_line(cls: type) -> str:
    return next(iter((inspect.getdoc(cls) or "").splitlines()), "") if cls.__doc__ else ""


def targets_to_pick(design: Design, source: str = "") -> list[Choice]:
    """The places that an edge can lead to: the nodes in the order of the file, then END.

    Args:
        design: The graph.
        source: The node that the edge leaves; what is said of a place tells whether one leads there already.
    """
    led_to = {str(design.edges[at].table.get("to", "")) for at in design.outgoing.get(source, ())}

    def note(name: str, what: str) -> str:
        remarks = [
            what,
            "this node itself" if name == source else "",
            "has an edge" if name in led_to else "",
        ]
        return ", ".join(filter(None, remarks))

    nodes = [
        Choice(name, name, note(name, type_), NodeCaption(name, type_).letter)
        for name, type_ in ((name, str(part.table.get("type", ""))) for name, part in design.nodes.items())
    ]
    return [*nodes, Choice(_END, _END, note(_END, "the run ends here"))]
