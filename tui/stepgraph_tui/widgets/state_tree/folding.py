"""What is unfolded, and how much of what is long is shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .row import Path

PAGE = 200
"""How many items of a list or table are shown at once; each gap unfolds as many more."""


@dataclass(frozen=True, slots=True)
class Span:
    """Items that follow each other in a list or table, shown or left out."""

    start: int
    stop: int
    shown: bool


class Folding:
    """The folds of a state by their paths; they outlive the step that they were made at."""

    def __init__(self) -> None:
        self.unchanged = True
        """Whether what a step left alone is listed."""
        self._open: set[Path] = set()
        self._pages: dict[Path, set[int]] = {}

    def is_open(self, path: Path) -> bool:
        """Whether what is inside a value is shown."""
        return path in self._open

    def set_open(self, path: Path, opened: bool) -> None:
        """Unfold a value, or fold it; its pages are forgotten with that, not the folds inside."""
        if opened:
            self._open.add(path)
        else:
            self._open.discard(path)
            self._pages.pop(path, None)

    def show_page(self, path: Path, page: int) -> None:
        """Show one more page of a value's items."""
        self._pages.setdefault(path, {0}).add(page)

    def show_item(self, path: Path, index: int) -> None:
        """Unfold a value and show the page of one of its items."""
        if path:
            self._open.add(path)
        self.show_page(path, index // PAGE)

    def spans(self, path: Path, count: int) -> Iterator[Span]:
        """The pages of a value's items that are shown, and the gaps between them."""
        at = 0
        for page in sorted(self._pages.get(path, {0})):
            start, stop = page * PAGE, min(count, (page + 1) * PAGE)
            if start >= count:
                break
            if at < start:
                yield Span(at, start, False)
            yield Span(start, stop, True)
            at = stop
        if at < count:
            yield Span(at, count, False)
