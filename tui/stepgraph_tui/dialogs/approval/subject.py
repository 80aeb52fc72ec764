"""All that a person is shown about a review, read from the store at one time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from stepgraph.reviews.inbox import Reviews
from stepgraph.runs import operations as lifecycle
from stepgraph.runs.decision_preview import consequence_of, consequences
from stepgraph.runs.views import shown_plan
from stepgraph_tui.words.masks import mask_of
from stepgraph_tui.words.reviews import last_look, state_asked_about
from stepgraph_tui.words.state_diff import differences
from stepgraph_tui.words.text import call_text

if TYPE_CHECKING:
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph.reviews.model import Decision, Review
    from stepgraph.runs.decision_preview import Consequence
    from stepgraph.runs.run import Run
    from stepgraph.stores.base import StateStore
    from stepgraph.values.json_values import Json
    from stepgraph_tui.words.masks import Mask

Difference = tuple[str, str, "Json", "Json"]
"""A sign, a path, and the values before and after."""


@dataclass(frozen=True)
class Subject:
    """A review with everything around it."""

    review: Review
    app: CompiledGraph
    """The graph that the run goes by, as far as it can be shown."""
    run: Run
    definition: str
    mask: Mask
    leads: tuple[Consequence, ...]
    """What each verb leads to; none once the review is not pending any more."""
    since: str
    """When a person last looked, in words."""
    changed: tuple[Difference, ...]
    """What has changed since then, masked."""

    @classmethod
    def read(cls, store: StateStore, review_id: str) -> Subject:
        """Read a review and what it is about.

        Raises:
            UnknownReview: There is none of that id.
            StoreError: The store is damaged or cannot be read.
        """
        review = Reviews(store).get(review_id)
        stored = store.load(review.run_id)
        app = shown_plan(store, stored)
        run = lifecycle.load(app, store, review.run_id)
        mask = mask_of(app, store, run.id)
        leads = consequences(app, run, review) if review.status == "pending" else []
        seq, since = last_look(store, review)
        before, after = mask.values(store.values(run.id, seq)), mask.values(state_asked_about(store, review))
        changed = tuple(differences(before, after))
        return cls(review, app, run, stored.pointer.definition, mask, tuple(leads), since, changed)

    @property
    def pending(self) -> bool:
        """Whether the review waited for a person when it was read."""
        return self.review.status == "pending"

    @cached_property
    def prompt(self) -> str:
        """The question, masked; not made safe to show."""
        return self.mask.text(self.review.request.prompt)

    @cached_property
    def call(self) -> str:
        """The action with all its arguments, masked, on one line and safe to show."""
        request = self.review.request
        if not request.action and not request.arguments:
            return ""
        return call_text(self.mask.text(request.action), self.mask.values(request.arguments))

    @property
    def high(self) -> bool:
        """Whether approving takes the node's name."""
        return self.review.request.risk == "high"

    def lead_of(self, decision: Decision) -> Consequence | None:
        """What this very decision would lead to; None where the graph does not have the node.

        Raises:
            NotAllowed: The review does not offer it.
        """
        if self.review.node not in self.app.nodes:
            return None
        return consequence_of(self.app, self.run, self.review, decision)


def after_the_question(store: StateStore, subject: Subject) -> tuple[Difference, ...]:
    """What was changed in the run's state after its question, masked.

    Raises:
        StoreError: The store is damaged or cannot be read.
    """
    mask, run_id = subject.mask, subject.review.run_id
    now = store.values(run_id, store.load(run_id).pointer.version)
    return tuple(differences(mask.values(state_asked_about(store, subject.review)), mask.values(now)))
