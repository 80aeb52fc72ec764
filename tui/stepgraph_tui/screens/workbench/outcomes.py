"""What follows the work of the stepping thread: reviews, trust, a word, or the next piece of work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from stepgraph.values import DefinitionChanged, NodeFailed, TrustError

from ...text.reviews import wait_text
from ...worker import (
    Abandon,
    Adopt,
    Decide,
    Decided,
    Go,
    GraphLoaded,
    Load,
    NodeTried,
    Retry,
    RunStarted,
    SetMode,
    Step,
    Work,
    WorkDone,
    WorkFailed,
)

if TYPE_CHECKING:
    from stepgraph.runs import Run

    from .review_controller import ReviewController
    from .run_controller import RunController
    from .run_starter import RunStarter
    from .surface import Surface


_OF_A_FAILURE: Mapping[type, str] = {
    Retry: "it was retried, and failed again",
    Abandon: "it was abandoned: what it still returns is thrown away",
}


class Outcomes:
    """Hears what the thread reports of its work on the run, and continues from there.

    Args:
        surface: The screen.
        runs: Has the thread, and the run.
        starter: Asks for trust, and before models are called.
        reviews: Opens reviews.
    """

    def __init__(
        self, surface: Surface, runs: RunController, starter: RunStarter, reviews: ReviewController
    ) -> None:
        self._surface, self._runs, self._starter, self._reviews = surface, runs, starter, reviews
        self._live = starter.live

    @property
    def _run(self) -> Run | None:
        return self._runs.shown.run

    def hear(self, message: RunStarted | WorkDone | Decided | WorkFailed | NodeTried | GraphLoaded) -> None:
        """Handle a message of the thread."""
        if isinstance(message, RunStarted):
            self._live.started(message.run_id)
            self._runs.shown.open(message.run_id)
            return
        if isinstance(message, Decided):
            self._reviews.recorded(message)
        else:
            self._surface.clear()  # the last message is from while it worked
        hit = message.hit if isinstance(message, WorkDone) else None
        self._runs.hit = hit
        self._runs.look_at_thread(not isinstance(message, NodeTried | GraphLoaded))
        then = self._runs.take_deferred()
        if isinstance(message, WorkDone):
            self._finish(message)
        elif isinstance(message, WorkFailed):
            self._tell_failure(message, then)
        elif isinstance(message, Decided) and message.goes_on:
            run_id = message.review.run_id
            if self._run is not None and self._run.id == run_id:
                self._go(self._runs.resumed(run_id))
        if then is not None and not (self._runs.busy or hit is not None or isinstance(message, WorkFailed)):
            then()

    def _go(self, work: Go | Step) -> None:
        """Continue with the run by itself, unless a person is to be asked about its models."""
        if not self._live.asks(partial(self._go, work)):
            self._runs.submit(work)

    def _finish(self, message: WorkDone) -> None:
        run = self._run
        if message.halt == "paused":
            self._runs.interrupt(message.work)
            self._ask()
        elif message.halt == "failed":
            if run is not None and run.current is not None:
                self._surface.select(run.current)
                failed_routing = not isinstance(run.error, NodeFailed)
                self._surface.show_pane("why" if failed_routing else "node", focus=False)
            if (words := _OF_A_FAILURE.get(type(message.work))) is not None:
                self._surface.say(words, "warning")
            if self._live.advice:
                self._surface.say(self._live.advice, "warning")
        elif isinstance(message.work, Adopt):
            self._surface.say("the run uses this version of the file from now on")
        elif isinstance(message.work, SetMode):
            self._surface.say(self._live.describe(message.work.mode))
        elif message.halt in {"stopped", "reached", "hit"} and run is not None:
            self._surface.say(f"stopped before {run.current or ''}")
        if message.hit is not None:
            self._surface.say(message.hit.text, "warning")

    def _ask(self) -> None:
        """Open the review that the run has come to; what waits for a time asks nobody."""
        pending = self._runs.shown.view.pending if self._runs.shown.view is not None else None
        if pending is not None and pending.is_wait:
            self._surface.say(f"{pending.node} {wait_text(pending)}")
        else:
            self._reviews.open()

    async def _ask_for_trust(self, work: Work, then: Callable[[], None] | None) -> None:
        if await self._starter.ask_for_trust(work) and then is not None:
            then()

    def _tell_failure(self, message: WorkFailed, then: Callable[[], None] | None) -> None:
        work, error = message.work, message.error
        if isinstance(error, TrustError):
            self._surface.begin(self._ask_for_trust(work, then))
        elif isinstance(work, Decide):
            self._reviews.refused(error)
        elif isinstance(error, DefinitionChanged) and self._runs.shown.outdated is not None:
            self._surface.say(f"{self._runs.shown.outdated}, and adopts it", "warning")
        elif not isinstance(work, Load):  # whoever has it imported tells
            self._surface.tell_error(error)
