"""What is in a node's box at each level of detail."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from stepgraph_tui.drawing.model import Box, DiagramNode, Zoom
from stepgraph_tui.text.cells import cell_len, cut
from stepgraph_tui.text.characters import visible

from .glyphs import Glyphs, State
from .paint import BoxContent

if TYPE_CHECKING:
    from .run_marks import LastVisit

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
_LETTERS = {"transform": "F", "http": "U", "llm_router": "J", "agent": "N", "langgraph": "C"}
"""The letters of types whose first letter another type has already: fields, URL, judge, agent, chain."""
_INDENT = 5  # cells of a card before what is below the name
_TOLD, _CARD = 22, 34  # cells of a card: beside its type for status and visits; at the least
_LONGEST = 40
"""Cells of a name; what is longer is cut, or it would tear the picture apart."""


class NodeCaption(NamedTuple):
    """The texts of a node, safe to print."""

    name: str
    type: str
    """The name of its type; empty for a node that is named by edges alone."""
    signs: str = ""
    """What comes after the name: ``!`` it has side effects, ``?`` a person may be asked around it."""
    end: bool = False
    """Whether it is the place where a run ends."""
    note: str = ""
    """What it is for, on one line."""

    @property
    def letter(self) -> str:
        """The type in one character."""
        return _LETTERS.get(self.type) or self.type[:1].upper() or "?"


def diagram_node(id: str, caption: NodeCaption, zoom: Zoom, glyphs: Glyphs) -> DiagramNode:
    """Size the box that a node needs, whatever its state will be."""
    if caption.end:
        return DiagramNode(id, len(_END) + 2, 1, framed=False)
    name = cut(caption.name, _LONGEST, glyphs.more)
    width = cell_len(name) + (len(caption.signs) + 1 if caption.signs else 0)
    if zoom == "chip":
        return DiagramNode(id, width + 5, 1, framed=False)
    if zoom == "compact":
        return DiagramNode(id, width + 9, 3)
    return DiagramNode(id, max(width + 9, cell_len(caption.type) + _TOLD, _CARD), 5)


def box_content(
    caption: NodeCaption,
    zoom: Zoom,
    box: Box,
    state: State | None,
    glyphs: Glyphs,
    *,
    badge: str = "",
    first: str = "",
    breaks: str = "",
    visit: LastVisit | None = None,
) -> BoxContent:
    """Fill a node's box; its box has room for every state.

    Args:
        caption: The texts of the node.
        zoom: The level of detail.
        box: Where it stands.
        state: Its state in the run.
        glyphs: The characters to draw with.
        badge: The mark of its problems, which comes after its name.
        first: A mark that somebody has put on it, which is first.
        breaks: The sign of its breakpoint, which comes before its type; on a chip it is first.
        visit: The last visit of a run; a card shows it.
    """
    mark = glyphs.marks[state] if state is not None else " "
    if caption.end:
        return BoxContent([_END if state is None else mark + _END.rstrip()], ends=("(", ")"))
    name = cut(caption.name, _LONGEST, glyphs.more)
    status = mark if state is not None else caption.letter
    place = f"{first or ' '}{mark}{breaks or ' '}{caption.letter}"
    head = f"{status} {name}" if zoom == "chip" else f"{place} {name}"
    signs_at = range(len(head) + 1, len(head) + 1 + len(caption.signs))
    if caption.signs:
        head += f" {caption.signs}"
    if zoom == "chip":
        ends = (breaks or first or "[", badge or "]")
        return BoxContent([head], ends=ends, signs_at=signs_at)
    heavy, word = state in HEAVY, WORDS[state] if state is not None else ""
    badge_at = len(head) + 1 if badge else None
    if badge:
        head += f" {badge}"
    if zoom == "card":
        lines = [head, *_card_lines(caption, word, visit, box.width - 2 - _INDENT, glyphs)]
        return BoxContent(lines, heavy, badge_at=badge_at, signs_at=signs_at)
    room = box.width - 3 - cell_len(head)
    line = head + word.rjust(room) if word and room >= len(word) + 2 else head
    return BoxContent([line], heavy, badge_at=badge_at, signs_at=signs_at)


def _card_lines(
    caption: NodeCaption, word: str, visit: LastVisit | None, room: int, glyphs: Glyphs
) -> list[str]:
    """Describe what a card has beside its node's name: type and status, then its last visit or its note."""
    times = times_of(visit.times) if visit is not None else ""
    status = f" {glyphs.dot} ".join(filter(None, (caption.type or "unknown", f"{word} {times}".strip())))
    below = f"{visit.took}  {visit.said}" if visit is not None else caption.note
    safe = below.encode("ascii", "backslashreplace").decode() if glyphs.plain else below
    return [" " * _INDENT + cut(text, room - 1, glyphs.more) for text in (status, visible(safe))]


def times_of(visits: int) -> str:
    """Write how often a run has come to a node: ``x3``; empty for once or never."""
    return f"x{visits}" if visits > 1 else ""
