"""Calling a person when a review comes: by the terminal, and by the user's own command."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Set
from contextlib import suppress
from typing import TYPE_CHECKING

from stepgraph.reviews import Review, Reviews
from stepgraph.stores import RunStatus
from stepgraph.values import StepgraphError, StoreDamaged

from .on_pause import PauseCommand
from .settings import TerminalSignals
from .store_look import LastSeen
from .text.inbox import due_text
from .text.reviews import review_json
from .text.system import command
from .view.reviews import RunMasks, SafeReview, masked

if TYPE_CHECKING:
    from stepgraph.stores import StateStore

    from .context import AppContext


_MOST = 100  # reviews that are looked at of those that were ended since the last look


class Arrivals:
    """Looks for reviews again and again, and tells of each new one once.

    Args:
        store: A connection of the reader's own.
        now: The time, in seconds since 1970.
        stamp: Gives the store's stamp, which each commit changes; None asks the store.
    """

    def __init__(
        self,
        store: StateStore,
        now: Callable[[], float] = time.time,
        stamp: Callable[[], object] | None = None,
    ) -> None:
        self._store, self._now, self._seen = store, now, LastSeen(stamp or store.stamp)
        self._masks = RunMasks(store)
        self._known: frozenset[str] | None = None
        self.waiting = 0
        """How many waited at the last look."""
        self.due: list[Review] = []
        """Those that waited at the look before, and whose rule was applied since, whoever has: their runs are
        ready, or have failed, and nobody goes on with them."""

    def look(self) -> list[SafeReview]:
        """Find the reviews that have come since the last look.

        The first look finds none: what waits already, screens show by themselves. While nobody commits
        anything, a look costs next to nothing.

        Raises:
            StoreError: The store cannot be read.
        """
        self.due = []
        if self._seen.is_current():
            return []
        paused = self._store.runs(RunStatus.PAUSED)
        runs = {run.pointer.review: run for run in paused if run.pointer.review is not None}
        known = frozenset(runs) if self._known is None else self._known
        reviews, found = Reviews(self._store, self._now), []
        for review_id, run in runs.items():
            review = reviews.of(run) if review_id not in known else None
            if isinstance(review, Review) and review.status == "pending" and not review.is_wait:
                with suppress(StoreDamaged):  # nobody knows what in it is secret: the lists tell of it
                    found.append(masked(review, self._masks.of(run)))
        found.sort(key=lambda review: (review.asked_at, review.id))
        self.due = list(_due(reviews, known - runs.keys()))
        self._known, self.waiting = frozenset(runs), len(runs)
        self._seen.keep()
        return found


def _due(reviews: Reviews, gone: Set[str]) -> Iterator[Review]:
    """Find those of the reviews that no longer wait which a deadline has ended."""
    latest = reviews.all(pending=False, limit=min(len(gone), _MOST)) if gone else ()
    for review, run in latest:
        stands_there = run.pointer.review == review.id and run.pointer.status is not RunStatus.PAUSED
        if review.id in gone and review.status == "expired" and stands_there:
            yield review


class ReviewCalls:
    """Looks for new reviews, and tells of each one once.

    Args:
        context: What the screens share.
        write: Writes to the terminal.
        failed: Told, from another thread, what went wrong with the user's command.
        tell: Tells the person what deadlines have done.
    """

    def __init__(
        self,
        context: AppContext,
        write: Callable[[str], object],
        failed: Callable[[str], object],
        tell: Callable[[str], object],
    ) -> None:
        self._tell = tell
        self._address = context.address
        self._arrivals = Arrivals(context.store, context.clock.time, context.store_look.stamp)
        self._signals = TerminalSignals(context.settings.notify, write, os.environ)
        self._on_pause = PauseCommand(context.settings.on_pause, failed)

    def look(self) -> None:
        """Announce the reviews that have come since the last look, and those that a deadline has ended."""
        try:
            found = self._arrivals.look()
        except StepgraphError:  # the screens say what is wrong with the store
            return
        self._signals.show_count(self._arrivals.waiting)
        for review in self._arrivals.due:
            self._tell(due_text(review))
        if len(found) > 1:
            self._signals.call(f"{len(found)} reviews have come")  # not one call for each
        for review in found:
            if len(found) == 1:
                self._signals.call(f"{review.graph} {review.node}: {review.request.prompt}")
            show = command("approvals", "show", review.id, store=self._address)
            self._on_pause.tell(review_json(review) | {"command": show})

    def close(self) -> None:
        """Restore the terminal's title, and stop the command."""
        self._signals.close()
        self._on_pause.close()
