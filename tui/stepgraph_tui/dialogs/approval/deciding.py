"""How far deciding the review that is shown has come: what was written, handed over, recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING

from stepgraph.reviews.voters import missing_text
from stepgraph.values.errors import StepgraphError
from stepgraph_tui.text.plain import visible
from stepgraph_tui.text.terms import countdown, expired_text, other_name, refusals

from .drafts import ReviewDraft, ReviewDrafts
from .wording import decided_text

if TYPE_CHECKING:
    from stepgraph.reviews.model import Decision, Review
    from stepgraph.values.errors import NotAllowed
    from stepgraph_tui.commands.hints import Hints

    from .difference import Difference
    from .watching import ReviewWatch, Subject

_SAID = attrgetter("verb", "by", "source", "comment")
"""What tells a decision of ours, once it is recorded, from that of somebody else."""


class DecisionState:
    """Knows whether the review that is shown can be decided, is being decided, or is over, and why.

    Args:
        watcher: Reads the reviews.
        drafts: What was written before.
        hints: Names the keys.
        time: The time, in seconds since 1970.
        me: Who decides.
    """

    def __init__(
        self,
        watcher: ReviewWatch,
        drafts: ReviewDrafts,
        hints: Hints,
        time: Callable[[], float],
        me: str = "",
    ) -> None:
        self._watcher, self._drafts, self._hints, self._time, self._me = watcher, drafts, hints, time, me
        self.draft = ReviewDraft()
        self.sent: Decision | None = None
        """What was handed over and is not recorded yet."""
        self.over = ""
        """Why nothing can be decided here any more; empty while it can."""
        self.notice = ""
        """What is said beside the verbs."""

    @property
    def subject(self) -> Subject | None:
        """The review that is shown; None where it could not be read."""
        return self._watcher.subject

    @property
    def offered(self) -> Sequence[str]:
        """The verbs that the node allows and this person may use, while something can be decided."""
        subject = self.subject
        if subject is None or self.over or self.sent:
            return ()
        return [verb for verb in subject.review.request.verbs if verb not in self.refusals]

    @property
    def refusals(self) -> Mapping[str, NotAllowed]:
        """The verbs that this person may not use, each with the reason."""
        subject = self.subject
        return {} if subject is None else refusals(subject.review, self._me, self._time())

    @property
    def kept_from(self) -> str:
        """Why this person may not decide, or not approve, and who might; empty where they may."""
        subject = self.subject
        if subject is None or not subject.pending or self.over or self.sent:
            return ""
        refusal = next(iter(self.refusals.values()), None)
        if refusal is None:
            return ""
        return f"{visible(str(refusal))}\n{other_name(subject.review, self._me, self._time())}".rstrip()

    @property
    def countdown(self) -> str:
        """What the review does by itself, and in how long; empty where that is nothing."""
        subject = self.subject
        return "" if subject is None or self.over else countdown(subject.review, self._time())

    @property
    def can_approve(self) -> bool:
        """Whether it can be approved here, as it is or with changes."""
        return not {"approve", "edit"}.isdisjoint(self.offered)

    @property
    def has_others(self) -> bool:
        """Whether other reviews wait as well."""
        return len(self._watcher.queue) > 1

    @property
    def waits(self) -> float | None:
        """For how many seconds the review has waited; None where it does not wait any more."""
        subject = self.subject
        if subject is None or not subject.pending or self.over:
            return None
        return self._time() - subject.review.asked_at

    def begin(self, review_id: str, notice: str) -> Subject | None:
        """Read a review and what was written for it; None where it cannot be shown."""
        self.sent, self.over, self.notice, self.draft = None, "", notice, ReviewDraft()
        try:
            subject = self._watcher.open(review_id)
        except StepgraphError as error:
            self.over = f"the review cannot be shown: {visible(str(error))}"
            return None
        self.draft = self._drafts.of(subject.review)
        if self.draft:
            self.notice = notice or f"draft, not sent: {self.draft.parts}"
        return subject

    def is_ours(self, review: Review) -> bool:
        """Tell whether a review was decided as it was handed over here."""
        made = review.made_last
        return made is not None and self.sent is not None and _SAID(made) == _SAID(self.sent)

    def end(self, subject: Subject, review: Review) -> tuple[Difference, ...] | None:
        """Say why nothing can be decided any more.

        Returns:
            What was changed after the question; None where it was decided, or that cannot be read.
        """
        self.sent, since_then = None, None
        if review.decision is not None:
            self.over = f"already {decided_text(subject, review.decision, self._time())}"
        elif review.status == "expired":
            self.over = expired_text(review)
        else:
            self.over = "this request changed: it no longer waits"
            if self._watcher.successor() is not None:
                self.over += f"\n{self._hints.key('approval.next')} shows what is asked now"
            try:
                since_then = self._watcher.after_the_question(subject)
            except StepgraphError as error:
                self.over += f"\n{visible(str(error))}"
        if self.draft:
            self.over += self._hints("\nwhat you wrote is kept; {list.copy} copies it")
        return since_then

    def record(self, review: Review) -> str | None:
        """Take it that a review is decided, or was approved by one of several; the draft was sent.

        Returns:
            What is to be said of it; None where another review is shown.
        """
        self._drafts.drop(review)
        subject = self.subject
        made = review.made_last
        if subject is None or subject.review.id != review.id or made is None:
            return None
        said = decided_text(subject, made, self._time())
        if review.decision is None:
            said += f"; {visible(missing_text(review, self._time()))}"
        self.sent, self.over = None, said
        return self.over
