"""What can be done with the reviews of the inbox: decide one or several, go on with the run, copy."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from stepgraph.reviews import (
    ORDERS,
    InboxFilter,
    ListedReview,
    ReviewGroup,
    ReviewOrder,
    grouped,
    question_of,
)
from stepgraph.stores import RunStatus, StateStore
from stepgraph.values import FilterError, StepgraphError

from ...cli_equivalents import Equivalents
from ...store_look import LastSeen
from ...text.inbox import BrokenReview, InboxLists, InboxReader, ReviewState
from ...text.plain import plural
from ...text.reviews import DONE
from ...text.system import command
from ...view.reviews import RunMasks
from ...widgets.inbox_list import InboxRow
from ...worker import Decide, Decided, SteppingThread, WorkFailed
from ..review_dialog import continue_decided, review_dialog
from ..runs.actions import resume_question

if TYPE_CHECKING:
    from textual.message import Message
    from textual.screen import Screen

    from stepgraph.reviews import Decision, Review
    from stepgraph.stores import StoredRun

    from ...context import AppContext
    from ...dialogs.approval import ReviewScreen
    from ...widgets.inbox_list import InboxList
    from ..review_dialog import Continuing


class InboxDecisions:
    """Hands decisions to the thread, and reports what became of them.

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
        """Record a decision's success; report it where it was the last one of several."""
        if self.dialog is not None:
            self.dialog.recorded(review)
        self._done.append(review)
        return self._go_on()

    def refused(self, error: StepgraphError) -> str:
        """Record a decision's refusal; report it where it was the last one of several."""
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
        parts = [f"{plural(len(ended), 'review')} {DONE[ended[0].verb]}"] if ended else []
        parts += [f"{plural(votes, 'approval')} recorded, more are needed"] if votes else []
        if self._refusals:
            parts.append(f"{len(self._refusals)} not recorded: {self._refusals[0]}")
        return "; ".join(parts)

    def close(self) -> None:
        """Accept no more decisions."""
        if "_thread" in self.__dict__:
            self._thread.close()


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

    async def ask(self, dialog: Screen[Answer]) -> Answer | None:
        """Open a dialog, and return its answer; None where it was left without one."""

    def begin(self, talk: Coroutine[Any, Any, Any]) -> None:
        """Run what asks people, while the screen goes on."""

    def say(self, text: str, *, warns: bool = False) -> None:
        """Show a message until the next key; ``warns`` when it explains why something was not done."""

    def copy(self, text: str) -> None:
        """Copy a text, and say by which way."""

    def unmark(self) -> None:
        """Clear all marks."""

    def post_message(self, message: Message) -> object:
        """Handle messages of the thread that records decisions."""


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
        self._surface.begin(self._surface.ask(dialog))

    async def open_marked(self) -> None:
        """Open the dialog that decides the marked reviews together."""
        from stepgraph_tui.dialogs.bulk import BulkDialog

        marked = [each for each in self._table.lists.pending if each.review.id in self._list.marked]
        context = self._context

        def waiting() -> set[str]:
            return {each.review.id for each in self._table.lists.pending}

        dialog = BulkDialog(
            marked,
            me=context.settings.name,
            waiting=waiting,
            onward=lambda reviews: self._continuing.after([each.run_id for each in reviews]),
            hints=context.hints,
            time=context.clock.time,
        )
        answer = await self._surface.ask(dialog)
        if answer is not None:
            self._surface.look()
            left = waiting()
            reviews = [each.review for each in marked if each.review.id in left]
            self._decisions.decide_all(reviews, answer.decision, goes_on=answer.goes_on)

    def recorded(self, message: Decided) -> None:
        """Handle a recorded decision."""
        review, context = message.review, self._context
        self._last = message
        if message.goes_on:
            self._continuing.go_on([review.run_id])
        mask = RunMasks(context.store).of_review(review)
        context.log.note(context.clock.time(), Equivalents(context.address, mask).decide(review))
        self._tell(self._decisions.recorded(review))

    def refused(self, message: WorkFailed) -> None:
        """Handle a refused decision."""
        self._tell(self._decisions.refused(message.error))

    def _tell(self, text: str) -> None:
        """Show what has changed; report what became of several decisions once all of them are recorded."""
        self._surface.look()
        if text:
            self._surface.unmark()
            continues = self._last is not None and self._last.asked_to_go_on
            then = "their runs continue" if continues else self._context.hints(_GO_ON)
            self._surface.say(f"{text}; {then}")
        elif self.left:
            self._surface.say(f"{plural(self.left, 'decision')} still to be recorded")

    def _tell_decided(self, text: str, review: Review) -> None:
        """Show what was decided and how the run continues, and move the cursor there."""
        self._surface.look()
        self._list.go_to(review.id)
        last = self._last
        if last is not None and last.workers_go_on:
            then = "workers continue the run"
        elif last is not None and last.goes_on:
            then = "the run continues"
        else:
            then = self._context.hints(_GOES_ON if self._can_continue(review) else _IN_DEBUG)
        self._surface.say(f"{then}; {text}" if review.decision is not None else text)

    def _can_continue(self, review: Review) -> bool:
        try:
            return not self._continuing.refusal(self._context.store.load(review.run_id))
        except StepgraphError:
            return False

    def _tell_broken(self, row: InboxRow) -> None:
        """Show all that is known of a review that cannot be read, and what to do."""
        from stepgraph_tui.dialogs.pages import DamagePage

        damage = row.broken.damage if row.broken is not None else None
        if damage is not None:
            deletes = self._context.hints(_DELETES) if damage.run else ""
            context, copy = self._context, self._surface.copy
            page = DamagePage(damage, context.address, context.store.url, deletes, copy)
            self._surface.begin(self._surface.ask(page))

    # Going on

    def continue_decided(self) -> None:
        """Continue all decided runs in the background; several are listed first."""
        self._surface.begin(continue_decided(self._continuing, self._surface))

    async def resume(self, row: InboxRow) -> None:
        """Ask, then go on with the run of a decided review in Debug, where it is seen."""
        from stepgraph_tui.dialogs.questions import Confirm

        run_id = row.reviews[0].review.run_id
        try:
            run = self._context.store.load(run_id)
        except StepgraphError as error:
            self._surface.say(str(error), warns=True)
            return
        stands = _STANDS.get(run.pointer.status)
        if stands is not None:
            self._surface.say(f"{run_id} {stands}; {self._context.hints(_IN_RUNS)}", warns=True)
        elif run.pointer.status is RunStatus.PAUSED:
            self._surface.open_run(run)
        else:
            if await self._surface.ask(Confirm(resume_question(run), "Continue")):
                self._surface.open_run(run)

    # Copying

    def copy(self, row: InboxRow) -> None:
        """Copy the ids of the row."""
        ids = [listed.review.id for listed in row.reviews]
        self._surface.copy(" ".join(ids) or (row.broken.run_id if row.broken is not None else ""))

    def copy_command(self, row: InboxRow) -> None:
        """Copy the command that shows the review; of a broken one, the one that tells more."""
        address = self._context.address
        if row.reviews:
            self._surface.copy(Equivalents(address).show_approval(row.reviews[0].review.id))
        else:
            self._surface.copy(command("doctor", store=address))


