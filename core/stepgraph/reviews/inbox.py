"""Finding and deciding reviews on a store alone: no graph, no user code, no trust."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from ..stores.audit import entry_of
from ..stores.base import Damage, Listing
from ..stores.engines import wake
from ..stores.ledger import Row, RunStatus
from ..values.declared import duration_text
from ..values.errors import AlreadyDecided, Conflict, PayloadChanged, StoreDamaged, UnknownReview, UnknownRun
from ..values.json_values import is_real, uptime
from . import voters
from .model import Decision, Review, ReviewStatus
from .stored import ReviewClock, entry_for, stored_review
from .terms import TIMEOUT

if TYPE_CHECKING:
    from ..stores.base import StateStore, StoredReview, StoredRun
    from ..stores.ledger import RowKind
    from ..values.json_values import Json


TIME_HAS_COME = "the time has come"
"""The message where the run waited for nothing else."""
RULES = {
    "reject": "rejected by its deadline: nobody decided in time",
    "fail": "failed by its deadline: nobody decided in time",
    "approve_unsafe": "APPROVED UNSEEN by its deadline (approve_unsafe): nobody looked",
    "go_on": "over: the time that it waited for had come",
}
"""What each rule has done with a review, in words."""


def is_overdue(review: Review, now: float) -> bool:
    """Check whether the rule of a review is to be applied by now."""
    return review.status == "pending" and review.deadline is not None and now >= review.deadline


def timeout_decision(review: Review, now: float) -> Decision | None:
    """Build the decision that a review's rule asks for; None where the run is to fail instead."""
    rule = review.terms.on_timeout
    if rule == "fail":
        return None
    return Decision(
        "reject" if rule == "reject" else "approve",
        by=TIMEOUT,
        comment=TIME_HAS_COME if review.is_wait else f"{_in_time(review)}; on_timeout = {rule}",
        source=TIMEOUT,
        at=now,
        review=review.id,
        hash=review.hash,
    )


def timeout_failure(review: Review) -> dict[str, Json]:
    """Write what is recorded where a run fails because nobody has decided in time."""
    return {
        "verb": "fail",
        "by": TIMEOUT,
        "comment": f"{_in_time(review)}; on_timeout = fail",
        "source": TIMEOUT,
        "hash": review.hash,
    }


def failure_of(review: Review, recorded: dict[str, Json]) -> dict[str, Json]:
    """Write the failure of the node that waited, as the ledger keeps failures."""
    return {
        "type": "NodeFailed",
        "message": f"node {review.node!r} waited for review {review.id}: {recorded['comment']}",
        "hint": "retry the run to ask again, with a new deadline",
    }


def escalation(review: Review) -> dict[str, Json]:
    """Write what is recorded where others may decide a review as well from now on."""
    to = review.terms.escalate_to or ()
    comment = (
        f"nobody decided within {duration_text(review.terms.escalate_after or 0)}: {', '.join(to)} may too"
    )
    return {"to": [*to], "by": TIMEOUT, "comment": comment, "source": TIMEOUT, "hash": review.hash}


def _in_time(review: Review) -> str:
    who = "nobody decided"
    if review.votes:
        who = f"{len(review.votes)} of {review.terms.needed} had approved"
    return f"{who} within {duration_text(review.terms.deadline or 0)}"


def already_decided(review: Review) -> AlreadyDecided:
    """Build the error for a decision that lost, or came after the deadline's."""
    decision = review.decision
    hint = f"nothing was changed; `stepgraph runs show {review.run_id}` shows how the run went on"
    if review.status == "expired":
        rule = review.terms.on_timeout or ""
        when = f"it waited until {_moment(review.deadline or 0)}"
        if decision is None:
            hint = f"`stepgraph retry {review.run_id}` asks again, with a new deadline"
        return AlreadyDecided(f"review {review.id} was {RULES.get(rule, rule)}; {when}", hint=hint)
    assert decision is not None  # noqa: S101  # it is decided, then
    who = decision.by or "somebody"
    comment = f": {decision.comment}" if decision.comment else ""
    return AlreadyDecided(
        f"review {review.id} was decided before: {decision.verb} by {who} ({decision.source}) "
        f"at {_moment(decision.at)}{comment}",
        hint=hint,
    )


def _moment(at: float) -> str:
    try:
        return datetime.fromtimestamp(at).astimezone().isoformat(" ", "seconds")
    except (ValueError, OverflowError, OSError):  # a clock that was set to no year of the calendar
        return f"{at} seconds since 1970"


_T = TypeVar("_T")


