"""What can be done with the reviews of the inbox: decide one or several, go on with the run, copy."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

from stepgraph.stores.ledger import RunStatus
from stepgraph.values.errors import StepgraphError
from stepgraph_tui import cli_equivalents
from stepgraph_tui.screens.onward import continue_decided
from stepgraph_tui.screens.review_dialog import review_dialog
from stepgraph_tui.screens.runs.questions import resume_question
from stepgraph_tui.text.plain import plural, visible
from stepgraph_tui.text.system import command
from stepgraph_tui.view.reviews import RunMasks
from stepgraph_tui.worker import Decided, WorkFailed

from .deciding import InboxDecisions

if TYPE_CHECKING:
    from textual.message import Message
    from textual.screen import Screen

    from stepgraph.reviews.model import Review
    from stepgraph.stores.base import StoredRun
    from stepgraph_tui.context import AppContext
    from stepgraph_tui.dialogs.bulk import BulkAnswer
    from stepgraph_tui.screens.onward import Continuing
    from stepgraph_tui.widgets.inbox_list import InboxList, InboxRow

    from .table import InboxTable

Answer = TypeVar("Answer")
_GOES_ON = "{inbox.continue} continues the run"
_GO_ON = "{inbox.continue} continues what is decided"
_IN_DEBUG = "{inbox.resume} continues the run in Debug, which asks for what is missing"
_IN_RUNS = "{inbox.runs} lists it, with what can be done"
_STANDS = {RunStatus.ENDED: "has ended already", RunStatus.FAILED: "has failed"}
_DELETES = "{runs.delete} in the list of runs deletes what is left of it."


class InboxSurface(Protocol):
    """The screen, as far as what is done with its reviews needs it."""

    def look(self) -> None:
        """Read what has changed in the store."""

    def open_run(self, run: StoredRun) -> None:
        """Open a run in Debug, and go on with it there."""

    def ask(self, dialog: Screen[Answer], then: Callable[[Answer | None], None] | None = None) -> None:
        """Open a dialog, and go on with its answer."""

    def say(self, text: str, *, warns: bool = False) -> None:
        """Say something until the next key; ``warns`` when it is why something was not done."""

    def copy(self, text: str) -> None:
        """Copy a text, and say by which way."""

    def unmark(self) -> None:
        """Take all marks away."""

    def post_message(self, message: Message) -> object:
        """Take what the thread that records decisions tells."""


class InboxActions:
    """Does what the keys of the inbox do with the row that has the cursor, or with the marked reviews.

    Args:
        context: What the app shares.
        continuing: Knows which runs can continue here.
        table: The reviews as they were read last.
        shown: The list of them, with the cursor and the marks.
        surface: The screen.
    """

    def __init__(
        self,
        context: AppContext,
        continuing: Continuing,
        table: InboxTable,
        shown: InboxList,
        surface: InboxSurface,
    ) -> None:
        self._context, self._table, self._list, self._surface = context, table, shown, surface
        self._decisions = InboxDecisions(context, surface.post_message)
        self._continuing = continuing
        self._last: Decided | None = None  # what was recorded last

    @property
    def left(self) -> int:
        """How many of several decisions have still to be recorded."""
        return self._decisions.left

    def close(self) -> None:
        """Record nothing any more."""
        self._decisions.close()

    # Deciding

    def open(self, row: InboxRow) -> None:
        """Open the review of a row where it is decided."""
        if row.broken is not None and row.broken.review is None:
            self._tell_broken(row)
            return
        dialog = review_dialog(
            self._context,
            row.reviews[0].review.id,
            decide=self._decisions.submit,
            onward=lambda review: self._continuing.after([review.run_id]),
            copy=self._surface.copy,
            say=self._tell_decided,
        )
        self._decisions.dialog = dialog
        self._surface.ask(dialog)

    def open_marked(self) -> None:
        """Open the dialog that decides the marked reviews together."""
        from stepgraph_tui.dialogs.bulk import BulkDialog

        marked = [each for each in self._table.lists.pending if each.review.id in self._list.marked]
        context = self._context

        def waiting() -> set[str]:
            return {each.review.id for each in self._table.lists.pending}

        def decided(answer: BulkAnswer | None) -> None:
            if answer is not None:
                self._surface.look()
                left = waiting()
                reviews = [each.review for each in marked if each.review.id in left]
                self._decisions.decide_all(reviews, answer.decision, goes_on=answer.goes_on)

        dialog = BulkDialog(
            marked,
            me=context.settings.name,
            waiting=waiting,
            onward=lambda reviews: self._continuing.after([each.run_id for each in reviews]),
            hints=context.hints,
            time=context.clock.time,
        )
        self._surface.ask(dialog, decided)

    def recorded(self, message: Decided) -> None:
        """Take it that a decision is recorded."""
        review, context = message.review, self._context
        self._last = message
        if message.goes_on:
            self._continuing.go_on([review.run_id])
        mask = RunMasks(context.store).of_review(review)
        context.log.note(context.clock.time(), cli_equivalents.decide(review, context.address, mask))
        self._tell(self._decisions.recorded(review))

    def refused(self, message: WorkFailed) -> None:
        """Take it that a decision was refused."""
        self._tell(self._decisions.refused(message.error))

    def _tell(self, said: str) -> None:
        """Show what has changed; say what became of several decisions once all of them are recorded."""
        self._surface.look()
        if said:
            self._surface.unmark()
            continues = self._last is not None and self._last.asked_to_go_on
            then = "their runs continue" if continues else self._context.hints(_GO_ON)
            self._surface.say(f"{visible(said)}; {then}")
        elif self.left:
            self._surface.say(f"{plural(self.left, 'decision')} still to be recorded")

    def _tell_decided(self, said: str, review: Review) -> None:
        """Say what was decided, and how the run goes on; the cursor goes to where that can be asked for."""
        self._surface.look()
        self._list.go_to(review.id)
        last = self._last
        if last is not None and last.workers_go_on:
            then = "workers go on with the run"
        elif last is not None and last.goes_on:
            then = "the run continues"
        else:
            then = self._context.hints(_GOES_ON if self._can_continue(review) else _IN_DEBUG)
        self._surface.say(f"{then}; {said}" if review.decision is not None else said)

    def _can_continue(self, review: Review) -> bool:
        try:
            return not self._continuing.refusal(self._context.store.load(review.run_id))
        except StepgraphError:
            return False

    def _tell_broken(self, row: InboxRow) -> None:
        """Show all that is known of a review that cannot be read, and what to do."""
        from stepgraph_tui.dialogs.damage import DamagePage

        damage = row.broken.damage if row.broken is not None else None
        if damage is not None:
            told = self._context.hints(_DELETES) if damage.run else ""
            context, copy = self._context, self._surface.copy
            self._surface.ask(DamagePage(damage, context.address, context.store.url, told, copy))

    # Going on

    def continue_decided(self) -> None:
        """Continue all decided runs in the background; several are listed first."""
        continue_decided(self._continuing, self._surface)

    def resume(self, row: InboxRow) -> None:
        """Ask, then go on with the run of a decided review in Debug, where it is seen."""
        from stepgraph_tui.dialogs.questions import Confirm

        run_id = row.reviews[0].review.run_id
        try:
            run = self._context.store.load(run_id)
        except StepgraphError as error:
            self._surface.say(visible(str(error)), warns=True)
            return
        stands = _STANDS.get(run.pointer.status)
        if stands is not None:
            self._surface.say(f"{visible(run_id)} {stands}; {self._context.hints(_IN_RUNS)}", warns=True)
        elif run.pointer.status is RunStatus.PAUSED:
            self._surface.open_run(run)
        else:
            self._surface.ask(
                Confirm(resume_question(run), "Continue"),
                lambda yes: self._surface.open_run(run) if yes else None,
            )

    # Copying

    def copy(self, row: InboxRow) -> None:
        """Copy the ids of the row."""
        ids = [listed.review.id for listed in row.reviews]
        self._surface.copy(" ".join(ids) or (row.broken.run_id if row.broken is not None else ""))

    def copy_command(self, row: InboxRow) -> None:
        """Copy the command that shows the review; of a broken one, the one that tells more."""
        address = self._context.address
        if row.reviews:
            self._surface.copy(cli_equivalents.show_approval(row.reviews[0].review.id, address))
        else:
            self._surface.copy(command("doctor", store=address))
