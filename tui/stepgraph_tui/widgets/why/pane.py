"""The route explainer as a pane."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING

from textual import events
from textual.message import Message

from stepgraph_tui.commands import WHY, bindings
from stepgraph_tui.widgets.page import NOWHERE, Line, PagePane

from .story import story_of

if TYPE_CHECKING:
    from stepgraph.graphs.parts import Edge


class WhyPane(PagePane, inherit_bindings=False):
    """Why the run went where it went, and where the answers to the coming question lead."""

    BINDINGS = bindings(WHY)

    class EdgeChosen(Message):
        """An edge is to be shown in the graph."""

        def __init__(self, edge: int) -> None:
            super().__init__()
            self.edge = edge
            """Its position among the edges of the run's graph."""

    _cursor = 0

    def page(self) -> Iterable[Line]:
        """The story of the moment."""
        return story_of(self.moment)

    def subject(self) -> Hashable:
        """The step."""
        return None if self.moment is None else (self.moment.view.run_id, self.moment.step)

    def begin(self) -> None:
        """Put the cursor at the edge that was taken."""
        record = self.moment.record if self.moment is not None else None
        self._cursor = (record.row.edge or 0) if record is not None else 0

    def selected_block(self) -> int | None:
        """The edge that the cursor is at."""
        return self._cursor

    def copied_path(self) -> str | None:
        """The command that explains the step."""
        if self.moment is None:
            return None
        return f"stepgraph runs show {self.moment.view.run_id} --step {self.moment.step}"

    def action_cursor_down(self) -> None:
        """Go to the next edge, or on to what stands below."""
        self._move(1)

    def action_cursor_up(self) -> None:
        """Go to the edge before, or back to what stands above."""
        self._move(-1)

    def _move(self, by: int) -> None:
        first, last = self.rows_of_block(self._cursor)
        top, bottom = self.seen_rows()
        hidden = last >= bottom if by > 0 else first < top
        target = self.rows_of_block(self._cursor + by)
        if hidden or target == NOWHERE:
            self.scroll_relative(y=by, animate=False)
            return
        self._select(self._cursor + by)
        self.show_rows(*target)

    def _select(self, edge: int) -> None:
        self._cursor = edge
        self.refresh()

    def action_show_edge(self) -> None:
        """Ask for the edge to be shown in the graph."""
        chosen = self._chosen()
        if chosen is not None:
            self.post_message(self.EdgeChosen(chosen.index))
        elif self.moment is not None:
            self.post_message(self.Told("This edge is not in the graph that the run goes by now."))

    def _chosen(self) -> Edge | None:
        """The edge of the run's graph that the cursor is at; the graph may be another than it was."""
        if self.moment is None:
            return None
        view, record = self.moment.view, self.moment.record
        node = view.plan.start if record is None else record.node
        edges = view.plan.edges_from(node) if node in view.plan.nodes else ()
        if self._cursor >= len(edges):
            return None
        edge = edges[self._cursor]
        if record is not None:
            tried = record.edges[self._cursor]
            if (tried.target, tried.condition) != (edge.target, edge.condition.describe()):
                return None
        return edge

    def on_click(self, event: events.Click) -> None:
        """Select the edge under the pointer; a double click shows it."""
        line = self.line_at(event.y)
        if line is None or line.block is None:
            return
        self._select(line.block)
        if event.chain == 2:
            self.action_show_edge()
