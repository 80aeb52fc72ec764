"""Quick fixes of edges: the missing one, the one that leads nowhere, the one that is never taken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..expressions import parse
from ..values.errors import ExpressionError
from ..values.problems import meant
from .design import END
from .edges import Connect, DeleteEdge, EditEdge
from .fix import Fix, edge_at
from .naming import edge_said, said
from .together import Together

if TYPE_CHECKING:
    from ..values.problems import Problem
    from .design import Design, Part


def lead_to_end(problem: Problem, design: Design) -> Fix | None:
    """A node that leads nowhere, or nowhere when no condition holds: its run may end there."""
    node = problem.place.node
    if node not in design.nodes:
        return None
    last = "a last edge" if design.outgoing.get(node) else "an edge"
    return Fix(f"add {last} from {said(node)} to END", Connect(node, END))


def remove(problem: Problem, design: Design) -> Fix | None:
    """An edge that is never taken.

    Without it runs go just as they went. Moving it up would change where they go: that is for a person to
    want.
    """
    edge = edge_at(problem, design)
    if edge is None or problem.place.edge is None:
        return None
    return Fix(f"remove the edge {edge_said(edge)}", DeleteEdge(problem.place.edge))


def leave_known(problem: Problem, design: Design) -> Fix | None:
    """An edge from a node whose name is misspelt."""
    return _redirected(problem, design, "from", meant(problem.hint))


def lead_to_known(problem: Problem, design: Design) -> Fix | None:
    """An edge to a node whose name is misspelt, or to the end in another spelling."""
    edge = edge_at(problem, design)
    if edge is not None and edge.target.strip("_ ").casefold() == "end":
        return _redirected(problem, design, "to", END)
    return _redirected(problem, design, "to", meant(problem.hint))


def _redirected(problem: Problem, design: Design, end: str, name: str | None) -> Fix | None:
    edge, position = edge_at(problem, design), problem.place.edge
    if edge is None or position is None or name is None:
        return None
    verb = "lead it to" if end == "to" else "let it leave"
    return Fix(f"{verb} {said(name)}", EditEdge(position, {**edge.table, end: name}))


def join(problem: Problem, design: Design) -> Fix | None:
    """Two edges with the same ends, one tried right after the other, each on its own condition.

    One edge on either condition is taken whenever one of the two was. With an edge between them that would
    not be so.
    """
    second, position = edge_at(problem, design), problem.place.edge
    if second is None or position is None:
        return None
    places = design.outgoing[second.source]
    at = places.index(position)
    first = design.edges[places[at - 1]] if at else second
    if first is second or first.target != second.target:
        return None
    joined = _joined(first, second)
    if joined is None:
        return None
    label = f"join both edges {edge_said(first)} by `or`"
    return Fix(label, Together((EditEdge(places[at - 1], joined), DeleteEdge(position)), label))


def _joined(first: Part, second: Part) -> dict[str, Any] | None:
    one, other = first.table.get("when"), second.table.get("when")
    if not isinstance(one, str) or not isinstance(other, str) or "#" in one:
        return None  # in a condition a comment goes to the end of the line
    when = f"{one} or {other}"  # nothing in a condition binds less than `or`
    try:
        parse(when)
    except ExpressionError:  # it would be too long
        return None
    words = {key: (first.table.get(key), second.table.get(key)) for key in ("label", "note")}
    if any(mine and theirs and mine != theirs for mine, theirs in words.values()):
        return None
    return {**second.table, **{key: value for key, value in first.table.items() if value}, "when": when}
