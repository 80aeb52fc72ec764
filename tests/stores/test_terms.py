"""Votes, escalations and deadlines on each kind of store."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import Decision, RunStatus, StateStore
from stepgraph.stores.audit import audit_damages
from tests.engine.terms import Bench


@pytest.mark.parametrize(
    ("rule", "last", "status"),
    [
        ("reject", "decision", RunStatus.READY),
        ("fail", "attempt", RunStatus.FAILED),
        ("approve_unsafe", "decision", RunStatus.READY),
    ],
)
def test_what_becomes_of_a_review_is_kept_with_it_and_in_the_audit(
    store: StateStore, rule: str, last: str, status: RunStatus
) -> None:
    terms: dict[str, Any] = {
        "approvals": 2,
        "approvers": ["ana", "ben"],
        "escalate_after": 30.0,
        "escalate_to": ["chris"],
    }
    bench = Bench(store, "after", deadline=60.0, on_timeout=rule, **terms)
    review = bench.paused()
    bench.reviews.decide(review.id, Decision.approve(by="ana"), expect_hash=review.hash)
    bench.clock.advance(30)
    (waiting,) = bench.reviews.pending()
    assert ([vote.by for vote in waiting.votes], waiting.escalated) == (["ana"], True)
    bench.clock.advance(30)
    (expired,) = bench.reviews.expire()
    assert (expired.id, bench.reviews.pending(), bench.reviews.expire()) == (review.id, [], [])
    assert bench.kinds() == ["start", "review", "vote", "escalation", last]
    assert store.load("r-1").pointer.status is status
    (found,) = store.reviews(pending=False)
    assert [row.kind for row in found.rows] == ["review", "vote", "escalation", last]
    assert [link.entry["what"] for link in store.audit()] == ["vote", "escalation", "timeout"]
    assert audit_damages(store) == []
