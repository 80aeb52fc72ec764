"""How far deciding the review that is shown has come: a frozen value, and all that follows from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Self

from stepgraph.reviews import Decision, missing_text

from ...text.characters import visible
from ...text.reviews import countdown, expired_text, other_name, refusals
from .proposal import decided_text

if TYPE_CHECKING:
    from stepgraph.reviews import Review
    from stepgraph.values import NotAllowed

    from .drafts import ReviewDraft
    from .subject import Subject


_SAID = attrgetter("verb", "by", "source", "comment")
"""What tells a decision of ours, once it is recorded, from that of somebody else."""
SENDING = "the decision is being recorded"


@dataclass(frozen=True)
class DecisionState:
    """What this person can do about a review at one moment, and why not."""

    me: str
    """Who decides."""
    now: float
    """The moment, in seconds since 1970."""
    subject: Subject | None = None
    """The review that is shown; None where it could not be read."""
    has_others: bool = False
    """Whether other reviews wait as well."""
    sent: Decision | None = None
    """What was handed over and is not recorded yet."""
    over: str = ""
    """Why nothing can be decided here any more; empty while it can."""
    notice: str = ""
    """The words beside the verbs."""
    unread: str = ""
    """Why the store could not be read at the last look."""

    @classmethod
    def of(
        cls, subject: Subject, draft: ReviewDraft, *, me: str, now: float, has_others: bool, notice: str
    ) -> Self:
        """Begin with a review that was just read, and with what was written for it before."""
        kept = f"draft, not sent: {draft.parts}" if draft else ""
        return cls(me, now, subject, has_others, notice=notice or kept)

    @cached_property
    def refusals(self) -> Mapping[str, NotAllowed]:
        """The verbs that this person may not use, each with the reason."""
        return {} if self.subject is None else refusals(self.subject.review, self.me, self.now)

    @cached_property
    def allowed(self) -> Sequence[str]:
        """The verbs that the node allows and this person may use."""
        verbs = () if self.subject is None else self.subject.review.request.verbs
        return [verb for verb in verbs if verb not in self.refusals]

    @property
    def offered(self) -> Sequence[str]:
        """The allowed verbs, while something can be decided."""
        return () if self.over or self.sent else self.allowed

    @property
    def can_approve(self) -> bool:
        """Whether it can be approved here, as it is or with changes."""
        return not {"approve", "edit"}.isdisjoint(self.offered)

    @property
    def can_turn(self) -> bool:
        """Whether another review can be shown."""
        return self.sent is None and (self.has_others or bool(self.over))

    def offers(self, what: str, *, is_read: bool) -> bool:
        """Check whether a verb, or a comment for one, can be begun.

        Args:
            what: The verb, or ``comment``.
            is_read: Whether the question and the whole action have been seen.
        """
        if what == "comment":
            return bool(self.offered)
        return what in self.offered and (is_read or what in ("reject", "respond"))

    @property
    def remarks(self) -> str:
        """The words beside the verbs, line by line: why it is over, or what is in the way."""
        return self.over or "\n".join(filter(None, (self.notice, self.unread, self._kept_from)))

    @property
    def _kept_from(self) -> str:
        """Why this person may not decide, or not approve, and who might; empty where they may."""
        subject, refusal = self.subject, next(iter(self.refusals.values()), None)
        if refusal is None or subject is None or not subject.pending or self.sent:
            return ""
        return f"{visible(str(refusal))}\n{other_name(subject.review, self.me, self.now)}".rstrip()

    @property
    def countdown(self) -> str:
        """What the review does by itself, and in how long; empty where that is nothing."""
        return "" if self.subject is None or self.over else countdown(self.subject.review, self.now)

    @property
    def waits(self) -> float | None:
        """For how many seconds the review has waited; None where it does not wait any more."""
        subject = self.subject
        if subject is None or not subject.pending or self.over:
            return None
        return self.now - subject.review.asked_at

    def is_ours(self, review: Review) -> bool:
        """Check whether a review was decided as it was handed over here."""
        made = review.made_last
        return made is not None and self.sent is not None and _SAID(made) == _SAID(self.sent)


def over_text(subject: Subject, review: Review, now: float) -> str:
    """Explain why a review that was shown cannot be decided any more."""
    if review.decision is not None:
        return f"already {decided_text(subject, review.decision, now)}"
    if review.status == "expired":
        return expired_text(review)
    return "this request changed: it no longer waits"


def recorded_text(subject: Subject, review: Review, now: float) -> str:
    """Describe what was recorded: a decision, or the approval of one of several people."""
    made = review.made_last
    text = "" if made is None else decided_text(subject, made, now)
    return text if review.decision is not None else f"{text}; {visible(missing_text(review, now))}"
