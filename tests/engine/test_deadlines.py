"""What a deadline does to a review: once, whoever sees it first, and never before its time."""

from __future__ import annotations

import pytest

from stepgraph import AlreadyDecided, Decision, NodeFailed, Outcome, ReviewTerms, RunStatus, StateStore
from stepgraph.reviews.model import Review
from tests.engine.terms import PLACES, Bench

HOUR = 3600.0


@pytest.mark.parametrize("place", PLACES)
def test_a_review_without_terms_waits_for_ever(store: StateStore, place: str) -> None:  # acceptance 145
    bench = Bench(store, place)
    review = bench.paused()
    bench.clock.advance(10 * 365 * 86_400)
    assert bench.reviews.expire() == []
    assert bench.reviews.get(review.id).status == "pending"
    assert review.deadline is None


@pytest.mark.parametrize("place", PLACES)
def test_a_node_of_a_graph_with_a_deadline_may_wait_for_ever_by_a_deadline_of_zero(
    store: StateStore, place: str
) -> None:
    bench = Bench(store, place, ReviewTerms(deadline=0), deadline=HOUR, on_timeout="reject")
    review = bench.paused()
    bench.clock.advance(100 * HOUR)
    assert bench.reviews.get(review.id).deadline is None
    assert bench.reviews.expire() == []


# acceptance 146, 147
@pytest.mark.parametrize("place", PLACES)
def test_a_deadline_rejects_once_and_the_run_goes_on_as_after_any_reject(
    store: StateStore, place: str
) -> None:
    bench = Bench(store, place, deadline=HOUR, on_timeout="reject")
    review = bench.paused()
    assert review.deadline == bench.clock.time() + HOUR
    bench.clock.advance(HOUR - 0.001)
    assert bench.reviews.expire() == []
    bench.clock.advance(0.001)
    (expired,) = bench.reviews.expire()
    assert (expired.id, expired.status) == (review.id, "expired")
    assert expired.decision is not None
    assert (expired.decision.verb, expired.decision.source) == ("reject", "timeout")
    assert bench.reviews.expire() == []
    assert bench.reviews.get(review.id) == expired
    assert bench.kinds().count("decision") == 1
    run = bench.executor.run(bench.executor.load("r-1"))
    assert run.status is RunStatus.ENDED
    gated = place in ("before", "after")
    assert run.outcome is (Outcome.STOPPED if gated else Outcome.END)
    assert ("done" in run.values) is (place == "after")


@pytest.mark.parametrize("place", PLACES)
def test_a_deadline_that_approves_says_so_wherever_it_is_read(store: StateStore, place: str) -> None:
    bench = Bench(store, place, deadline=HOUR, on_timeout="approve_unsafe")
    review = bench.paused()
    bench.clock.advance(HOUR)
    decided = bench.reviews.get(review.id)
    assert decided.decision is not None
    assert (decided.decision.verb, decided.decision.by) == ("approve", "timeout")
    assert "approve_unsafe" in decided.decision.comment
    with pytest.raises(AlreadyDecided, match="APPROVED UNSEEN by its deadline"):
        bench.reviews.decide(review.id, Decision.reject(by="ana"))
    run = bench.executor.run(bench.executor.load("r-1"))
    assert run.outcome is Outcome.END


@pytest.mark.parametrize("place", PLACES)
def test_a_deadline_that_fails_leaves_the_run_at_its_node_and_a_retry_asks_anew(
    store: StateStore, place: str
) -> None:
    bench = Bench(store, place, deadline=HOUR, on_timeout="fail")
    review = bench.paused()
    bench.clock.advance(HOUR)
    (expired,) = bench.reviews.expire()
    assert (expired.status, expired.decision) == ("expired", None)
    run = bench.executor.load("r-1")
    assert (run.status, run.current, run.step) == (RunStatus.FAILED, place, 0)
    assert isinstance(run.error, NodeFailed)
    assert "nobody decided within 1h" in run.error.message
    assert len(run.attempts) == 1
    with pytest.raises(AlreadyDecided, match="failed by its deadline"):
        bench.executor.decide("r-1", Decision.approve(by="ana"))
    bench.clock.advance(5 * HOUR)
    again = bench.waiting(bench.executor.retry("r-1"))
    assert again.id != review.id
    assert again.deadline == bench.clock.time() + HOUR
    run = bench.executor.resume("r-1", Decision.approve(by="ana"))
    assert (run.status, run.step) == (RunStatus.ENDED, 1)


@pytest.mark.parametrize("rule", ["reject", "fail", "approve_unsafe"])
def test_a_decision_after_the_deadline_finds_the_rule_applied(store: StateStore, rule: str) -> None:
    bench = Bench(store, deadline=HOUR, on_timeout=rule)
    review = bench.paused()
    bench.clock.advance(2 * HOUR)
    with pytest.raises(AlreadyDecided, match="by its deadline"):
        bench.reviews.decide(review.id, Decision.approve(by="ana"), expect_hash=review.hash)
    assert bench.reviews.get(review.id).status == "expired"


def test_rows_and_hashes_of_reviews_without_terms_are_as_they_were(store: StateStore) -> None:
    plain = Bench(store).paused("r-1")
    said = Bench(store, deadline=0, approvals=1, allow_self=True, approvers=[]).paused("r-2")
    timed = Bench(store, deadline=HOUR, on_timeout="reject").paused("r-3")
    rows = [store.rows(review.run_id, kinds=("review",))[0] for review in (plain, said, timed)]
    assert ["terms" in (row.data or {}) for row in rows] == [False, False, True]
    assert plain.hash == said.hash == timed.hash


# acceptance 149
@pytest.mark.parametrize("place", PLACES)
def test_a_program_decides_by_itself_at_once_later_or_as_a_function_of_its_own_says(
    store: StateStore, place: str
) -> None:
    def small_sums(review: Review) -> Decision:
        made = Decision.approve if review.values.get("amount", 0) == 0 else Decision.reject
        return made(by="bot", comment="by rule")

    bench = Bench(store, place, deadline=HOUR, on_timeout="approve_unsafe")
    asked = {name: bench.paused(f"r-{name}") for name in ("now", "later", "rule")}
    bench.reviews.decide(asked["now"].id, Decision.approve(by="bot"))
    bench.reviews.decide(asked["rule"].id, small_sums(asked["rule"]), expect_hash=asked["rule"].hash)
    assert [review.id for review in bench.reviews.pending()] == [asked["later"].id]
    bench.clock.advance(HOUR)
    bench.reviews.expire()
    for review in asked.values():
        assert bench.executor.run(bench.executor.load(review.run_id)).outcome is Outcome.END
