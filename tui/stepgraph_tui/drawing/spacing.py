"""How far things stand apart, across the flow and along it."""

from __future__ import annotations

from dataclasses import dataclass

from .model import Direction


@dataclass(frozen=True, slots=True)
class Spacing:
    """Distances in cells. A cell is about twice as high as wide, so the directions differ."""

    ports: int
    """From one line's cell to the next."""
    boxes: int
    """Empty cells between two boxes."""
    beside: int
    """Empty cells between a box and a line."""
    lanes: int
    """From one lane of a channel to the next."""
    inset: int
    """How many cells of a framed box's side are kept free of ports, at each end."""
    bare_inset: int
    """The same for a box without a frame."""

    @property
    def lines(self) -> int:
        """Empty cells between two lines."""
        return self.ports - 1


SPACINGS: dict[Direction, Spacing] = {
    "TB": Spacing(ports=2, boxes=2, beside=2, lanes=1, inset=2, bare_inset=1),
    "LR": Spacing(ports=1, boxes=1, beside=1, lanes=2, inset=1, bare_inset=0),
}
