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
    roomy: bool
    """Whether a box's sides are long enough for its ports to have a choice of places."""

    def between(self, box: bool, other_box: bool) -> int:
        """Empty cells between two neighbours in a layer, each of which is a box or a line."""
        if box and other_box:
            return self.boxes
        return self.beside if box or other_box else self.ports - 1


SPACINGS: dict[Direction, Spacing] = {
    "TB": Spacing(ports=2, boxes=2, beside=2, lanes=1, inset=2, bare_inset=1, roomy=True),
    "LR": Spacing(ports=1, boxes=1, beside=1, lanes=2, inset=1, bare_inset=0, roomy=False),
}
