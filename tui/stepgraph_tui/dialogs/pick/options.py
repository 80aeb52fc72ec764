"""What can be picked, which of it fits what was typed, and what designing a graph often offers."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stepgraph.editing import EditError
from stepgraph.editing.naming import new_name
from stepgraph_tui.drawing.picture.node_content import NodeCaption

if TYPE_CHECKING:
    from stepgraph.editing import Design

NEW = ""
"""The id of a new node; no edge can lead to a node without a name."""
BRANCH = "branch"
"""The id of a branch; other places are positions of edges."""
_LOOKED_AT = 400
"""Characters of a name or note that are searched and shown; what is longer is cut."""


@dataclass(frozen=True, slots=True)
class PickOption:
    """Something that can be taken. Its texts need not be safe to show."""

    id: str
    """What is handed back."""
    name: str
    note: str = ""
    """What is said of it."""
    mark: str = ""
    """A letter before the name, such as that of a node type."""
    off: str = ""
    """Why it cannot be taken now; empty where it can."""

    @property
    def short_name(self) -> str:
        """The name as far as it is searched and shown."""
        return self.name[:_LOOKED_AT]

    @property
    def short_note(self) -> str:
        """The note as far as it is searched and shown."""
        return self.note[:_LOOKED_AT]


def ranked(options: Sequence[PickOption], text: str, new: PickOption | None = None) -> list[PickOption]:
    """Order the options that fit a text, the best first, equally good ones in their own order.

    Best is the name itself, then names that begin with the text, names that contain all its words, names
    and notes that contain them together, and at last names that have its letters in this order.

    Args:
        options: What there is.
        text: What was typed.
        new: What is made of the text: it comes behind the names that contain it, and first without a text.
    """
    wanted = text.casefold().split()
    made = [new] if new is not None else []
    if not wanted:
        return [*made, *options]
    found: list[list[PickOption]] = [[] for _ in range(5)]
    for option in options:
        rank = _rank(option, " ".join(wanted), wanted)
        if rank is not None:
            found[rank].append(option)
    found.insert(3, made)
    return [option for group in found for option in group]


def _rank(option: PickOption, text: str, words: list[str]) -> int | None:
    """Rank how well an option fits, 0 the best; None when it does not."""
    name = option.short_name.casefold()
    if text in (name, option.id.casefold()):
        return 0
    if name.startswith(text):
        return 1
    if all(word in name for word in words):
        return 2
    note = option.short_note.casefold()
    if all(word in name or word in note for word in words):
        return 3
    return 4 if _has_letters(name, "".join(words)) else None


def _has_letters(name: str, letters: str) -> bool:
    """Tell whether a name has the letters in this order, with anything between them."""
    at = 0
    for letter in letters:
        at = name.find(letter, at) + 1
        if not at:
            return False
    return True


def types_to_pick() -> list[PickOption]:
    """List all node types that can be used, each with its letter and what it does."""
    from stepgraph.nodes.registry import node_types

    return [
        PickOption(name, name, _first_line(cls).removesuffix("."), NodeCaption(name, name).letter)
        for name, cls in node_types().items()
    ]


def _first_line(cls: type) -> str:
    return next(iter((inspect.getdoc(cls) or "").splitlines()), "") if cls.__doc__ else ""


def new_to_pick(design: Design, text: str) -> PickOption | None:
    """Offer a node that is not there yet: of the type, or by the name, that was typed.

    Args:
        design: The graph.
        text: What was typed.

    Returns:
        None when no new node may have that name.
    """
    name = text.strip()
    if not name:
        return PickOption(NEW, "new node...", "type its name, or one of the node types", "+")
    if name in (option.id for option in types_to_pick()):
        return PickOption(NEW, f"new {name} node", "it is added, and an edge to it", "+")
    try:
        new_name(name, "nodes", design.nodes)
    except EditError:
        return None
    return PickOption(NEW, f"new node {name}", "you choose its type next", "+")


def places_to_pick(design: Design, node: str) -> list[PickOption]:
    """List the places for a node that is added after another: in the edges, or on a branch of its own."""
    places = []
    for position in design.outgoing.get(node, ()):
        edge = design.edges[position]
        label = edge.table.get("label", edge.table.get("when"))
        note = label if isinstance(label, str) else "always" if edge.unconditional else "on a condition"
        places.append(PickOption(str(position), f"between {node} and {edge.target or '?'}", note))
    return [
        *places,
        PickOption(BRANCH, "on a branch of its own", "all edges stay; the new one gets a condition"),
    ]


def targets_to_pick(design: Design, source: str = "") -> list[PickOption]:
    """List the places that an edge can lead to: the nodes in file order, then END.

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
        PickOption(name, name, note(name, type_), NodeCaption(name, type_).letter)
        for name, type_ in ((name, str(part.table.get("type", ""))) for name, part in design.nodes.items())
        if name != NEW
    ]
    return [*nodes, PickOption("END", "END", note("END", "the run ends here"))]
