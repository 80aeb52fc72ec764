"""Putting a new node into a way that runs already take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .design import END, Part
from .placing import with_edges

if TYPE_CHECKING:
    from .design import Design


def new_edge(source: str, target: str, **more: Any) -> Part:
    """An edge as it is made here.

    Args:
        source: The node that it leaves.
        target: The node that it leads to, or END.
        more: Perhaps ``when`` and ``label``.
    """
    return Part("edges", "", {"from": source, "to": target, **more})


def fallback(design: Design, node: str) -> Part | None:
    """The edge of a node that is taken when no other matches."""
    edges = (design.edges[position] for position in design.outgoing.get(node, ()))
    return next((edge for edge in edges if edge.unconditional), None)


def led_to(design: Design, node: str, new: str) -> tuple[Design, str]:
    """Let a node lead to a new one whatever happens, and say where it led until now: END when nowhere.

    Raises:
        EditError: The design would have too many edges.
    """
    old = fallback(design, node)
    if old is None:
        return with_edges(design, node, (new_edge(node, new),)), END
    return redirected(design, old, new), old.target or END


def redirected(design: Design, edge: Part, target: str) -> Design:
    """The design with an edge that leads somewhere else; all else of the edge stays."""
    return design.replacing({edge: (edge.having({**edge.table, "to": target}),)})


def led_on(design: Design, before: str, node: str, target: str) -> Design:
    """Let a node that has just been put behind another one lead on to a place.

    Raises:
        EditError: The design would have too many edges.
    """
    return with_edges(design, before, (new_edge(node, target),))
