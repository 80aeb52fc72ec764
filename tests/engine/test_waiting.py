"""Lists of reviews: the filter, the orders, groups that ask the same, what may be decided together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph import FilterError, ReviewRequest, ReviewTerms
from stepgraph.reviews.model import Review
from stepgraph.reviews.waiting import (
    InboxFilter,
    ListedReview,
    refuse_together,
)

NOW = 10_000.0
TWO = ReviewTerms(deadline=600.0, on_timeout="reject", approvals=2)


def review(number: int = 1, **changes: Any) -> Review:
    """A review that has waited for an hour."""
    asked = {
        name: changes.pop(name)
        for name in ("prompt", "action", "arguments", "risk", "allow")
        if name in changes
    }
    made = Review(
        id=f"a-{number}",
        run_id=f"r-{number}",
        graph="refund-triage",
        node="review",
        step=1,
        visit=1,
        request=ReviewRequest(**{"prompt": "Refund it?", **asked}),
        values={},
        hash="h",
        asked_at=NOW - 3600,
    )
    return replace(made, **changes)


def found(text: str, *reviews: Review, me: str = "ana") -> list[str]:
    """The ids of the reviews that a filter finds."""
    chosen = InboxFilter.parse(text).choose(map(ListedReview, reviews), NOW, me)
    return [listed.review.id for listed in chosen]


PAY = review(
    1,
    prompt="Refund 240 EUR to Ana?",
    action="pay",
    arguments={"to": ["Ana Ruiz", {"iban": "DE44"}]},
    risk="high",
    values={"order": {"id": "8812"}, "count": 7},
)
MAIL = review(2, graph="mailer", node="ask", prompt="Send it", risk="low", asked_at=NOW - 60)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("", ["a-1", "a-2"]),
        ("   ", ["a-1", "a-2"]),
        ("graph:refund", ["a-1"]),
        ("GRAPH:Mail", ["a-2"]),
        ("node:ask", ["a-2"]),
        ("run:r-1", ["a-1"]),
        ("risk:high", ["a-1"]),
        ("risk:lo,hi", ["a-1", "a-2"]),
        ("risk:unknown", []),
        ("age:>30m", ["a-1"]),
        ("age:30m", ["a-1"]),
        ("age:<2m", ["a-2"]),
        ("age:>1.5h", []),
        ("age:>1h", ["a-1"]),
        ("age:>0d", ["a-1", "a-2"]),
        ("refund", ["a-1"]),
        ("240 ana", ["a-1"]),
        ("ruiz", ["a-1"]),
        ("iban", ["a-1"]),
        ("de44", ["a-1"]),
        ("8812", ["a-1"]),
        ("7", ["a-1"]),
        ("r-2", ["a-2"]),
        ("refund nothing", []),
        ('"240 EUR to"', ["a-1"]),
        ('"EUR 240"', []),
        ('"to ana', ["a-1"]),  # while the quote is being written
        ('graph:"refund-tri"', ["a-1"]),
        ('""', ["a-1", "a-2"]),
        ("mine", []),
        ('"mine"', []),
    ],
)
def test_a_filter_finds_what_all_of_its_words_say(text: str, ids: list[str]) -> None:
    assert found(text, PAY, MAIL) == ids


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("foo:x", "no foo: of its own", '"foo:x" in quotes'),
        ("grpah:x", "no grpah: of its own", "graph"),
        ("http://x", "no http: of its own", '"http://x" in quotes'),
        ("12:30", "no 12: of its own", "possible: graph, node, run, risk, age"),
        ("risk:awful", "risk: cannot be 'awful'", "low, medium, high, unknown"),
        ("risk:", "risk: cannot be ''", "low, medium, high, unknown"),
        ("risk:low,", "risk: cannot be ''", "low, medium, high, unknown"),
        ("age:", "age: cannot be ''", "age:>2h"),
        ("age:old", "age: cannot be 'old'", "age:>2h"),
        ("age:2", "age: cannot be '2'", "age:>2h"),
        ("ana foo: x", "no foo: of its own", "quotes"),
    ],
)
def test_a_filter_that_cannot_be_read_says_what_is_possible(text: str, message: str, hint: str) -> None:
    with pytest.raises(FilterError) as caught:
        InboxFilter.parse(text)
    assert message in caught.value.message
    assert hint in caught.value.hint


@given(st.text(st.characters(exclude_characters='"'), min_size=1))
def test_a_quoted_text_is_found_as_it_is(text: str) -> None:
    asks = review(1, prompt=f"before {text} behind")
    assert found(f'"{text}"', asks) == ["a-1"]


@pytest.mark.parametrize(
    ("reviews", "verb", "why"),
    [
        ([review(1, risk="low"), review(2, risk="low")], "approve", ""),
        ([review(1, risk="high")], "approve", ""),
        (
            [review(1, risk="low"), review(2, risk="medium")],
            "approve",
            "medium-risk reviews must be approved one at a time: review a-2",
        ),
        (
            [review(1, risk="unknown"), review(2, risk="unknown")],
            "approve",
            "unknown-risk reviews must be approved one at a time: reviews a-1, a-2",
        ),
        ([review(1, risk="low"), review(2, risk="low", hash="x")], "approve", "do not all ask the same"),
        ([review(1, risk="low"), review(2, risk="low", node="x")], "approve", "do not all ask the same"),
        ([review(1, risk="low"), review(2, risk="low", terms=TWO)], "approve", "on different terms"),
        ([review(1, risk="low", terms=TWO), review(2, risk="low", terms=TWO, deadline=9.0)], "approve", ""),
        ([review(1, risk="low"), review(2, risk="low", terms=TWO)], "reject", ""),
        ([review(1, risk="high"), review(2, risk="low", hash="x")], "reject", ""),
        ([review(1), review(2, allow=("approve", "respond"))], "reject", "a-2 does not offer 'reject'"),
        ([review(1), review(2)], "respond", "only be approved or rejected"),
        ([review(1), review(2)], "edit", "only be approved or rejected"),
    ],
)
def test_any_may_be_rejected_together_but_only_identical_low_risk_ones_approved(
    reviews: list[Review], verb: Any, why: str
) -> None:
    refused = refuse_together(reviews, verb)
    assert why in refused if why else refused == ""
