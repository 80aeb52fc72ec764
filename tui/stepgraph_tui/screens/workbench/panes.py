"""What the workbench shows: its panes, filled from a graph file and a moment of a run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from textual.containers import Horizontal
from textual.reactive import var
from textual.widget import Widget

from stepgraph.document import definition_hash, to_document
from stepgraph.errors import NodeFailed
from stepgraph.ledger import RunStatus
from stepgraph_tui import twins
from stepgraph_tui.designing import Buffer
from stepgraph_tui.desk import Desk
from stepgraph_tui.remembered import Place
from stepgraph_tui.stepping import NodeBegan
from stepgraph_tui.viewing import Moment, RunView
from stepgraph_tui.viewing.standing import (
    is_scripted,
    said_of,
    said_of_running,
    said_without_a_run,
    standing_word,
)
from stepgraph_tui.widgets.chrome.next_line import Severity
from stepgraph_tui.widgets.chrome.pane_group import PaneGroup, Tab
from stepgraph_tui.widgets.graph_view import GraphView
from stepgraph_tui.widgets.log import LogPane
from stepgraph_tui.widgets.node import NodePane
from stepgraph_tui.widgets.outline import OutlinePane
from stepgraph_tui.widgets.problems import ProblemsPane
from stepgraph_tui.widgets.state import StatePane
from stepgraph_tui.widgets.trace import TracePane
from stepgraph_tui.widgets.why import WhyPane
from stepgraph_tui.words.text import visible

from .frame import Frame

if TYPE_CHECKING:
    from stepgraph.errors import StepgraphError
    from stepgraph.graph import CompiledGraph, StateGraph
    from stepgraph.run import Run


class WorkbenchPanes(Frame):
    """The panes of a graph and of one run of it; whatever they show together is decided here.

    Args:
        desk: What the app shares.
        path: The graph file; None for a run that has none.
    """

    moment: var[Moment | None] = var(None, init=False)
    """What the panes show of the run; None without one."""
    pause_after: var[frozenset[str]] = var(frozenset())
    """The nodes after which a continued run stops."""

    def __init__(self, desk: Desk, path: Path | None) -> None:
        self.desk = desk
        self.file = Buffer(path, drafts=desk.edits)
        self.place: Place = desk.remembered.place(path) if path is not None else Place()
        self.graph_view = GraphView(glyphs=desk.glyphs)
        self.outline = OutlinePane(glyphs=desk.glyphs, beside=self.graph_view)
        self.state_pane = StatePane()
        self.why_pane = WhyPane()
        self.node_pane = NodePane()
        self.trace_pane = TracePane(now=desk.clock.time)
        self.problems_pane = ProblemsPane()
        self.log_pane = LogPane()
        self._drawn: object = None
        self._scripted = False  # whether all models of the graph that is drawn are stand-ins
        self._hashed: tuple[StateGraph | None, str | None] = (None, None)
        self._runs: NodeBegan | None = None
        self._was_next: str | None = None
        super().__init__(self._groups())

    def _groups(self) -> list[PaneGroup]:
        graph = Horizontal(self.outline, self.graph_view)
        detail = [
            Tab("state", "State", "2", self.state_pane),
            Tab("why", "Why", "3", self.why_pane),
            Tab("node", "Node", "4", self.node_pane),
        ]
        happened = [
            Tab("trace", "Trace", "5", self.trace_pane),
            Tab("problems", "Problems", "6", self.problems_pane),
            Tab("log", "Log", "9", self.log_pane),
        ]
        return [
            PaneGroup([Tab("graph", "Graph", "1", self.graph_view, graph)], id="graph"),
            PaneGroup(detail, id="detail"),
            PaneGroup(happened, id="happened"),
        ]

    @property
    def view(self) -> RunView | None:
        """The run that is shown."""
        return self.moment.view if self.moment is not None else None

    @property
    def run(self) -> Run | None:
        """A handle of the run that is shown; for reading only."""
        return self.moment.view.run if self.moment is not None else None

    @property
    def graph(self) -> StateGraph | CompiledGraph | None:
        """The graph that is drawn: the run's own where it goes by another one than the file's."""
        return self.shown_graph()[0]

    def shown_graph(self) -> tuple[StateGraph | CompiledGraph | None, object]:
        """The graph to draw, and what tells it from others."""
        own = self._definition_of_file()
        if self.view is None or self.view.definition == own:
            return self.file.graph, own
        return self.view.plan, self.view.definition

    # What is shown

    def show_graph(self) -> None:
        """Draw the graph, and go to what is wrong with the file, if anything is."""
        self.show_file()
        if self.file.errors:
            self.show_pane("problems")

    def show_file(self, renamed: Mapping[str, str] = {}) -> None:
        """Show the graph and its problems as they are now.

        Args:
            renamed: The new names of nodes that were drawn under other ones.
        """
        self.show_problems()
        self.draw_graph(renamed)
        self.say_standing()

    def show_problems(self) -> None:
        """List what is wrong with the file."""
        problems = self.file.problems
        self.problems_pane.problems = problems
        self.groups[2].count("problems", len(problems))

    def draw_graph(self, renamed: Mapping[str, str] = {}) -> None:
        """Draw the graph, unless it is the one that is drawn.

        Args:
            renamed: The new names of nodes that were drawn under other ones.
        """
        graph, told_by = self.shown_graph()
        self.state_pane.keys = graph.keys if graph is not None else {}
        if graph is None or (told_by is not None and told_by == self._drawn):
            return
        self._drawn, self._scripted = told_by, is_scripted(graph)
        never_taken = self.file.never_taken if graph is self.file.graph else {}
        for pane in (self.graph_view, self.outline):
            pane.draw(graph, self.file.problems, renamed=renamed)
            pane.dimmed = never_taken
        if self.graph_view.selected is None:
            chosen = next((n for n in (self.place.node, graph.settings.start) if n in graph.nodes), None)
            if chosen is not None:
                self.select(chosen)
            if chosen != self.place.node:
                self._was_next = chosen  # where a run would begin; one that is opened goes on there
        self.show_node()

    def show_run(self, view: RunView) -> None:
        """Show a run where it stands."""
        self.log_pane.mask = view.mask.text
        self.moment = Moment.now(view)
        own = self._definition_of_file()
        if own is not None and view.definition != own:
            self.say("this run goes by another version of the file; S starts over with the file", "warning")

    def _definition_of_file(self) -> str | None:
        graph = self.file.graph
        if graph is not self._hashed[0]:
            self._hashed = graph, definition_hash(to_document(graph)) if graph is not None else None
        return self._hashed[1]

    def watch_moment(self, moment: Moment | None) -> None:
        """Hand the moment down to the panes."""
        self.draw_graph()
        for group in self.groups:
            for tab in group.tabs.values():
                tab.pane.moment = moment
        self.outline.moment = moment
        self._follow(moment)
        self.say_standing()
        self.refresh_bindings()

    def _follow(self, moment: Moment | None) -> None:
        """The selection goes with the run, unless somebody has put it elsewhere."""
        coming = moment.next if moment is not None else None
        graph = self.graph_view
        if coming is not None and graph.follow and graph.selected in {None, self._was_next}:
            self.select(coming)
        self._was_next = coming

    def select(self, node: str | None, edge: int | None = None, told_by: Widget | None = None) -> None:
        """Select a node or an edge in every pane that shows the graph, but in the one that told of it."""
        for pane in (self.graph_view, self.outline):
            if pane is told_by:
                continue
            if edge is not None:
                pane.select_edge(edge)
            elif node is not None:
                pane.select(node)
        self.show_node()

    def watch_pause_after(self, nodes: frozenset[str]) -> None:
        """Show the marks."""
        self.trace_pane.pause_after = nodes

    def mark_pause(self, node: str) -> None:
        """A continued run stops after this node, or no more."""
        self.pause_after = self.pause_after ^ {node}
        on = node in self.pause_after
        self.say(f"c stops after {visible(node)}" if on else f"c no longer stops after {visible(node)}")

    def view_step(self, step: int | None) -> None:
        """View a past step; None goes back to where the run stands."""
        view = self.view
        if view is not None:
            self.moment = Moment.now(view) if step is None else Moment.at(view, step)

    def go_live(self) -> bool:
        """Show where the run stands; False where that is shown already."""
        if self.moment is None or self.moment.live:
            return False
        self.view_step(None)
        return True

    def show_running(self, running: NodeBegan | None) -> None:
        """Show which node runs, and for how long."""
        self._runs = running
        self.graph_view.running = self.outline.running = running.node if running is not None else None
        self.trace_pane.running = (running.node, self._seconds()) if running is not None else None
        self.say_standing()

    def _seconds(self) -> float:
        return monotonic() - self._runs.at if self._runs is not None else 0.0

    def say_standing(self) -> None:
        """Header and NEXT line."""
        moment, running = self.moment, self._runs
        header = self.header
        graph = self.graph
        header.graph = graph.name if graph is not None else self.file.path.name if self.file.path else ""
        header.standing = standing_word(moment, running is not None)
        header.scripted = "SCRIPTED" if self._scripted else ""
        run = self.run
        header.run_id = run.id if run is not None else ""
        header.step, header.max_steps = (run.step, run.max_steps) if run is not None else (0, 0)
        if running is not None:
            said = said_of_running(running.node, self._seconds())
        elif moment is None:
            said = said_without_a_run(self.file.graph, self.file.errors)
        else:
            said = said_of(moment)
        self.next_line.what, self.next_line.text = said.word, said.text
        steps = run is not None and run.status is RunStatus.READY and running is None
        self.next_line.twin = twins.step(run.id, self.desk.address) if run is not None and steps else ""

    def show_failure(self) -> None:
        """Bring up what there is to know of a failure."""
        run = self.run
        if run is not None and run.current is not None:
            self.select(run.current)
            failed_routing = not isinstance(run.error, NodeFailed)
            self.show_pane("why" if failed_routing else "node", focus=False)

    def show_node(self) -> None:
        """Tell the Node tab what is selected."""
        graph = self.graph_view
        self.node_pane.about(self.graph, graph.selected, graph.selected_edge, self.file.problems)

    def say(self, text: str, severity: Severity = "information") -> None:
        """Say a passing word."""
        self.next_line.say(text, severity)

    def tell_error(self, error: StepgraphError) -> None:
        """Say what went wrong and what to do."""
        self.say(visible(f"{error.message} ({error.hint})" if error.hint else error.message), "error")

    def note(self, command: str) -> None:
        """Keep an action as the command that does the same."""
        self.desk.log.note(self.desk.clock.time(), command)
