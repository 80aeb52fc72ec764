"""How many reviews of the store wait for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepgraph.reviews.due import DueReviews
from stepgraph.stores.ledger import RunStatus

if TYPE_CHECKING:
    from stepgraph_tui.context import AppContext


class WaitingReviews:
    """Counts the reviews that wait, once what is overdue was applied.

    Args:
        context: What the app shares.
    """

    def __init__(self, context: AppContext) -> None:
        self.count: int | None = None
        """How many reviews of the store wait for a person; None while nobody could read it."""
        self._store = context.store
        self._due = DueReviews(context.store, context.clock.time)

    @property
    def is_due(self) -> bool:
        """Whether a deadline or an escalation has passed since the last look: the store tells nobody."""
        return self._due.is_due

    def look(self) -> bool:
        """Count them anew; tell whether there are more or fewer than before.

        Raises:
            StepgraphError: The store cannot be read.
        """
        paused = self._store.runs(RunStatus.PAUSED)
        if self._due.look(paused):
            paused = self._store.runs(RunStatus.PAUSED)
        before = self.count
        ids = (run.pointer.review for run in paused)
        self.count = sum(id_ is not None and id_ not in self._due.timed for id_ in ids)
        return self.count != before
