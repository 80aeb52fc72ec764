"""What a person can do about a review at one moment, as a value."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from stepgraph import ReviewTerms
from stepgraph.reviews import Decision
from stepgraph_tui.dialogs.approval import ReviewDraft
from stepgraph_tui.dialogs.approval.deciding import DecisionState
from stepgraph_tui.dialogs.approval.subject import Subject
from tests.app.approving import Desk, asking, pending

VERBS = ["approve", "edit", "reject", "respond"]


def waiting(desk: Desk, draft: ReviewDraft | None = None, **terms: Any) -> DecisionState:
    graph = asking(allow=VERBS, editable={"order.amount": "number"})
    graph.settings = replace(graph.settings, terms=ReviewTerms(**terms))
    review = pending(desk.run(graph))
    subject = Subject.read(desk.store, review.id)
    now = desk.clock.time()
    return DecisionState.of(subject, draft or ReviewDraft(), me="ana", now=now, has_others=False, notice="")


def can_begin(state: DecisionState, *, is_read: bool = True) -> list[str]:
    return [what for what in [*VERBS, "comment"] if state.offers(what, is_read=is_read)]


def test_all_that_the_node_allows_can_be_begun_once_it_was_read() -> None:
    state = waiting(Desk())
    assert can_begin(state) == [*VERBS, "comment"]
    assert can_begin(state, is_read=False) == ["reject", "respond", "comment"]
    assert state.can_approve


def test_nothing_can_be_begun_while_a_decision_is_on_its_way_or_once_it_is_over() -> None:
    state = waiting(Desk())
    sent, over = replace(state, sent=Decision.approve(by="ana")), replace(state, over="already approved")
    assert can_begin(sent) == can_begin(over) == []
    assert not sent.can_turn
    assert over.can_turn
    assert (over.waits, over.remarks) == (None, "already approved")


def test_it_waits_from_the_question_until_now() -> None:
    desk = Desk()
    state = waiting(desk)
    assert replace(state, now=state.now + 61).waits == 61


def test_a_person_who_may_not_decide_is_told_why_and_who_might() -> None:
    state = waiting(Desk(), approvers=["ben"])
    assert can_begin(state) == []
    why, how = state.remarks.split("\n")
    assert "ben" in why
    assert how.startswith("Under another name")


def test_a_draft_is_mentioned_until_something_else_is_said() -> None:
    state = waiting(Desk(), ReviewDraft(comment="too high"))
    assert state.remarks == "draft, not sent: a comment"
    assert replace(state, notice="it changed").remarks == "it changed"


def test_what_cannot_be_read_is_told_beside_the_notice() -> None:
    state = replace(waiting(Desk()), notice="it changed", unread="the store is gone")
    assert state.remarks == "it changed\nthe store is gone"


def test_a_decision_is_ours_if_it_says_what_was_sent() -> None:
    desk = Desk()
    state = waiting(desk)
    ours = replace(Decision.approve(by="ana", comment="fine"), source="app")
    assert state.subject is not None
    review = desk.reviews.decide(state.subject.review.id, ours)
    assert replace(state, sent=ours).is_ours(review)
    assert not replace(state, sent=replace(ours, comment="no")).is_ours(review)
    assert not state.is_ours(review)
