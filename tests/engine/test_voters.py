"""Who may decide a review, and how many must."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from stepgraph import (
    END,
    ApprovalNode,
    Decision,
    Executor,
    NodeResult,
    NotAllowed,
    Outcome,
    ReviewRequest,
    Reviews,
    ReviewTerms,
    Run,
    RunStatus,
    StateGraph,
    StateStore,
)
from stepgraph.reviews.terms import person
from stepgraph.stores.base import StoredRun
from stepgraph.testing import FakeClock
from tests.engine.terms import PLACES, Bench, acts, pauses

HOUR = 3600.0


@pytest.mark.parametrize("place", PLACES)
def test_only_approvers_decide_and_others_hear_who_they_are(  # acceptance 151
    store: StateStore, place: str
) -> None:
    bench = Bench(store, place, approvers=["ana", "ben"])
    review = bench.paused()
    for verb in (Decision.approve, Decision.reject):
        with pytest.raises(NotAllowed, match="dora may not decide") as refused:
            bench.reviews.decide(review.id, verb(by="dora"))
        assert refused.value.hint == "ana or ben may decide it"
    with pytest.raises(NotAllowed, match="must know who decides"):
        bench.reviews.decide(review.id, Decision.approve())
    assert bench.reviews.get(review.id).status == "pending"
    assert bench.reviews.decide(review.id, Decision.approve(by=" Ben ")).status == "decided"


@pytest.mark.parametrize("place", PLACES)
def test_two_different_people_must_approve(store: StateStore, place: str) -> None:
    bench = Bench(store, place, approvals=2)
    review = bench.paused()
    voted = bench.reviews.decide(review.id, Decision.approve(by="ana"), expect_hash=review.hash)
    assert (voted.status, [vote.by for vote in voted.votes]) == ("pending", ["ana"])
    assert bench.executor.load("r-1").status is RunStatus.PAUSED
    with pytest.raises(
        NotAllowed, match=r"you approved review .* already; 1 more approval needed"
    ) as refused:
        bench.reviews.decide(review.id, Decision.approve(by="ANA "))
    assert refused.value.hint == "nothing was changed; your approval counts"
    decided = bench.reviews.decide(review.id, Decision.approve(by="ben"), expect_hash=review.hash)
    assert decided.status == "decided"
    assert [vote.by for vote in bench.reviews.get(review.id).votes] == ["ana"]
    run = bench.executor.run(bench.executor.load("r-1"))
    assert (run.outcome, len(run.history)) == (Outcome.END, 1)
    assert bench.kinds() == ["start", "review", "vote", "decision", "step"]
    assert run.history[0].decision == decided.decision


@pytest.mark.parametrize(
    "again",
    [
        *("ANA", " ana", "ana.", "\uff41\uff4e\uff41", "a\u200bna", "ana\u3164", "a\u00adna", "ana\x00"),
        *("\u202eana", "an\ufe0fa", "ana\u00a0", "\ufeffana"),
    ],
)
def test_one_person_is_one_however_the_name_is_written(store: StateStore, again: str) -> None:
    bench = Bench(store, approvals=2, allow_self=False)
    first = bench.waiting(bench.executor.run(bench.executor.start({}, "r-1", by="ana")))
    for verb in (Decision.approve, Decision.reject):
        with pytest.raises(NotAllowed, match="started run r-1"):
            bench.reviews.decide(first.id, verb(by=again))
    second = bench.waiting(bench.executor.run(bench.executor.start({}, "r-2", by="ben")))
    bench.reviews.decide(second.id, Decision.approve(by="ana"))
    with pytest.raises(NotAllowed, match="you approved"):
        bench.reviews.decide(second.id, Decision.approve(by=again))


@pytest.mark.parametrize(
    ("one", "same"), [("J\u00f6rg", "jo\u0308rg"), ("Stra\u00dfe", "STRASSE"), ("a  b", "A\tB")]
)
def test_a_letter_is_the_same_in_each_way_of_writing_it(one: str, same: str) -> None:
    assert person(one) == person(same) == person(person(one))


@pytest.mark.parametrize("name", ["", " ", ".", "\u200b", "\u3164", "\x00", "\u2800 ."])
def test_a_name_of_which_nothing_can_be_read_is_none(store: StateStore, name: str) -> None:
    bench = Bench(store, approvals=2)
    with pytest.raises(NotAllowed, match="must know who decides"):
        bench.reviews.decide(bench.paused().id, Decision.approve(by=name))
    for names in ((name,), ("timeout.",), ("ana", "ana" + name)):
        assert [fault.code for fault in ReviewTerms(approvers=names).faults()] == ["G006"]


def test_one_reject_decides_at_once_also_by_who_approved_before(store: StateStore) -> None:
    for run_id, second in (("r-1", "ana"), ("r-2", "ben")):
        bench = Bench(store, approvals=3)
        review = bench.paused(run_id)
        bench.reviews.decide(review.id, Decision.approve(by="ana"))
        assert bench.reviews.decide(review.id, Decision.reject(by=second)).status == "decided"


def test_nobody_approves_twice_without_a_name(store: StateStore) -> None:
    bench = Bench(store, approvals=2)
    review = bench.paused()
    with pytest.raises(NotAllowed, match="must know who decides"):
        bench.reviews.decide(review.id, Decision.approve(by=" "))


@pytest.mark.parametrize("place", ["before", "after"])
def test_a_gate_where_two_must_approve_offers_no_edit(store: StateStore, place: str) -> None:
    assert "edit" in Bench(store, place).paused("r-1", {"n": 1}).request.verbs or place == "before"
    review = Bench(store, place, approvals=2).paused("r-2", {"n": 1})
    assert review.request.verbs == ("approve", "reject")


def edited(store: StateStore) -> Bench:
    """A run that ana started, ben edited, and chris edited once more: dora alone is none of its authors."""
    bench = Bench(store, allow_self=False)
    bench.executor.run(bench.executor.start({}, "r-1", by="ana"))
    for number, by in enumerate(("ben", "chris")):
        bench.executor.run(bench.executor.edit("r-1", {"n": number}, by=by))
    return bench


@pytest.mark.parametrize("by", ["ana", "Ben", "CHRIS"])
def test_a_review_that_an_older_version_asked_knows_its_authors(store: StateStore, by: str) -> None:
    bench = edited(store)
    run = store.load("r-1")
    older = [
        replace(row, data=dict(row.data or {}), review=row.review and f"{row.review}-old")
        for row in store.rows("r-1")
    ]
    for row in older:
        assert row.data is not None
        row.data.pop("authors", None)
    head = replace(run.head, id="r-old")
    moved = replace(run.pointer, review=older[-1].review)
    store.create(StoredRun(head, moved), older, store.definition(run.pointer.definition))
    new, old = sorted(bench.reviews.pending(), key=lambda review: review.run_id)
    assert new.authors == old.authors == ("ana", "ben", "chris")
    with pytest.raises(NotAllowed, match="run r-old"):
        bench.reviews.decide(old.id, Decision.approve(by=by))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("verb", ["edit", "respond"])
def test_who_changed_or_answered_something_in_a_decision_may_not_decide_about_it_alone(
    store: StateStore, place: str, verb: str
) -> None:
    graph = StateGraph("two", start="draft", reviews=ReviewTerms(allow_self=False))
    graph.add_key("to", default="bank")
    draft = ApprovalNode(prompt="To whom?", editable={"to": "text"}, allow=["edit", "respond", "approve"])
    graph.add_node("draft", draft, terms=ReviewTerms(allow_self=True))
    node: Any = {"approval": ApprovalNode(prompt="Pay?", output="pay"), "pauses": pauses}.get(place, acts)
    gate: Any = place if place in ("before", "after") else None
    graph.add_node("pay", node, review=gate)
    graph.add_edge("draft", "pay")
    graph.add_edge("pay", END)
    executor = Executor(graph.compile(), store)
    executor.run(executor.start({}, "r-1", by="chris"))
    edit, answer = Decision.edit({"to": "me"}, by="ana"), Decision.respond("to me", by="ana")
    said = edit if verb == "edit" else answer
    executor.resume("r-1", said)
    again = executor.fork("r-1", new_run_id="r-2", by="dora")
    for run_id in (executor.run(again).id, executor.run(executor.fork("r-2", new_run_id="r-3")).id, "r-1"):
        with pytest.raises(NotAllowed, match=f"ana gave values to run {run_id}"):
            executor.decide(run_id, Decision.approve(by="ana"))
    assert executor.resume("r-3", Decision.approve(by="ben")).status is RunStatus.ENDED
    executor.run(executor.fork("r-1", at=0, new_run_id="r-4", by="dora"))  # nothing that ana said is in it
    executor.resume("r-4", Decision.approve(by="dora"))
    assert executor.resume("r-4", Decision.approve(by="ana")).status is RunStatus.ENDED


def test_where_they_may_the_editor_decides(store: StateStore) -> None:
    bench = Bench(store)
    bench.paused()
    again = bench.waiting(bench.executor.edit("r-1", {"n": 2}, by="ana"))
    assert bench.reviews.decide(again.id, Decision.approve(by="ana")).status == "decided"


@pytest.mark.parametrize("place", PLACES)
def test_an_escalation_lets_others_decide_from_its_time_on_and_is_recorded_once(
    store: StateStore, place: str
) -> None:
    bench = Bench(store, place, approvers=["ana"], escalate_after=HOUR, escalate_to=["chris"])
    review = bench.paused()
    bench.clock.advance(HOUR - 1)
    with pytest.raises(NotAllowed) as refused:
        bench.reviews.decide(review.id, Decision.approve(by="chris"))
    assert refused.value.hint == "ana may decide it"
    assert bench.kinds()[-1] == "review"
    bench.clock.advance(1)
    assert bench.reviews.get(review.id).escalated
    bench.reviews.pending()
    bench.reviews.expire()
    assert bench.kinds()[-2:] == ["review", "escalation"]
    with pytest.raises(NotAllowed) as refused:
        bench.reviews.decide(review.id, Decision.approve(by="dora"))
    assert refused.value.hint == "ana or chris may decide it"
    assert bench.reviews.decide(review.id, Decision.approve(by="chris")).status == "decided"
    assert bench.executor.run(bench.executor.load("r-1")).outcome is Outcome.END


@pytest.mark.parametrize("place", PLACES)
def test_a_recorded_escalation_holds_also_where_the_clock_is_behind(store: StateStore, place: str) -> None:
    bench = Bench(store, place, approvers=["ana"], escalate_after=HOUR, escalate_to=["chris"])
    review = bench.paused()
    behind = Reviews(store, FakeClock(bench.clock.time() + HOUR - 1).time)
    with pytest.raises(NotAllowed, match="chris may not decide"):
        behind.decide(review.id, Decision.approve(by="chris"))
    bench.clock.advance(HOUR)
    assert bench.reviews.get(review.id).escalated
    assert behind.decide(review.id, Decision.approve(by="chris")).status == "decided"


@pytest.mark.parametrize("values", [[], None, "a", 5])
def test_a_decision_whose_values_are_no_table_is_refused(store: StateStore, values: Any) -> None:
    bench = Bench(store)
    review = bench.paused()
    for verb in ("approve", "reject"):
        with pytest.raises(NotAllowed, match="values are"):
            bench.reviews.decide(review.id, Decision(verb, values=values))
    assert bench.reviews.get(review.id).status == "pending"


def test_a_question_has_terms_of_its_own_over_those_of_its_node(store: StateStore) -> None:
    def asks(state: Any) -> Any:
        question = ReviewRequest(
            "?", allow=("approve", "reject", "respond"), terms=ReviewTerms(**state["terms"])
        )
        return {} if state.decision else NodeResult.pause(question)

    graph = StateGraph("own", start="asks", reviews=ReviewTerms(approvers=("ana",)))
    graph.add_node("asks", asks, terms=ReviewTerms(deadline=60, on_timeout="fail"))
    graph.add_edge("asks", END)
    executor = Executor(graph.compile(), store)

    def run(**terms: Any) -> Run:
        return executor.run(executor.start({"terms": terms}))

    pending = run(deadline=90).pending
    assert pending is not None
    assert pending.terms == ReviewTerms(90, "fail", ("ana",))
    for terms, why in (
        ({"approvals": 2, "approvers": []}, "'respond' is offered"),
        ({"approvals": 2, "approvers": ["ana"]}, "approvers has 1 name"),
        ({"deadline": "4h"}, "not a duration"),
    ):
        failed = run(**terms)
        assert failed.status is RunStatus.FAILED
        assert why in str(failed.error)


@pytest.mark.parametrize("odd", [None, 4, {"deadline": 4}])
def test_a_question_whose_terms_are_none_fails_its_node(store: StateStore, odd: Any) -> None:
    graph = StateGraph("odd", start="asks")
    graph.add_node("asks", lambda state: NodeResult.pause(ReviewRequest("?", terms=odd)))
    graph.add_edge("asks", END)
    executor = Executor(graph.compile(), store)
    run = executor.run(executor.start({}))
    assert "the review's terms are" in str(run.error)


@pytest.mark.parametrize("claim", [Decision.approve(by="timeout"), Decision("reject", source="timeout")])
def test_nobody_passes_for_a_deadline(store: StateStore, claim: Decision) -> None:
    bench = Bench(store)
    with pytest.raises(NotAllowed, match="what deadlines decide under"):
        bench.reviews.decide(bench.paused().id, claim)
