"""A run that is read again and again while somebody drives it."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from typing import TYPE_CHECKING

from ..values.errors import StoreError
from .history import History, LedgerRows, Paged, StepRows, Timeline
from .records import Departure, StepRecord
from .spending import SpendingReader

if TYPE_CHECKING:
    from ..graphs.plan import CompiledGraph
    from ..stores.base import StateStore
    from ..stores.ledger import Row


class PagedSteps(Paged[StepRecord]):
    """The completed steps of a run, made into records when they are looked at."""

    def __init__(self, rows: LedgerRows) -> None:
        self.history: History
        """What the records read from; another one when the run follows another graph."""
        self._rows = rows
        self.departures: list[Departure] = []
        """By which way each step went on."""
        self._departures: dict[Departure, Departure] = {}  # one of each, as there are few
        self._seqs = array("Q")  # the row of each step
        self._routes: dict[int, Row] = {}  # of steps that were routed again, by the step's row

    def seq_of(self, step: int) -> int:
        """Find the sequence number of a step's row; of the start row for 0."""
        return self._seqs[step - 1] if step else 1

    def upto(self, seq: int) -> int:
        """Count the steps up to a row."""
        return bisect_right(self._seqs, seq)

    def take(self, row: Row) -> None:
        """Process the next row of the ledger."""
        if row.kind == "step":
            self._seqs.append(row.seq)
            self.departures.append(self._one(Departure.of(row)))
        elif row.kind == "route":
            self._routes[self._seqs[-1]] = row
            self.departures[-1] = self._one(Departure.of(row)._replace(node=self.departures[-1].node))

    def _one(self, departure: Departure) -> Departure:
        return self._departures.setdefault(departure, departure)

    def __len__(self) -> int:
        return len(self._seqs)

    def item(self, index: int) -> StepRecord:
        """Read the record of a step."""
        rows = StepRows(self._rows, self._seqs, len(self._seqs), self._routes)
        return StepRecord(rows[index], self.history)


class PagedRun:
    """A run that is read again and again while somebody drives it: each reading costs what is new.

    Args:
        store: Where the run lives.
        run_id: The run.
    """

    def __init__(self, store: StateStore, run_id: str) -> None:
        self.rows = LedgerRows(store, run_id)
        """The ledger so far."""
        self.steps = PagedSteps(self.rows)
        """The completed steps so far."""
        self.others: list[Row] = []
        """The rows of the ledger that are not steps."""
        self.times = Timeline()
        """What was spent on work, and on waiting."""
        self.spending = SpendingReader(store, run_id)
        """What calls to models took and cost."""
        self._store = store
        self._run_id = run_id
        self._visited: dict[str, list[int]] = {}

    @property
    def history(self) -> History:
        """What the run's handle and its records read from."""
        return self.steps.history

    def go_by(self, plan: CompiledGraph) -> None:
        """Read the steps as those of a run that follows a graph."""
        self.steps.history = History(self._store, self._run_id, plan)
        self.steps.history.visited = self._visited

    def read(self, version: int) -> None:
        """Process the rows up to a version; what can be read now can be read again later.

        Raises:
            StoreError: The ledger has gaps, or cannot be read.
        """
        before, self.rows.version = self.rows.version, version
        seq = before
        try:
            for seq, row in enumerate(self.rows.after(before), before + 1):
                if row.kind == "step":
                    self._visited.setdefault(row.node or "", []).append(seq)
                else:
                    self.others.append(row)
                self.steps.take(row)
                self.times.take(row)
                self.spending.take(row)
        except StoreError:
            self.rows.version = seq  # the next reading goes on there
            raise

    def last_visit(self, node: str, step: int) -> StepRecord | None:
        """Find the last visit of a node once a step was completed; None where there was none."""
        seqs = self._visited.get(node, [])
        count = bisect_right(seqs, self.steps.seq_of(step)) if step else 0
        return self.steps[self.steps.upto(seqs[count - 1]) - 1] if count else None
