"""What stands in a node's box at each level of detail."""

from __future__ import annotations

from typing import Literal, NamedTuple

from rich.cells import cell_len

from stepgraph_tui.drawing.model import Box, DiagramNode
from stepgraph_tui.text.cells import cut

from .glyphs import Glyphs, State
from .paint import BoxContent

Zoom = Literal["card", "compact", "chip"]
"""Name, type and status on two lines; all on one line in a frame; the name alone."""

WORDS: dict[State, str] = {
    "start": "",
    "done": "done",
    "next": "NEXT",
    "waits": "WAITS",
    "failed": "FAILED",
    "runs": "RUNS",
}
"""What a node's state is called."""
HEAVY: frozenset[State | None] = frozenset({"next", "waits", "runs"})
"""The states of a node with a heavy frame."""
_END = " END "
_LONGEST = 40
"""Cells of a name; what is longer is cut, or it would tear the picture apart."""


class NodeCaption(NamedTuple):
    """The texts of a node, safe to print."""

    name: str
    type: str
    """The name of its type; empty for a node that is named by edges alone."""
    side_effects: bool = False
    end: bool = False
    """Whether it is the place where a run ends."""

    @property
    def letter(self) -> str:
        """The type in one character."""
        return self.type[:1].upper() or "?"


def diagram_node(id: str, caption: NodeCaption, zoom: Zoom, glyphs: Glyphs) -> DiagramNode:
    """Size the box that a node needs, whatever its state will be."""
    if caption.end:
        return DiagramNode(id, len(_END) + 2, 1, framed=False)
    name = cut(caption.name, _LONGEST, glyphs.more)
    width = cell_len(name) + (2 if caption.side_effects else 0)
    if zoom == "chip":
        return DiagramNode(id, width + 5, 1, framed=False)
    if zoom == "compact":
        return DiagramNode(id, width + 9, 3)
    return DiagramNode(id, max(width, cell_len(caption.type) + 8) + 9, 4)


def box_content(
    caption: NodeCaption,
    zoom: Zoom,
    box: Box,
    state: State | None,
    glyphs: Glyphs,
    *,
    badge: str = "",
    first: str = "",
) -> BoxContent:
    """Fill a node's box; whatever is said of the node, its box has the room.

    Args:
        caption: The texts of the node.
        zoom: The level of detail.
        box: Where it stands.
        state: What is said of it.
        glyphs: The characters to draw with.
        badge: The mark of its problems, which stands behind its name.
        first: A mark that somebody has put on it, which stands first.
    """
    mark = glyphs.marks[state] if state is not None else " "
    if caption.end:
        return BoxContent([_END if state is None else mark + _END.rstrip()], ends=("(", ")"))
    name = cut(caption.name, _LONGEST, glyphs.more) + (" !" if caption.side_effects else "")
    if zoom == "chip":
        status = mark if state is not None else caption.letter
        return BoxContent([f"{status} {name}"], ends=(first or "[", badge or "]"))
    heavy = state in HEAVY
    word = WORDS[state] if state is not None else ""
    head = f"{first or ' '}{mark} {caption.letter} {name}"
    badge_at = len(head) + 1 if badge else None
    if badge:
        head += f" {badge}"
    if zoom == "card":
        told = [caption.type or "unknown", word] if word else [caption.type or "unknown"]
        return BoxContent([head, "     " + f" {glyphs.dot} ".join(told)], heavy, badge_at=badge_at)
    room = box.width - 3 - cell_len(head)
    line = head + word.rjust(room) if word and room >= len(word) + 2 else head
    return BoxContent([line], heavy, badge_at=badge_at)
