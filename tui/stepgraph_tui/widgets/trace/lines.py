"""Which line of the trace shows what: a line for each row of the ledger, details below, and the live line."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from stepgraph_tui.words.state_diff import Before

if TYPE_CHECKING:
    from stepgraph.stores.ledger import Row
    from stepgraph_tui.run_view import RunView

LIVE = 0
"""What stands for the live line where rows are named by their sequence numbers, which begin at 1."""


class TraceLines:
    """The lines of one run. Reading on costs only what is new.

    Args:
        view: The run.
    """

    def __init__(self, view: RunView) -> None:
        self.view = view
        self.signs: list[list[str]] = []
        """What each line's row changed, in signs."""
        self.details: dict[int, list[tuple[str, str]]] = {}
        """What is shown below a line, by the sequence number of its row."""
        self._seqs: list[int] = []
        self._steps: list[int] = []  # the line of each step, from step 0
        self._before = Before({})
        self._read = 0

    def read(self) -> None:
        """Take up the rows that came since."""
        rows = self.view.rows
        # A failure that is the last thing that happened is what the live line tells.
        upto = len(rows) - (rows[-1].kind == "attempt")
        for row in rows[self._read : upto]:
            signs = self._before.of_row(row)
            if row.kind == "review":  # the decision, or the live line, tells of it
                continue
            if row.kind in {"start", "step"}:
                self._steps.append(len(self._seqs))
            self._seqs.append(row.seq)
            self.signs.append(signs)
        self._read = upto

    @property
    def live(self) -> int:
        """The last line: where the run stands."""
        return len(self._seqs)

    @property
    def height(self) -> int:
        """How many lines there are, details included."""
        return self.live + 1 + sum(map(len, self.details.values()))

    def row(self, line: int) -> Row | None:
        """The ledger's row that a line shows; None for the live line."""
        return self.view.rows[self._seqs[line] - 1] if line < self.live else None

    def key(self, line: int) -> int:
        """What a line's details go by."""
        return self._seqs[line] if line < self.live else LIVE

    def line_of(self, step: int | None) -> int:
        """The line of a step; the live line for None, and for a step that the trace does not have."""
        return self._steps[step] if step is not None and step < len(self._steps) else self.live

    def step_of(self, line: int) -> int | None:
        """The step that a line belongs to; None for what belongs to the step to come."""
        row = self.row(line)
        return row.step if row is not None and row.step < len(self._steps) else None

    def _expanded(self) -> list[tuple[int, int]]:
        """The lines with details, in order, and how many lines those take."""
        return sorted(
            (bisect_left(self._seqs, key) if key != LIVE else self.live, len(details))
            for key, details in self.details.items()
        )

    def locate(self, y: int) -> tuple[int, int]:
        """What is so many lines below the top: a line, and which of its details (0 for the line itself)."""
        above = 0
        for line, height in self._expanded():
            if y <= line + above:
                break
            if y <= line + above + height:
                return line, y - line - above
            above += height
        return y - above, 0

    def top_of(self, line: int) -> int:
        """How many lines are above a line."""
        return line + sum(height for expanded, height in self._expanded() if expanded < line)
