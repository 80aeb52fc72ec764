"""Bridge the gap that deleted nodes leave: what led to them leads on to where they led."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..conditions import filed_condition
from ..expressions import parse
from ..expressions.tree import Group
from ..values.errors import ExpressionError
from ..values.json_values import identical
from .design import Part
from .edit import EditError
from .naming import said
from .placing import limited

if TYPE_CHECKING:
    from .design import Design


def bridged(design: Design, node: str) -> Design:
    """Put, in the place of each edge that leads to a node, edges to where the node leads.

    An edge that had a condition, and leads on by one that has one, asks for both. So runs go the same ways,
    as far as the node itself has not changed what is asked for. An edge that is there already is not made
    twice, nor one by which a node would lead to itself whatever happens.

    Args:
        design: The design.
        node: The node; no edge touches it afterwards.

    Raises:
        EditError: Two conditions cannot be joined, or there would be too many edges.
    """
    ways = [design.edges[position] for position in design.outgoing.get(node, ())]
    changed: dict[Part, tuple[Part, ...]] = dict.fromkeys(ways, ())
    made: list[Part] = []
    for edge in design.edges:
        if edge.target != node or edge.source == node:
            continue
        beside = [design.edges[position] for position in design.outgoing[edge.source]]
        new: list[Part] = []
        for way in _joined(edge, [way for way in ways if way.target != node]):
            if not _is_idle(way) and not any(_alike(way, other) for other in (*beside, *made, *new)):
                new.append(way)
        made += new
        changed[edge] = tuple(new)
    return limited(design.replacing(changed))


def _joined(edge: Part, ways: list[Part]) -> Iterator[Part]:
    """Lead an edge on by each way; the first stands where the edge stood, with its comments."""
    for number, way in enumerate(ways):
        table: dict[str, Any] = {**edge.table, "to": way.table.get("to")}
        when = _both(edge.table.get("when"), way.table.get("when"), edge.target)
        labels = [part.table["label"] for part in (edge, way) if isinstance(part.table.get("label"), str)]
        for key, value in (("when", when), ("label", ", ".join(labels) or None)):
            if value is not None:
                table[key] = value
        yield edge.having(table) if number == 0 else Part("edges", "", table)


def _both(one: object, other: object, node: str) -> object:
    """Join two conditions by ``and``.

    Raises:
        EditError: One of them is not an expression, or the expression would be too long.
    """
    if one is None or other is None:
        return other if one is None else one
    try:
        text = " and ".join(_operand(when) for when in (one, other))
        parse(text)
    except ExpressionError:
        message = f"the conditions before and after {said(node)} cannot be combined"
        raise EditError(message, hint="connect the edges by hand") from None
    return text


def _operand(when: object) -> str:
    condition = filed_condition(when)
    text = when if isinstance(when, str) else condition.describe()
    if condition.kind == "predicate":
        raise ExpressionError("Python code is not part of an expression", text=text)
    return f"({text})" if isinstance(condition.tree, Group) and condition.tree.word == "or" else text


def _is_idle(edge: Part) -> bool:
    return edge.source == edge.target and edge.unconditional


def _alike(edge: Part, other: Part) -> bool:
    same = (edge.source, edge.target) == (other.source, other.target)
    return same and identical(edge.table.get("when"), other.table.get("when"))