class ReviewListing(Listing[_T]):
    """A list of reviews, with those that a deadline has ended while it was read.

    Args:
        found: What can be read.
        damages: What cannot.
        due: What this reading has ended.
    """

    def __init__(
        self, found: Iterable[_T] = (), damages: Iterable[Damage] = (), due: Iterable[Review] = ()
    ) -> None:
        super().__init__(found, damages)
        self.due = list(due)
        """The reviews whose rule this very reading has applied: their runs are ready, or have failed."""


class Reviews:
    """The reviews of a store.

    Whoever looks at a review whose deadline has passed applies its rule first, and whoever looks at one that
    is escalated by now records that: each happens once, by the compare-and-swap that decides too.

    Args:
        store: Where the runs live.
        now: The time, in seconds since 1970; this machine's, checked as ``clock`` says, when None.
    """

    def __init__(self, store: StateStore, now: Callable[[], float] | None = None) -> None:
        self._store = store
        self._now = now

    def pending(self) -> ReviewListing[Review]:
        """List the reviews that wait for a person, the oldest first, and what is damaged beside them.

        Its ``due`` are those that waited until this very call.
        """
        found = self.all()
        return ReviewListing((review for review, _ in found if not review.is_wait), found.damages, found.due)

    def all(
        self, *, pending: bool = True, limit: int | None = None
    ) -> ReviewListing[tuple[Review, StoredRun]]:
        """List the reviews that wait, or all that no longer do, each with its run as it stood then.

        Args:
            pending: Whether those are wanted that wait, the oldest first; else the others, the latest first.
            limit: How many of the others at most.
        """
        clock = self._clock()
        if pending:
            return self._list(clock)
        stored = self._store.reviews(False, limit)
        past: ReviewListing[tuple[Review, StoredRun]] = ReviewListing(damages=stored.damages)
        for found in stored:
            try:
                past.append((self._made_of(found, clock), found.run))
            except StoreDamaged as error:
                past.damages.append(Damage(error.what, found.run.head.id))
        return past

    def expire(self, now: float | None = None) -> list[Review]:
        """Apply the rule of every review whose deadline has passed.

        Args:
            now: The time, in seconds since 1970; the clock's when None.

        Returns:
            The reviews to which this very call has applied it.
        """
        return self._list(self._clock() if now is None else ReviewClock(self._store, lambda: now)).due

    def _clock(self) -> ReviewClock:
        return ReviewClock(self._store, self._now)

    def _list(self, clock: ReviewClock) -> ReviewListing[tuple[Review, StoredRun]]:
        """Find the reviews that wait, and those that did until now."""
        stored = self._store.reviews()
        waiting: ReviewListing[tuple[Review, StoredRun]] = ReviewListing(damages=stored.damages)
        for found in stored:
            try:
                review, ended = self._made_of(found, clock), False
                if is_overdue(review, clock.now) or voters.must_escalate(review, clock.now):
                    review, _, ended = self._settled(review.id, clock)
            except StoreDamaged as error:
                waiting.damages.append(Damage(error.what, found.run.head.id))
                continue
            except (UnknownReview, UnknownRun):  # its run was deleted since
                continue
            if review.status == "pending":  # also now, after the reading
                waiting.append((review, found.run))
            elif ended:
                waiting.due.append(review)
        return waiting

    def settle(self, run_id: str) -> None:
        """Apply what the terms of a run's review ask for by now, if it waits for one."""
        run = self._store.load(run_id)
        if run.pointer.status is RunStatus.PAUSED:
            self.of(run)  # whoever needs a damaged part reports it

    def of(self, run: StoredRun) -> Review | Damage:
        """Read the review that a paused run waits for, or describe its damage."""
        try:
            return self.get(run.pointer.review or "")
        except (StoreDamaged, UnknownReview) as error:  # its review is nowhere: reviews are never deleted
            return Damage(error.what if isinstance(error, StoreDamaged) else error.message, run.head.id)

    def get(self, review_id: str) -> Review:
        """Read a review, pending or not.

        Raises:
            UnknownReview: There is none of that id.
        """
        return self._settled(review_id, self._clock())[0]

    def read(self, review_id: str) -> tuple[Review, StoredReview]:
        """Read a review as it is, overdue or not, with its rows and its run as they stood at the same moment.

        Raises:
            UnknownReview: There is none of that id.
        """
        return self._read(review_id, self._clock())

    def _read(self, review_id: str, clock: ReviewClock) -> tuple[Review, StoredReview]:
        found = self._store.review(review_id)
        if found is None:
            raise UnknownReview(
                f"there is no review {review_id!r} in this store",
                hint="`stepgraph approvals` lists what waits; is it the right --store?",
            )
        return self._made_of(found, clock), found

    def _made_of(self, found: StoredReview, clock: ReviewClock) -> Review:
        review = stored_review(self._store.url, found, clock)
        if review.terms.allow_self is False and not voters.knows_authors(found.rows[0]):
            named = voters.authors(self._store, review.run_id, found.rows[0].seq, review.started_by)
            return replace(review, authors=tuple(named))
        return review

    def last_of(self, run_id: str) -> Review | None:
        """Read the review that a run had last; None when it never had one."""
        rows = self._store.rows(run_id, kinds=("review",))
        return self.get(rows[-1].review or "") if rows else None

    def decide(self, review_id: str, decision: Decision, *, expect_hash: str | None = None) -> Review:
        """Record a decision, and its entry in the audit with it; the first one wins, and nothing runs.

        Where several people must approve, each approval but the last is recorded as a vote: the review still
        waits.

        Args:
            review_id: The review.
            decision: What the person decided.
            expect_hash: The payload hash that the person looked at.

        Returns:
            The review, decided, or with one vote more.

        Raises:
            UnknownReview: There is none of that id.
            AlreadyDecided: Somebody was first, or the deadline has passed; the message says so.
            PayloadChanged: The hash is another one, or the review was withdrawn.
            NotAllowed: The verb, a key or a value was not offered, or this person may not decide.
        """
        while True:
            review, run, recorded = self._checked(review_id, decision, expect_hash)
            try:
                if recorded.verb != "approve" or voters.missing(review) <= 1:
                    return self._decide(run, review, recorded)
                self._commit(run, "vote", review, recorded.at, recorded.to_json())
                return replace(review, votes=(*review.votes, recorded))
            except Conflict:
                continue  # the run moved; look again who was first

    def check(self, review_id: str, decision: Decision, *, expect_hash: str | None = None) -> Review:
        """Read a review that could be decided so as it stands; the decision is not recorded.

        Raises:
            StepgraphError: What ``decide`` would raise.
        """
        return self._checked(review_id, decision, expect_hash)[0]

    def _checked(
        self, review_id: str, decision: Decision, expect_hash: str | None
    ) -> tuple[Review, StoredRun, Decision]:
        """Read a review with its run, and make the decision as it would be recorded."""
        clock = self._clock()
        review, run, _ = self._settled(review_id, clock)
        _refuse_unless_pending(review, expect_hash)
        recorded = replace(review.checked(decision), at=clock.now)
        refusal = voters.refusal(review, recorded, clock.now)
        if refusal is not None:
            raise refusal
        return review, run, recorded

    def _settled(self, review_id: str, clock: ReviewClock) -> tuple[Review, StoredRun, bool]:
        """Read a review once all is recorded that its terms ask for by now.

        Returns:
            The review, its run as it stood at the same moment, and whether this very call has ended it.
        """
        while True:
            review, found = self._read(review_id, clock)
            try:
                if is_overdue(review, clock.now):
                    return self._expire(found.run, review, clock.now), found.run, True
                if not voters.must_escalate(review, clock.now):
                    return review, found.run, False
                self._commit(found.run, "escalation", review, clock.now, escalation(review))
            except Conflict:
                continue  # somebody else has recorded it, or has decided

    def _expire(self, run: StoredRun, review: Review, now: float) -> Review:
        """Apply what is to be done with a review that nobody has decided in time.

        Raises:
            Conflict: The run has moved.
        """
        decision = timeout_decision(review, now)
        if decision is not None:
            return self._decide(run, review, decision)
        self._commit(run, "attempt", review, now, timeout_failure(review), RunStatus.FAILED)
        return replace(review, status="expired")

    def _decide(self, run: StoredRun, review: Review, decision: Decision) -> Review:
        self._commit(run, "decision", review, decision.at, decision.to_json(), RunStatus.READY)
        status: ReviewStatus = "expired" if decision.source == TIMEOUT else "decided"
        return replace(review, status=status, decision=decision)

    def _commit(
        self,
        run: StoredRun,
        kind: RowKind,
        review: Review,
        at: float,
        data: dict[str, Json],
        status: RunStatus = RunStatus.PAUSED,
    ) -> None:
        """Append what happened to a review, and move its run from where it stood when the review was read.

        Raises:
            Conflict: The run has moved meanwhile.
        """
        version, node = run.pointer.version + 1, review.node
        row = Row(version, kind, review.step, node, review.visit, at, review=review.id, data=data)
        if status is RunStatus.FAILED:
            row.error = failure_of(review, data)
        moved = replace(run.pointer, version=version, status=status, error=row.error, updated_at=at)
        self._store.commit(review.run_id, row, moved, audit=entry_for(self._store, run, row))
        wake(review.run_id)


