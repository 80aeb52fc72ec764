"""Finding and deciding reviews on a store alone: no graph, no user code, no trust."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast, get_args

from ..stores.audit import entry_of
from ..stores.base import Damage, Listing
from ..stores.ledger import Row, RunStatus
from ..stores.refusals import damaged
from ..values.clocks import checked_time
from ..values.errors import AlreadyDecided, Conflict, PayloadChanged, StateError, StoreDamaged, UnknownReview
from ..values.messages import said
from .model import Decision, Gate, Review, ReviewRequest, ReviewStatus, Verb, payload_hash

if TYPE_CHECKING:
    from ..stores.base import StateStore, StoredReview, StoredRun


class Reviews:
    """The reviews of a store.

    Args:
        store: Where the runs live.
        now: The time, in seconds since 1970.
    """

    def __init__(self, store: StateStore, now: Callable[[], float] = time.time) -> None:
        self._store = store
        self._now = now

    def pending(self) -> Listing[Review]:
        """List the reviews that wait for a person, the oldest first, and what is damaged beside them."""
        stored = self._store.reviews()
        found = [self._readable(review) for review in stored]
        waiting = [review for review in found if isinstance(review, Review)]
        return Listing(waiting, [*stored.damages, *(each for each in found if isinstance(each, Damage))])

    def of(self, run: StoredRun) -> Review | Damage:
        """Read the review that a paused run waits for, or say what is damaged of it."""
        try:
            return self.get(run.pointer.review or "")
        except (StoreDamaged, UnknownReview) as error:  # its review is nowhere: reviews are never deleted
            return Damage(error.what if isinstance(error, StoreDamaged) else error.message, run.head.id)

    def _readable(self, stored: StoredReview) -> Review | Damage:
        try:
            return self._made_of(stored)
        except StoreDamaged as error:
            return Damage(error.what, stored.run.head.id)

    def get(self, review_id: str) -> Review:
        """Read a review, pending or not.

        Raises:
            UnknownReview: There is none of that id.
        """
        return self.read(review_id)[0]

    def read(self, review_id: str) -> tuple[Review, StoredReview]:
        """Read a review, with its rows and its run as they stood at the same moment.

        Raises:
            UnknownReview: There is none of that id.
        """
        found = self._store.review(review_id)
        if found is None:
            raise UnknownReview(
                f"there is no review {review_id!r} in this store",
                hint="`stepgraph approvals` lists what waits; is it the right --store?",
            )
        return self._made_of(found), found

    def _made_of(self, stored: StoredReview) -> Review:
        run, rows = stored
        decided = next((row for row in rows if row.kind == "decision"), None)
        status: ReviewStatus = "decided"
        if decided is None:
            waits = run.pointer.review == rows[0].review and run.pointer.status is RunStatus.PAUSED
            status = "pending" if waits else "withdrawn"
        return _review(self._store.url, run, rows[0], status, decided)

    def last_of(self, run_id: str) -> Review | None:
        """Read the review that a run had last; None when it never had one."""
        rows = self._store.rows(run_id, kinds=("review",))
        return self.get(rows[-1].review or "") if rows else None

    def decide(self, review_id: str, decision: Decision, *, expect_hash: str | None = None) -> Review:
        """Record a decision, and its entry in the audit with it; the first one wins, and nothing runs.

        Args:
            review_id: The review.
            decision: What the person decided.
            expect_hash: The payload hash that the person looked at.

        Returns:
            The review, decided.

        Raises:
            UnknownReview: There is none of that id.
            AlreadyDecided: Somebody was first; the message says who, when and what.
            PayloadChanged: The hash is another one, or the review was withdrawn.
            NotAllowed: The verb, a key or a value was not offered.
        """
        while True:
            review, found = self.read(review_id)
            _refuse_unless_pending(review, expect_hash)
            recorded = replace(review.checked(decision), at=checked_time(self._now))
            try:
                self._record(found.run, review, recorded)
            except Conflict:
                continue  # the run moved; look again who was first
            return replace(review, status="decided", decision=recorded)

    def _record(self, run: StoredRun, review: Review, decision: Decision) -> None:
        version = run.pointer.version + 1
        row = Row(
            version,
            "decision",
            review.step,
            review.node,
            review.visit,
            decision.at,
            review=review.id,
            data=decision.to_json(),
        )
        moved = replace(run.pointer, version=version, status=RunStatus.READY, updated_at=decision.at)
        self._store.commit(review.run_id, row, moved, audit=entry_of(run.head, row))


def _review(url: str, run: StoredRun, asked: Row, status: ReviewStatus, decided: Row | None) -> Review:
    try:
        data = cast(dict[str, Any], asked.data)
        request = ReviewRequest.from_json(data["request"])
        request.to_json()  # refuses what is not of its kind
        gate = Gate.from_json(data["gate"], request) if "gate" in data else None
        passed = data.get("passed")
        if data["hash"] != payload_hash(asked.node or "", data["request"], data["values"], gate):
            raise ValueError("it is not what its hash was made of")
        review = Review(
            id=asked.review or "",
            run_id=run.head.id,
            graph=run.head.graph,
            node=asked.node or "",
            step=asked.step,
            visit=asked.visit,
            request=request,
            values=dict(data["values"]),
            hash=str(data["hash"]),
            asked_at=asked.at,
            status=status,
            gate=gate,
            passed=None if passed is None else str(passed),
        )
        return review if decided is None else replace(review, decision=_decision(asked, decided))
    except (AttributeError, LookupError, StateError, TypeError, ValueError) as error:
        what = f"review {asked.review!r} of run {run.head.id!r} cannot be read"
        raise damaged(url, f"{what} ({type(error).__name__}{said(error)})") from error


def _decision(asked: Row, row: Row) -> Decision:
    decision = Decision.from_json(cast(dict[str, Any], row.data))
    texts = (decision.text, decision.by, decision.comment, decision.source, decision.review, decision.hash)
    fits = all(isinstance(text, str) for text in texts) and isinstance(decision.at, (int, float))
    if not fits or decision.verb not in get_args(Verb) or not isinstance(decision.values, dict):
        raise ValueError("its decision is none")
    if (decision.review, decision.hash) != (asked.review, cast(dict[str, Any], asked.data)["hash"]):
        raise ValueError("its decision is about another one")
    return decision


def _refuse_unless_pending(review: Review, expect_hash: str | None) -> None:
    if review.decision is not None:
        raise already_decided(review, review.decision)
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


def already_decided(review: Review, decision: Decision) -> AlreadyDecided:
    """Make the error that tells a loser who won."""
    try:
        when = datetime.fromtimestamp(decision.at).astimezone().isoformat(" ", "seconds")
    except (ValueError, OverflowError, OSError):  # a clock that was set to no year of the calendar
        when = f"{decision.at} seconds since 1970"
    who = decision.by or "somebody"
    comment = f": {decision.comment}" if decision.comment else ""
    return AlreadyDecided(
        f"review {review.id} was decided before: {decision.verb} by {who} ({decision.source}) "
        f"at {when}{comment}",
        hint=f"nothing was changed; `stepgraph runs show {review.run_id}` shows how the run went on",
    )
