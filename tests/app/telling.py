"""Panes that tell of a run, alone on a screen: the run made, the pane shown, its text read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from textual import on
from textual.app import App, ComposeResult
from textual.message import Message
from textual.pilot import Pilot

from stepgraph import Decision, Executor, StateGraph
from stepgraph.files import read_graph
from stepgraph.runs.run import Run
from stepgraph.stores.memory import MemoryStore
from stepgraph.testing import FakeClock, sequential_ids
from stepgraph_tui.run_view import RunSnapshot, RunView
from stepgraph_tui.widgets.chrome.pane import Pane
from stepgraph_tui.widgets.lines.page import Line, row_parts, rows_of
from stepgraph_tui.widgets.why import WhyPane
from stepgraph_tui.widgets.why.pane import story_of
from tests.app.playing import play, widget_lines

REFUND = Path(__file__).parents[2] / "graphs" / "refund_triage.toml"


class Driven:
    """A run that a test steps, and what the app would see of it."""

    def __init__(self, graph: StateGraph | None = None, values: Mapping[str, object] | None = None) -> None:
        self.store = MemoryStore()
        app = (graph or read_graph(REFUND)).compile()
        self.clock = FakeClock()
        self.executor = Executor(app, self.store, clock=self.clock, ids=sequential_ids())
        self.run: Run = self.executor.start(values or {})

    def step(self, count: int = 1) -> Driven:
        """Step so often, or as far as it goes."""
        for _ in range(count):
            if self.run.status != "ready":
                break
            self.executor.step(self.run)
        return self

    def edit(self, values: Mapping[str, object]) -> None:
        """Have Ana change the state."""
        self.run = self.executor.edit(self.run.id, values, by="ana")

    def decide(self, decision: Decision) -> None:
        """Record a decision; the next step uses it."""
        self.executor.decide(self.run.id, decision)
        self.run = self.executor.load(self.run.id)

    @property
    def view(self) -> RunView:
        """The run as it is now."""
        return RunView(self.store, self.run.id)

    def now(self) -> RunSnapshot:
        """Where it stands."""
        return RunSnapshot.now(self.view)

    def at(self, step: int) -> RunSnapshot:
        """A past step."""
        return RunSnapshot.at(self.view, step)


class Host(App[None]):
    """A screen with one pane, which hears what the pane says."""

    AUTO_FOCUS = None

    def __init__(self, pane: Pane) -> None:
        super().__init__()
        self.pane = pane
        self.heard: list[Message] = []
        self.seen: list[str] = []

    def compose(self) -> ComposeResult:
        """The pane alone."""
        yield self.pane

    @on(WhyPane.EdgeChosen)
    @on(WhyPane.Told)
    def hear(self, message: Message) -> None:
        """Keep what the pane says."""
        self.heard.append(message)


def rows_at(lines: Iterable[Line], width: int) -> list[str]:
    """The rows that lines of a page take at a width, without a pane."""
    rows = ((line, row) for line in map(Line.made_visible, lines) for row in rows_of(line, 0, width))
    return ["".join(text for text, _ in row_parts(line, row, width)).rstrip() for line, row in rows]


def story(moment: RunSnapshot | None, width: int = 60) -> list[str]:
    """What the Why pane tells of a moment, as ``told`` would show it, without an app."""
    return [f" {row}".rstrip() for row in rows_at(story_of(moment), width)]


def told(pane: Pane, moment: RunSnapshot | None = None, size: tuple[int, int] = (62, 60)) -> list[str]:
    """What a pane shows of a moment, line by line."""

    async def look(pilot: Pilot[None]) -> list[str]:
        pane.moment = moment
        await pilot.pause()
        return widget_lines(pane)

    return play(Host(pane), look, size)


def pressed(pane: Pane, moment: RunSnapshot | None, *keys: str, size: tuple[int, int] = (62, 30)) -> Host:
    """A pane that has the focus, after some keys."""
    host = Host(pane)

    async def press(pilot: Pilot[None]) -> Host:
        pane.focus()
        pane.moment = moment
        await pilot.pause()
        await pilot.press(*keys)
        await pilot.pause()
        host.seen = widget_lines(pane)
        return host

    return play(host, press, size)


def graph_of(
    *edges: tuple[str, Any, str | None], returns: dict[str, Any] | None = None, **more: Any
) -> StateGraph:
    """A graph with one node, ``a``, and these edges out of it."""
    graph = StateGraph("g", start="a", **more)
    graph.add_node("a", lambda state: dict(returns or {}))
    for target, when, label in edges:
        graph.add_edge("a", target, when=when, label=label)
    return graph


def text_of(lines: list[str]) -> str:
    """The lines as one text with single spaces, however they were wrapped."""
    return " ".join(" ".join(lines).split())
