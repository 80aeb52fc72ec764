"""Place new settings, nodes and edges where a person would have written them in the file."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import TYPE_CHECKING, Any, get_args

from ..documents.schema import GraphPart
from ..files.reader import count_limits
from ..graphs.parts import END
from ..values.declared import keys_of
from .design import EditError, Kind, Part

if TYPE_CHECKING:
    from .design import Design

_SETTINGS = tuple(keys_of(GraphPart))


def with_setting(design: Design, key: str, value: Any) -> Design:
    """Change, add or (None) remove one setting."""
    head = dict(design.head)
    if value is None:
        head.pop(key, None)
        return design.having(head)
    if key in head:
        return design.having({**head, key: value})
    before = set(_SETTINGS[: _SETTINGS.index(key)])
    at = max((place for place, name in enumerate(head, 1) if name in before), default=0)
    items = list(head.items())
    return design.having(dict([*items[:at], (key, value), *items[at:]]))


def without_feedback(design: Design) -> list[Any]:
    """Read what ``no_feedback`` lists, whatever that is."""
    found = design.head.get("no_feedback", [])
    return list(found) if isinstance(found, list) else []


def renamed_heads(design: Design, old: str, new: str) -> Design:
    """Rename a node in the settings."""
    if design.start == old:
        design = with_setting(design, "start", new)
    names = without_feedback(design)
    if old in names:
        design = with_setting(design, "no_feedback", [new if name == old else name for name in names])
    return design


def forgotten_heads(design: Design, nodes: Container[str]) -> Design:
    """Remove nodes from ``no_feedback``."""
    names = without_feedback(design)
    left = [name for name in names if not (isinstance(name, str) and name in nodes)]
    return design if len(left) == len(names) else with_setting(design, "no_feedback", left or None)


_ORDER: tuple[Kind, ...] = get_args(Kind)


def with_parts(design: Design, parts: Iterable[Part], after: Part | None) -> Design:
    """Put new parts after one of the design, or before all others when it is None.

    Raises:
        EditError: It would have more of them than a graph file may have.
    """
    return limited(design.inserting(parts, after))


def last_of(design: Design, kind: Kind) -> Part | None:
    """Find the part behind which a new one goes that is the last of its kind; None for the top of the file.

    Where there is none of that kind yet, the kinds that usually stand before it count.
    """
    kinds = _ORDER[: _ORDER.index(kind) + 1]
    for wanted in reversed(kinds):
        for part in reversed(design.parts):
            if part.kind == wanted:
                return part
    return None


def with_edges(design: Design, source: str, edges: Iterable[Part]) -> Design:
    """Put new edges behind all those that leave a node.

    Where none leaves it, they stand behind the edges of the nodes before it in the file.

    Raises:
        EditError: It would have more edges than a graph file may have.
    """
    return with_parts(design, edges, _before_edges_of(design, source))


def with_edge_tried(design: Design, source: str, edge: Part) -> Design:
    """Put a new edge of a node where it is tried: before the one that always matches.

    Raises:
        EditError: It would have more edges than a graph file may have.
    """
    found = fallback(design, source)
    if found is not None:
        return limited(design.replacing({found: (edge, found)}))
    return with_edges(design, source, (edge,))


def _before_edges_of(design: Design, source: str) -> Part | None:
    own = _leaving(design, source)
    if own:
        return own[-1]
    order = {name: position for position, name in enumerate(design.nodes)}
    here = order.get(source, len(order))
    for edge in reversed(design.edges):
        if order.get(edge.source, here) < here:
            return edge
    return last_of(design, "edges")


def limited(design: Design) -> Design:
    """Return a design that a file can hold.

    Raises:
        EditError: It has more parts than a graph file may have.
    """
    problem = count_limits(design.by_kind, "")
    if problem is not None:
        raise EditError(problem.message, hint="make a second graph of a part of it")
    return design


def new_edge(source: str, target: str, **more: Any) -> Part:
    """Build an edge.

    Args:
        source: The node that it leaves.
        target: The node that it leads to, or END.
        more: Perhaps ``when`` and ``label``.
    """
    return Part("edges", "", {"from": source, "to": target, **more})


def fallback(design: Design, node: str) -> Part | None:
    """Find the edge of a node that is taken when no other matches."""
    return next((edge for edge in _leaving(design, node) if edge.unconditional), None)


def _leaving(design: Design, node: str) -> list[Part]:
    """Find the edges that leave a node; for one look at a design this costs less than ``outgoing``."""
    return [edge for edge in design.by_kind["edges"] if edge.source == node]


def led_to(design: Design, node: str, new: str) -> tuple[Design, str]:
    """Connect a node to a new one unconditionally; return where it led until now: END when nowhere.

    Raises:
        EditError: The design would have too many edges.
    """
    old = fallback(design, node)
    if old is None:
        return with_edges(design, node, (new_edge(node, new),)), END
    return design.replacing({old: (old.having({**old.table, "to": new}),)}), old.target or END


class NewParts:
    """Parts that are put into a design all at once: each step by itself would go through all of its parts.

    Args:
        design: The design.
    """

    def __init__(self, design: Design) -> None:
        self._design = design
        self._first: list[Part] = []
        self._changed: dict[Part, tuple[Part, ...]] = {}
        self._edges: dict[str, Part | None] = {}  # behind which part the new edges of a node go

    def insert(self, parts: Iterable[Part], after: Part | None) -> None:
        """Put parts after one of the design and what was put there before; before all when it is None."""
        if after is None:
            self._first += parts
        else:
            self._changed[after] = (*self._changed.get(after, (after,)), *parts)

    def put_edge(self, edge: Part, source: str) -> None:
        """Put an edge behind all those that leave a node."""
        if source not in self._edges:
            self._edges[source] = _before_edges_of(self._design, source)
        self.insert([edge], self._edges[source])

    def replace(self, part: Part, *parts: Part) -> None:
        """Replace one part of the design with others."""
        self._changed[part] = parts

    def redirect(self, edge: Part, target: str) -> None:
        """Lead an edge somewhere else; all else of the edge stays."""
        self.replace(edge, edge.having({**edge.table, "to": target}))

    def design(self) -> Design:
        """Build the design that includes them.

        Raises:
            EditError: It would have more parts than a graph file may have.
        """
        larger = self._design.replacing(self._changed)
        return limited(larger.inserting(self._first, None) if self._first else larger)
