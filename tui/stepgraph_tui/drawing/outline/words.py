"""Word the lines of an outline: in a pane piece by piece, in a terminal as plain text."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

from stepgraph_tui.drawing.picture.node_content import WORDS, NodeCaption, times_of

from .lines import OutlineLine, OutlineLines, Wiring

if TYPE_CHECKING:
    from stepgraph_tui.drawing.picture.glyphs import Glyphs, State
    from stepgraph_tui.drawing.picture.graph_drawing import GraphDrawing
    from stepgraph_tui.drawing.picture.run_marks import LastVisit

UNREACHED = "Not reached from the start:"
"""What is above the nodes that no way leads to."""
INDENT = 2
"""Cells for each level."""
_NEVER, _TAKEN = "never taken", "taken"
_ARROWS = {"above": "↑^", "below": "↓v"}  # to where a node has its own line; the second for plain ASCII


def begin_of(
    line: OutlineLine, caption: NodeCaption, state: State | None, glyphs: Glyphs, first: str = ""
) -> tuple[str, str]:
    """Word what comes before the name: the indentation, then status, the mark of somebody, and type."""
    indent = " " * (INDENT * line.level)
    if line.elsewhere:
        return indent + "  ", _ARROWS[line.elsewhere][glyphs.plain] + " "
    mark = glyphs.marks[state] if state is not None else " "
    return indent, f"{mark}{first or ' '}{' ' if caption.end else caption.letter} "


def word_of(state: State | None, visits: int) -> str:
    """Word what comes after the name: the status, and how often the run was there."""
    words = "  ".join(filter(None, (WORDS[state] if state is not None else "", times_of(visits))))
    return f"  {words}" if words else ""


def edge_of(text: str, problems: str = "", *, faint: bool = False, taken: bool = False) -> str:
    """Word the edge that leads there, in brackets.

    Args:
        text: Its number, label or condition.
        problems: What is wrong with it, in a few characters.
        faint: Whether it is never taken.
        taken: Whether that is to be told in words.
    """
    said = ", ".join(filter(None, (text, _NEVER if faint else "", _TAKEN if taken else "")))
    return f"  [{said}{problems}]" if said or problems else ""


def outline_text(
    drawing: GraphDrawing,
    states: Mapping[str, State],
    visits: Mapping[str, LastVisit] = {},
    fired: Collection[int] = (),
) -> Iterator[str]:
    """Write a graph as an outline, line by line.

    Args:
        drawing: The graph with its texts.
        states: What is said of some nodes.
        visits: The last visits of those that a run has been at.
        fired: The edges that it took.
    """
    glyphs, edges = drawing.glyphs, drawing.edges
    for line in OutlineLines(drawing.names, Wiring(edges), drawing.start):
        if line.node is None:
            yield UNREACHED
            continue
        caption, state = drawing.caption(line.node), states.get(line.node)
        said = "".join(begin_of(line, caption, state, glyphs)) + caption.name
        if not line.elsewhere:
            visit = visits.get(line.node)
            said += f" {caption.signs}".rstrip() + word_of(state, visit.times if visit is not None else 0)
        if line.edge is not None:
            said += edge_of(drawing.texts[line.edge], taken=line.edge in fired)
        yield said
