"""Edits of nodes: add, delete, duplicate, change the type, set the start."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..conditions import filed_condition
from ..expressions import parse
from ..expressions.tree import Group
from ..graphs.parts import END
from ..values.errors import ExpressionError
from ..values.json_values import identical
from .design import Edited, EditError, Part
from .naming import (
    count_text,
    edge_in,
    edge_said,
    joined_text,
    name_text,
    name_texts,
    new_name,
    part_in,
    unique,
)
from .placing import (
    NewParts,
    fallback,
    forgotten_heads,
    last_of,
    limited,
    new_edge,
    with_edges,
    with_parts,
    with_setting,
    without_feedback,
)
from .renaming import filled, renamed_parts, retyped

if TYPE_CHECKING:
    from collections.abc import Iterable

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
        for way in _bridge(edge, [way for way in ways if way.target != node]):
            if not _is_idle(way) and not any(_alike(way, other) for other in (*beside, *made, *new)):
                new.append(way)
        made += new
        changed[edge] = tuple(new)
    return limited(design.replacing(changed))


def _bridge(edge: Part, ways: list[Part]) -> Iterator[Part]:
    """Lead an edge on by each way; the first is where the edge stood, with its comments."""
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
        message = f"the conditions before and after {name_text(node)} cannot be combined"
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


def find_nodes(design: Design, names: Iterable[str]) -> list[Part]:
    """Find nodes by their names, in the order of the file.

    Raises:
        EditError: One of them does not exist, or none is named.
    """
    wanted = {part_in(design, "nodes", name) for name in names}
    if not wanted:
        raise EditError("no node is selected", hint="select one")
    return [part for part in design.parts if part in wanted]


def leaving(design: Design, nodes: Container[str]) -> list[Part]:
    """Find the edges that leave any of some nodes, among them those that lead to another one of these."""
    return [edge for edge in design.edges if edge.source in nodes]


def fresh(names: Iterable[str], taken: Iterable[str]) -> dict[str, str]:
    """Find a free name for each of some names: the name itself where it is free."""
    used, found = {END, *taken}, {}
    for name in names:
        found[name] = unique(name, used)
        used.add(found[name])
    return found


@dataclass(frozen=True, slots=True)
class AddNode:
    """Add a node with all that its type needs, connected to what was selected.

    Between a node and the place that its unconditional edge leads to; at the end of a node that has none, or
    on a branch of its own; into an edge; or, when nothing was selected, by itself. It leads on to where the
    way led, else to END.
    """

    type: str
    name: str | None = None
    """Its name; None for one made of the type."""
    after: str | None = None
    """The node behind which it comes."""
    edge: int | None = None
    """The edge into which it goes."""
    branch: bool = False
    """Whether all edges of that node stay, and a new one leads here, tried before one without condition."""

    def apply(self, design: Design) -> Edited:
        """Add it and select it.

        Raises:
            EditError: There is no such type, node or edge, or the name cannot be used.
        """
        table = filled(self.type)
        split = edge_in(design, self.edge) if self.edge is not None else None
        before = split.source if split is not None else self.after
        if before == END and not design.nodes:
            before = None
        taken = {*design.nodes, END}
        name = unique(self.type, taken) if self.name is None else new_name(self.name, "nodes", design.nodes)
        beside = design.nodes.get(before or "")
        if split is None and before is not None:
            beside = part_in(design, "nodes", before)
        new = NewParts(design)
        new.insert([Part("nodes", name, table)], beside or last_of(design, "nodes"))
        where, onward = "", END
        if split is not None:
            where, onward = f" into {edge_said(split)}", split.target or END
            new.redirect(split, name)
        elif before is not None:
            where = f" {'on a branch of' if self.branch else 'after'} {name_text(before)}"
            usual = fallback(design, before)
            if usual is None:
                new.put_edge(new_edge(before, name), before)
            elif self.branch:
                new.replace(usual, new_edge(before, name), usual)
            else:
                onward = usual.target or END
                new.redirect(usual, name)
        new.put_edge(new_edge(name, onward), before or name)
        larger = new.design()
        if not design.start:
            larger = with_setting(larger, "start", name)
        kind = "" if name.startswith(self.type) else f" ({name_text(self.type)})"
        return Edited(larger, f"add {name_text(name)}{kind}{where}", node=name)


@dataclass(frozen=True, slots=True)
class DeleteNodes:
    """Delete nodes with all edges that touch them, and what the settings say of them.

    When the start goes, the run starts where the start led to; when that is nowhere, at the first node left.
    """

    names: Sequence[str]
    verb: str = "delete"
    """How the status line calls it."""
    bridge: bool = False
    """Whether what led to them leads on to where they led."""

    def apply(self, design: Design) -> Edited:
        """Delete the nodes, with their edges.

        Raises:
            EditError: One of them does not exist, or none is named; or the gap cannot be bridged.
        """
        nodes = find_nodes(design, self.names)
        names = {node.name for node in nodes}
        edges = [edge for edge in design.edges if edge.source in names or edge.target in names]
        smaller, bridges = design, list[Part]()
        if self.bridge:
            for node in nodes:
                smaller = bridged(smaller, node.name)
            before = set(design.edges)
            bridges = [edge for edge in smaller.edges if edge not in before]
        smaller = smaller.replacing(dict.fromkeys(nodes if self.bridge else (*nodes, *edges), ()))
        smaller = forgotten_heads(smaller, names)
        things = name_texts([node.name for node in nodes], "node")
        things += [count_text(len(edges), "edge")] if edges else []
        text = f"{self.verb} {joined_text(things)}"
        if bridges:
            way = edge_said(bridges[0]) if len(bridges) == 1 else count_text(len(bridges), "edge")
            text += f"; {way} instead"
        if design.start in names:
            start = _reached(design, design.start, names) or next(iter(smaller.nodes), None)
            smaller = with_setting(smaller, "start", start)
            text += f"; runs now start at {name_text(start)}" if start else "; the graph has no start now"
        return Edited(smaller, text, gone=edges, bridges=bridges)


@dataclass(frozen=True, slots=True)
class DuplicateNodes:
    """Copy nodes, the edges among them and those that leave them; nothing leads to the copies yet."""

    names: Sequence[str]

    def apply(self, design: Design) -> Edited:
        """Put the copies after the originals and select the first.

        Raises:
            EditError: One of them does not exist, none is named, or the graph would be too large.
        """
        originals = find_nodes(design, self.names)
        new = fresh([part.name for part in originals], design.nodes)
        nodes = renamed_parts(originals, new)
        edges = renamed_parts(leaving(design, new), new)
        larger = with_parts(design, nodes, originals[-1])
        larger = with_edges(larger, originals[-1].name, edges) if edges else larger
        quiet = without_feedback(design)
        if any(name in quiet for name in new):
            larger = with_setting(
                larger, "no_feedback", [*quiet, *(copy for name, copy in new.items() if name in quiet)]
            )
        if len(new) == 1:
            text = f"duplicate {name_text(originals[0].name)} as {name_text(nodes[0].name)}"
        else:
            text = f"duplicate {count_text(len(nodes), 'node')}"
        if edges:
            text += f" and {count_text(len(edges), 'edge')}"
        return Edited(larger, text, node=nodes[0].name)


@dataclass(frozen=True, slots=True)
class ChangeType:
    """Change the type of a node; settings that both types know stay."""

    node: str
    type: str

    def apply(self, design: Design) -> Edited:
        """Change it and say which settings it lost.

        Raises:
            EditError: There is no such node or type.
        """
        node = part_in(design, "nodes", self.node)
        if node.table.get("type") == self.type:
            return Edited(
                design, f"{name_text(self.node)} is of the type {name_text(self.type)} already", self.node
            )
        table, lost = retyped(node.table, self.type)
        text = f"make {name_text(self.node)} {_a(self.type)} node"
        if lost:
            text += f" without {', '.join(map(name_text, lost))}"
        return Edited(design.replacing({node: (node.having(table),)}), text, node=self.node)


@dataclass(frozen=True, slots=True)
class SetStart:
    """Start runs at a node."""

    node: str

    def apply(self, design: Design) -> Edited:
        """Set it.

        Raises:
            EditError: There is no such node.
        """
        part_in(design, "nodes", self.node)
        if design.head.get("start") == self.node:
            return Edited(design, f"runs already start at {name_text(self.node)}", node=self.node)
        return Edited(
            with_setting(design, "start", self.node), f"start at {name_text(self.node)}", node=self.node
        )


def _a(type_: str) -> str:
    return f"an {name_text(type_)}" if type_[:1] in "aeiou" or type_ == "llm" else f"a {name_text(type_)}"


def _reached(design: Design, start: str, gone: Container[str]) -> str | None:
    """Find the nearest node that is left on the ways from one that is deleted."""
    waiting, seen = [start], {start}
    for place in waiting:
        for position in design.outgoing.get(place, ()):
            target = design.edges[position].target
            if target not in design.nodes or target in seen:
                continue
            if target not in gone:
                return target
            seen.add(target)
            waiting.append(target)
    return None
