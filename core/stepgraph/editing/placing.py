"""Where new parts go in a file: nodes behind nodes, edges where a person would have written them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, get_args

from ..files.limits import count_limits
from .design import Kind, Part
from .edit import EditError

if TYPE_CHECKING:
    from .design import Design

_ORDER: tuple[Kind, ...] = get_args(Kind)


def with_parts(design: Design, parts: Iterable[Part], after: Part | None) -> Design:
    """The design with new parts behind one of it, or before all others when it is None.

    Raises:
        EditError: It would have more of them than a graph file may have.
    """
    return _limited(design.inserting(parts, after))


def last_of(design: Design, kind: Kind) -> Part | None:
    """The part behind which a new one goes that is the last of its kind; None for the top of the file.

    Where there is none of that kind yet, the kinds that usually stand before it count.
    """
    kinds = _ORDER[: _ORDER.index(kind) + 1]
    for wanted in reversed(kinds):
        for part in reversed(design.parts):
            if part.kind == wanted:
                return part
    return None


def with_edges(design: Design, source: str, edges: Iterable[Part]) -> Design:
    """The design with new edges behind all those that leave a node.

    Where none leaves it, they stand behind the edges of the nodes before it in the file.

    Raises:
        EditError: It would have more edges than a graph file may have.
    """
    return with_parts(design, edges, _before_edges_of(design, source))


def with_edge_tried(design: Design, source: str, edge: Part) -> Design:
    """The design with a new edge of a node where it is tried: before the one that always matches.

    Raises:
        EditError: It would have more edges than a graph file may have.
    """
    for position in design.outgoing.get(source, ()):
        found = design.edges[position]
        if found.unconditional:
            return _limited(design.replacing({found: (edge, found)}))
    return with_edges(design, source, (edge,))


def _before_edges_of(design: Design, source: str) -> Part | None:
    own = design.outgoing.get(source)
    if own:
        return design.edges[own[-1]]
    order = {name: position for position, name in enumerate(design.nodes)}
    here = order.get(source, len(order))
    for edge in reversed(design.edges):
        if order.get(edge.source, here) < here:
            return edge
    return last_of(design, "edges")


def _limited(design: Design) -> Design:
    problem = count_limits(design.document(), "")
    if problem is not None:
        raise EditError(problem.message, hint="make a second graph of a part of it")
    return design
