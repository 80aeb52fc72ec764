"""Messages on their way to controllers: what the stepping thread tells, and what panes ask for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from stepgraph_tui.widgets.breaks import BreaksPane
from stepgraph_tui.widgets.graph_view import GraphView
from stepgraph_tui.widgets.log import LogPane
from stepgraph_tui.widgets.problems import ProblemsPane
from stepgraph_tui.widgets.state import StatePane
from stepgraph_tui.widgets.trace import TracePane
from stepgraph_tui.widgets.watches import WatchesPane
from stepgraph_tui.widgets.why import WhyPane
from stepgraph_tui.worker import (
    Decided,
    EditState,
    Fork,
    GraphLoaded,
    NodeTried,
    Printed,
    RunStarted,
    StoreWaits,
    WorkDone,
    WorkFailed,
)

from .run_controller import ImportAsked

if TYPE_CHECKING:
    from textual.message import Message

    from .controllers import Controllers
    from .grid import PaneGrid
    from .panes import WorkbenchPanes
    from .status_lines import StatusLines
    from .surface import Surface


class MessageRouter:
    """Hands messages to the controller, or the pane, that they are for.

    Args:
        controllers: The controllers.
        panes: What the screen shows.
        grid: Where it shows that.
        surface: The screen.
        lines: The header and the NEXT line.
    """

    def __init__(
        self,
        controllers: Controllers,
        panes: WorkbenchPanes,
        grid: PaneGrid,
        surface: Surface,
        lines: StatusLines,
    ) -> None:
        self.to, self.panes = controllers, panes
        self._grid, self._surface, self._lines = grid, surface, lines

    def route(self, message: Message) -> None:
        """Hand over a message of a kind that is ``ROUTED``."""
        ROUTED[type(message)](self, message)

    # Of the thread

    def hear(self, message: RunStarted | WorkDone | Decided | WorkFailed | NodeTried | GraphLoaded) -> None:
        """Take what the thread tells of its work; what is special to some work has its own controller."""
        to = self.to
        if isinstance(message, RunStarted):
            to.design.turn_to("debug")
        if to.module is not None and isinstance(message, GraphLoaded | WorkFailed):
            to.module.take(message)  # before the run goes on with what waited for it
        to.runs.hear(message)
        if to.module is not None and isinstance(message, GraphLoaded | WorkFailed):
            to.module.tell(message)
        if isinstance(message, NodeTried):
            to.trials.take(message)
        elif isinstance(message, WorkDone) and isinstance(message.work, EditState):
            to.states.made()
        elif isinstance(message, WorkDone) and isinstance(message.work, Fork):
            to.forks.made(message.work)
        elif isinstance(message, WorkFailed):
            to.states.refused(message)

    # Of the graph

    def select(self, message: GraphView.Selected) -> None:
        """Select in every pane what was selected in one; say which edge it is."""
        self.panes.select(message.node, message.edge, told_by=message.pane)
        if self.to.design.is_on:
            self._lines.show()
        if message.edge is not None:
            self._lines.say_edge(message.edge)

    def inspect(self) -> None:
        """Open the form of what is selected; in Debug, the pane that tells all of it."""
        refused = self.to.design.file.refusal
        if self.to.design.is_on and not refused:
            self.to.forms.open()
            return
        self._grid.lead_to("node")
        if self.to.design.is_on:
            self._surface.say(refused)

    def toggle_outline(self) -> None:
        """Show the outline or hide it, and give the keys to what is shown."""
        outline = self.panes.outline
        outline.display = not outline.display
        self._grid.put_in_place()
        (outline if outline.display else self.panes.graph_view).focus()

    def show_outline(self) -> None:
        """Show the outline of a graph that is too large to be drawn."""
        self.panes.outline.display = True
        self._grid.put_in_place()

    # Of the other panes

    def show_in_graph(self, node: str | None, edge: int | None) -> None:
        """Select a part of the graph, and go there; do nothing where it is none."""
        if node is not None or edge is not None:
            self._surface.select(node, edge)
            self._grid.lead_to("graph")

    def show_whole(self, message: StatePane.WholeAsked | LogPane.WholeAsked) -> None:
        """Show a whole value."""
        from stepgraph_tui.dialogs.value import ValueDialog

        dialog = ValueDialog(
            message.title,
            message.value,
            self._surface.copy,
            self._surface.hints,
            versions=message.versions,
            compare=message.changed,
        )
        self._surface.ask(dialog)

    def tell(self, message: StatePane.Told | WhyPane.Told | GraphView.Told) -> None:
        """Say what a pane has to say."""
        self._surface.say(message.text)


ROUTED: dict[type[Message], Callable[[MessageRouter, Any], object]] = {
    **dict.fromkeys((RunStarted, WorkDone, Decided, WorkFailed, NodeTried, GraphLoaded), MessageRouter.hear),
    ImportAsked: lambda router, _: router.to.module.load() if router.to.module is not None else None,
    StoreWaits: lambda router, message: router.to.runs.tell_outage(message.outage),
    Printed: lambda router, message: router.panes.log_pane.add(message),
    GraphView.Selected: MessageRouter.select,
    GraphView.Inspected: lambda router, _: router.inspect(),
    GraphView.OutlineToggled: lambda router, _: router.toggle_outline(),
    GraphView.TooLarge: lambda router, _: router.show_outline(),
    GraphView.Connected: lambda router, asked: router.to.edits.connect(asked.source, asked.target),
    WhyPane.EdgeChosen: lambda router, chosen: router.show_in_graph(None, chosen.edge),
    ProblemsPane.Chosen: lambda router, chosen: router.show_in_graph(
        chosen.problem.place.node, chosen.problem.place.edge
    ),
    **dict.fromkeys(
        (BreaksPane.Asked, StatePane.BreakAsked, WhyPane.BreakAsked),
        lambda router, asked: router.to.runs.breaks.hear(asked),
    ),
    **dict.fromkeys(
        (WatchesPane.Asked, WatchesPane.Opened, StatePane.WatchAsked),
        lambda router, asked: router.to.watches.hear(asked),
    ),
    **dict.fromkeys(
        (StatePane.WriterAsked, TracePane.Viewed, WatchesPane.Viewed),
        lambda router, asked: router.to.runs.shown.view_step(asked.step),
    ),
    TracePane.Marked: lambda router, asked: router.to.runs.pauses.toggle(asked.node),
    StatePane.EditAsked: lambda router, asked: router.to.states.ask(asked.path),
    **dict.fromkeys((StatePane.WholeAsked, LogPane.WholeAsked), MessageRouter.show_whole),
    **dict.fromkeys((StatePane.Told, WhyPane.Told, GraphView.Told), MessageRouter.tell),
}
"""Where each kind of message goes."""
