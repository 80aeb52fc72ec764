"""The trace alone on a screen, and runs for it to list."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from textual.app import App, ComposeResult
from textual.pilot import Pilot

from stepgraph import END, Executor, StateGraph
from stepgraph.files import read_graph
from stepgraph.stores.memory import MemoryStore
from stepgraph.testing import FakeClock, sequential_ids
from stepgraph_tui.run_view import RunSnapshot, RunView
from stepgraph_tui.widgets.chrome.pane import Pane
from stepgraph_tui.widgets.trace import TracePane
from tests.app.playing import screen_lines

REFUND = Path(__file__).parents[2] / "graphs" / "refund_triage.toml"


class Host(App[None]):
    """Holds a trace, keeps what it says, and shows the moment that it asks for."""

    CSS = "Screen { overflow: hidden; }"

    def __init__(self, view: RunView | None) -> None:
        super().__init__()
        self.trace = TracePane(now=lambda: 1_800_000_075.0)
        self.view = view
        self.said: list[object] = []
        self.informed = ""

    def compose(self) -> ComposeResult:
        yield self.trace

    def on_mount(self) -> None:
        self.trace.focus()
        self.go(None)

    def go(self, step: int | None) -> None:
        if self.view is not None:
            self.trace.moment = (
                RunSnapshot.now(self.view) if step is None else RunSnapshot.at(self.view, step)
            )

    def on_trace_pane_viewed(self, message: TracePane.Viewed) -> None:
        self.said.append(message.step)
        self.go(message.step)

    def on_trace_pane_marked(self, message: TracePane.Marked) -> None:
        self.said.append(message.node)

    def on_pane_informed(self, message: Pane.Informed) -> None:
        self.informed = message.text


class Driven:
    """A run that a test moves on, and the host that shows it."""

    def __init__(self, graph: StateGraph, **values: object) -> None:
        self.store = MemoryStore()
        self.executor = Executor(graph.compile(), self.store, clock=FakeClock(), ids=sequential_ids())
        self.run = self.executor.start(values)

    def host(self) -> Host:
        return Host(RunView(self.store, self.run.id))

    def finish(self) -> Driven:
        self.run = self.executor.run(self.executor.load(self.run.id))
        return self


def refund() -> Driven:
    return Driven(read_graph(REFUND)).finish()


def secretive() -> Driven:
    """A run that quotes its secret in its state and in the failure that it ended with."""
    graph = StateGraph("secretive", start="leak")
    graph.add_key("token", secret=True)
    graph.add_node("leak", lambda state: {"told": f"it is {state['token']}"})
    graph.add_node("fail", lambda state: 1 / len(state["missing hunter2-secret"]))
    graph.add_edge("leak", "fail")
    graph.add_edge("fail", END)
    return Driven(graph, **{"token": "hunter2-secret"}).finish()


def ring(steps: int, **settings: Any) -> Driven:
    graph = StateGraph("ring", start="a", max_steps=steps, **settings)
    graph.add_node("a", lambda state: {"count": state.get("count", 0) + 1})
    graph.add_node("b", lambda state: {"seen": state["count"]})
    graph.add_edge("a", "b", label="on")
    graph.add_edge("b", "a")
    return Driven(graph)


def shown(pilot: Pilot[Any]) -> str:
    return "\n".join(screen_lines(pilot.app)).rstrip()
