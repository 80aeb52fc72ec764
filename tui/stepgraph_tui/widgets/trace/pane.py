"""The pane that lists the steps of a run; its cursor is the moment that all panes show."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable
from dataclasses import dataclass

from textual import events
from textual.message import Message
from textual.reactive import var

from stepgraph.graphs import CompiledGraph
from stepgraph.values import StepgraphError
from stepgraph_tui.commands import bindings
from stepgraph_tui.drawing.picture.run_marks import NO_BREAKS, BreakMarks
from stepgraph_tui.run_view import RunSnapshot
from stepgraph_tui.status_text import RunningNode
from stepgraph_tui.text.cells import cell_len, cut, padded
from stepgraph_tui.text.plain import plural
from stepgraph_tui.widgets.chrome.pane import Pane
from stepgraph_tui.widgets.lines import LineView, Margins, Role, Search, TextLine

from ..lines import FOUND
from .lines import TITLES, Needs, TraceLines, step_spans
from .texts import LiveLine, live_text, running_text, spent

_TITLED = 8  # lines from which the columns have titles
_GAP = 2  # cells before what a run has spent
_ANSWER = 3  # rows of an answer that is coming
_LEAST = 12  # cells that are left of what the live line says else
_EMPTY = "No run yet: its steps will be listed here."


class TracePane(Pane, inherit_bindings=False):
    """The steps of a run, what else happened between them, and where it is now.

    Args:
        now: What tells the time, in seconds since 1970.
    """

    BINDINGS = bindings("trace")
    DEFAULT_CSS = """
    TracePane {
        overflow: hidden auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
    }
    """

    @dataclass
    class Viewed(Message):
        """A step is to be viewed; the run as it stands for None."""

        step: int | None

    class Opened(Message):
        """All about the step that is viewed is to be shown."""

    @dataclass
    class Marked(Message):
        """The run is to stop after a node, or no more."""

        node: str

    lines: LineView
    search: Search
    pause_after: var[frozenset[str]] = var(frozenset())
    """The nodes that a continued run stops after."""
    breaks: var[BreakMarks] = var(NO_BREAKS)
    """The signs of breakpoints."""
    running: var[RunningNode | None] = var(None)
    """The node that runs now, with what it has asked so far."""

    def __init__(self, *, now: Callable[[], float] = time.time, id: str | None = None) -> None:
        super().__init__(id=id)
        self._now = now
        self._trace: TraceLines | None = None
        self._plan: CompiledGraph | None = None
        self._needs = Needs()
        self._cursor: int | None = None  # a step; None for where the run stands
        self._coming: list[str] = []  # what a model is answering, below the live line
        self._told: LiveLine | None = None  # what the live line said when it was last looked at
        self.lines = LineView(self, self, empty=_EMPTY, margins=self._margins, keep=self._reveal, looks=FOUND)
        self.lines.search = self.search = Search(
            lambda: self._trace.texts() if self._trace is not None else (),
            self._line_at_cursor,
            self._show_match,
        )

    def show(self, moment: RunSnapshot | None) -> None:
        """List the steps so far, and put the cursor on the one that is viewed."""
        if moment is None:
            self._trace = None
            self.inform("")
            self.lines.arrange()
            return
        if moment.view.plan is not self._plan:
            self._plan = moment.view.plan
            self._needs = Needs.of(self._plan)
        if self._trace is None or self._trace.view is not moment.view:
            self._trace = TraceLines(moment.view)
            self.search.forget()
        self._trace.read()
        self.search.renew(self.search.place or 0)
        self._cursor = None if moment.live else moment.step
        self._inform(self._trace)
        self.lines.arrange()

    def _inform(self, trace: TraceLines) -> None:
        steps = trace.view.run.step
        viewed = self._cursor is not None
        self.inform(f"step {self._cursor} of {steps}" if viewed else plural(steps, "step"))

    @property
    def _is_tall(self) -> bool:
        """Whether there is room for titles, and for a line of what a run has spent."""
        return self.size.height >= _TITLED

    def _reveal(self) -> None:
        """Move the cursor on its line, and show it."""
        if self._trace is not None:
            line = self._line_at_cursor()
            self.lines.put_cursor(range(line, line + 1))
            self.lines.reveal(line, line)
            self._fit_columns()

    def _fit_columns(self) -> None:
        """Fit the columns to what is in view."""
        top, room = self.lines.top, self.lines.room
        if self._trace is not None and self._trace.see(range(top, top + room)):
            self.lines.repaint()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Fit the columns to other lines."""
        super().watch_scroll_y(old_value, new_value)
        self._fit_columns()

    def watch_pause_after(self) -> None:
        """Mark the nodes."""
        self.lines.repaint()

    def watch_breaks(self) -> None:
        """Mark the nodes with breakpoints."""
        self.lines.repaint()

    def watch_running(self) -> None:
        """Show which node runs, and the answer that it receives."""
        before, self._coming = len(self._coming), self._answer()
        if len(self._coming) != before:
            self.lines.arrange()
            if self._trace is not None and self._cursor is None:
                self.lines.reveal(self._trace.live, self._trace.live + len(self._coming))
        self._repaint_live()
        for number in range(len(self._coming)):
            if self._trace is not None:
                self.lines.repaint_line(self._trace.live + 1 + number)

    def _answer(self) -> list[str]:
        """Fold the end of what a model is answering into a few rows, below who is asked."""
        if self._trace is None or self.running is None:
            return []
        width = self.lines.width - self._trace.columns.indent - 2
        return self.running.coming(self._trace.view.mask.text, _ANSWER, width)

    def tell_time(self) -> None:
        """Paint the live line when it says something else by now, such as how long a wait is, and is seen."""
        if self._trace is not None and self.is_attached and self.screen.is_active:
            line = self._live_line(self._trace)
            if line != self._told:
                self._told = line
                self._repaint_live()

    def _repaint_live(self) -> None:
        if self._trace is not None:
            self.lines.repaint_line(self._trace.live)

    # The lines

    def fit(self, width: int, height: int) -> int:
        """Fit the columns into the width."""
        return self._trace.fit(width, self._needs) + len(self._coming) if self._trace is not None else 0

    def _margins(self) -> Margins:
        if self._trace is None or not self._is_tall:
            return [], []
        view = self._trace.view
        titles = step_spans(TITLES, self._trace.columns, view.times)
        totals = f" {', '.join(spent(view))}"
        return [TextLine([(text, "dim") for text, _ in titles])], [TextLine([(totals, "dim")])]

    def line(self, number: int) -> TextLine:
        """Build the line of a step, of something else that happened, or of the run now."""
        if self._trace is None:
            return TextLine()
        trace = self._trace
        if number > trace.live:
            texts = self._coming[number - trace.live - 1 :][:1]
            role: Role = "dim" if number == trace.live + 1 else "value"
            indent = " " * trace.columns.indent
            return TextLine([(f"{indent}│ ", "rule"), *((text, role) for text in texts)], place=-1)
        try:
            line = trace.painted(
                number, lambda: self._live_line(trace), self._cursor, self.pause_after, self.breaks
            )
            is_live = number == trace.live
            return self._with_totals(line, trace) if is_live and not self._is_tall else line
        except StepgraphError as error:  # of a run only what is looked at is read, and that from the store
            return TextLine([(str(error), "bad")])

    def _with_totals(self, line: TextLine, trace: TraceLines) -> TextLine:
        """Add what the run has spent to the end of its live line, which is cut for it; a reason is not."""
        totals, spans = ", ".join(spent(trace.view)), list(line.parts)
        *before, (text, role) = spans
        room = self.lines.width - cell_len(totals) - _GAP - sum(cell_len(part) for part, _ in before)
        if not totals or room < (cell_len(text) if role == "bad" else min(cell_len(text), _LEAST)):
            return line
        spans = [*before, (padded(cut(text, room), room), role), (" " * _GAP + totals, "dim")]
        return TextLine(spans, line.place, line.whole)

    def _live_line(self, trace: TraceLines) -> LiveLine:
        if self.running is not None:
            return running_text(self.running.name, self.running.seconds)
        return live_text(trace.view, self._now())

    def _line_at_cursor(self) -> int:
        return self._trace.line_of(self._cursor) if self._trace is not None else 0

    # Which step is viewed

    def _view(self, step: int | None) -> None:
        """Move the cursor, and ask for that moment."""
        if step != self._cursor and self._trace is not None:
            self._cursor = step
            self._inform(self._trace)
            self._reveal()
            self.post_message(self.Viewed(step))

    def action_cursor_down(self) -> None:
        """View the next step; after the last, where the run stands."""
        if self._trace is not None and self._cursor is not None:
            last = self._trace.view.run.step
            self._view(self._cursor + 1 if self._cursor < last else None)

    def action_cursor_up(self) -> None:
        """View the step before."""
        if self._trace is not None:
            steps = self._trace.view.run.step
            self._view(steps if self._cursor is None else max(0, self._cursor - 1))

    def action_first(self) -> None:
        """View the start."""
        self._view(0)

    def action_live(self) -> None:
        """Return to where the run stands."""
        self._view(None)

    def on_click(self, event: events.Click) -> None:
        """View the step that was clicked; show all about it after a second click."""
        number = self.lines.line_at(event.y)
        if self._trace is not None and number is not None:
            self._view(self._trace.step_of(min(number, self._trace.live)))
            if event.chain == 2:
                self.action_open()

    # What is done with a step

    def action_open(self) -> None:
        """Show all about the step."""
        if self._trace is not None:
            self.post_message(self.Opened())

    @property
    def node(self) -> str | None:
        """The node of the line with the cursor."""
        if self._trace is None:
            return None
        row = self._trace.row(self._line_at_cursor())
        return row.node if row is not None else self._trace.view.run.current

    def action_mark(self) -> None:
        """Stop a continued run after the node, or no more."""
        if self.node is not None:
            self.post_message(self.Marked(self.node))

    def copied(self) -> str | None:
        """Return the line with the cursor, whole."""
        if self._trace is None:
            return None
        text = self._trace.text(self._line_at_cursor())
        if text is not None:
            return text
        live_line = self._live_line(self._trace)
        return f"{live_line.mark} {live_line.node}  {live_line.text}"

    def copied_path(self) -> str | None:
        """Return the command that tells all about the step."""
        if self._trace is None:
            return None
        step = () if self._cursor is None else ("--step", str(self._cursor))
        return shlex.join(["stepgraph", "runs", "show", self._trace.view.run_id, *step])

    def _show_match(self, place: int | None) -> None:
        if self._trace is not None and place is not None:
            self._view(self._trace.step_of(place))
        self.lines.repaint()