def _refuse_unless_pending(review: Review, expect_hash: str | None) -> None:
    if review.status in ("decided", "expired"):
        raise already_decided(review)
    if review.status == "withdrawn":
        raise PayloadChanged(
            f"review {review.id} was withdrawn: run {review.run_id} was edited or stopped after it",
            hint="`stepgraph approvals` shows what waits now",
        )
    if expect_hash is not None and expect_hash != review.hash:
        raise PayloadChanged(
            f"review {review.id} is not the one you looked at: its hash is {review.hash}, not {expect_hash}",
            hint=f"look again with `stepgraph approvals show {review.id}`",
        )


def delete_runs(
    store: StateStore, versions: Mapping[str, int], *, by: str, at: float, source: str = "library"
) -> list[str]:
    """Delete runs with all that is theirs, and enter into the audit which reviews were withdrawn by it.

    Args:
        store: Where the runs live.
        versions: The runs, each at the version that the caller has seen.
        by: Who deletes them.
        at: The time, in seconds since 1970.
        source: From where: ``library``, ``cli``, ``app``.

    Returns:
        Those that were deleted: the others are gone already, or at another version.
    """
    return store.delete_runs(versions, dict(_withdrawals(store, versions, by, at, source)))


def _withdrawals(
    store: StateStore, versions: Mapping[str, int], by: str, at: float, source: str
) -> Iterator[tuple[str, dict[str, Json]]]:
    """Build the entries for those of the runs that wait; of a damaged one nobody knows whether it does."""
    for run_id, version in versions.items():
        with suppress(StoreDamaged, UnknownRun):
            run = store.load(run_id)
            pointer = run.pointer
            if pointer.status is RunStatus.PAUSED and pointer.version == version:
                entry: dict[str, Json] = {"verb": "delete", "by": by, "source": source}
                entry |= {"withdraws": pointer.review, "hash": _hash(store, pointer.review or "")}
                row = Row(version + 1, "stop", pointer.step, pointer.current, at=at, data=entry)
                yield run_id, entry_of(run.head, row)


