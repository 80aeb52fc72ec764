"""The reviews that wait for a person: how many there are, and the dialog that decides one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from stepgraph.reviews.due import DueReviews
from stepgraph.reviews.inbox import Reviews
from stepgraph.stores.base import Damage
from stepgraph.stores.ledger import RunStatus
from stepgraph.stores.refusals import damaged
from stepgraph.values.errors import StepgraphError
from stepgraph_tui import cli_equivalents
from stepgraph_tui.text.plain import visible

if TYPE_CHECKING:
    from stepgraph.reviews.model import Review
    from stepgraph_tui.context import AppContext
    from stepgraph_tui.dialogs.approval import ReviewScreen
    from stepgraph_tui.worker import Work

    from .surface import Surface


class ReviewController:
    """Opens reviews, and tells the dialog what became of its decision.

    Args:
        context: What the app shares.
        surface: The screen.
        submit: Gives the stepping thread work.
        closed: Told when a dialog was closed.
    """

    def __init__(
        self,
        context: AppContext,
        surface: Surface,
        submit: Callable[[Work], bool],
        closed: Callable[[], object],
    ) -> None:
        self.waiting: int | None = None
        """How many reviews of the store wait for a person; None while nobody could read it."""
        self._context = context
        self._due = DueReviews(context.store, context.clock.time)
        self._surface = surface
        self._submit = submit
        self._closed = closed
        self._dialog: ReviewScreen | None = None
        self._workers_go_on = False
        self._run_id: str | None = None  # the run that was shown when it was opened

    @property
    def is_due(self) -> bool:
        """Whether a deadline or an escalation has passed since the last look: the store tells nobody."""
        return self._due.is_due

    def look(self) -> None:
        """Count the reviews that wait, once what is overdue was applied.

        Raises:
            StepgraphError: The store cannot be read.
        """
        paused = self._context.store.runs(RunStatus.PAUSED)
        if self._due.look(paused):
            paused = self._context.store.runs(RunStatus.PAUSED)
        self.waiting = sum(run.pointer.review is not None for run in paused)  # none of them need be read

    def open(self, run_id: str) -> bool:
        """Open the review that a run waits for; False where it waits for none."""
        if self._dialog is not None and self._dialog.is_attached:
            return True
        store = self._context.store
        try:
            run = store.load(run_id)
            if run.pointer.status is not RunStatus.PAUSED:
                return False
            review = Reviews(store, self._context.clock.time).of(run)
        except StepgraphError as error:
            self._surface.tell_error(error)
            return True
        if isinstance(review, Damage):
            self._surface.tell_error(damaged(store.url, review))
            return True
        self._run_id = run_id
        from stepgraph_tui.dialogs.approval import ReviewScreen

        self._dialog = ReviewScreen(
            self._context.store,
            review.id,
            decide=self._submit,
            me=self._context.settings.name,
            drafts=self._context.drafts,
            copy=self._surface.copy,
            say=self._tell_decided,
            hints=self._context.hints,
            time=self._context.clock.time,
        )

        def closed(_: None) -> None:
            self._closed()

        self._surface.ask(self._dialog, closed)
        return True

    def _tell_decided(self, said: str, review: Review) -> None:
        """Say how the run goes on, which a narrow line must not cut, and what was decided."""
        if review.decision is None:
            self._surface.say(said)
            return
        if self._workers_go_on:
            then = "workers go on with the run"
        elif review.run_id != self._run_id:
            command = visible(cli_equivalents.resume(review.run_id, self._context.address))
            then = f"`{command}` continues that run"
        elif self._context.settings.auto_continue:
            then = "the run continues"
        else:
            then = self._surface.hints("{debug.step} takes the next step, {debug.go} continues")
        self._surface.say(f"{then}; {said}")

    def recorded(self, review: Review, *, workers_go_on: bool = False) -> None:
        """Tell the dialog that its decision is recorded."""
        self._workers_go_on = workers_go_on
        from stepgraph_tui.text.reviews import RunMasks

        if self._dialog is not None:
            self._dialog.recorded(review)
        mask = RunMasks(self._context.store).of_review(review)
        self._surface.note(cli_equivalents.decide(review, self._context.address, mask))

    def refused(self, error: StepgraphError) -> None:
        """Tell the dialog that its decision was refused; without one it is said."""
        if self._dialog is not None:
            self._dialog.refused(error)
        else:
            self._surface.tell_error(error)
