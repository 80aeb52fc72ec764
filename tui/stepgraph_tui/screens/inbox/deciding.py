"""Recording the decisions of the inbox, one after the other, in a thread of its own."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from stepgraph_tui.text.plain import plural
from stepgraph_tui.text.reviews import DONE
from stepgraph_tui.worker import Decide, SteppingThread

if TYPE_CHECKING:
    from textual.message import Message

    from stepgraph.reviews.model import Decision, Review
    from stepgraph.values.errors import StepgraphError
    from stepgraph_tui.context import AppContext
    from stepgraph_tui.dialogs.approval import ReviewScreen


class InboxDecisions:
    """Hands decisions to the thread, and tells what became of them.

    Args:
        context: What the app shares.
        post: Takes what the thread tells, which is to be handed to ``recorded`` and ``refused``.
    """

    def __init__(self, context: AppContext, post: Callable[[Message], object]) -> None:
        self._context, self._post = context, post
        self._left: deque[Decide] = deque()
        self._together = 0  # how many were to be decided at once; 0 for a single one
        self._done: list[Review] = []
        self._refusals: list[str] = []
        self.dialog: ReviewScreen | None = None
        """The dialog that was opened last."""

    @cached_property
    def _thread(self) -> SteppingThread:
        context = self._context
        return SteppingThread(context.connect, self._post, clock=context.clock, ids=context.ids)

    @property
    def left(self) -> int:
        """How many of several decisions have still to be recorded."""
        return len(self._left)

    def submit(self, decide: Decide) -> bool:
        """Record a decision; False where others are being recorded."""
        return not self._left and self._thread.submit(decide)

    def decide_all(self, reviews: Sequence[Review], decision: Decision, *, goes_on: bool) -> None:
        """Record one decision for several reviews, each bound to what was shown of it.

        Args:
            reviews: The reviews.
            decision: The decision.
            goes_on: Whether their runs are to continue then.
        """
        self._done, self._refusals, self._together = [], [], len(reviews)
        self.dialog = None
        self._left.extend(Decide(each.run_id, each.id, decision, each.hash, goes_on) for each in reviews)
        self._next()

    def _next(self) -> None:
        if self._left and self._thread.submit(self._left[0]):
            self._left.popleft()

    def recorded(self, review: Review) -> str:
        """Take it that a decision is recorded; say something where it was the last one of several."""
        if self.dialog is not None:
            self.dialog.recorded(review)
        self._done.append(review)
        return self._go_on()

    def refused(self, error: StepgraphError) -> str:
        """Take it that a decision was refused; say something where it was the last one of several."""
        if self.dialog is not None:
            self.dialog.refused(error)
            return "" if self.dialog.is_attached else f"not recorded: {error.message}"
        self._refusals.append(error.message)
        return self._go_on()

    def _go_on(self) -> str:
        self._next()
        if not self._together or self._left or len(self._done) + len(self._refusals) < self._together:
            return ""
        self._together = 0
        ended = [review.decision for review in self._done if review.decision is not None]
        votes = len(self._done) - len(ended)  # where several people must approve
        said = [f"{plural(len(ended), 'review')} {DONE[ended[0].verb]}"] if ended else []
        said += [f"{plural(votes, 'approval')} recorded, more are needed"] if votes else []
        if self._refusals:
            said.append(f"{len(self._refusals)} not recorded: {self._refusals[0]}")
        return "; ".join(said)

    def close(self) -> None:
        """Take no more decisions."""
        if "_thread" in self.__dict__:
            self._thread.close()
