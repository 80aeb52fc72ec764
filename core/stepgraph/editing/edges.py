"""Edits of edges: connect, change, delete, and the order in which they are tried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..graphs.parts import END, RESERVED
from ..values.json_values import identical
from .edit import Edited, EditError
from .naming import edge_in, edge_said, part_in, said
from .parts import changed_keys, written
from .placing import new_edge, with_edge_tried

if TYPE_CHECKING:
    from .design import Design, Part


@dataclass(frozen=True, slots=True)
class Connect:
    """Let a node lead to another place; the new edge is tried before the one that always matches."""

    source: str
    target: str
    when: str | Mapping[str, Any] | None = None
    label: str | None = None

    def apply(self, design: Design) -> Edited:
        """Add the edge and select it.

        Raises:
            EditError: One of the ends does not exist, or there is such an edge already.
        """
        source, target = _leavable(design, self.source), _reachable(design, self.target)
        when = dict(self.when) if isinstance(self.when, Mapping) else self.when
        more = written({"when": when, "label": self.label}, {})
        edge = new_edge(source, target, **more)
        for position in design.outgoing.get(source, ()):
            old = design.edges[position]
            if old.target == target and identical(old.table.get("when"), more.get("when")):
                hint = "give the new one another condition, or change the old one"
                raise EditError(f"there is already an edge {edge_said(old)} with that condition", hint=hint)
        larger = with_edge_tried(design, source, edge)
        return Edited(larger, f"connect {said(source)} to {said(target)}", edge=larger.edges.index(edge))


@dataclass(frozen=True, slots=True)
class EditEdge:
    """Give an edge what a form gave back."""

    edge: int
    table: Mapping[str, Any]

    def apply(self, design: Design) -> Edited:
        """Change it; its place in the order stays.

        Raises:
            EditError: There is no such edge, or it would lead from or to a place that does not exist.
        """
        edge = edge_in(design, self.edge)
        table = written(self.table, edge.table)
        changed = changed_keys(edge.table, table)
        if not changed:
            return Edited(design, f"leave {edge_said(edge)} as it is", edge=self.edge)
        new = edge.having(table)
        if table.get("from") != edge.table.get("from"):
            _leavable(design, table.get("from"))
        if table.get("to") != edge.table.get("to"):
            _reachable(design, table.get("to"))
        text = f"change {changed} of {edge_said(edge)}"
        if edge_said(new) != edge_said(edge):
            text = f"let {edge_said(edge)} be {edge_said(new)}"
        return Edited(design.replacing({edge: (new,)}), text, edge=self.edge)


@dataclass(frozen=True, slots=True)
class DeleteEdge:
    """Delete an edge."""

    edge: int

    def apply(self, design: Design) -> Edited:
        """Delete the edge.

        Raises:
            EditError: There is no such edge.
        """
        edge = edge_in(design, self.edge)
        return Edited(design.replacing({edge: ()}), f"delete {edge_said(edge)}")


@dataclass(frozen=True, slots=True)
class MoveEdge:
    """Let an edge of a node be tried earlier or later; the edges of other nodes keep their places."""

    edge: int
    by: int
    """How many edges of the same node it passes: upwards when negative, and never beyond the last."""

    def apply(self, design: Design) -> Edited:
        """Move it and keep it selected.

        Raises:
            EditError: There is no such edge, or it stands at that end of the order already.
        """
        edge = edge_in(design, self.edge)
        places = design.outgoing[edge.source]
        old = places.index(self.edge)
        new = min(max(old + self.by, 0), len(places) - 1)
        if new == old:
            word = "last" if self.by > 0 else "first"
            hint = "it is the only edge there" if len(places) == 1 else ""
            raise EditError(f"{edge_said(edge)} is already tried {word}", hint=hint)
        before = [design.edges[place] for place in places]
        after = [*before[:old], *before[old + 1 :]]
        passed = before[new]
        after.insert(new, edge)
        changed: dict[Part, tuple[Part, ...]] = {
            one: (other,) for one, other in zip(before, after, strict=True) if one is not other
        }
        word = "before" if new < old else "after"
        text = f"try {edge_said(edge)} {word} {edge_said(passed)}"
        return Edited(design.replacing(changed), text, edge=places[new])


def _leavable(design: Design, place: object) -> str:
    if place == END:
        raise EditError("no edge leaves END: runs end there", hint="connect from a node")
    return part_in(design, "nodes", place if isinstance(place, str) else "").name


def _reachable(design: Design, place: object) -> str:
    if place in RESERVED:
        return END
    return part_in(design, "nodes", place if isinstance(place, str) else "").name
