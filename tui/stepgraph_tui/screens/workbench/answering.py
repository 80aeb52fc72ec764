"""What the panes of the workbench tell, and what becomes of it."""

from __future__ import annotations

from textual import on

from stepgraph_tui.dialogs.value import ValueDialog
from stepgraph_tui.stepping import Printed
from stepgraph_tui.widgets.graph_view import GraphView
from stepgraph_tui.widgets.problems import ProblemsPane
from stepgraph_tui.widgets.state import StatePane
from stepgraph_tui.widgets.trace import TracePane
from stepgraph_tui.widgets.why import WhyPane
from stepgraph_tui.words.text import place, visible

from .panes import WorkbenchPanes


class AnsweringPanes(WorkbenchPanes):
    """Panes that answer to each other: what is chosen in one is shown in the others."""

    @on(GraphView.Selected)
    def _select(self, message: GraphView.Selected) -> None:
        self.select(message.node, message.edge, told_by=message.pane)
        if message.edge is not None:
            self.say(self._edge_in_words(message.edge))

    def _edge_in_words(self, index: int) -> str:
        """Which edge it is, between which nodes, and when it is taken."""
        edges = self.graph.edges if self.graph is not None else ()
        edge = next((edge for edge in edges if edge.index == index), None)
        if edge is None:
            return ""
        siblings = [other for other in edges if other.source == edge.source]
        at = siblings.index(edge) + 1
        condition = edge.broken.text if edge.broken is not None else edge.condition.describe()
        label = f" {edge.label}" if edge.label else ""
        ends = f"{place(edge.source)} → {place(edge.target)}"
        never = self.graph_view.reason_of(index)
        why = f"; never taken: {never}" if never is not None else ""
        return visible(f"edge {at} of {len(siblings)}{label}: {ends}, {condition}{why}")

    @on(GraphView.Inspected)
    def _inspect(self) -> None:
        self.inspect()

    def inspect(self) -> None:
        """Show all of what is selected in the graph."""
        self.show_pane("node")

    @on(GraphView.OutlineToggled)
    def _toggle_outline(self) -> None:
        self.outline.display = not self.outline.display
        self.put_in_place()
        (self.outline if self.outline.display else self.graph_view).focus()

    @on(WhyPane.EdgeChosen)
    def _show_edge(self, message: WhyPane.EdgeChosen) -> None:
        self.select(None, message.edge)
        self.show_pane("graph")

    @on(StatePane.WriterAsked)
    def _view_writer(self, message: StatePane.WriterAsked) -> None:
        self.view_step(message.step)

    @on(StatePane.WholeAsked)
    def _show_whole(self, message: StatePane.WholeAsked) -> None:
        self.app.push_screen(ValueDialog(message.title, message.value, self.copy_text))

    @on(StatePane.Told)
    @on(WhyPane.Told)
    def _tell(self, message: StatePane.Told | WhyPane.Told) -> None:
        self.say(message.text)

    @on(TracePane.Viewed)
    def _view(self, message: TracePane.Viewed) -> None:
        self.view_step(message.step)

    @on(TracePane.Marked)
    def _mark(self, message: TracePane.Marked) -> None:
        self.mark_pause(message.node)

    @on(ProblemsPane.Chosen)
    def _go_to_problem(self, message: ProblemsPane.Chosen) -> None:
        place = message.problem.place
        if place.edge is not None or place.node is not None:
            self.select(place.node, place.edge)
            self.show_pane("graph")

    @on(Printed)
    def _log(self, message: Printed) -> None:
        self.log_pane.add(message)
