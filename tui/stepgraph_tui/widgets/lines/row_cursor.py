"""A cursor on rows that come and go."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .list import LineList, Way


class RowCursor:
    """Keeps the cursor of a list on its row, and the row where it is on the screen, whatever comes and goes.

    Each row is one line. Where the row of the cursor is gone, the cursor stays as near as it can.

    Args:
        widget: The list.
        moved: Told when the cursor may stand on another row, or on none.
    """

    def __init__(self, widget: LineList, moved: Callable[[], object]) -> None:
        self._widget, self._moved = widget, moved
        self._at: dict[Hashable, int] = {}

    @property
    def keys(self) -> list[Hashable]:
        """What the rows are known by, from top to bottom."""
        return list(self._at)

    def number_of(self, key: Hashable) -> int | None:
        """Find a row; None where it is not listed."""
        return self._at.get(key)

    def show(self, keys: Sequence[Hashable], first: int = 0, heir: Hashable = None) -> None:
        """Take other rows.

        What is seen stays where it is: the row of the cursor; where that is out of sight, the row at the top.

        Args:
            keys: What they are known by, from top to bottom.
            first: Where the cursor is put when there was no row before.
            heir: The row that stands for the one that had the cursor, where that is gone.
        """
        lines = self._widget.lines
        before, at, top = self.keys, lines.at, lines.top
        is_seen = top <= at < top + lines.room
        self._at = {key: number for number, key in enumerate(keys)}
        lines.items = [range(number, number + 1) for number in range(len(keys))]
        lines.at = self._heir(before, at, heir) if before else max(0, min(first, len(keys) - 1))
        lines.arrange()
        if is_seen and top:
            self._scroll(lines.at - (at - top))
        elif not is_seen:
            self._scroll(self._heir(before, top) if top else 0)
        self._moved()

    def _heir(self, before: Sequence[Hashable], at: int, heir: Hashable = None) -> int:
        """Find where a row is now; where it is gone, the next one that is not."""
        wanted = (*before[at : at + 1], heir, *before[at + 1 :])
        return max(0, next((self._at[key] for key in wanted if key in self._at), len(self._at) - 1))

    def _scroll(self, top: int) -> None:
        self._widget.scroll_to(y=max(0, top), animate=False, force=True)

    def to(self, way: Way) -> None:
        """Move as a key says."""
        self.go_to(self._widget.lines.place(way))

    def go_to(self, number: float) -> None:
        """Move to a row, the nearest there is."""
        if self._at:
            self._widget.lines.at = int(max(0, min(number, len(self._at) - 1)))
            self.keep()
            self._moved()

    def reveal(self, last: int) -> None:
        """Scroll so that the rows below the cursor's are seen as well, up to one of them."""
        self._widget.lines.reveal(self._widget.lines.at, last)

    def keep(self) -> None:
        """Bring the cursor into view; without any height yet, it would come to the top for good."""
        if self._widget.size.height:
            self._widget.lines.select(self._widget.lines.at)
