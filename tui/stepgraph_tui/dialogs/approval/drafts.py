"""What was written for a review and not sent yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from stepgraph_tui.words.text import visible

if TYPE_CHECKING:
    from stepgraph.reviews.model import Review


@dataclass(slots=True)
class Draft:
    """Texts that wait for a decision to go with. They are kept as they are typed."""

    comment: str = ""
    answer: str = ""
    edits: dict[str, str] = field(default_factory=dict)
    """What stands in the changed fields of the form, by path."""

    def __bool__(self) -> bool:
        return bool(self.comment or self.answer or self.edits)

    @property
    def parts(self) -> str:
        """What there is of it, in words: ``order.amount, an answer, a comment``."""
        words = ["an answer"] * bool(self.answer) + ["a comment"] * bool(self.comment)
        return ", ".join([*map(visible, self.edits), *words])

    def text(self) -> str:
        """All of it, for copying."""
        parts = [f"{path} = {text}" for path, text in self.edits.items()]
        return "\n".join([*parts, *filter(None, (self.answer, self.comment))])


class Drafts:
    """The drafts of all reviews, for as long as the app runs.

    They belong to exactly what was looked at: a review that asks something else starts without.
    """

    def __init__(self) -> None:
        self._drafts: dict[tuple[str, str], Draft] = {}

    def __bool__(self) -> bool:
        return any(self._drafts.values())

    def of(self, review: Review) -> Draft:
        """The draft for a review, to be written into."""
        return self._drafts.setdefault((review.id, review.hash), Draft())

    def drop(self, review: Review) -> None:
        """Forget the draft: it was sent."""
        self._drafts.pop((review.id, review.hash), None)
