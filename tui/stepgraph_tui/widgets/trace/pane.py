"""The pane that lists the steps of a run; its cursor is the moment that all panes show."""

from __future__ import annotations

import shlex

from textual import events
from textual.message import Message

from stepgraph_tui.commands import TRACE, bindings
from stepgraph_tui.widgets.matches import Matches

from . import rows
from .details import details
from .lines import TraceLines
from .sheet import TraceSheet


class TracePane(TraceSheet, inherit_bindings=False):
    """The steps of a run, what else happened between them, and where it stands now."""

    BINDINGS = bindings(TRACE)

    class Viewed(Message):
        """A step is to be viewed; the run as it stands for None."""

        def __init__(self, step: int | None) -> None:
            super().__init__()
            self.step = step

    class Marked(Message):
        """The run is to stop after a node, or no more."""

        def __init__(self, node: str) -> None:
            super().__init__()
            self.node = node

    def _view(self, step: int | None) -> None:
        """Move the cursor, and ask for that moment."""
        if step != self._cursor:
            self._cursor = step
            self._follow()
            self.post_message(self.Viewed(step))

    def action_cursor_down(self) -> None:
        """View the next step; after the last, where the run stands."""
        if self._lines is not None and self._cursor is not None:
            last = self._lines.view.run.step
            self._view(self._cursor + 1 if self._cursor < last else None)

    def action_cursor_up(self) -> None:
        """View the step before."""
        if self._lines is not None:
            steps = self._lines.view.run.step
            self._view(steps if self._cursor is None else max(0, self._cursor - 1))

    def action_first(self) -> None:
        """View the start."""
        if self._lines is not None:
            self._view(0)

    def action_live(self) -> None:
        """Go back to where the run stands."""
        self._view(None)

    def on_click(self, event: events.Click) -> None:
        """View the step that was clicked; show more of it after a second click."""
        if self._lines is None or event.y < self._titled:
            return
        line, _ = self._lines.locate(self.scroll_offset.y + event.y - self._titled)
        if line <= self._lines.live:
            self._view(self._lines.step_of(line))
            if event.chain == 2:
                self.action_expand()

    # What is done with a step

    def action_expand(self) -> None:
        """Show more of the step, or less."""
        if self._lines is None:
            return
        key = self._lines.key(self._lines.line_of(self._cursor))
        if self._facts.pop(key, None) is None:
            facts = details(self._lines.view, self._cursor)
            if not facts:
                return
            self._facts[key] = facts
        self._arrange()
        self._reveal()

    @property
    def node(self) -> str | None:
        """The node of the line with the cursor."""
        if self._lines is None:
            return None
        row = self._lines.row(self._lines.line_of(self._cursor))
        return row.node if row is not None else self._lines.view.run.current

    def action_mark(self) -> None:
        """Stop a continued run after the node, or no more."""
        if self.node is not None:
            self.post_message(self.Marked(self.node))

    def copied(self) -> str | None:
        """The line with the cursor, whole."""
        if self._lines is None:
            return None
        found = rows.cells(self._lines, self._lines.line_of(self._cursor))
        if found is not None:
            return found.text
        standing = self._standing(self._lines)
        return f"{standing.mark} {standing.node}  {standing.text}"

    def copied_path(self) -> str | None:
        """The command that tells all about the step."""
        if self._lines is None:
            return None
        step = () if self._cursor is None else ("--step", str(self._cursor))
        return shlex.join(["stepgraph", "runs", "show", self._lines.view.run_id, *step])

    # Searching

    def find(self, text: str) -> str:
        """Go to the first step at or after the cursor that has the text in its node, edge or output."""
        if self._lines is None or not text:
            self.end_find()
            return ""
        self._look_for(text, self._lines, self._lines.line_of(self._cursor))
        return self._found()

    def _look_for(self, text: str, lines: TraceLines, near: int) -> None:
        self._texts += [rows.searched(lines, line) for line in range(len(self._texts), lines.live)]
        self._matches = Matches(text, self._texts, near)

    def find_next(self, by: int) -> str:
        """Go to the next match, or the one before."""
        if self._lines is None or self._matches is None:
            return ""
        if len(self._texts) < self._lines.live:
            self._look_for(self._matches.text, self._lines, self._matches.place or 0)
        self._matches.turn(by)
        return self._found()

    def _found(self) -> str:
        """Go where the match is."""
        if self._lines is not None and self._matches is not None and self._matches.place is not None:
            self._view(self._lines.step_of(self._matches.place))
        self.refresh()
        return str(self._matches)

    def end_find(self) -> None:
        """Mark nothing any more."""
        self._matches = None
        self.refresh()
