"""The lines of the trace: one for each row of the ledger, details below, and the live line."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import TYPE_CHECKING

from stepgraph_tui.drawing.picture.break_marks import NO_BREAKS, BreakMarks
from stepgraph_tui.text.plain import visible
from stepgraph_tui.widgets.lines import TextLine

from .columns import (
    TITLES,
    Columns,
    Needs,
    StepCells,
    fact_spans,
    live_spans,
    note_spans,
    search_text,
    sign_at,
    step_cells,
    step_spans,
)
from .details import LABEL, details, fold
from .signs import RowSigns

if TYPE_CHECKING:
    from stepgraph.stores.ledger import Row
    from stepgraph_tui.run_view import RunView

    from .details import Fact
    from .texts import Standing

LIVE = 0
"""What stands for the live line where rows are named by their sequence numbers, which begin at 1."""


class TraceLines:
    """The lines of one run. Reading on costs only what is new.

    Args:
        view: The run.
    """

    def __init__(self, view: RunView) -> None:
        self.view = view
        self.signs = RowSigns(view)
        """What each row changed, by its sequence number."""
        self._seen = Needs().with_step(TITLES)  # what the lines need that were in view so far
        self.columns = self._seen.fit(80, 0, Needs())
        """How the lines are divided. Columns grow with what comes into view, and never jump back."""
        self._width, self._needs = 80, Needs()
        self._expanded: dict[int, list[Fact]] = {}  # by the sequence number of the row that they are below
        self._folded: dict[int, list[Fact]] = {}  # the same in lines of the columns' width
        self._hidden: list[int] = []  # the rows without a line
        self._others = 0  # how many of the rows that are not steps were read
        self._upto = 0
        self._texts: list[str] = []

    def read(self) -> None:
        """Take up the rows that came since; the live line is not expanded any more."""
        self._expanded.pop(LIVE, None)
        others = self.view.others
        # A failure that is the last thing that happened is what the live line tells.
        self._upto = len(self.view.rows) - (self.view.rows[-1].kind == "attempt")
        # Of a review the decision, or the live line, tells.
        self._hidden += [row.seq for row in others[self._others :] if row.kind == "review"]
        self._others = len(others)

    @property
    def live(self) -> int:
        """The last line: where the run stands."""
        return self._upto - len(self._hidden)

    def _seq(self, line: int) -> int:
        """Find the row that a line shows."""
        hidden = self._hidden
        return line + 1 + bisect_right(range(len(hidden)), line, key=lambda at: hidden[at] - at - 1)

    def _line(self, seq: int) -> int:
        """Find the line that shows a row."""
        return seq - 1 - bisect_left(self._hidden, seq)

    @property
    def height(self) -> int:
        """How many lines there are, details included."""
        return self.live + 1 + sum(map(len, self._folded.values()))

    def row(self, line: int) -> Row | None:
        """Find the ledger's row that a line shows; None for the live line."""
        return self.view.rows[self._seq(line) - 1] if line < self.live else None

    def line_of(self, step: int | None) -> int:
        """Find the line of a step; the live line for None, and for a step that the trace does not have."""
        known = step is not None and step <= len(self.view.steps)
        return self._line(self.view.seq_of(step)) if step is not None and known else self.live

    def step_of(self, line: int) -> int | None:
        """Find the step that a line belongs to; None for what belongs to the step to come."""
        row = self.row(line)
        return row.step if row is not None and row.step <= len(self.view.steps) else None

    # What is expanded

    def expand(self, step: int | None) -> bool:
        """Show more of a step, or less; of where the run stands for None.

        Returns:
            Whether there is more to show.
        """
        key = self._key(self.line_of(step))
        if self._expanded.pop(key, None) is None:
            facts = details(self.view, step)
            if not facts:
                return False
            self._expanded[key] = facts
        return True

    def fit(self, width: int, needs: Needs) -> int:
        """Divide so many cells into columns, and fold to them what is expanded; returns the height."""
        self._width, self._needs = width, needs
        self.columns = self._fitted()
        room = width - self.columns.indent - LABEL
        self._folded = {key: fold(facts, room) for key, facts in self._expanded.items()}
        return self.height

    def _fitted(self) -> Columns:
        return self._seen.fit(self._width, self.view.run.step, self._needs)

    def see(self, rows: range) -> bool:
        """Take account of what comes into view.

        Args:
            rows: How many lines below the top that is, details included.

        Returns:
            Whether the columns have changed with it.
        """
        for y in rows:
            line, below = self.locate(y)
            if below or line > self.live:
                continue
            row = self.row(line)
            if row is None:
                cells: StepCells | None = StepCells("", visible(self.view.run.current or ""), "")
            else:
                cells = step_cells(self.view, row, self.signs[row.seq])
            if cells is not None:
                self._seen = self._seen.with_step(cells)
        before, self.columns = self.columns, self._fitted()
        return self.columns != before

    def _key(self, line: int) -> int:
        return self._seq(line) if line < self.live else LIVE

    def _heights(self) -> list[tuple[int, int]]:
        """Find the lines with details, in order, and how many lines those take."""
        return sorted(
            (self._line(key) if key != LIVE else self.live, len(facts)) for key, facts in self._folded.items()
        )

    def locate(self, y: int) -> tuple[int, int]:
        """Find what is so many lines below the top: a line, and which of its details, 0 for itself."""
        above = 0
        for line, height in self._heights():
            if y <= line + above:
                break
            if y <= line + above + height:
                return line, y - line - above
            above += height
        return y - above, 0

    def rows_of(self, line: int) -> range:
        """Count a line and its details from the top."""
        top = line + sum(height for expanded, height in self._heights() if expanded < line)
        return range(top, top + 1 + len(self._folded.get(self._key(line), ())))

    # What is shown

    def painted(
        self,
        y: int,
        standing: Callable[[], Standing],
        viewed: int | None,
        pauses: frozenset[str],
        breaks: BreakMarks = NO_BREAKS,
    ) -> TextLine:
        """Make what is so many lines below the top.

        Args:
            y: How many.
            standing: Tells what the live line says.
            viewed: The step that is viewed, if it is a past one.
            pauses: The nodes that a continued run stops after.
            breaks: The breakpoints.
        """
        line, below = self.locate(y)
        if below:
            label, text = self._folded[self._key(line)][below - 1]
            return TextLine(fact_spans(label, text, self.columns, LABEL), place=-1)
        row = self.row(line)
        if row is None:
            node = self.view.run.current
            hit = node is not None and node == breaks.hit
            spans = live_spans(standing(), self.columns, node in pauses, sign_at(node, breaks), hit=hit)
        elif (found := step_cells(self.view, row, self.signs[row.seq], pauses, breaks)) is not None:
            spans = step_spans(found, self.columns, self.view.times, viewed=viewed == row.step)
        else:
            spans = note_spans(self.view, row, self.signs[row.seq], self.columns)
        return TextLine(spans, line, whole=True)

    def text(self, line: int) -> str | None:
        """Write a step, or the start, on one line; None for any other line."""
        row = self.row(line)
        cells = step_cells(self.view, row, self.signs[row.seq]) if row is not None else None
        return cells.text if cells is not None else None

    def texts(self) -> list[str]:
        """Collect what each line but the live one is found by."""
        for seq in map(self._seq, range(len(self._texts), self.live)):
            self._texts.append(search_text(self.view, self.view.rows[seq - 1], self.signs[seq]))
        return self._texts
