"""The nodes and edges that were found, and which of them is looked at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stepgraph_tui.drawing.picture.run_marks import Part


@dataclass(slots=True)
class Hits:
    """What was found, in the order of reading; after the last comes the first."""

    parts: Sequence[Part] = ()
    at: int = 0
    """Which of them is looked at."""

    @classmethod
    def of(cls, text: str, texts: Iterable[tuple[Part, str]], near: Part | None) -> Hits:
        """Look for a text, whatever its case, from a node or an edge on; for nothing when it is empty."""
        wanted = text.casefold()
        found: list[Part] = []
        first: int | None = None
        for part, said in texts:
            if part == near:
                first = len(found)
            if wanted and wanted in said.casefold():
                found.append(part)
        return cls(found, (first or 0) % max(1, len(found)))

    @property
    def part(self) -> Part | None:
        """What is looked at; None when nothing was found."""
        return self.parts[self.at] if self.parts else None

    def turn(self, by: int) -> None:
        """Look at the next one, or the one before."""
        self.at = (self.at + by) % max(1, len(self.parts))

    def __str__(self) -> str:
        return f"{self.at + 1} of {len(self.parts)}" if self.parts else "not found"
