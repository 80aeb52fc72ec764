"""What the store says about reviews: the one that is shown, the others that wait, what happens meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from textual import events
from textual.message import Message

from stepgraph.reviews import DueReviews, Reviews, in_order
from stepgraph.runs import preview_decision, view_run
from stepgraph.values import StepgraphError

from ...store_look import LastSeen
from ...text.reviews import (
    EditedQuestion,
    action_text,
    asked_at,
    last_look,
    result_lines,
    shown_label,
    state_asked_about,
    term_rows,
)
from ...text.state_diff import differences
from ...view.reviews import ReviewStory, request_of
from .pages import Difference, StateWalk
from .rows import VerbLine, full_text, told

if TYPE_CHECKING:
    from textual.screen import Screen
    from textual.timer import Timer
    from textual.widget import Widget

    from stepgraph.graphs import CompiledGraph
    from stepgraph.reviews import Decision, Review
    from stepgraph.runs import DecisionPreview
    from stepgraph.stores import StateStore

    from ...commands.hints import Hints
    from .rows import MustRead, Told


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
        run = view_run(store, found.run)
        story = ReviewStory.of(review, run)
        mask = story.mask
        seq, since = last_look(store, review)
        before, after = mask.values(store.values(run.id, seq)), mask.values(state_asked_about(store, review))
        changed = tuple(differences(before, after))
        walk = StateWalk(story, asked_at(store, review))
        result = tuple(result_lines(story, "→"))
        terms = tuple(term_rows(review, now, counts=False))
        return cls(review, run, mask, run.definition, since, changed, walk, result, terms)

    @property
    def app(self) -> CompiledGraph:
        """The graph that the run goes by, as far as it can be shown."""
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
        return EditedQuestion.of(self, decision)


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
        """Describe which of how many reviews this is, between the keys of the others: ``< 2 of 4 >``."""
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


QUIET = 0.5
"""Seconds without a key or a click before keys count."""
_ALWAYS = ("escape", "ctrl+c")
"""The keys that need no arming: they leave."""


def stamped_now() -> float:
    """Return the time by the clock that Textual stamps its events with, which differs between systems."""
    return Message().time


class Arming:
    """Tells which keys count: those that were meant for something else do not decide.

    All times are seconds of one clock, and those of keys are when they were read from the terminal: a key
    that waited while the app was busy is judged by when it was pressed.

    Args:
        at: When the waiting begins.
    """

    def __init__(self, at: float) -> None:
        self._since = at
        self._armed = False

    def anew(self, at: float) -> None:
        """Wait again: something else is shown, or the person comes back from elsewhere."""
        self._since = max(self._since, at)
        self._armed = False

    def stir(self, at: float) -> bool:
        """Record a key or a click.

        Returns:
            Whether it counts. One that comes too early does not, and the waiting begins again.
        """
        if self.left(at) > 0:
            self._since = max(self._since, at)
        else:
            self._armed = True
        return self._armed

    def left(self, at: float) -> float:
        """Return how many seconds of quiet are still wanted; 0 when keys count."""
        return 0.0 if self._armed else max(0.0, self._since + QUIET - at)


class OpenFields(Protocol):
    """What the gate knows of the fields that a verb can open."""

    @property
    def idle(self) -> bool:
        """Whether keys are verbs: no field is open."""

    @property
    def field(self) -> Widget | None:
        """The field that is open, or the first of them."""

    @property
    def asks(self) -> bool:
        """Whether what is open is a question that decides."""


class KeyGate:
    """Lets keys through once they count, one after the other.

    Several keys can come in one burst. What stands behind a verb was typed for the field that the verb
    opens, and goes there; it is never a verb itself.

    Args:
        screen: Where the keys arrive.
        fields: What verbs open.
        now: The time by the clock that events are stamped by, in seconds.
        stamp: When an event happened, by that clock.
        changed: Called when keys may have begun or ceased to count.
    """

    def __init__(
        self,
        screen: Screen[Any],
        fields: OpenFields,
        *,
        now: Callable[[], float],
        stamp: Callable[[events.Event], float],
        changed: Callable[[], object],
    ) -> None:
        self._screen, self._fields = screen, fields
        self._now, self._stamp, self._changed = now, stamp, changed
        self._arming = Arming(now())
        self._opened: Widget | None = None  # until all keys go there by themselves

    def arm_anew(self) -> None:
        """Require another moment of quiet before keys count."""
        self._arming.anew(self._now())
        self._changed()

    @property
    def quiet_wanted(self) -> float:
        """How many seconds of quiet are still wanted; 0 when keys count."""
        return self._arming.left(self._now())

    def counts(self, event: events.Event) -> bool:
        """Check whether an event comes late enough to be meant for what is shown. A click ends the quiet."""
        counts = self._arming.stir(self._stamp(event))
        self._changed()
        return counts

    async def take(self, event: events.Key) -> None:
        """Act on a key, drop one that comes too early, and pass on one that a field waits for."""
        screen = self._screen
        if not screen.is_active:  # the key before it has opened something else, or closed the dialog
            event.stop()
        elif self._opened is not None:
            self._hand_over(event, self._opened)
        elif not self._fields.idle:
            if screen.focused is None:
                event.stop()
                screen.focus_next()
        elif event.key in _ALWAYS or self.counts(event):
            await self._obey(event)
        else:
            event.stop()

    async def _obey(self, event: events.Key) -> None:
        """Act at once: the app would do it only after the screen has looked at the keys behind it."""
        event.stop()
        screen = self._screen
        active = screen.active_bindings.get(event.key)
        if active is None:
            screen.app.bell()
            return
        await screen.app.run_action(active.binding.action, active.node)
        self._opened = self._fields.field
        if self._opened is not None:
            screen.set_focus(self._opened)
            screen.call_later(self._all_handed_over)

    def _hand_over(self, event: events.Key, field: Widget) -> None:
        """Pass a field the keys typed for it. A question is not answered before it could be read."""
        handed = copy(event)
        event.stop()
        if self._fields.asks and event.key in ("enter", "ctrl+j"):
            self._screen.app.bell()
        else:
            field.post_message(handed)

    def _all_handed_over(self) -> None:
        """Stop handing over: the keys that had come here already are through, the others go to the field."""
        self._opened = None


class ArmedKeys:
    """Lets keys through once they count, and tells meanwhile in how many tenths of a second they will.

    Args:
        screen: The dialog.
        fields: What its verbs open.
        named: Names the keys that work now, with what they do.
        writing: Whether a text is written, for which nobody need wait.
        now: The time by the clock that events are stamped by, in seconds.
        stamp: When an event happened, by that clock.
    """

    def __init__(
        self,
        screen: Screen[Any],
        fields: OpenFields,
        *,
        named: Callable[[], Sequence[tuple[str, str]]],
        writing: Callable[[], bool],
        now: Callable[[], float],
        stamp: Callable[[events.Event], float],
    ) -> None:
        self._screen, self._named, self._writing = screen, named, writing
        self.gate = KeyGate(screen, fields, now=now, stamp=stamp, changed=self.show)
        """Knows which keys count."""
        self.line = VerbLine()
        """Names them."""
        self._counting: Timer | None = None  # the tenths of a second until keys count

    def begin(self) -> None:
        """Keep the time, and know when the person comes back to the dialog from elsewhere."""
        screen = self._screen
        self._counting = screen.set_interval(0.1, self.show, pause=True)
        screen.watch(screen.app, "app_focus", self.gate.arm_anew, init=False)
        screen.app.app_resume_signal.subscribe(screen, lambda _: self.gate.arm_anew())

    def show(self) -> None:
        """Show which keys work now, or when they will."""
        left = self.gate.quiet_wanted
        counting = left > 0 and not self._writing()
        if self._counting is not None:
            (self._counting.resume if counting else self._counting.pause)()
        self.line.show(self._named(), f"keys in {left:.1f} s" if counting else "")
