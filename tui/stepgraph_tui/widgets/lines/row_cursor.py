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

    def show(self, keys: Sequence[Hashable], first: int = 0) -> None:
        """Take other rows.

        Args:
            keys: What they are known by, from top to bottom.
            first: Where the cursor is put when there was no row before.
        """
        widget, lines = self._widget, self._widget.lines
        before, offset, was_at_top = self.keys, lines.at - lines.top, lines.top == 0
        self._at = {key: number for number, key in enumerate(keys)}
        lines.items = [range(number, number + 1) for number in range(len(keys))]
        stays = next((self._at[key] for key in before[lines.at :] if key in self._at), len(keys) - 1)
        lines.at = max(0, stays if before else min(first, len(keys) - 1))
        lines.arrange()
        if not was_at_top:
            widget.scroll_to(y=max(0, lines.at - offset), animate=False, force=True)
        self._moved()

    def to(self, way: Way) -> None:
        """Move as a key says."""
        self.go_to(self._widget.lines.place(way))

    def go_to(self, number: float) -> None:
        """Move to a row, the nearest there is."""
        if self._at:
            self._widget.lines.at = int(max(0, min(number, len(self._at) - 1)))
            self.keep()
            self._moved()

    def keep(self) -> None:
        """Bring the cursor into view; without any height yet, it would come to the top for good."""
        if self._widget.size.height:
            self._widget.lines.select(self._widget.lines.at)
