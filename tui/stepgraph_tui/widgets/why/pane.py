"""The route explainer as a pane."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import events
from textual.message import Message
from textual.reactive import var

from stepgraph_tui.commands import WHY, bindings
from stepgraph_tui.commands.hints import UNMAPPED, Hints
from stepgraph_tui.run_view import RunSnapshot
from stepgraph_tui.widgets.chrome.pane import Pane
from stepgraph_tui.widgets.lines import COMPONENTS, Way
from stepgraph_tui.widgets.lines.page import TextPage
from stepgraph_tui.widgets.lines.page_lines import Line

if TYPE_CHECKING:
    from stepgraph.graphs.parts import Edge
    from stepgraph.nodes.source_lines import SourceLines


class WhyPane(Pane, inherit_bindings=False):
    """Why the run went where it went, and where the answers to the coming question lead.

    Args:
        hints: Names the keys.
    """

    BINDINGS = bindings(WHY)
    COMPONENT_CLASSES = COMPONENTS
    DEFAULT_CSS = f"WhyPane {{ {TextPage.CSS} }}"

    sources: var[Mapping[str | int, SourceLines]] = var({}, init=False)
    """The lines of the predicates that were imported last; told where the run goes by that graph."""

    @dataclass
    class EdgeChosen(Message):
        """An edge is to be shown in the graph."""

        edge: int
        """Its position among the edges of the run's graph."""

    @dataclass
    class BreakAsked(Message):
        """A breakpoint is to be set on an edge, or taken away."""

        edge: int
        """Its position among the edges of the run's graph."""

    @dataclass
    class Told(Message):
        """A word for the person, about what a key could not do."""

        text: str

    def __init__(self, hints: Hints = UNMAPPED) -> None:
        super().__init__()
        self._hints = hints
        self.cursor = 0
        """Which edge of the step is selected."""
        self.page = TextPage(self, lambda: self.cursor)
        self.lines, self.search = self.page.view, self.page.search

    def show(self, moment: RunSnapshot | None) -> None:
        """Tell the story of the moment; of another one from its top, with the cursor at the edge taken."""
        about = (moment.view.run_id, moment.step) if moment is not None else None
        if about != self.page.about:
            record = moment.record if moment is not None else None
            self.cursor = (record.row.edge or 0) if record is not None else 0
        self.page.show(lambda: self._story(moment), about)

    def watch_sources(self) -> None:
        """Tell other code."""
        self.show_anew()

    def _story(self, moment: RunSnapshot | None) -> Iterable[Line]:
        from .story import story_of  # this tab is rarely the first that is looked at

        return story_of(moment, self._hints)

    def copied(self) -> str | None:
        """Return the whole page as text."""
        return self.page.text()

    def copied_path(self) -> str | None:
        """Return the command that explains the step."""
        if self.moment is None:
            return None
        return f"stepgraph runs show {self.moment.view.run_id} --step {self.moment.step}"

    def action_to(self, way: Way) -> None:
        """Go to the next edge or the one before, or on to what stands beyond; or by a page."""
        if way not in ("next", "previous"):
            super().action_to(way)
            return
        by = 1 if way == "next" else -1
        view, rows = self.page.view, self.page.rows_of_block(self.cursor)
        target = self.page.rows_of_block(self.cursor + by)
        hidden = rows and (rows.stop > view.top + view.room if by > 0 else rows.start < view.top)
        if hidden or not target:
            self.scroll_relative(y=by, animate=False)
        else:
            self._select(self.cursor + by)
            view.reveal(target.start, target.stop - 1)

    def _select(self, edge: int) -> None:
        self.cursor = edge
        self.page.view.repaint()

    def action_show_edge(self) -> None:
        """Ask for the edge to be shown in the graph."""
        chosen = self.chosen
        if chosen is not None:
            self.post_message(self.EdgeChosen(chosen.index))
        elif self.moment is not None:
            self.post_message(self.Told("This edge is not in the graph that the run uses now."))

    def action_break_here(self) -> None:
        """Ask for a breakpoint on the edge."""
        chosen = self.chosen
        if chosen is not None:
            self.post_message(self.BreakAsked(chosen.index))
        elif self.moment is not None:
            self.post_message(self.Told("This edge is not in the graph that the run uses now."))

    @property
    def chosen(self) -> Edge | None:
        """The edge of the run's graph that the cursor is at; the graph may be another than it was."""
        if self.moment is None:
            return None
        view, record = self.moment.view, self.moment.record
        node = view.plan.start if record is None else record.node
        edges = view.plan.edges_from(node) if node in view.plan.nodes else ()
        if self.cursor >= len(edges):
            return None
        edge = edges[self.cursor]
        return edge if record is None or record.edges[self.cursor].is_like(edge) else None

    def on_click(self, event: events.Click) -> None:
        """Select the edge under the pointer; a double click shows it."""
        block = self.page.block_at(event.y)
        if block is not None:
            self._select(block)
            if event.chain == 2:
                self.action_show_edge()
