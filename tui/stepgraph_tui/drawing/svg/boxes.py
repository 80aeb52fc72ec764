"""The boxes of a picture: how large each must be, and what is drawn in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

from stepgraph_tui.drawing.model import Box, DiagramNode
from stepgraph_tui.drawing.picture.glyphs import State
from stepgraph_tui.drawing.picture.node_content import WORDS, NodeCaption, times_of

from .elements import CELL, ROW, element, number, text_of, titled
from .style import LABEL, SMALL, TITLE
from .widths import cut_to, text_width

_CHIP, _INSET, _SIGN = 24, 9, 16
"""The square with the letter of a type; what is free around it; the sign of a state."""
_WIDEST = 340
"""Of a name; what is longer is cut, and told by a tooltip."""
_CORNER = 9
_SIGNS: dict[State, str] = {
    "done": "M-5 0.5 L-1.5 4 L5 -4",
    "failed": "M-4.5 -4.5 L4.5 4.5 M4.5 -4.5 L-4.5 4.5",
    "next": "M-3.5 -5 L4.5 0 L-3.5 5 Z",
    "waits": "M-2.5 -5 V5 M2.5 -5 V5",
}
_TOLD = {"done": "done", "next": "comes next", "waits": "waits for a person", "failed": "failed"}


@dataclass(frozen=True, slots=True)
class NodeBox:
    """A node as it is drawn."""

    caption: NodeCaption
    state: State | None = None
    visits: int = 0

    @property
    def name(self) -> str:
        """What it is called, as far as there is room."""
        return cut_to(self.caption.name, _WIDEST, TITLE)

    @property
    def below(self) -> str:
        """What stands below its name: its type, and how it stands in the run."""
        times = times_of(self.visits).replace("x", "\u00d7")
        word = WORDS[self.state].lower() if self.state is not None else ""
        return " · ".join(filter(None, (self.caption.type or "unknown", f"{word} {times}".strip())))

    def to_lay_out(self, id: str) -> DiagramNode:
        """Size the box in the cells of the layout."""
        if self.caption.end:
            return end_node(id, self.caption.name)
        signs = text_width(f" {self.caption.signs}", TITLE) if self.caption.signs else 0
        wide = max(text_width(self.name, TITLE) + signs, text_width(self.below, SMALL))
        wide += _CHIP + 3 * _INSET + (_SIGN + _INSET if self.state in _SIGNS else 0)
        return DiagramNode(id, ceil(wide / CELL) + 1, 3)

    def drawn(self, box: Box) -> Iterator[str]:
        """Draw the box where the layout has put it."""
        if self.caption.end:
            yield from mark(box, self.caption.name, self.state, "The run ends here")
            return
        x, y, width, height = rim(box)
        yield titled(f"node {self.state or ''}".rstrip(), self._told())
        yield rounded(x, y, width, height, _CORNER)
        top = y + (height - _CHIP) / 2
        yield element("rect", "chip", x=x + _INSET, y=top, width=_CHIP, height=_CHIP, rx=6)
        yield text_of("letter", self.caption.letter, x + _INSET + _CHIP / 2, y + height / 2 + 4)
        left = x + 2 * _INSET + _CHIP
        yield text_of("name", self.name, left, y + height / 2 - 2, self.caption.signs)
        yield text_of("type", self.below, left, y + height / 2 + 14)
        if self.state in _SIGNS:
            at = f"translate({number(x + width - _INSET - _SIGN / 2)} {number(y + height / 2)})"
            yield element("path", "sign", d=_SIGNS[self.state], transform=at)
        yield "</g>"

    def _told(self) -> str:
        caption = self.caption
        times = f", {self.visits:,} visits" if self.visits > 1 else ", 1 visit" if self.visits else ""
        facts = [
            f"{caption.name} ({caption.type or 'of no known type'}){times}",
            _TOLD.get(self.state or "", ""),
            "has side effects" if "!" in caption.signs else "",
            "may ask a person" if "?" in caption.signs else "",
            caption.note,
        ]
        return "; ".join(filter(None, facts))


def end_node(id: str, text: str) -> DiagramNode:
    """Size the mark of where a run begins or ends."""
    return DiagramNode(id, ceil((text_width(text, LABEL) + 2 * _INSET) / CELL) + 1, 2)


def mark(box: Box, text: str, state: State | None, told: str) -> Iterator[str]:
    """Draw the mark of where a run begins or ends."""
    x, y, width, height = rim(box)
    yield titled(f"end {state or ''}".rstrip(), told)
    yield rounded(x, y, width, height, min(height, ROW) / 2)
    yield text_of("ends", text, x + width / 2, y + height / 2 + 4)
    yield "</g>"


def rim(box: Box) -> tuple[float, float, float, float]:
    """Measure the frame of a box, which runs through the middle of its outermost cells."""
    return (
        (box.x + 0.5) * CELL,
        (box.y + 0.5) * ROW,
        (box.width - 1) * CELL,
        (box.height - 1) * ROW,
    )


def rounded(x: float, y: float, width: float, height: float, corner: float) -> str:
    """Draw a frame."""
    return element("rect", "frame", x=x, y=y, width=width, height=height, rx=corner)
