"""The review that the run waits for, and the dialog that decides it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from stepgraph.reviews import Reviews
from stepgraph.stores import Damage, RunStatus, damaged, is_driven
from stepgraph.values import StepgraphError

from ...cli_equivalents import Equivalents
from ...dialogs.approval import Onward
from ..review_dialog import WORKERS, Continuing, review_dialog

if TYPE_CHECKING:
    from textual.screen import Screen

    from stepgraph.reviews import Review

    from ...context import AppContext
    from ...dialogs.approval import ReviewScreen
    from ...worker import Decided
    from .run_controller import RunController
    from .surface import Surface


class ReviewController:
    """Opens reviews, and tells the dialog what became of its decision.

    Args:
        context: What the app shares.
        surface: The screen.
        runs: Has the run that is shown, and the thread.
    """

    def __init__(self, context: AppContext, surface: Surface, runs: RunController) -> None:
        self._context, self._surface, self._runs = context, surface, runs
        self._dialog: ReviewScreen | None = None  # the one that was opened last
        self._is_open = False
        self._continuing = Continuing(context)
        self._last: Decided | None = None  # what was recorded last
        self._run_id: str | None = None  # the run that was shown when it was opened

    def availability(self, verb: str, *arguments: object) -> bool:
        """Check whether the key works: without a review, it lists those of all runs."""
        return True

    def action_open(self) -> None:
        """Open the review that this run waits for, else the inbox with those of all runs."""
        if not self.open():
            from stepgraph_tui.screens.inbox import InboxScreen

            run = self._runs.shown.run
            inbox = InboxScreen(self._context, run.id if run is not None else None)
            self._surface.begin(self._look_after(inbox))

    async def _look_after(self, screen: Screen[None]) -> None:
        await self._surface.ask(screen)
        self._is_open = self._is_open and screen is not self._dialog
        self._runs.shown.look()

    def open(self) -> bool:
        """Open the review that this run waits for; False where it waits for none."""
        if self._is_open and self._dialog is not None and not self._dialog.is_leaving:
            return True
        store, shown = self._context.store, self._runs.shown.run
        if shown is None:
            return False
        try:
            run = store.load(shown.id)
            if run.pointer.status is not RunStatus.PAUSED:
                return False
            review = Reviews(store, self._context.clock.time).of(run)
        except StepgraphError as error:
            self._surface.tell_error(error)
            return True
        if isinstance(review, Damage):
            self._surface.tell_error(damaged(store.url, review))
            return True
        self._run_id = shown.id
        self._dialog = review_dialog(
            self._context,
            review.id,
            decide=self._runs.submit,
            onward=self._onward,
            copy=self._surface.copy,
            say=self._tell_decided,
        )
        self._is_open = True
        self._surface.begin(self._look_after(self._dialog))
        return True

    def _onward(self, review: Review) -> Onward:
        """Describe what follows: the run that is shown continues here, before your eyes."""
        if review.run_id != self._run_id:
            return self._continuing.after([review.run_id])
        with suppress(StepgraphError):
            if is_driven(self._context.store, review.run_id):
                return Onward(kept=WORKERS)
        return Onward(self._runs.goes_on_by(review.run_id) if self._context.settings.auto_continue else "")

    def _tell_decided(self, decided: str, review: Review) -> None:
        """Show how the run continues, which a narrow line must not cut, and what was decided."""
        if review.decision is None:
            self._surface.say(decided)
            return
        last = self._last
        if last is not None and last.workers_go_on:
            then = "workers continue the run"
        elif last is not None and last.goes_on:
            then = "the run continues"
        elif review.run_id != self._run_id:
            command = Equivalents(self._context.address).resume(review.run_id)
            then = f"`{command}` continues that run"
        else:
            then = self._surface.hints("{debug.step} takes the next step, {debug.go} continues")
        self._surface.say(f"{then}; {decided}")

    def recorded(self, message: Decided) -> None:
        """Pass a recorded decision to the dialog; the run of another graph continues by itself."""
        self._last, review = message, message.review
        if message.goes_on and review.run_id != self._run_id:
            self._continuing.go_on([review.run_id])
        from stepgraph_tui.view.reviews import RunMasks

        if self._dialog is not None:
            self._dialog.recorded(review)
        mask = RunMasks(self._context.store).of_review(review)
        self._surface.note(Equivalents(self._context.address, mask).decide(review))

    def refused(self, error: StepgraphError) -> None:
        """Pass a refused decision to the dialog, or show it where there is none."""
        if self._dialog is not None:
            self._dialog.refused(error)
        else:
            self._surface.tell_error(error)