def _hash(store: StateStore, review_id: str) -> str:
    """Read the hash of what a person was asked; empty where that is damaged."""
    try:
        return Reviews(store).read(review_id)[0].hash
    except (StoreDamaged, UnknownReview):
        return ""


class DueReviews:
    """Knows when each review that waits is to be looked at again; each look reads only what is new or due.

    Args:
        store: Where the runs live.
        now: The time, in seconds since 1970.
    """

    def __init__(self, store: StateStore, now: Callable[[], float]) -> None:
        self._reviews, self._now = Reviews(store, now), now
        self._passed = uptime if is_real(now) else now  # the clock may be set meanwhile
        self._next: dict[str, tuple[float, float]] = {}  # the next moment of each review, by both clocks
        self.timed: set[str] = set()
        """Those of them, by their ids, that wait for a time and ask nobody."""

    def take(self, review: Review) -> None:
        """Record a review that was just read, so that it need not be read again."""
        moment = _next_moment(review)
        self._next[review.id] = moment, self._passed() + moment - self._now()
        if review.is_wait:
            self.timed.add(review.id)

    @property
    def is_due(self) -> bool:
        """Whether something has become due since the last look."""
        now, passed = self._now(), self._passed()
        return any(at <= now or then <= passed for at, then in self._next.values())

    def look(self, paused: Iterable[StoredRun]) -> bool:
        """Apply what is due to the reviews of waiting runs, and check whether one of them waits no more.

        Args:
            paused: The paused runs, as the store has them now.
        """
        waiting = {run.pointer.review: run for run in paused if run.pointer.review is not None}
        self._next = {id_: at for id_, at in self._next.items() if id_ in waiting}
        self.timed &= waiting.keys()
        now, passed, ended = self._now(), self._passed(), False
        for id_, run in waiting.items():
            at, then = self._next.get(id_, (now, passed))
            if at <= now or then <= passed:
                review = self._reviews.of(run)
                if isinstance(review, Review):
                    self.take(review)
                    ended |= review.status != "pending"
                else:
                    self._next[id_] = math.inf, math.inf
        return ended


def _next_moment(review: Review) -> float:
    """Find when something happens to a review by itself: its escalation, then its deadline."""
    if review.status != "pending":
        return math.inf
    escalation = None if review.escalated else review.escalates_at
    return min((at for at in (escalation, review.deadline) if at is not None), default=math.inf)
