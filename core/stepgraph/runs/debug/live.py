"""Breakpoints that change while a run is under way."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .breakpoint import Breakpoint


class LiveBreakpoints:
    """The breakpoints that somebody sets while a run may be under way: the next step goes by the new ones."""

    def __init__(self, breakpoints: Iterable[Breakpoint] = ()) -> None:
        self.items: tuple[Breakpoint, ...] = tuple(breakpoints)
        """The breakpoints; any thread may put others in their place at any time."""
