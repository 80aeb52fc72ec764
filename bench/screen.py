"""The screen: from a key to the painted frame on a large graph, and the cost of marking a node."""

from __future__ import annotations

import asyncio
import statistics
import time
from itertools import cycle, islice

from textual.app import App, ComposeResult
from textual.screen import Screen

from stepgraph import StateGraph
from stepgraph_tui.widgets.graph_view import GraphView

from .table import Line
from .workflows import workflow

_NODES = 2_000
_KEYS = 200
_MARKS = 1_000


def lines() -> list[Line]:
    """Move about in a graph of 2,000 nodes, and mark its nodes one after the other."""
    keys, marks = asyncio.run(_measure(_graph(_NODES)))
    return [
        Line(f"a key to the painted frame, {_NODES:,} nodes", keys, "s", 0.016),
        Line(f"marking the node that runs, {_NODES:,} nodes", marks, "s", 0.000_1),
    ]


class _Host(App[None]):
    """Shows one graph, and notes when a frame was painted."""

    CSS = "GraphView { width: 1fr; height: 1fr; }"
    painted = 0.0

    def compose(self) -> ComposeResult:
        yield GraphView()

    def _display(self, screen: Screen[object], renderable: object) -> None:
        super()._display(screen, renderable)  # type: ignore[arg-type]  # what Textual itself hands over
        self.painted = time.perf_counter()


def _graph(count: int) -> StateGraph:
    diagram = workflow(count)
    graph = StateGraph("workflow", start=diagram.nodes[0].id)
    for node in diagram.nodes:
        graph.add_node(node.id, lambda state: {})
    for edge in diagram.edges:
        graph.add_edge(edge.source, edge.target, label=edge.label or None)
    return graph


async def _measure(graph: StateGraph) -> tuple[float, float]:
    """The median of many keys, and of many marks, in seconds."""
    app = _Host()
    app.animation_level = "none"
    async with app.run_test(size=(120, 40)) as pilot:
        view = app.query_one(GraphView)
        view.draw(graph)
        await app.workers.wait_for_complete()
        view.focus()
        view.selection.select(graph.settings.start)
        await pilot.pause()
        keys = []
        for key in islice(cycle("jjjjljjjkjj"), _KEYS):
            began = time.perf_counter()
            await pilot.press(key)
            if app.painted > began:
                keys.append(app.painted - began)
        view.follow = False  # scrolling to the node would be another piece of work
        names = list(graph.nodes)[:_MARKS]
        marks = []
        for name in names:
            began = time.perf_counter()
            view.running = name
            marks.append(time.perf_counter() - began)
        return statistics.median(keys), statistics.median(marks)
