"""The map of a large graph."""

from __future__ import annotations

from typing import Any

from textual.geometry import Offset
from textual.pilot import Pilot

from bench.workflows import workflow
from stepgraph_tui.widgets.graph_view import GraphView
from tests.app.graph_host import (
    GraphHost,
    graph_from,
)
from tests.app.playing import play


def test_a_click_on_the_map_goes_there_and_selects_nothing() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(graph_from(workflow(60)))
        await pilot.pause()
        assert view.viewport.map is not None
        region = view.viewport.map.region
        await pilot.click(offset=Offset(region.right - 2, region.bottom - 2))
        assert view.scroll_offset.x == view.max_scroll_x
        assert view.scroll_offset.y > 0.8 * view.max_scroll_y
        await pilot.click(offset=Offset(region.x + 1, region.y + 1))
        assert view.scroll_offset.x == 0
        assert view.scroll_offset.y < 0.2 * view.max_scroll_y
        assert view.selection.node is None

    play(GraphHost(view), script, (60, 20))
