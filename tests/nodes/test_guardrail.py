"""The node type guardrail."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import END, GraphError, GuardrailNode, NodeFailed, StateGraph, check
from stepgraph.values.json_values import Json
from tests.nodes.support import bound, only, visited

RULES = {
    "a refund is at most 500": "order.amount <= limit",
    "nothing is promised": "'guarantee' not in draft",
}
GOOD = {"order": {"amount": 20}, "limit": 500, "draft": "Dear Ana"}
BAD = {**GOOD, "order": {"amount": 700}}


def looked(state: dict[str, Any], **settings: Any) -> Any:
    return bound(GuardrailNode(**{"rules": RULES, **settings})).execute(visited(state))


# acceptance 107
@pytest.mark.parametrize("on_fail", ["fail", "route"])
def test_what_holds_passes(on_fail: str) -> None:
    result = looked(GOOD, on_fail=on_fail)
    assert result.updates == {"verdict": "pass", "broken": []}
    assert result.output == "pass: all 2 rules hold"


# acceptance 107
def test_a_broken_rule_fails_the_node_and_says_which_and_why() -> None:
    with pytest.raises(NodeFailed) as caught:
        looked(BAD)
    assert caught.value.message == (
        "1 of 2 rules broken: a refund is at most 500 (order.amount = 700, limit = 500)"
    )
    assert "retry" in caught.value.hint


# acceptance 107
def test_a_broken_rule_routes_with_its_explanation() -> None:
    result = looked({**BAD, "draft": "We guarantee it"}, on_fail="route", output="safe", record="why")
    assert result.updates == {"safe": "block", "why": list(RULES)}
    assert result.output == "\n".join(
        [
            "block: 2 of 2 rules broken",
            "a refund is at most 500",
            "  false   order.amount <= limit",
            "            order.amount = 700",
            "            limit = 500",
            "nothing is promised",
            "  false   'guarantee' not in draft",
            '            draft = "We guarantee it"',
        ]
    )


def test_a_rule_that_cannot_be_answered_does_not_hold() -> None:
    result = looked({"draft": "x"}, on_fail="route")
    assert result.updates["broken"] == ["a refund is at most 500"]
    assert "order" in result.output
    with pytest.raises(NodeFailed, match="order"):
        looked({"draft": "x"})


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"rules": {}}, "G035"),
        ({"rules": {" ": "n < 5"}}, "G035"),
        ({"record": "verdict"}, "G035"),
        ({"rules": {"a": 1}}, "G033"),
        ({"on_fail": "stop"}, "G033"),
    ],
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, Any], code: str) -> None:
    with pytest.raises(GraphError) as caught:
        GuardrailNode(**{"rules": RULES, **settings})
    assert only(list(caught.value.problems)).code == code


def graph(rules: dict[str, Json], **settings: Any) -> StateGraph:
    made = StateGraph("g", start="guard")
    made.declare_node("guard", "guardrail", {"rules": rules, **settings})
    made.add_conditional_edge("guard", "guard", "verdict", "block")
    made.add_edge("guard", END)
    return made


def test_a_rule_that_does_not_parse_is_a_problem_with_its_place() -> None:
    problem = only([each for each in check(graph({"it is small": "n <"})) if each.is_error])
    assert (problem.code, problem.place.node, problem.place.key) == ("G016", "guard", "rules.it is small")
    assert "^" in problem.excerpt
