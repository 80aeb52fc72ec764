"""The node type approval."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from stepgraph import (
    END,
    ApprovalNode,
    Decision,
    Executor,
    GraphError,
    NodeFailed,
    NodeResult,
    RunStatus,
    StateGraph,
)
from stepgraph.reviews.model import payload_hash, shown_values
from stepgraph.testing import scripted_human
from tests.nodes.support import bound, visited

ORDER: dict[str, Any] = {"order": {"id": 8812, "amount": 240}, "draft": "Dear Ana"}


def refund(**more: Any) -> ApprovalNode:
    return ApprovalNode(
        "review",
        **{
            "prompt": "Refund {{ order.amount }} for order {{ order.id }}?",
            "action": "pay {{ order.amount }}",
            "show": ["order", "draft"],
            "editable": {"order.amount": "number"},
            "risk": "high",
            **more,
        },
    )


def decided(node: ApprovalNode, decision: Decision, values: dict[str, Any] = ORDER) -> NodeResult:
    """What the node does with a decision about what it asks in that state."""
    request = bound(node).execute(visited(values)).review
    assert request is not None
    asked = payload_hash(node.name, request.to_json(), shown_values(request, values))
    return bound(node).execute(visited(values, decision=replace(decision, hash=asked)))


# acceptance 94, 103
def test_without_a_decision_it_pauses_with_everything_that_the_reviewer_needs() -> None:
    result = bound(refund()).execute(visited(ORDER))
    assert (result.status, result.updates) == ("paused", None)
    assert result.review is not None
    assert result.review.to_json() == {
        "prompt": "Refund 240 for order 8812?",
        "action": "pay 240",
        "arguments": {},
        "show": ["order", "draft"],
        "editable": {"order.amount": "number"},
        "allow": ["approve", "edit", "reject"],
        "risk": "high",
        "risk_reason": "",
    }


SAID = {"comment": "", "text": "", "by": "", "at": "", "edited": []}


# acceptance 103
@pytest.mark.parametrize(
    ("decision", "updates", "output"),
    [
        (
            Decision.approve(by="ana", comment="checked"),
            {
                "decision": "approve",
                "review": {"decision": "approve", **SAID, "by": "ana", "comment": "checked"},
            },
            "checked",
        ),
        (
            replace(Decision.reject(comment="fraud"), at=1_767_225_599.9),
            {
                "decision": "reject",
                "review": {"decision": "reject", **SAID, "comment": "fraud", "at": "2025-12-31T23:59:59Z"},
            },
            "fraud",
        ),
        (
            Decision.respond("ask again", comment="why"),
            {
                "decision": "respond",
                "review": {"decision": "respond", **SAID, "text": "ask again", "comment": "why"},
            },
            "ask again",
        ),
        (
            Decision.edit({"order.amount": 100, "order.note": "half"}),
            {
                "order": {"id": 8812, "amount": 100, "note": "half"},
                "decision": "approve",
                "review": {"decision": "approve", **SAID, "edited": ["order.amount", "order.note"]},
            },
            "",
        ),
        (
            Decision.edit({"order.amount": 240, "order.note": ""}),
            {
                "order": {"id": 8812, "amount": 240, "note": ""},
                "decision": "approve",
                "review": {"decision": "approve", **SAID, "edited": ["order.note"]},
            },
            "",
        ),
    ],
)
def test_a_decision_completes_the_visit(decision: Decision, updates: dict[str, Any], output: str) -> None:
    """An edit lists what it changed, not what it left as it was."""
    result = decided(refund(), decision)
    assert (result.status, result.updates, result.output) == ("success", updates, output)


# e9 4
def test_a_decision_about_something_else_does_not_count() -> None:
    node, other = refund(), {**ORDER, "order": {"id": 8812, "amount": 9000}}
    request = bound(node).execute(visited(ORDER)).review
    assert request is not None
    stale = replace(
        Decision.approve(), hash=payload_hash("review", request.to_json(), shown_values(request, ORDER))
    )
    assert bound(node).execute(visited(other, decision=stale)).status == "paused"
    assert bound(node).execute(visited(ORDER, decision=Decision.approve())).status == "paused"
    assert bound(node).execute(visited(ORDER, decision=stale)).status == "success"


# e9 4
def test_a_loop_back_through_the_gate_asks_again() -> None:
    graph = StateGraph("twice", start="gate")
    graph.declare_node("gate", "approval", {"prompt": "Go on?"})
    graph.add_edge("gate", "gate", when="visits.gate < 2")
    graph.add_edge("gate", END)
    executor = Executor(graph.compile())
    human = scripted_human([Decision.approve(), Decision.reject(comment="no")])
    run = human.finish(executor, executor.start({}))
    assert (run.values["decision"], run.output, len(human.asked)) == ("reject", "no", 2)


# e9 16
@pytest.mark.parametrize("word", ["true", "yes", "approve"])
def test_no_text_in_the_state_is_taken_for_a_decision(word: str) -> None:
    assert bound(refund()).execute(visited({**ORDER, "decision": word})).status == "paused"


# acceptance 15, 16, 103, 138
@pytest.mark.parametrize(("decision", "node"), [(Decision.approve(), "pay"), (Decision.reject(), "refuse")])
def test_the_edges_after_it_read_the_word(decision: Decision, node: str) -> None:
    graph = StateGraph("refund", start="review")
    graph.declare_node("review", "approval", {"prompt": "Pay {{ order.amount }}?", "output": "verdict"})
    for name in ("pay", "refuse"):
        graph.add_node(name, lambda state: {})
        graph.add_edge(name, END)
    graph.add_conditional_edge("review", "pay", "verdict", "approve")
    graph.add_edge("review", "refuse")
    executor = Executor(graph.compile())
    run = executor.run(executor.start(ORDER))
    assert (run.status, run.step) == (RunStatus.PAUSED, 0)
    run = executor.resume(run.id, decision)
    assert [record.node for record in run.history] == ["review", node]


def test_an_editable_path_through_a_missing_table_fails_before_anybody_is_asked() -> None:
    node = bound(refund(prompt="?", action="", show=[]))
    with pytest.raises(
        NodeFailed, match=r"'order\.amount' cannot be offered for editing: .* no table 'order'"
    ):
        node.execute(visited({}))


@pytest.mark.parametrize(
    ("settings", "code", "said"),
    [
        ({"allow": ["approve", "edit"], "editable": {}}, "G035", "nothing is 'editable'"),
        ({"allow": ["approve"]}, "G035", "'allow' has no edit"),
        ({"allow": ["approve", "approve"], "editable": {}}, "G035", "twice"),
        ({"show": ["order..amount"]}, "G035", "not a path into the state"),
        ({"editable": {"order.amount": "numbr"}}, "G033", "text, number, boolean, list or table"),
        ({"risk": "hihg"}, "G033", "low, medium, high"),
        ({"allow": ["aprove"], "editable": {}}, "G033", "approve, edit, reject or respond"),
        ({"prompt": ""}, "G033", "not empty"),
        ({"output": "review"}, "G035", "'output' and 'record' both name the key 'review'"),
        ({"record": ""}, "G033", "'record'"),
        ({"record": "order"}, "G035", "'order.amount' is 'editable', but the node itself writes that key"),
    ],
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, Any], code: str, said: str) -> None:
    with pytest.raises(GraphError) as refused:
        refund(**settings)
    (problem,) = refused.value.problems
    assert (problem.code, problem.place.node) == (code, "review")
    assert said in problem.message
