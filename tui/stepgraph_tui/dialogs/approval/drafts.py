"""What was written for a review and not sent yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from stepgraph.reviews import Review


Writes = Literal["comment", "reason", "answer"]
"""What a text is for: the comment as such, the comment that a rejection wants, the answer to the question."""


@dataclass(slots=True)
class ReviewDraft:
    """Texts that wait for a decision to go with. They are kept as they are typed."""

    comment: str = ""
    answer: str = ""
    edits: dict[str, str] = field(default_factory=dict)
    """What is in the changed fields of the form, by path."""

    def __bool__(self) -> bool:
        return bool(self.comment or self.answer or self.edits)

    def keep(self, what: Writes, text: str) -> None:
        """Keep a text for the decision that it will go with."""
        if what == "answer":
            self.answer = text
        else:
            self.comment = text

    @property
    def parts(self) -> str:
        """Name what there is of it: ``order.amount, an answer, a comment``."""
        words = ["an answer"] * bool(self.answer) + ["a comment"] * bool(self.comment)
        return ", ".join([*self.edits, *words])

    def text(self) -> str:
        """Join all of it, for copying."""
        parts = [f"{path} = {text}" for path, text in self.edits.items()]
        return "\n".join([*parts, *filter(None, (self.answer, self.comment))])


class ReviewDrafts:
    """The drafts of all reviews, for as long as the app runs.

    They belong to exactly what was looked at: a review that asks something else starts without.
    """

    def __init__(self) -> None:
        self._drafts: dict[tuple[str, str], ReviewDraft] = {}

    def __bool__(self) -> bool:
        return any(self._drafts.values())

    def of(self, review: Review) -> ReviewDraft:
        """Find the draft for a review, to be written into."""
        return self._drafts.setdefault((review.id, review.hash), ReviewDraft())

    def drop(self, review: Review) -> None:
        """Forget the draft: it was sent."""
        self._drafts.pop((review.id, review.hash), None)
