"""A review with everything around it: what is asked, what has changed, where the answers lead."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from stepgraph.reviews import Reviews
from stepgraph.runs import LedgerRows, PagedSlice, preview_decision, view_run
from stepgraph.stores import each_row

from ...text.plain import by_lines
from ...text.reviews import (
    EditedQuestion,
    action_text,
    last_look,
    result_lines,
    shown_label,
    so_far,
    term_rows,
)
from ...text.state_diff import differences
from ...text.versions import written_at
from ...view.reviews import ReviewStory, request_of
from .rows import full_text, told

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph
    from stepgraph.reviews import Decision
    from stepgraph.runs import DecisionPreview
    from stepgraph.stores import Row, StateStore
    from stepgraph.values import Json

    from ...text.conversation import ChatMessage
    from .rows import MustRead, Told

Difference = tuple[str, str, "Json", "Json"]
"""A sign, a path, and the values before and after."""


class StateWalk:
    """What each step has changed in a run's state before a question, read when it is looked at.

    Args:
        story: The review that asks.
        upto: The last row of the run's ledger that counts.
    """

    def __init__(self, story: ReviewStory, upto: int) -> None:
        self._store, self._run_id, self.upto = story.run.store, story.run.id, upto
        self._mask = story.mask

    @cached_property
    def rows(self) -> Sequence[Row]:
        """What has changed something, in order; each is read when it is looked at."""
        rows = LedgerRows(self._store, self._run_id)
        rows.version = self.upto
        changing = (row.seq - 1 for row in each_row(self._store, self._run_id, upto=self.upto) if row.updates)
        return PagedSlice(rows, array("Q", changing))

    def changes(self, at: int) -> tuple[list[Difference], str]:
        """Find what one of the rows has changed, masked, and say which it is."""
        row = self.rows[at]
        before = self._state(row.seq - 1) if row.seq > 1 else {}
        changed = list(differences(before, self._state(row.seq)))
        return changed, f"{at + 1:,} of {len(self.rows):,}: {written_at(row)}"

    def _state(self, seq: int) -> dict[str, Json]:
        return self._mask.values(self._store.values(self._run_id, seq))


@dataclass(frozen=True)
class Subject(ReviewStory):
    """A review with everything around it."""

    definition: str
    since: str
    """When a person last looked, in words."""
    changed: tuple[Difference, ...]
    """What has changed since then, masked."""
    walk: StateWalk
    """What each step before the question has changed."""
    result: tuple[str, ...] = ()
    """What approving would change in the state, masked, where what a node did waits for it."""
    terms: tuple[tuple[str, str], ...] = ()
    """Until when it waits, for whom, and who has approved so far, each under its heading; safe to show."""

    @classmethod
    def read(cls, store: StateStore, review_id: str, now: float = 0.0) -> Subject:
        """Read a review and what it is about.

        Args:
            store: Where it is.
            review_id: The review.
            now: The time, in seconds since 1970.

        Raises:
            UnknownReview: There is none of that id.
            StoreError: The store is damaged or cannot be read.
        """
        review, found = Reviews(store).read(review_id)
        run, asked = view_run(store, found.run), found.rows[0].seq
        story = ReviewStory.of(review, run)
        mask = story.mask
        seq, since = last_look(store, run.id, asked)
        before, after = (mask.values(store.values(run.id, at)) for at in (seq, asked))
        changed = tuple(differences(before, after))
        walk = StateWalk(story, asked)
        result = tuple(result_lines(story, "→"))
        terms = tuple(term_rows(review, now, counts=False))
        return cls(review, run, mask, run.definition, since, changed, walk, result, terms)

    @property
    def app(self) -> CompiledGraph:
        """The run's graph, as far as it can be shown."""
        return self.run.plan

    @property
    def prompt(self) -> str:
        """The question, masked; not made safe to show."""
        return self.safe.request.prompt

    @cached_property
    def call(self) -> str:
        """The action with all its arguments, masked, on one line and safe to show."""
        return action_text(request_of(self.safe))

    @cached_property
    def led_by(self) -> list[ChatMessage]:
        """The messages that led to the question, masked; not made safe to show."""
        return so_far(self)

    @cached_property
    def asks(self) -> Told:
        """The question, to be read."""
        return told("Asks", self.prompt)

    @cached_property
    def acts(self) -> Told:
        """The action with its arguments, to be read."""
        return told("Action", by_lines(self.call))

    @cached_property
    def in_full(self) -> tuple[Told, ...]:
        """The action to be read in full: its name, then in turn the name and the value of each argument."""
        request = self.safe.request
        parts = [told("Action", request.action)]
        for name, value in request.arguments.items():
            parts += told("Argument", name), told(f"Argument {name}", full_text(value))
        return tuple(parts)

    @property
    def must_read(self) -> MustRead:
        """What must be read before anything is approved."""
        return {"question": [(self.asks,)], "action": [(self.acts,), self.in_full]}

    @property
    def values_title(self) -> str:
        """What the shown values are called."""
        return shown_label(self.review)

    @property
    def high(self) -> bool:
        """Whether approving takes the node's name."""
        return self.review.request.risk == "high"

    def lead_of(self, decision: Decision) -> DecisionPreview | None:
        """Find out what this very decision would lead to; None where the graph does not have the node.

        Raises:
            NotAllowed: The review does not offer it.
        """
        if self.review.node not in self.app.nodes:
            return None
        return preview_decision(self.app, self.run, self.review, decision)

    def edited_by(self, decision: Decision) -> EditedQuestion:
        """Find out what is asked with an edit made.

        Raises:
            NotAllowed: The review does not offer it.
        """
        return EditedQuestion.of(self, decision)
