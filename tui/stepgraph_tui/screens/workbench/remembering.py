"""Beginning a graph as it was left, and keeping how it is left."""

from __future__ import annotations

from typing import get_args

from stepgraph_tui.drawing.model import Direction
from stepgraph_tui.drawing.picture.node_content import Zoom
from stepgraph_tui.remembered import Place

from .answering import AnsweringPanes


class RememberingPanes(AnsweringPanes):
    """Panes that are found as they were left."""

    def prepare(self) -> None:
        """Begin as the file was left."""
        super().prepare()
        settings, place = self.desk.settings, self.place
        self.header.store = self.desk.address or ""
        zooms: tuple[Zoom, ...] = get_args(Zoom)
        ways: tuple[Direction, ...] = get_args(Direction)
        self.graph_view.zoom = next((zoom for zoom in zooms if zoom == place.zoom), settings.zoom)
        self.graph_view.direction = next((way for way in ways if way == place.direction), settings.direction)
        self.graph_view.follow = settings.follow
        self.divided_at = place.divider
        if place.tab is not None and any(place.tab in group.tabs for group in self.groups):
            self.show_pane(place.tab, focus=False)

    def keep_place(self) -> None:
        """Remember how the file is left."""
        if self.file.path is None:
            return
        graph = self.graph_view
        self.desk.remembered.keep(
            self.file.path,
            Place(
                run=self.run.id if self.run is not None else None,
                node=graph.selected,
                zoom=graph.zoom,
                direction=graph.direction,
                tab=self.groups[1].active,
                divider=self.divided_at,
            ),
        )
