"""The screen: from a key to the painted frame on a large graph, and the cost of marking a node."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import cycle, islice

from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.screen import Screen

from stepgraph import StateGraph
from stepgraph_tui.widgets.chrome.pane import PaneGroup, PaneHead, Tab
from stepgraph_tui.widgets.graph_view import GraphView

from .table import Line
from .workflows import workflow

_NODES = 2_000
_KEYS = 200
_MARKS = 1_000
_ZOOMS = 3


def lines() -> list[Line]:
    """Move about in a graph of 2,000 nodes, and mark its nodes one after the other."""
    graph = _graph(_NODES)
    keys, marks = asyncio.run(_measure(graph))
    firsts = [asyncio.run(_first_zoom(graph)) for _ in range(_ZOOMS)]
    said, shown = (statistics.median(first) for first in zip(*firsts, strict=True))
    return [
        Line(f"a first zoom of {_NODES:,} nodes, until it is said to be drawn", said, "s", 0.05),
        Line(f"a first zoom of {_NODES:,} nodes, to the new picture", shown, "s", 1.0),
        Line(f"a key to the painted frame, {_NODES:,} nodes", keys, "s", 0.016),
        Line(f"marking the node that runs, {_NODES:,} nodes", marks, "s", 0.000_1),
    ]


class _Host(App[None]):
    """Shows one graph, and notes when a frame was painted, and when the head first said certain words."""

    CSS = "GraphView { width: 1fr; height: 1fr; }"
    first = 0.0
    """When the first frame was painted since it was set to 0."""
    painted = 0.0
    said = 0.0

    def compose(self) -> ComposeResult:
        view = GraphView()
        yield PaneGroup([Tab("graph", "Graph", "1", view)], id="graph")

    def _display(self, screen: Screen[object], renderable: object) -> None:
        super()._display(screen, renderable)  # type: ignore[arg-type]  # what Textual itself hands over
        self.painted = time.perf_counter()
        self.first = self.first or self.painted
        if not self.said and "drawing" in self.query_one(PaneHead).info:
            self.said = self.painted


def _graph(count: int) -> StateGraph:
    diagram = workflow(count)
    graph = StateGraph("workflow", start=diagram.nodes[0].id)
    for node in diagram.nodes:
        graph.add_node(node.id, lambda state: {})
    for edge in diagram.edges:
        graph.add_edge(edge.source, edge.target, label=edge.label or None)
    return graph


@asynccontextmanager
async def _shown(graph: StateGraph) -> AsyncIterator[tuple[_Host, GraphView, Pilot[None]]]:
    """Show a graph to a person at the keyboard, until it is drawn."""
    app = _Host()
    app.animation_level = "none"
    async with app.run_test(size=(120, 40)) as pilot:
        view = app.query_one(GraphView)
        view.draw(graph)
        await app.workers.wait_for_complete()
        await pilot.pause()
        view.focus()
        yield app, view, pilot


async def _first_zoom(graph: StateGraph) -> tuple[float, float]:
    """Until a frame says that the graph is drawn in more detail, and until one shows that, in seconds."""
    async with _shown(graph) as (app, view, pilot):
        old, app.said = view.viewport.laid_out, 0.0
        began = time.perf_counter()
        await pilot.press("plus")
        while view.viewport.laid_out is old:
            await app.workers.wait_for_complete()
            await pilot.pause()
        return app.said - began, app.painted - began


async def _measure(graph: StateGraph) -> tuple[float, float]:
    """The median of many keys, and of many marks, in seconds."""
    async with _shown(graph) as (app, view, pilot):
        view.selection.select(graph.settings.start)
        await pilot.pause()
        keys = []
        for key in islice(cycle("jjjjljjjkjj"), _KEYS):
            began, app.first = time.perf_counter(), 0.0  # the map of the picture has a frame of its own
            await pilot.press(key)
            if app.first:
                keys.append(app.first - began)
        view.follow = False  # scrolling to the node would be another piece of work
        names = list(graph.nodes)[:_MARKS]
        marks = []
        for name in names:
            began = time.perf_counter()
            view.running = name
            marks.append(time.perf_counter() - began)
        return statistics.median(keys), statistics.median(marks)