class InboxTable:
    """The reviews of one tab, row by row.

    What waits no more stays in its row, struck through, until another tab is shown or the inbox is left: no
    row moves away below somebody's eyes.

    Args:
        store: A connection of the reader's own.
        now: What tells the time, in seconds since 1970.
        me: The person at the terminal, for the filter ``mine``.
        stamp: Gives the store's stamp, which each commit changes; None asks the store.
        run_status: Tells how a run stands whose review waits no more.
    """

    def __init__(
        self,
        store: StateStore,
        now: Callable[[], float],
        me: str,
        stamp: Callable[[], object] | None = None,
        run_status: Callable[[str], str] = lambda run_id: "",
    ) -> None:
        self._reader, self._seen = InboxReader(store, now), LastSeen(stamp or store.stamp)
        self._now, self._me = now, me
        self._order = 0
        self._filter = InboxFilter()
        self._unfolded: set[str] = set()
        self._gone: dict[str, ListedReview] = {}
        self._run_status, self._run_statuses = run_status, dict[str, str]()  # by the review that is gone
        self.lists = InboxLists([], [], [], [], [])
        """All that there is."""
        self.has_read = False
        """Whether the store could be read at all."""
        self.state: ReviewState = "pending"
        """What is listed of it."""
        self.rows: Sequence[InboxRow] = ()
        """The rows, from top to bottom."""

    @property
    def order(self) -> ReviewOrder:
        """What the pending reviews are sorted by."""
        return ORDERS[self._order]

    @property
    def chips(self) -> list[str]:
        """The parts of the filter, as they were written."""
        return [term.written for term in self._filter.terms]

    @property
    def markable(self) -> set[str]:
        """The ids of all reviews that are listed, those in folded groups too, and that can be decided."""
        return {review_id for row in self.rows for review_id in row.ids}

    def __contains__(self, review_id: object) -> bool:
        """Check whether a review waits."""
        return any(listed.review.id == review_id for listed in self.lists.pending)

    def look(self) -> bool:
        """Read what has changed in the store.

        Returns:
            Whether anything has.

        Raises:
            StoreError: The store cannot be read.
        """
        moved = self._read() if not self._seen.is_current() or self._reader.is_due else False
        standings = {at: self._run_status(gone.review.run_id) for at, gone in self._gone.items()}
        if standings != self._run_statuses:
            self._run_statuses, moved = standings, True
            self._arrange()
        return moved

    def _read(self) -> bool:
        before, self.lists = self.lists, self._reader.read()
        self._seen.keep()
        first, self.has_read = not self.has_read, True
        if self.lists == before:
            return first
        self._keep_gone(before.pending)
        self._arrange()
        return True

    def _keep_gone(self, before: Sequence[ListedReview]) -> None:
        """Keep in the list what has just ceased to wait, with what became of it."""
        waiting = {listed.review.id for listed in self.lists.pending}
        past = {each.review.id: each for each in (*self.lists.decided, *self.lists.expired)}
        for listed in before:
            at = listed.review.id
            if at not in waiting:
                self._gone[at] = past.get(at, listed)
        self._gone = {at: listed for at, listed in self._gone.items() if at not in waiting}

    # What is listed

    def turn(self, state: ReviewState) -> None:
        """List something else."""
        self.state = state
        self._gone.clear()
        self._arrange()

    def choose(self, text: str) -> str:
        """List only what a filter asks for.

        Returns:
            What is wrong with the filter, and what is possible; then the list stays as it was.
        """
        try:
            self._filter = InboxFilter.parse(text)
        except FilterError as error:
            return f"{error.message}; {error.hint}"
        self._arrange()
        return ""

    def sort(self, by: str | None = None) -> None:
        """Sort by the order of this name, else by the next one."""
        names = [order.name for order in ORDERS]
        self._order = (self._order + 1) % len(ORDERS) if by is None else names.index(by)
        self._arrange()

    def fold(self, key: str, *, folded: bool) -> None:
        """Fold a group, or unfold it."""
        (self._unfolded.discard if folded else self._unfolded.add)(key)
        self._arrange()

    def _arrange(self) -> None:
        if self.state == "broken":
            chosen = {id(listed) for listed in self._choose(self.lists.of("broken"))}
            has_filter = bool(self._filter.terms)
            self.rows = [
                InboxRow.of_broken(broken)
                for broken in self.lists.broken
                if not has_filter or self._finds(broken, chosen)
            ]
        elif self.state == "pending":
            waiting = [*self.lists.pending, *self._gone.values()]
            waiting.sort(key=lambda listed: self.order.key(listed.review))
            self.rows = [row for group in grouped(self._choose(waiting)) for row in self._rows_of(group)]
        else:
            past = self._choose(self.lists.of(self.state))
            self.rows = [InboxRow(listed.review.id, (listed,)) for listed in past]

    def _choose(self, reviews: Sequence[ListedReview]) -> list[ListedReview]:
        return self._filter.choose(reviews, self._now(), self._me)

    def _finds(self, broken: BrokenReview, chosen: set[int]) -> bool:
        """Check whether a broken review is asked for; of one that cannot be read only its run is known."""
        if broken.review is not None:
            return id(broken.review) in chosen
        text = f"{broken.run_id} {broken.why}".lower()
        return all(term.field in ("", "run") and term.text in text for term in self._filter.terms)

    def _rows_of(self, group: ReviewGroup) -> list[InboxRow]:
        """Build the rows of reviews that ask the same; those that are gone stand by themselves."""
        gone = [
            InboxRow(at, (listed,), is_gone=True, run_status=self._run_statuses.get(at, ""))
            for listed in group
            if (at := listed.review.id) in self._gone
        ]
        waiting = tuple(listed for listed in group if listed.review.id not in self._gone)
        if len(waiting) < 2:
            rows = [InboxRow(listed.review.id, (listed,)) for listed in waiting]
            return sorted([*gone, *rows], key=lambda row: self.order.key(row.reviews[0].review))
        heading = InboxRow("\0".join(question_of(waiting[0].review)), waiting, fold="▸")
        unfolded = heading.group in self._unfolded
        heading = replace(heading, fold="▾") if unfolded else heading
        members = [InboxRow(listed.review.id, (listed,), is_member=True) for listed in waiting]
        return [heading, *(members if unfolded else ()), *gone]
