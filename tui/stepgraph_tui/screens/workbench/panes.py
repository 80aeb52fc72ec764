"""The panes of a graph and of one run of it, and what they show together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from textual.widget import Widget

from stepgraph.graphs import END

from ...context import AppContext
from ...status_text import RunningNode
from ...text.plain import place
from ...widgets.breaks import BreakList, BreaksPane
from ...widgets.chrome.pane import Pane, PaneGroup, Tab
from ...widgets.graph_view import GraphView, OutlinePane
from ...widgets.log import LogPane
from ...widgets.node import NodePane, VisitPane
from ...widgets.problems import ProblemsPane
from ...widgets.state import ChatPane, StatePane
from ...widgets.trace import TracePane
from ...widgets.watches import WatchEntry, WatchesPane
from ...widgets.why import WhyPane

if TYPE_CHECKING:
    from pathlib import Path

    from stepgraph.editing import Design
    from stepgraph.graphs import CompiledGraph, StateGraph
    from stepgraph.runs.debug import Breakpoint, DamagedEntry, KeptDebugging, Watch
    from stepgraph.values import Problem

    from ...documents import OpenedGraph
    from ...drawing.picture.run_marks import BreakMarks
    from ...run_view import RunSnapshot, RunView


_ADVISED = 40  # problems whose fixes are named beside a node; whoever has more mends them in their list
_TOO_LARGE = "{graph.outline} shows or hides its outline."
_NOTHING_YET = "There are no nodes yet: {edit.add} adds the first one."


class WorkbenchPanes:
    """The panes of a workbench. What is chosen in one of them is shown in the others.

    Args:
        context: What the app shares.
    """

    def __init__(self, context: AppContext) -> None:
        self.graph_view = GraphView(glyphs=context.glyphs)
        self.outline = OutlinePane(glyphs=context.glyphs, beside=self.graph_view)
        self.state_pane = StatePane()
        self.chat_pane = ChatPane(context.hints)
        self._hints = hints = context.hints
        self.why_pane = WhyPane(hints)
        self.node_pane = NodePane(hints)
        self.visit_pane = VisitPane()
        self.trace_pane = TracePane(now=context.clock.time)
        self.problems_pane = ProblemsPane()
        self.watches_pane = WatchesPane(hints, context.glyphs)
        self.breaks_pane = BreaksPane(hints)
        self.log_pane = LogPane()
        self.graph: StateGraph | CompiledGraph | None = None
        """The graph to draw: the run's own where it goes by another one than the file's."""
        self._happened = PaneGroup(
            [
                Tab("trace", "Trace", hints.key("workbench.trace"), self.trace_pane),
                Tab("problems", "Problems", hints.key("workbench.problems"), self.problems_pane),
                Tab("watches", "Watches", hints.key("workbench.watches"), self.watches_pane, later=True),
                Tab("breaks", "Breaks", hints.key("workbench.breaks"), self.breaks_pane),
                Tab("log", "Log", hints.key("workbench.log"), self.log_pane),
            ],
            id="happened",
        )
        self._panes_of_runs: tuple[Pane, ...] = (
            self.state_pane,
            self.chat_pane,
            self.why_pane,
            self.node_pane,
            self.visit_pane,
            *(tab.pane for tab in self._happened.tabs.values()),
        )
        self.inside = ""
        """The subgraph whose inside is drawn, by the node that it is; empty for the graph itself."""
        self.first: str | None = None
        """The node to select at first, where the graph has it; else it is the start."""
        self.graph_view.refused_hint = hints(_TOO_LARGE)
        self._advice: Callable[[Problem], str] | None = None
        self._drawn: object = None  # what tells the graph that is drawn from others
        self._moment: RunSnapshot | None = None
        self._was_next: str | None = None  # the node that came next when the selection was put there

    def groups(self) -> list[PaneGroup]:
        """Arrange the panes in the groups that share a place on the screen."""
        key, values, node = self._hints.key, self.state_pane, self.node_pane
        graph = Tab("graph", "Graph", key("workbench.graph"), self.graph_view, [self.outline])
        detail = [
            Tab("state", "State", key("workbench.state"), values, [self.chat_pane], beside=False),
            Tab("why", "Why", key("workbench.why"), self.why_pane, later=True),
            Tab("node", "Node", key("workbench.node"), node, [self.visit_pane], beside=False, later=True),
        ]
        return [PaneGroup([graph], id="graph"), PaneGroup(detail, id="detail"), self._happened]

    # What is shown

    def show(
        self,
        file: OpenedGraph,
        moment: RunSnapshot | None,
        *,
        designing: bool,
        renamed: Mapping[str, str] = {},
    ) -> None:
        """Show a graph, what is wrong with it, and a moment of its run.

        Args:
            file: The graph file.
            moment: None without a run.
            designing: Whether the graph is designed: then it has no marks of a run.
            renamed: The new names of nodes that were drawn under other ones.
        """
        edits = designing and not file.refusal
        self._advice = partial(self._advise, file.design) if edits else None
        self.problems_pane.advise(self._advice)
        self.problems_pane.problems = file.checked.problems
        self._happened.count("problems", len(file.checked.problems))
        if file.checked.graph is not None:
            for pane in (self.graph_view, self.outline):
                pane.empty_hint = self._hints(_NOTHING_YET) if edits else ""
        view = moment.view if moment is not None else None
        self.inside = "" if designing else _still_inside(self.inside, moment)
        self.graph, told_by = graph_to_draw(file, view, designing=designing, inside=self.inside)
        self.node_pane.sources = file.sources if self.graph is file.checked.graph else {}
        self.why_pane.sources = file.sources
        self._draw(file, told_by, renamed)
        for of_run in self._panes_of_runs:
            of_run.moment = moment
        self.graph_view.moment = self.outline.moment = None if designing else moment
        if moment != self._moment:
            self._moment = moment
            self._follow(moment)

    def tell_no_graph(self, why: str) -> None:
        """Show in the panes why there is no graph; only that there is none when ``why`` is empty."""
        if self.graph is None:
            self.graph_view.empty_hint = self.outline.empty_hint = self.node_pane.empty_hint = why

    def _draw(self, file: OpenedGraph, told_by: object, renamed: Mapping[str, str]) -> None:
        """Draw the graph, unless it is the one that is drawn."""
        graph = self.graph
        self.state_pane.keys = graph.keys if graph is not None else None
        if graph is None or (told_by is not None and told_by == self._drawn):
            return
        self._drawn = told_by
        never_taken = file.checked.never_taken if graph is file.checked.graph else {}
        for pane in (self.graph_view, self.outline):
            pane.draw(graph, file.checked.problems, renamed=renamed)
            pane.dimmed = never_taken
        if self.graph_view.selection.node is None:
            chosen = next((n for n in (self.first, graph.settings.start) if n in graph.nodes), None)
            if chosen is not None:
                self.select(chosen)
            if chosen != self.first:
                self._was_next = chosen  # where a run would begin; one that is opened goes on there
        self._show_selected()

    def _follow(self, moment: RunSnapshot | None) -> None:
        """Move the selection with the run, unless somebody has put it elsewhere."""
        coming = moment.next if moment is not None else None
        if coming is not None and self.graph is not None and coming not in self.graph.nodes:
            around = moment.view.plan.around(coming) if moment is not None else ()
            coming = next((name for name in reversed(around) if name in self.graph.nodes), coming)
        graph = self.graph_view
        if coming is not None and graph.follow and graph.selection.node in {None, self._was_next}:
            self.select(coming)
        self._was_next = coming

    def show_pauses(self, nodes: frozenset[str]) -> None:
        """Show after which nodes a continued run pauses."""
        self.graph_view.pause_after = self.outline.pause_after = nodes
        self.node_pane.pause_after = self.trace_pane.pause_after = nodes

    def show_breaks(self, listed: BreakList, marks: BreakMarks) -> None:
        """Show the breakpoints: in their list, and as signs where they wait."""
        self._happened.count("breaks", len(listed.entries) + len(listed.damaged) or None)
        self.breaks_pane.listed = self.node_pane.breaks = listed
        self.graph_view.breaks = self.outline.breaks = self.trace_pane.breaks = marks

    def show_running(self, running: RunningNode | None) -> None:
        """Show which node runs; the trace lists it where it is a step of the run."""
        self.graph_view.running = self.outline.running = running.name if running is not None else None
        self.node_pane.running = running
        step = None if running is None or running.is_trial else running
        for pane in (self.state_pane, self.chat_pane, self.visit_pane, self.trace_pane):
            pane.running = step

    # What is selected

    def select(self, node: str | None, edge: int | None = None, told_by: Widget | None = None) -> None:
        """Select a node or an edge in every pane that shows the graph, but in the one that told of it."""
        for pane in (self.graph_view, self.outline):
            if pane is told_by:
                continue
            if edge is not None:
                pane.selection.select_edge(edge)
            elif node is not None:
                pane.selection.select(node)
        self._show_selected()

    def _show_selected(self) -> None:
        graph = self.graph_view
        problems = self.problems_pane.problems
        if self._advice is not None and len(problems) <= _ADVISED:
            problems = tuple(replace(problem, hint=self._advice(problem)) for problem in problems)
        self.node_pane.about(self.graph, graph.selection.node, graph.selection.edge, problems)

    def _advise(self, design: Design, problem: Problem) -> str:
        """Describe what to do about a problem: the key and what it would do, else what to do in the file."""
        from stepgraph.editing.fixes import fixes_for  # it knows all edits, which no frame shows

        fixes = fixes_for(problem, design)
        if not fixes:
            return problem.hint
        more = f", or {len(fixes) - 1} more" if len(fixes) > 1 else ""
        return f"{self._hints.key('design.fix')} {fixes[0].label}{more}"

    def show_watches(self, entries: tuple[WatchEntry, ...]) -> None:
        """List what is watched."""
        self.watches_pane.entries = entries
        self._happened.count("watches", len(entries) or None)

    def mark(self, nodes: frozenset[str]) -> None:
        """Mark nodes, to do something with all of them."""
        self.graph_view.marked = self.outline.marked = nodes

    def edge_in_words(self, index: int) -> str:
        """Describe which edge it is, between which nodes, and when it is taken."""
        edges = self.graph.edges if self.graph is not None else ()
        edge = next((edge for edge in edges if edge.index == index), None)
        if edge is None:
            return ""
        siblings = [other for other in edges if other.source == edge.source]
        at = siblings.index(edge) + 1
        condition = edge.broken.text if edge.broken is not None else edge.condition.describe()
        label = f" {edge.label}" if edge.label else ""
        ends = f"{place(edge.source)} → {place(edge.target)}"
        never = self.graph_view.model.reason_of(index)
        why = f"; never taken: {never}" if never is not None else ""
        return f"edge {at} of {len(siblings)}{label}: {ends}, {condition}{why}"


def graph_to_draw(
    file: OpenedGraph, view: RunView | None, *, designing: bool, inside: str = ""
) -> tuple[StateGraph | CompiledGraph | None, object]:
    """Choose the graph to draw, and return what identifies it.

    Args:
        file: The graph file.
        view: The run that is shown.
        designing: Whether the graph of the file is designed; then it is drawn in any case.
        inside: The subgraph whose inside is drawn; empty for the graph itself.
    """
    if designing:
        return file.checked.graph, file.checked.graph
    own = file.checked.definition
    if view is None or (view.definition == own and not inside):
        return file.checked.graph, own
    if not any(entry.type == "subgraph" for entry in view.plan.nodes.values()):
        return view.plan, view.definition
    return view.plan.level(inside), (view.definition, inside)


def _still_inside(inside: str, moment: RunSnapshot | None) -> str:
    """Find which subgraph is drawn on: the one that was, or one around it, as long as the run is in it."""
    if moment is None or not inside:
        return ""
    coming = moment.next if moment.next != END else None
    there = (*moment.view.plan.around(coming), coming) if coming is not None else ()
    while inside and inside not in there:
        inside = inside.rpartition("/")[0]
    return inside


Entry = TypeVar("Entry", bound="Breakpoint | Watch")


class KeptEntries(Generic[Entry]):
    """Adds, replaces and removes entries of one sort, and notices what another process has changed.

    Args:
        path: The graph file; None for a run that has none.
        prefix: What their ids begin with: ``b`` for breakpoints, ``w`` for watches.
    """

    def __init__(self, path: Path | None, prefix: Literal["b", "w"]) -> None:
        self.path = path
        self.entries: tuple[Entry, ...] = ()
        """The entries, in the order in which they were added."""
        self.damaged: tuple[DamagedEntry, ...] = ()
        """Those that cannot be read; they stay until somebody removes them."""
        self._prefix = prefix
        self._kept: KeptDebugging | None = None
        self._stamp: object = {}  # what the files looked like when they were read

    def look(self) -> bool:
        """Read what is kept, where anybody has changed it since the last look.

        Returns:
            Whether it was read.

        Raises:
            BreakpointError: The folder cannot be read.
        """
        if self.path is None:
            return False
        kept = self._place(self.path)
        if kept.stamp(self._prefix) == self._stamp:
            return False
        self._read(kept)
        return True

    def _read(self, kept: KeptDebugging) -> None:
        self._stamp = kept.stamp(self._prefix)  # before it is read: what changes meanwhile is news
        read: Any = kept.breakpoints if self._prefix == "b" else kept.watches
        self.entries = tuple(read())
        self.damaged = tuple(each for each in kept.damaged if each.id.startswith(self._prefix))

    def add(self, made: Entry) -> str:
        """Keep one more, and return its id.

        Raises:
            BreakpointError: It cannot be written, or there are too many.
        """
        if self.path is None:
            id = f"{self._prefix}{max((int(each.id[1:]) for each in self.entries), default=0) + 1}"
            self.entries = (*self.entries, replace(made, id=id))
            return id
        kept = self._place(self.path)
        id = kept.add(made)
        self._read(kept)
        return id

    def replace(self, made: Entry) -> None:
        """Replace the one with its id.

        Raises:
            BreakpointError: It cannot be written.
        """
        if self.path is None:
            self.entries = tuple(made if each.id == made.id else each for each in self.entries)
            return
        kept = self._place(self.path)
        kept.replace(made)
        self._read(kept)

    def remove(self, id: str) -> None:
        """Remove one, damaged or not.

        Raises:
            BreakpointError: There is none of that id, or it cannot be removed.
        """
        if self.path is None:
            self.entries = tuple(each for each in self.entries if each.id != id)
            return
        kept = self._place(self.path)
        kept.remove(id)
        self._read(kept)

    def _place(self, path: Path) -> KeptDebugging:
        if self._kept is None:
            from stepgraph.runs.debug import KeptDebugging

            self._kept = KeptDebugging(path)
        return self._kept
