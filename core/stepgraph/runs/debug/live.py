"""Breakpoints that change while a run is under way."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .breakpoint import Breakpoint


class LiveBreakpoints:
    """The breakpoints that somebody sets while a run may be under way: the next step goes by the new ones."""

    def __init__(self, breakpoints: Iterable[Breakpoint] = ()) -> None:
        self._items = tuple(breakpoints)

    @property
    def items(self) -> tuple[Breakpoint, ...]:
        """The breakpoints; may be replaced at any time, by any thread."""
        return self._items

    @items.setter
    def items(self, breakpoints: Iterable[Breakpoint]) -> None:
        self._items = tuple(breakpoints)
