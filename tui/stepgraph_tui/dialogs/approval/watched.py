"""What the store says about the review that is shown: what it asks, and whether it still waits."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import events

from stepgraph.reviews.inbox import Reviews
from stepgraph.values.errors import AlreadyDecided, PayloadChanged, StepgraphError
from stepgraph_tui.words.reviews import riskiest_first
from stepgraph_tui.words.text import visible

from .desk import Writes
from .drafts import Draft, Drafts
from .face import Face
from .said import decided_text, key_of
from .subject import Subject, after_the_question

if TYPE_CHECKING:
    from stepgraph.reviews.model import Decision, Review
    from stepgraph.stores.base import StateStore


class Watched(Face):
    """Shows a review of a store, and keeps looking whether somebody else decides or changes it.

    Args:
        store: The store, read on this thread.
        review_id: The review to begin with.
        drafts: What was written before.
        say: Says one line once the dialog is closed.
        time: The time, in seconds since 1970.
        now: The time by the clock that events are stamped by, in seconds.
        stamp: When an event happened, by that clock.
    """

    def __init__(
        self,
        store: StateStore,
        review_id: str,
        *,
        drafts: Drafts,
        say: Callable[[str], object] | None,
        time: Callable[[], float],
        now: Callable[[], float],
        stamp: Callable[[events.Event], float],
    ) -> None:
        super().__init__(time=time, now=now, stamp=stamp)
        self._store, self._review_id, self._drafts, self._last_word = store, review_id, drafts, say
        self.queue: list[str] = []
        """The ids of all reviews that wait, as they were when this one was opened."""
        self.sent: Decision | None = None
        """What was handed over and is not recorded yet."""

    def on_mount(self) -> None:
        """Read the review, and keep watching it."""
        self.open(self._review_id)
        self.set_interval(1.0, self.look_again)

    def open(self, review_id: str, notice: str = "") -> None:
        """Show a review as it is in the store now."""
        self._review_id, self.sent, self.decision, self.since_then = review_id, None, None, None
        self.read, self.over, self.notice = False, "", notice
        self.close_fields()
        try:
            self.subject = Subject.read(self._store, review_id)
        except StepgraphError as error:
            self.subject, self.draft = None, Draft()
            self.over = f"the review cannot be shown: {visible(str(error))}"
            self.top.say("APPROVAL")
        else:
            self._begin(self.subject)
        self.turn_page("summary")
        self.arm_anew()

    def _begin(self, subject: Subject) -> None:
        self.draft = self._drafts.of(subject.review)
        if self.draft:
            self.notice = self.notice or f"draft, not sent: {self.draft.parts}"
        if not subject.pending:
            self._end(subject.review)
        self.queue = self._waiting()
        place = f"{self.queue.index(subject.review.id) + 1} of " if subject.review.id in self.queue else ""
        self.top.say(f"APPROVAL {place}{len(self.queue)}", f"RISK {subject.review.request.risk.upper()}")

    def _waiting(self) -> list[str]:
        try:
            return [review.id for review in riskiest_first(Reviews(self._store).pending())]
        except StepgraphError:  # one of the others is damaged: this one can be decided all the same
            return [self._review_id]

    def look_again(self) -> None:
        """Look whether somebody else has decided or changed what is shown."""
        if self.subject is None or self.over:
            return
        try:
            review = Reviews(self._store).get(self.subject.review.id)
            version = self._store.load(review.run_id).pointer.version
        except StepgraphError as error:
            self.tell(f"the store cannot be read: {visible(str(error))}")
            return
        if review.status != "pending" or review.hash != self.subject.review.hash:
            self._end(review)
        elif version != self.subject.run.version and self.sent is None:
            self.open(review.id, "the run was changed meanwhile: look again")
        else:
            self.tell_time()

    def _end(self, review: Review) -> None:
        """Nothing can be decided here any more."""
        subject, decision = self.subject, review.decision
        if subject is None:
            return
        if decision is not None and self._is_mine(decision):
            self.recorded(review)
            return
        self.close_fields()
        self.sent = None
        if decision is not None:
            self.over = f"already {decided_text(subject, decision, self.time())}"
        else:
            self.over = "this request changed: it is not what waits any more"
            if self._successor(self._waiting()) is not None:
                self.over += f"\n{key_of('next')} shows what is asked now"
            self._show_change(subject)
        if self.draft:
            self.over += "\nwhat you wrote is kept; y copies it"
        self.paint(from_top=True)
        self.arm_anew()

    def _show_change(self, subject: Subject) -> None:
        try:
            self.since_then = after_the_question(self._store, subject)
        except StepgraphError as error:
            self.over += f"\n{visible(str(error))}"
            return
        self.page = "difference"

    def _is_mine(self, decision: Decision) -> bool:
        sent = self.sent
        return sent is not None and (decision.verb, decision.by, decision.source, decision.comment) == (
            sent.verb,
            sent.by,
            sent.source,
            sent.comment,
        )

    def recorded(self, review: Review) -> None:
        """The decision is in the store: close, with one line that says so."""
        self._drafts.drop(review)
        if self.subject is None or self.subject.review.id != review.id or review.decision is None:
            return
        text = decided_text(self.subject, review.decision, self.time())
        self.sent = None
        if self._last_word is not None and not self.over:
            self._last_word(text)
        self.over = text
        if not self.is_attached:
            return
        if self.is_active:
            self.dismiss()
        else:
            self.close_fields()
            self.paint()

    def refused(self, error: StepgraphError) -> None:
        """The decision was not recorded. What was written stays."""
        self.sent = None
        self.tell(f"not recorded: {visible(str(error))}")
        if isinstance(error, AlreadyDecided | PayloadChanged):
            self.look_again()

    def tell(self, notice: str) -> None:
        """Say something beside the verbs."""
        self.notice = notice
        if self.is_attached:
            self.say()

    def keep(self, what: Writes, text: str) -> None:
        """Keep a text for the decision that it will go with."""
        if what == "answer":
            self.draft.answer = text
        else:
            self.draft.comment = text

    def close_fields(self) -> None:
        """Close whatever is written into; what was written is kept."""
        if self.desk.writes is not None:
            self.keep(self.desk.writes, self.desk.text)
        if self.form.display:
            self.draft.edits = self.form.edits
        self.desk.close()
        self.form.display = False
        self.set_focus(None)

    def action_turn_to(self, by: int) -> None:
        """Show the next or the previous review that waits."""
        queue = self._waiting()
        if not queue:
            self.app.bell()
        elif self._review_id in queue:
            self.open(queue[(queue.index(self._review_id) + by) % len(queue)])
        else:
            self.open(self._successor(queue) or queue[0])

    def _successor(self, queue: list[str]) -> str | None:
        """What the same run asks now."""
        if self.subject is None:
            return None
        try:
            last = Reviews(self._store).last_of(self.subject.review.run_id)
        except StepgraphError:
            return None
        return last.id if last is not None and last.id in queue else None
