"""The lines of an outline that are seen: those of folded blocks are left out."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from stepgraph_tui.drawing.outline.lines import OutlineLines

from .part_mapping import Names


class OutlineRows:
    """The rows of a list, each with the line that it shows; folds are kept by their nodes."""

    def __init__(self) -> None:
        self.lines = OutlineLines()
        """All lines."""
        self._folded: set[str] = set()
        self._seen: list[int] = []

    def take(self, lines: OutlineLines, names: Names) -> None:
        """Take another list of lines; what was folded stays so."""
        self.lines = lines
        self._folded = {names.get(node, node) for node in self._folded}
        self._arrange()

    def _arrange(self) -> None:
        self._seen = []
        number = 0
        while number < len(self.lines):
            self._seen.append(number)
            number += 1 + (self.hidden(number) if self._folded else 0)

    def __len__(self) -> int:
        return len(self._seen)

    def __getitem__(self, row: int) -> int:
        return self._seen[row]

    def row_of(self, number: int) -> int:
        """Find the row of a line; for one in a folded block that of the fold."""
        return max(0, bisect_right(self._seen, number) - 1)

    # Folds

    def hidden(self, number: int) -> int:
        """Count the lines that are folded away below a line."""
        line = self.lines[number]
        return len(self.lines.block(number)) if line.node in self._folded and not line.elsewhere else 0

    def fold(self, number: int) -> bool:
        """Fold the block below a line; False where there is none, or it is folded."""
        line = self.lines[number]
        if line.node is None or line.elsewhere or self.hidden(number) or not self.lines.block(number):
            return False
        self._folded.add(line.node)
        self._arrange()
        return True

    def unfold(self, numbers: Iterable[int]) -> bool:
        """Unfold the blocks below these lines; False where none is folded."""
        nodes = {node for number in numbers if (node := self.lines[number].node) in self._folded}
        if nodes:
            self._folded -= nodes
            self._arrange()
        return bool(nodes)

    def unfold_to(self, number: int) -> bool:
        """Unfold whatever hides a line; False where it is seen."""
        around = []
        above: int | None = number
        while self._folded and above is not None:
            above = self.lines.parent(above)
            if above is not None:
                around.append(above)
        return self.unfold(around)
