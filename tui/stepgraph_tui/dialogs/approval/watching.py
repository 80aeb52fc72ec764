"""What the store says about reviews: the one that is shown, the others that wait, what happens meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from stepgraph.reviews.due import DueReviews
from stepgraph.reviews.inbox import Reviews
from stepgraph.reviews.waiting import in_order
from stepgraph.runs.decision_preview import preview_decision, preview_verbs
from stepgraph.runs.masks import mask_of
from stepgraph.runs.views import view_run
from stepgraph.values.errors import StepgraphError
from stepgraph_tui.store_look import LastSeen
from stepgraph_tui.text.reviews import (
    EditedQuestion,
    action_text,
    asked_at,
    last_look,
    result_lines,
    shown_label,
    state_asked_about,
)
from stepgraph_tui.text.state_diff import differences
from stepgraph_tui.text.terms import term_rows
from stepgraph_tui.view.reviews import masked, request_of

from .difference import Difference, StateWalk
from .reading import full_text, told

if TYPE_CHECKING:
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph.reviews.model import Decision, Review
    from stepgraph.runs.decision_preview import DecisionPreview
    from stepgraph.runs.masks import Mask
    from stepgraph.runs.run import Run
    from stepgraph.stores.base import StateStore
    from stepgraph_tui.commands.hints import Hints
    from stepgraph_tui.view.reviews import SafeReview

    from .reading import MustRead, Told


@dataclass(frozen=True)
class Subject:
    """A review with everything around it."""

    review: Review
    app: CompiledGraph
    """The graph that the run goes by, as far as it can be shown."""
    run: Run
    definition: str
    mask: Mask
    leads: tuple[DecisionPreview, ...]
    """What each verb leads to; none once the review is not pending any more."""
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
        run = view_run(store, found.run)
        app = run.plan
        mask = mask_of(app, store, run.id)
        leads = preview_verbs(app, run, review) if review.status == "pending" else []
        seq, since = last_look(store, review)
        before, after = mask.values(store.values(run.id, seq)), mask.values(state_asked_about(store, review))
        changed = tuple(differences(before, after))
        walk = StateWalk(store, run.id, asked_at(store, review), mask)
        result = tuple(result_lines(app, run, review, mask, "→"))
        terms = tuple(term_rows(review, now, counts=False))
        return cls(review, app, run, run.definition, mask, tuple(leads), since, changed, walk, result, terms)

    @property
    def pending(self) -> bool:
        """Whether the review waited for a person when it was read."""
        return self.review.status == "pending"

    @cached_property
    def story(self) -> SafeReview:
        """The review as it may be shown."""
        return masked(self.review, self.mask)

    @property
    def prompt(self) -> str:
        """The question, masked; not made safe to show."""
        return self.story.request.prompt

    @cached_property
    def call(self) -> str:
        """The action with all its arguments, masked, on one line and safe to show."""
        return action_text(request_of(self.story))

    @cached_property
    def asks(self) -> Told:
        """The question, to be read."""
        return told("Asks", self.prompt)

    @cached_property
    def acts(self) -> Told:
        """The action on one line, to be read."""
        return told("Action", self.call)

    @cached_property
    def in_full(self) -> tuple[Told, ...]:
        """The action to be read in full: its name, then in turn the name and the value of each argument."""
        request = self.story.request
        parts = [told("Action", request.action)]
        for name, value in request.arguments.items():
            parts += told("Argument", name), told(f"Argument {name}", full_text(value))
        return tuple(parts)

    @property
    def must_read(self) -> MustRead:
        """What must be read before anything is approved."""
        return {"question": [(self.asks,)], "action": [(self.acts,), self.in_full]}

    @property
    def shown(self) -> str:
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
        return EditedQuestion.of(self.app, self.run, self.review, decision, self.mask)


@dataclass(frozen=True, slots=True)
class ReviewNews:
    """What has become of a review since it was read."""

    review: Review
    """The review as it is now."""
    is_over: bool
    """Whether it was decided, or asks something else."""
    run_changed: bool


class ReviewWatch:
    """Reads reviews one after the other, and looks whether somebody else decides or changes what was read.

    Args:
        store: The store, read on this thread.
        time: The time, in seconds since 1970.
        stamp: Gives the store's stamp, which each commit changes.
    """

    def __init__(
        self, store: StateStore, time: Callable[[], float], stamp: Callable[[], object] | None = None
    ) -> None:
        self._store, self._reviews, self._time = store, Reviews(store, time), time
        self._seen, self._due = LastSeen(stamp or store.stamp), DueReviews(store, time)
        self._review_id = ""
        self.subject: Subject | None = None
        """The review that was read last; None when it could not be read."""
        self.queue: list[str] = []
        """The ids of all reviews that waited then."""

    def open(self, review_id: str) -> Subject:
        """Read a review.

        Raises:
            UnknownReview: There is none of that id.
            StoreError: The store is damaged or cannot be read.
        """
        self._review_id, self.subject = review_id, None
        self.distrust()
        self._due = DueReviews(self._store, self._time)
        self._reviews.get(review_id)  # which applies what is overdue
        self.subject = Subject.read(self._store, review_id, self._time())
        self.queue = self._waiting()
        return self.subject

    def _waiting(self) -> list[str]:
        try:
            return [review.id for review in in_order(self._reviews.pending())]
        except StepgraphError:  # one of the others is damaged: this one can be decided all the same
            return [self._review_id]

    def place(self, hints: Hints) -> str:
        """Tell which of how many reviews this is, between the keys of the others: ``< 2 of 4 >``."""
        at = f"{self.queue.index(self._review_id) + 1} of " if self._review_id in self.queue else ""
        place = f"{at}{len(self.queue)}"
        if len(self.queue) < 2:
            return place
        return f"{hints.key('approval.previous')} {place} {hints.key('approval.next')}"

    def other(self, by: int) -> str | None:
        """Find the next or the previous review that waits now; None when none does."""
        queue = self._waiting()
        if self._review_id in queue:
            return queue[(queue.index(self._review_id) + by) % len(queue)]
        return self.successor() or next(iter(queue), None)

    def successor(self) -> str | None:
        """Find what the same run asks now; None when that is nothing."""
        if self.subject is None:
            return None
        try:
            last = self._reviews.last_of(self.subject.review.run_id)
        except StepgraphError:
            return None
        return last.id if last is not None and last.id in self._waiting() else None

    def distrust(self) -> None:
        """Read again at the next look, even if the store's stamp is still the same."""
        self._seen.forget()

    def news(self, subject: Subject) -> ReviewNews | None:
        """Look what has become of a review that was read; None where nobody has changed anything.

        Deadlines pass without a commit: the store is read when one does.

        Raises:
            StepgraphError: The store cannot be read.
        """
        if self._seen.is_current() and not self._due.is_due:
            return None
        self._reviews.get(subject.review.id)
        review, found = self._reviews.read(subject.review.id)
        self._due.take(review)
        self._seen.keep()
        is_over = review.status != "pending" or review.hash != subject.review.hash
        return ReviewNews(review, is_over, found.run.pointer.version != subject.run.version)

    def after_the_question(self, subject: Subject) -> tuple[Difference, ...]:
        """Find what was changed in the run's state after its question, masked.

        Raises:
            StoreError: The store is damaged or cannot be read.
        """
        mask, run_id = subject.mask, subject.review.run_id
        now = self._store.values(run_id, self._store.load(run_id).pointer.version)
        before = state_asked_about(self._store, subject.review)
        return tuple(differences(mask.values(before), mask.values(now)))
