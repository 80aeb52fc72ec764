"""The layouts of one graph: each is made once, small ones at once and large ones in a thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from .sheet import Sheet

if TYPE_CHECKING:
    from stepgraph.graph import CompiledGraph, StateGraph
    from stepgraph_tui.drawing import Direction
    from stepgraph_tui.drawing.glyphs import Glyphs
    from stepgraph_tui.drawing.zoom import Zoom

AT_ONCE = 120
"""Nodes; with so many a layout takes some 20 ms."""


class Layouts:
    """The layouts of a graph that were made, by detail and direction.

    Args:
        graph: The graph.
        nodes: How many nodes it has.
        glyphs: The characters to draw with.
        order: The order of the picture before an edit.
        in_thread: Runs the first function in a thread, then hands its answer to the second where the
            layouts are asked for.
    """

    def __init__(
        self,
        graph: StateGraph | CompiledGraph,
        nodes: int,
        glyphs: Glyphs,
        order: Sequence[str],
        in_thread: Callable[[Callable[[], Sheet], Callable[[Sheet], None]], None],
    ) -> None:
        self._graph, self._glyphs, self._order = graph, glyphs, order
        self._in_thread = in_thread
        self._made: dict[tuple[Zoom, Direction], Sheet] = {}
        self._wanted: tuple[Zoom, Direction] | None = None  # by whoever waits
        self._waits = False
        self.is_small = nodes <= AT_ONCE
        """Whether layouts are made at once."""

    def now(self, zoom: Zoom, direction: Direction) -> Sheet:
        """A layout, made while the caller waits."""
        key = (zoom, direction)
        if key not in self._made:
            self._made[key] = Sheet.of(self._graph, zoom, direction, self._glyphs, self._order)
        return self._made[key]

    def ask(self, zoom: Zoom, direction: Direction, answer: Callable[[Sheet], None]) -> None:
        """Hand over a layout, now or later. Of many that were asked for meanwhile, only the last is made."""
        self._wanted = key = (zoom, direction)
        if self.is_small or key in self._made:
            answer(self.now(zoom, direction))
        elif not self._waits:
            self._waits = True

            def make() -> Sheet:
                return Sheet.of(self._graph, zoom, direction, self._glyphs, self._order)

            def take(sheet: Sheet) -> None:
                self._made[key] = sheet
                self._waits = False
                if self._wanted is not None:
                    self.ask(*self._wanted, answer)

            self._in_thread(make, take)
