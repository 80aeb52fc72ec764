"""The Node pane."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from textual.reactive import var

from stepgraph_tui.commands import NODE, bindings
from stepgraph_tui.commands.hints import UNMAPPED, Hints
from stepgraph_tui.run_view import RunSnapshot
from stepgraph_tui.status_text import RunningNode
from stepgraph_tui.widgets.breaks import NO_LIST, BreakList
from stepgraph_tui.widgets.chrome.pane import Pane
from stepgraph_tui.widgets.lines import COMPONENTS
from stepgraph_tui.widgets.lines.page import TextPage
from stepgraph_tui.widgets.lines.page_lines import Line

if TYPE_CHECKING:
    from stepgraph.graphs.builder import StateGraph
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph.nodes.source_lines import SourceLines
    from stepgraph.values.problems import Problem


class NodePane(Pane, inherit_bindings=False):
    """All about the selected node or edge, or about the graph when nothing is selected.

    Args:
        hints: Names the keys.
    """

    BINDINGS = bindings(NODE)
    COMPONENT_CLASSES = COMPONENTS
    DEFAULT_CSS = f"NodePane {{ {TextPage.CSS} }}"

    _graph: StateGraph | CompiledGraph | None = None
    _node: str | None = None
    _edge: int | None = None
    _problems: Sequence[Problem] = ()
    pause_after: var[frozenset[str]] = var(frozenset[str](), init=False)
    """The nodes after which a continued run pauses."""
    breaks: var[BreakList] = var(NO_LIST, init=False)
    """The breakpoints, of which it tells those at what is selected."""

    sources: var[Mapping[str | int, SourceLines]] = var({}, init=False)
    """The lines of Python functions: of nodes by their names, of predicates by the edges' positions."""

    empty_hint: var[str] = var("", init=False)
    """Why there is no graph, and what to do about it."""

    running: var[RunningNode | None] = var(None, init=False)
    """The node that runs now, with what it has asked so far."""

    def __init__(self, hints: Hints = UNMAPPED) -> None:
        super().__init__()
        self._hints = hints
        self.page = TextPage(self)
        self.lines, self.search = self.page.view, self.page.search

    def about(
        self,
        graph: StateGraph | CompiledGraph | None,
        node: str | None = None,
        edge: int | None = None,
        problems: Sequence[Problem] = (),
    ) -> None:
        """Say what to show.

        Args:
            graph: The graph; None when it cannot be read.
            node: The selected node.
            edge: The position of the selected edge among all edges; it comes before the node.
            problems: All that is wrong with the graph.
        """
        self._graph, self._node, self._edge, self._problems = graph, node, edge, problems
        self.show_anew()

    def show(self, moment: RunSnapshot | None) -> None:
        """Tell of what is selected; of something else from its top."""
        self.page.show(self.page_lines, (self._node, self._edge))

    def watch_pause_after(self) -> None:
        """Say whether a run pauses after the node."""
        self.show_anew()

    def watch_breaks(self, before: BreakList, breaks: BreakList) -> None:
        """Tell of other breakpoints."""
        if before != breaks:
            self.show_anew()

    def watch_sources(self, before: object, sources: object) -> None:
        """Show other code."""
        if before != sources:
            self.show_anew()

    def watch_empty_hint(self) -> None:
        """Say something else where there is no graph."""
        self.show_anew()

    def watch_running(self, before: RunningNode | None, running: RunningNode | None) -> None:
        """Tell what the node asks and is answered while it runs, as often as that changes."""
        if self._news(before) != self._news(running):
            self.show_anew()

    def _news(self, running: RunningNode | None) -> object:
        if running is None or running.name != self._node or self._edge is not None:
            return None
        return running.calls, int(running.seconds)

    def page_lines(self) -> Iterable[Line]:
        """Make the page of what is selected."""
        from .calls import calling_lines
        from .edge_page import edge_lines  # this tab is rarely the first that is looked at
        from .graph_page import graph_lines
        from .node_page import node_lines

        if self._graph is not None and self._edge is not None:
            page = edge_lines(self._graph, self._edge, self._problems, self.moment, self.breaks)
            return chain(page, self._code(self._edge))
        if self._graph is not None and self._node is not None:
            pauses = self._hints("{debug.go} pauses after it") if self._node in self.pause_after else ""
            page = node_lines(self._graph, self._node, self._problems, self.moment, pauses, self.breaks)
            page = chain(page, self._code(self._node))
            running = self.running
            if running is None or running.name != self._node or running.calls is None:
                return page
            return chain(calling_lines(running.calls, self._mask, self.size), page)
        return graph_lines(self._graph, self._problems, self._hints, self.empty_hint)

    def _code(self, part: str | int) -> Iterable[Line]:
        """Show the Python function of a node or an edge, where there is one."""
        lines = self.sources.get(part)
        if lines is None:
            return ()
        from .code_page import code_lines

        return code_lines(lines, self._mask, self._hints)

    def _mask(self, text: str) -> str:
        return self.moment.view.mask.text(text) if self.moment is not None else text

    def copied(self) -> str | None:
        """Return the whole page as text."""
        return self.page.text()

    def copied_path(self) -> str | None:
        """Tell where it is in the graph file."""
        if self._edge is not None:
            return f"edges[{self._edge}]"
        return f"nodes.{self._node}" if self._node is not None else None
