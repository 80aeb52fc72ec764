"""A host for the panes that show a graph, and graphs to show in it."""

from __future__ import annotations

from pathlib import Path

from textual.app import App, ComposeResult
from textual.message import Message

from stepgraph import END, Executor, MemoryStore, StateGraph
from stepgraph.testing import FakeClock, sequential_ids
from stepgraph_tui.drawing import Diagram
from stepgraph_tui.run_view import RunView
from stepgraph_tui.widgets.chrome.pane import Pane
from stepgraph_tui.widgets.graph_view import GraphPane, GraphView

REFUND = Path(__file__).parents[2] / "graphs" / "refund_triage.toml"


class GraphHost(App[None]):
    """One pane on the whole screen, and what it says."""

    def __init__(self, pane: GraphPane) -> None:
        super().__init__()
        self.pane = pane
        self.heard: list[Message] = []
        self.informed = ""

    def compose(self) -> ComposeResult:
        yield self.pane

    def on_mount(self) -> None:
        self.pane.focus()

    def on_graph_view_selected(self, message: GraphView.Selected) -> None:
        self.heard.append(message)

    def on_graph_view_inspected(self, message: GraphView.Inspected) -> None:
        self.heard.append(message)

    def on_graph_view_outline_toggled(self, message: GraphView.OutlineToggled) -> None:
        self.heard.append(message)

    def on_graph_view_told(self, message: GraphView.Told) -> None:
        self.heard.append(message)

    def on_pane_informed(self, message: Pane.Informed) -> None:
        self.informed = message.text

    @property
    def selections(self) -> list[tuple[str | None, int | None]]:
        """What was selected, in order."""
        return [(heard.node, heard.edge) for heard in self.heard if isinstance(heard, GraphView.Selected)]


def refund() -> StateGraph:
    return StateGraph.from_file(REFUND)


def graph_of(*edges: str, start: str = "a") -> StateGraph:
    """A graph from edges like ``a b`` or ``a b label``; the nodes do nothing."""
    graph = StateGraph("made up", start=start)
    for node in dict.fromkeys(end for edge in edges for end in edge.split()[:2]):
        if node != END:
            graph.add_node(node, lambda state: {})
    for edge in edges:
        source, target, *label = edge.split(maxsplit=2)
        graph.add_edge(source, target, label=label[0] if label else None)
    return graph


def graph_from(diagram: Diagram) -> StateGraph:
    """A graph with the nodes and edges of a generated diagram."""
    graph = StateGraph("generated", start=diagram.nodes[0].id)
    for node in diagram.nodes:
        graph.add_node(node.id, dict, side_effects=not node.framed)
    for edge in diagram.edges:
        graph.add_edge(edge.source, edge.target, label=edge.label or None)
    return graph


def looping(steps: int) -> tuple[StateGraph, RunView]:
    """A graph with a way back, and a run that has gone round in it."""
    graph = StateGraph("looping", start="try", max_steps=max(steps, 1) + 1)
    graph.add_node("try", lambda state: {"turn": state.get("turn", 0) + 1})
    graph.add_node("look", lambda state: {})
    graph.add_edge("try", "look")
    graph.add_edge("look", END, when=f"turn > {steps}", label="enough")
    graph.add_edge("look", "try", label="again")
    store = MemoryStore()
    executor = Executor(graph.compile(), store, clock=FakeClock(), ids=sequential_ids())
    run = executor.start({})
    for _ in range(steps):
        executor.step(run)
    return graph, RunView(store, run.id)
