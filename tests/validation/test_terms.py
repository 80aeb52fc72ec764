"""Terms of reviews that cannot work, each with its code, its place and what to write instead."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import END, ApprovalNode, Problem, ReviewTerms, StateGraph, check


def ask(state: object) -> dict[str, object]:
    return {}


def graph(own: ReviewTerms = ReviewTerms(), node: Any = None, **terms: Any) -> StateGraph:  # noqa: B008  # frozen
    """One node that asks, with terms of its own and the graph's."""
    made = StateGraph("terms", start="ask", reviews=ReviewTerms(**terms))
    made.add_node("ask", ApprovalNode(prompt="Go on?") if node is None else node, terms=own)
    made.add_edge("ask", END)
    return made


def found(made: StateGraph) -> list[tuple[str, str | None]]:
    """The code of each problem, with the key that it is about."""
    return [(problem.code, problem.place.key) for problem in check(made)]


def only(made: StateGraph) -> Problem:
    (problem,) = check(made)
    return problem


@pytest.mark.parametrize(
    ("terms", "code", "key"),
    [
        ({"deadline": 60}, "G040", "deadline"),
        ({"on_timeout": "reject"}, "G040", "on_timeout"),
        ({"deadline": 0, "on_timeout": None, "approvals": 1}, None, None),
        ({"approvals": 2, "approvers": ["ana"]}, "G041", "approvals"),
        ({"approvals": 2, "approvers": ["ana", "ben"]}, None, None),
        ({"approvals": 2}, None, None),
        ({"approvers": ["ana"], "escalate_after": 60}, "G041", "escalate_after"),
        ({"approvers": ["ana"], "escalate_to": ["ben"]}, "G041", "escalate_to"),
        ({"escalate_after": 60, "escalate_to": ["ben"]}, "G041", "escalate_to"),
        (
            {
                "approvers": ["ana"],
                "escalate_after": 60,
                "escalate_to": ["ben"],
                "deadline": 60,
                "on_timeout": "fail",
            },
            "G041",
            "escalate_after",
        ),
        ({"deadline": "4h", "on_timeout": "reject"}, "G006", "deadline"),
        ({"deadline": -1, "on_timeout": "reject"}, "G006", "deadline"),
        ({"deadline": float("nan"), "on_timeout": "reject"}, "G006", "deadline"),
        ({"deadline": True, "on_timeout": "reject"}, "G006", "deadline"),
        ({"deadline": 60, "on_timeout": "approve"}, "G006", "on_timeout"),
        ({"approvers": "ana"}, "G006", "approvers"),
        ({"approvers": ["ana", " ANA"]}, "G006", "approvers"),
        ({"approvers": [" "]}, "G006", "approvers"),
        ({"approvers": ["timeout"]}, "G006", "approvers"),
        ({"approvers": [7]}, "G006", "approvers"),
        ({"allow_self": "no"}, "G006", "allow_self"),
        ({"approvals": 0}, "G006", "approvals"),
        ({"approvals": True}, "G006", "approvals"),
        ({"approvals": 1.5}, "G006", "approvals"),
    ],
)
def test_terms_of_the_graph_and_of_a_node_are_checked_alike(
    terms: dict[str, Any], code: str | None, key: str | None
) -> None:
    for made, place in ((graph(**terms), f"reviews.{key}"), (graph(ReviewTerms(**terms)), key)):
        assert found(made) == ([] if code is None else [(code, place)])
        assert all(problem.is_error and problem.hint for problem in check(made))


def test_what_is_not_given_comes_from_the_graph() -> None:
    assert found(graph(ReviewTerms(deadline=60), on_timeout="reject")) == []
    assert found(graph(ReviewTerms(on_timeout="fail"), deadline=60, on_timeout="reject")) == []
    assert found(graph(ReviewTerms(approvals=2), approvers=["ana", "ben"])) == []
    assert found(graph(ReviewTerms(approvals=2), approvers=["ana"])) == [("G041", "approvals")]
    assert found(graph(ReviewTerms(approvers=("ana",)), approvals=2)) == [("G041", None)]


@pytest.mark.parametrize(
    ("settings", "terms", "key"),
    [
        ({"editable": {"n": "number"}}, {"approvals": 2}, "approvals"),
        ({"allow": ["approve", "reject", "respond"]}, {"approvals": 2}, "approvals"),
        ({"allow": ["respond", "approve"]}, {"deadline": 60, "on_timeout": "reject"}, "on_timeout"),
        ({"allow": ["respond", "reject"]}, {"deadline": 60, "on_timeout": "approve_unsafe"}, "on_timeout"),
        ({"allow": ["respond", "reject"]}, {"deadline": 60, "on_timeout": "fail"}, None),
        ({"editable": {"n": "number"}}, {"approvals": 1}, None),
    ],
)
def test_terms_that_do_not_go_with_what_is_offered(
    settings: dict[str, Any], terms: dict[str, Any], key: str | None
) -> None:
    node = ApprovalNode(prompt="Go on?", **settings)
    assert found(graph(ReviewTerms(**terms), node)) == ([] if key is None else [("G042", key)])


def test_it_is_said_why_what_several_approve_cannot_be_edited() -> None:
    made = graph(ReviewTerms(approvals=2), ApprovalNode(prompt="Go on?", editable={"n": "number"}))
    message = only(made).message
    assert "'edit' is offered: what one person changes or answers, the others would not have" in message


def test_terms_where_nobody_is_asked_are_warned_of() -> None:
    made = StateGraph("silent", start="a", reviews=ReviewTerms(approvers=("ana",)))
    made.declare_node("a", "llm", {"prompt": "x", "replies": ["x"]}, terms=ReviewTerms(approvals=1))
    made.add_edge("a", END)
    assert found(made) == [("G109", "reviews"), ("G109", "approvals")]
    assert not any(problem.is_error for problem in check(made))
    gated = StateGraph("gated", start="a", reviews=ReviewTerms(approvers=("ana",)), review="last")
    gated.declare_node("a", "llm", {"prompt": "x", "replies": ["x"]}, terms=ReviewTerms(approvals=1))
    gated.add_edge("a", END)
    assert found(gated) == []


@pytest.mark.parametrize(("requires", "code"), [(True, []), (False, ["G109"])])
def test_a_tool_that_requires_approval_asks(requires: bool, code: list[str]) -> None:
    made = StateGraph("tools", start="a")
    made.add_tool("pay", returns={"a": 1}, requires_approval=requires)
    made.declare_node("a", "tool", {"tool": "pay"}, terms=ReviewTerms(approvals=2))
    made.add_edge("a", END)
    assert [problem.code for problem in check(made)] == code


@pytest.mark.parametrize("odd", [None, "4h", {"deadline": 1}])
def test_what_are_no_terms_is_told(odd: Any) -> None:
    assert found(graph(odd)) == [("G006", None)]
    made = StateGraph("odd", start="ask", reviews=odd)
    made.add_node("ask", ask)
    made.add_edge("ask", END)
    assert found(made) == [("G006", "reviews")]
