"""The page of what the listed runs took together; it is filled while they are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.text import Text
from textual import on, work
from textual.message import Message
from textual.worker import get_current_worker

from stepgraph.values import StepgraphError

from ..text.plain import plural
from ..text.totals import Totals
from ..view.run_content import in_batches, spent_by_model
from .pages import Copy, Page

if TYPE_CHECKING:
    from stepgraph.runs import Spending
    from stepgraph.stores import StateStore, StoredRun

_Read = tuple["StoredRun", "Mapping[str, Spending] | None"]
"""A run, and what each model took in it; None where it cannot be read."""


class TotalsPage(Page, inherit_bindings=False):
    """Shows what runs took: steps, time, calls, tokens and cost, by graph, model and day.

    Args:
        store: Where they are.
        runs: The runs.
        copy: Copies a text.
    """

    class Counted(Message):
        """Some more runs were read."""

        def __init__(self, read: list[_Read]) -> None:
            super().__init__()
            self.read = read

    def __init__(self, store: StateStore, runs: Sequence[StoredRun], copy: Copy | None = None) -> None:
        super().__init__(f"TOTALS of {plural(len(runs), 'run')}", copy)
        self._store, self._runs = store, runs
        self._totals = Totals()
        self._unreadable = 0

    def on_mount(self) -> None:
        """Begin to read."""
        self._count()

    @work(thread=True, exclusive=True, exit_on_error=False)
    def _count(self) -> None:
        worker = get_current_worker()
        for read in in_batches(self._runs, self._read, lambda: worker.is_cancelled):
            self.post_message(self.Counted(read))

    def _read(self, run: StoredRun) -> _Read:
        try:
            return run, spent_by_model(self._store, run)
        except StepgraphError:  # it is listed among what is damaged
            return run, None

    @on(Counted)
    def _take(self, message: Counted) -> None:
        for run, spent in message.read:
            if spent is None:
                self._unreadable += 1
            else:
                self._totals.add(run, spent)
        self.show_lines(self.size)

    def lines(self, width: int) -> list[Text]:
        """Write the table; below it how many runs are still to be read."""
        left = len(self._runs) - self._totals.all.runs - self._unreadable
        lines = [Text(line, no_wrap=True) for line in self._totals.lines()]
        if left:
            lines += [Text(), Text(f"… {plural(left, 'run')} still to be read", style="dim")]
        if self._unreadable:
            lines += [Text(), Text(f"{plural(self._unreadable, 'run')} cannot be read", style="dim")]
        return lines
