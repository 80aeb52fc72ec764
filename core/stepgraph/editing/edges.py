"""Edits of edges: connect, change, delete, and the order in which they are tried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from ..graphs.parts import END, RESERVED
from ..values.errors import StateError
from ..values.json_values import Json, identical, plain
from .design import Edited, EditError, NamedKind, Part
from .naming import NOUNS, edge_in, edge_said, joined_text, name_text, new_name, part_in
from .placing import last_of, new_edge, with_edge_tried, with_parts
from .renaming import Rename

if TYPE_CHECKING:
    from .design import Design


_NAMED = 3


@dataclass(frozen=True, slots=True)
class EditSettings:
    """Change the settings of the graph."""

    head: Mapping[str, Any]
    """All that is at the top level, not only what changed."""

    def apply(self, design: Design) -> Edited:
        """Change them.

        Raises:
            EditError: A text in them cannot be stored.
        """
        head = edge_table(self.head, design.head)
        changed = changed_keys(design.head, head)
        if not changed:
            return Edited(design, "leave the settings as they are")
        return Edited(design.having(head), f"change {changed} of the graph")


@dataclass(frozen=True, slots=True)
class EditPart:
    """Replace the table of a node, a state key or a tool, and perhaps its name."""

    kind: NamedKind
    name: str | None
    """The part; None to declare a new key or tool."""
    new_name: str
    table: Mapping[str, Any]

    def apply(self, design: Design) -> Edited:
        """Change it; with another name all that named it follows.

        Raises:
            EditError: There is no such part, or the new name or a value cannot be used.
        """
        if self.name is None:
            return self._declared(design)
        part = part_in(design, self.kind, self.name)
        table = edge_table(self.table, part.table)
        changed = changed_keys(part.table, table)
        text = f"change {changed} of {name_text(self.name)}"
        edited = design.replacing({part: (part.having(table),)}) if changed else design
        node = self.new_name if self.kind == "nodes" else None
        if self.new_name == self.name:
            return Edited(edited, text if changed else f"leave {name_text(self.name)} as it is", node=node)
        renamed = Rename(self.kind, self.name, self.new_name).apply(edited)
        text = f"{text}; {renamed.said}" if changed else renamed.said
        return replace(renamed, said=text, node=node)

    def _declared(self, design: Design) -> Edited:
        name = new_name(self.new_name, self.kind, design.by_name(self.kind))
        part = Part(self.kind, name, edge_table(self.table, {}))
        larger = with_parts(design, (part,), last_of(design, self.kind))
        return Edited(larger, f"add the {NOUNS[self.kind]} {name_text(name)}")


@dataclass(frozen=True, slots=True)
class DeleteDeclaration:
    """Delete a tool, or take back the declaration of a key of the state; what names it stays."""

    kind: Literal["state", "tools"]
    name: str

    def apply(self, design: Design) -> Edited:
        """Delete the declaration.

        Raises:
            EditError: There is none of that name.
        """
        part = part_in(design, self.kind, self.name)
        return Edited(design.replacing({part: ()}), f"delete the {NOUNS[self.kind]} {name_text(self.name)}")


def changed_keys(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """Name the keys that were added, removed or changed; empty when none was."""
    keys = [
        key for key in {**old, **new} if key not in old or key not in new or not identical(old[key], new[key])
    ]
    if not keys:
        return "" if list(old) == list(new) else "the order of the settings"
    return f"{len(keys)} settings" if len(keys) > _NAMED else joined_text([name_text(key) for key in keys])


def edge_table(table: Mapping[str, Any], old: Mapping[str, Any]) -> dict[str, Any]:
    """Turn a table that a form gave into one that a file can have: without what is None.

    Args:
        table: What the form gave; what is new in it is copied.
        old: What is there now. A value of it stays, whatever it is: files may have dates.

    Raises:
        EditError: A new value is none that a file can hold.
    """
    return {
        key: value if key in old and value is old[key] else _value(key, value)
        for key, value in table.items()
        if value is not None
    }


def _value(key: str, value: Any) -> Json:
    try:
        found = plain(value, name_text(key))
    except StateError as error:
        raise EditError(error.message, hint=error.hint) from None
    if _has_null(found):
        raise EditError(f"{name_text(key)} has a null in it, which a file cannot hold", hint="leave it out")
    return found


def _has_null(value: Json) -> bool:
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(item is None or _has_null(item) for item in items)


@dataclass(frozen=True, slots=True)
class Connect:
    """Connect a node to another one; the new edge is tried before the one that always matches."""

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
        more = edge_table({"when": when, "label": self.label}, {})
        edge = new_edge(source, target, **more)
        for position in design.outgoing.get(source, ()):
            old = design.edges[position]
            if old.target == target and identical(old.table.get("when"), more.get("when")):
                hint = "give the new one another condition, or change the old one"
                raise EditError(f"there is already an edge {edge_said(old)} with that condition", hint=hint)
        larger = with_edge_tried(design, source, edge)
        return Edited(
            larger, f"connect {name_text(source)} to {name_text(target)}", edge=larger.edges.index(edge)
        )


@dataclass(frozen=True, slots=True)
class EditEdge:
    """Apply the result of an edge's form."""

    edge: int
    table: Mapping[str, Any]

    def apply(self, design: Design) -> Edited:
        """Change it; its place in the order stays.

        Raises:
            EditError: There is no such edge, or it would lead from or to a place that does not exist.
        """
        edge = edge_in(design, self.edge)
        table = edge_table(self.table, edge.table)
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
    """Move an edge of a node up or down; the edges of other nodes keep their places."""

    edge: int
    by: int
    """How many edges of the same node it passes: upwards when negative, and never beyond the last."""

    def apply(self, design: Design) -> Edited:
        """Move it and keep it selected.

        Raises:
            EditError: There is no such edge, or it is at that end of the order already.
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
