"""A reader of printed pictures: it follows lines from box to arrowhead, and knows nothing of the routes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from stepgraph_tui.drawing import Box, Picture
from stepgraph_tui.text.cells import cell_len

Step = tuple[int, int]
Cell = tuple[int, int]
Found = tuple[str, str, str]
"""An edge as it was read: from where, to where, and its label."""

_UP, _RIGHT, _DOWN, _LEFT = (0, -1), (1, 0), (0, 1), (-1, 0)
_TURNS: dict[str, dict[Step, Step]] = {
    "╭": {_UP: _RIGHT, _LEFT: _DOWN},
    "╮": {_UP: _LEFT, _RIGHT: _DOWN},
    "╰": {_DOWN: _RIGHT, _LEFT: _UP},
    "╯": {_DOWN: _LEFT, _RIGHT: _UP},
    **{glyph: {_UP: _UP, _DOWN: _DOWN} for glyph in "│╎"},
    **{glyph: {_LEFT: _LEFT, _RIGHT: _RIGHT} for glyph in "─╌"},
    "┼": {step: step for step in (_UP, _RIGHT, _DOWN, _LEFT)},
}
_HEADS = {"▲": _UP, "►": _RIGHT, "▼": _DOWN, "◄": _LEFT}
_PORTS = {"┴┸┷┻": _UP, "├┝┠┣": _RIGHT, "┬┰┯┳": _DOWN, "┤┥┨┫": _LEFT}
_LINE_CELLS = {*_TURNS, *_HEADS}


class Lost(AssertionError):
    """The reader could not follow a line."""


@dataclass
class Reading:
    """What the reader made of a picture."""

    edges: list[Found] = field(default_factory=list)
    used: Counter[Cell] = field(default_factory=Counter)
    """How often each cell of a line was walked over."""


def read(picture: Picture, lines: Sequence[str]) -> Reading:
    """Follow every line of the printed text.

    Args:
        picture: Where its boxes are; nothing else of it is looked at.
        lines: The text.

    Raises:
        Lost: A line ends nowhere, meets a box, or shares cells with another.
    """
    return _Reader(picture, lines).read()


def cells_of(line: str) -> list[str]:
    """The cells of a line; the second one of a wide character is empty."""
    cells: list[str] = []
    for char in line:
        wide = cell_len(char)
        if wide:
            cells += [char, *([""] * (wide - 1))]
        else:
            cells[-1] += char
    return cells


class _Reader:
    def __init__(self, picture: Picture, lines: Sequence[str]) -> None:
        self.grid = [cells_of(line) for line in lines]
        self.owner: dict[Cell, Box] = {}
        self.boxes = picture.boxes
        self.reading = Reading()
        for box in picture.boxes:
            for y in range(box.y, box.y + box.height):
                for x in range(box.x, box.x + box.width):
                    if (x, y) in self.owner:
                        raise Lost(f"{box.id} lies on {self.owner[x, y].id}")
                    self.owner[x, y] = box

    def at(self, cell: Cell) -> str:
        x, y = cell
        return self.grid[y][x] if 0 <= y < len(self.grid) and 0 <= x < len(self.grid[y]) else " "

    def read(self) -> Reading:
        for box in self.boxes:
            for start, step in self._exits(box):
                self.reading.edges.append(self._follow(box, start, step))
        self._nothing_left()
        return self.reading

    def _exits(self, box: Box) -> list[tuple[Cell, Step]]:
        """The cells of a box's rim where a line leaves."""
        found = []
        for y in range(box.y, box.y + box.height):
            for x in range(box.x, box.x + box.width):
                for steps in [_UP, _RIGHT, _DOWN, _LEFT]:
                    outside = (x + steps[0], y + steps[1])
                    if self.owner.get(outside) is box:
                        continue
                    if self._leaves(box, (x, y), outside, steps):
                        found.append(((x, y), steps))
        return found

    def _leaves(self, box: Box, rim: Cell, outside: Cell, step: Step) -> bool:
        if box.framed:
            return any(self.at(rim) in ports and way == step for ports, way in _PORTS.items())
        glyph = self.at(outside)
        return step in _TURNS.get(glyph, {}) or _HEADS.get(glyph) == step

    def _follow(self, box: Box, start: Cell, step: Step) -> Found:
        cell, label = start, ""
        while True:
            cell = (cell[0] + step[0], cell[1] + step[1])
            glyph = self.at(cell)
            if cell in self.owner:
                raise Lost(f"a line from {box.id} runs into {self.owner[cell].id} at {cell}")
            if glyph in _HEADS:
                return self._arrive(box, cell, step, label)
            if glyph in _TURNS:
                if step not in _TURNS[glyph]:
                    raise Lost(f"a line from {box.id} breaks off at {cell}: {glyph!r}")
                self.reading.used[cell] += 1
                step = _TURNS[glyph][step]
            elif label:
                raise Lost(f"a line from {box.id} has two labels: {label!r} and more at {cell}")
            else:
                label, cell = self._text(cell, step)
                if not label:
                    raise Lost(f"a line from {box.id} ends at {cell}")
        raise AssertionError

    def _arrive(self, box: Box, cell: Cell, step: Step, label: str) -> Found:
        self.reading.used[cell] += 1
        target = self.owner.get((cell[0] + step[0], cell[1] + step[1]))
        if _HEADS[self.at(cell)] != step or target is None:
            raise Lost(f"a line from {box.id} ends at {cell} without a box")
        if target is box:
            label = label or self._beside(cell)
        return box.id, target.id, label

    def _text(self, cell: Cell, step: Step) -> tuple[str, Cell]:
        """The label that a line runs through, and the last of its cells on the way."""
        first = last = cell[0]
        while not self._ends(first - 1, cell[1], -1):
            first -= 1
        while not self._ends(last + 1, cell[1], 1):
            last += 1
        text = "".join(self.at((x, cell[1])) for x in range(first, last + 1)).strip()
        if step in (_UP, _DOWN):
            return text, cell
        return text, (last if step == _RIGHT else first, cell[1])

    def _ends(self, x: int, y: int, step: int) -> bool:
        """Whether a text has ended: two blanks, a line, a box, or the margin."""
        glyph = self.at((x, y))
        if (x, y) in self.owner or glyph in _LINE_CELLS or not 0 <= x < len(self.grid[y]):
            return True
        return glyph == " " and self.at((x + step, y)) == " "

    def _beside(self, head: Cell) -> str:
        """The label of a self-loop: to the right of its turn."""
        cell = (head[0] + 3, head[1] - 1) if self.at(head) == "◄" else (head[0] + 2, head[1] + 1)
        if cell in self.owner or not self.at(cell).strip() or self.at(cell) in _LINE_CELLS:
            return ""
        return self._text(cell, _DOWN)[0]

    def _nothing_left(self) -> None:
        for y, row in enumerate(self.grid):
            for x, glyph in enumerate(row):
                if (x, y) in self.owner or glyph not in _LINE_CELLS:
                    continue
                walked = self.reading.used[x, y]
                if walked != (2 if glyph == "┼" else 1):
                    raise Lost(f"{glyph!r} at {(x, y)} belongs to {walked} lines")
