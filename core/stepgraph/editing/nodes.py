"""Edits of nodes: add, delete, duplicate, change type and settings, set the start."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .copies import chosen, duplicated
from .design import END, Part
from .edit import Edited
from .form_tables import changed_keys, written
from .graph_settings import forgotten_heads, with_setting
from .linking import led_on, led_to, new_edge, redirected
from .naming import counted, edge_in, edge_said, joined, listed, new_name, node_in, said, unique
from .node_defaults import filled, retyped
from .placing import last_of, with_edges, with_parts
from .renaming import RenameNode

if TYPE_CHECKING:
    from .design import Design


@dataclass(frozen=True, slots=True)
class AddNode:
    """Add a node with all that its type needs, connected to what was selected.

    Between a node and the place that its unconditional edge leads to; at the end of a node that has none;
    into an edge; or, when nothing was selected, by itself. It leads on to where the way led, else to END.
    """

    type: str
    name: str | None = None
    """Its name; None for one made of the type."""
    after: str | None = None
    """The node behind which it comes."""
    edge: int | None = None
    """The edge into which it goes."""

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
            beside = node_in(design, before)
        place = beside or last_of(design, "nodes")
        larger = with_parts(design, [Part("nodes", name, table)], place)
        where = ""
        if split is not None:
            where = f" into {edge_said(split)}"
            larger = led_on(redirected(larger, split, name), split.source, name, split.target or END)
        elif before is not None:
            where = f" after {said(before)}"
            larger, onward = led_to(larger, before, name)
            larger = led_on(larger, before, name, onward)
        else:
            larger = with_edges(larger, name, (new_edge(name, END),))
        if not design.start:
            larger = with_setting(larger, "start", name)
        kind = "" if name.startswith(self.type) else f" ({said(self.type)})"
        return Edited(larger, f"add {said(name)}{kind}{where}", node=name)


@dataclass(frozen=True, slots=True)
class DeleteNodes:
    """Delete nodes with all edges that touch them, and what the settings say of them.

    When the start goes, the run starts where the start led to; when that is nowhere, at the first node left.
    """

    names: Sequence[str]
    verb: str = "delete"
    """How the status line calls it."""

    def apply(self, design: Design) -> Edited:
        """Delete them and select a node that led to them.

        Raises:
            EditError: One of them does not exist, or none is named.
        """
        nodes = chosen(design, self.names)
        names = {node.name for node in nodes}
        edges = [edge for edge in design.edges if edge.source in names or edge.target in names]
        smaller = design.replacing(dict.fromkeys((*nodes, *edges), ()))
        smaller = forgotten_heads(smaller, names)
        things = listed([node.name for node in nodes], "node")
        things += [counted(len(edges), "edge")] if edges else []
        text = f"{self.verb} {joined(things)}"
        if design.start in names:
            start = _reached(design, design.start, names) or next(iter(smaller.nodes), None)
            smaller = with_setting(smaller, "start", start)
            text += f"; runs now start at {said(start)}" if start else "; the graph has no start now"
        return Edited(smaller, text, node=_beside(design, names))


@dataclass(frozen=True, slots=True)
class DuplicateNodes:
    """Copy nodes, the edges among them and those that leave them; nothing leads to the copies yet."""

    names: Sequence[str]

    def apply(self, design: Design) -> Edited:
        """Put the copies behind the originals and select the first.

        Raises:
            EditError: One of them does not exist, none is named, or the graph would be too large.
        """
        return duplicated(design, list(dict.fromkeys(self.names)))


@dataclass(frozen=True, slots=True)
class ChangeType:
    """Give a node another type; what both types know stays."""

    node: str
    type: str

    def apply(self, design: Design) -> Edited:
        """Change it and say which settings it lost.

        Raises:
            EditError: There is no such node or type.
        """
        node = node_in(design, self.node)
        if node.table.get("type") == self.type:
            return Edited(design, f"{said(self.node)} is of the type {said(self.type)} already", self.node)
        table, lost = retyped(node.table, self.type)
        text = f"make {said(self.node)} {_a(self.type)} node"
        if lost:
            text += f" without {', '.join(map(said, lost))}"
        return Edited(design.replacing({node: (node.having(table),)}), text, node=self.node)


@dataclass(frozen=True, slots=True)
class EditNode:
    """Give a node the settings that a form gave back, and perhaps another name."""

    node: str
    name: str
    table: Mapping[str, Any]

    def apply(self, design: Design) -> Edited:
        """Change it; with another name all that named it follows.

        Raises:
            EditError: There is no such node, or the new name or a text cannot be used.
        """
        node = node_in(design, self.node)
        table = written(self.table, node.table)
        changed = changed_keys(node.table, table)
        text = f"change {changed} of {said(self.node)}"
        edited = design.replacing({node: (node.having(table),)}) if changed else design
        if self.name == self.node:
            return Edited(edited, text if changed else f"leave {said(self.node)} as it is", node=self.node)
        renamed = RenameNode(self.node, self.name).apply(edited)
        text = f"{text}; {renamed.said}" if changed else renamed.said
        return Edited(renamed.design, text, node=self.name, renamed=renamed.renamed)


@dataclass(frozen=True, slots=True)
class SetStart:
    """Let runs start at a node."""

    node: str

    def apply(self, design: Design) -> Edited:
        """Set it.

        Raises:
            EditError: There is no such node.
        """
        node_in(design, self.node)
        if design.head.get("start") == self.node:
            return Edited(design, f"runs start at {said(self.node)} already", node=self.node)
        return Edited(with_setting(design, "start", self.node), f"start at {said(self.node)}", node=self.node)


def _a(type_: str) -> str:
    return f"an {said(type_)}" if type_[:1] in "aeiou" or type_ == "llm" else f"a {said(type_)}"


def _reached(design: Design, start: str, gone: Container[str]) -> str | None:
    """The first node that is not gone on the ways from one that is."""
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


def _beside(design: Design, gone: Container[str]) -> str | None:
    """The node to select when some are gone: one that led to them, else one that they led to."""
    left = [name for name in design.nodes if name not in gone]
    near = (edge.source for edge in design.edges if edge.target in gone)
    far = (edge.target for edge in design.edges if edge.source in gone)
    known = set(left)
    return next((name for name in (*near, *far) if name in known), left[0] if left else None)
