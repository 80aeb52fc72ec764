"""Where the user was in a graph file, to be found again."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, get_args

from ...drawing.model import Direction, Zoom
from ...remembered import RememberedPlace

if TYPE_CHECKING:
    from pathlib import Path

    from .surface import Surface


class KeptPlace:
    """Where the user was in a graph file; for a run without one nothing is kept.

    Args:
        path: The file.
        screen: Shows it.
    """

    def __init__(self, path: Path | None, screen: Surface) -> None:
        self._context, self._path = screen.context, path
        self._graph, self._grid = screen.panes.graph_view, screen.grid
        self.found = self._context.remembered.place(path) if path is not None else RememberedPlace()
        """Where the user was when the file was left."""

    def restore(self) -> None:
        """Begin with the graph, as it was left."""
        place, settings = self.found, self._context.settings
        zooms: tuple[Zoom, ...] = get_args(Zoom)
        ways: tuple[Direction, ...] = get_args(Direction)
        self._graph.zoom = next((zoom for zoom in zooms if zoom == place.zoom), settings.zoom)
        self._graph.direction = next((way for way in ways if way == place.direction), settings.direction)
        self._graph.follow = settings.follow
        self._grid.divided_at = place.divider
        self._grid.show_pane("graph")
        if place.tab is not None and any(place.tab in group.tabs for group in self._grid.groups):
            self._grid.show_pane(place.tab, focus=False)

    def keep(self, run_id: str | None, pause_after: Collection[str]) -> None:
        """Remember how the file is left, with which run, and after which nodes one pauses."""
        if self._path is None:
            return
        graph, grid = self._graph, self._grid
        place = RememberedPlace(
            run=run_id,
            node=graph.selection.node,
            zoom=graph.zoom,
            direction=graph.direction,
            tab=grid.groups[1].active,
            divider=grid.divided_at,
            pause_after=tuple(sorted(pause_after)),
        )
        self._context.remembered.keep(self._path, place)
        self._context.remembered.save()
