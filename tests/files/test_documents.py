"""Documents: a graph as tables of JSON, and the graph of such tables."""

from __future__ import annotations

import json

from hypothesis import given

from stepgraph import END, ReviewTerms, StateGraph
from stepgraph.conditions import HandlerPredicate
from stepgraph.documents.loader import from_document
from stepgraph.graphs.parts import definition_hash, to_document
from stepgraph.values.json_values import dumps

from .building import documents


def full() -> StateGraph:
    graph = StateGraph(
        "full",
        start="ask",
        max_steps=7,
        on_max_steps="flag",
        on_no_match="end",
        feedback=False,
        no_feedback=["ask"],
        max_seconds=2.5,
        note="All of it.",
        review="every",
        reviews=ReviewTerms(deadline=5400, on_timeout="reject", approvers=("ana", "ben"), allow_self=False),
    )
    graph.add_key("n", reducer="append", default=[], type="list", input=True, secret=True, note="numbers")
    graph.add_key("plain")
    graph.add_tool("look", handler="tools:look", side_effects=True, requires_approval=True, note="t")
    graph.add_tool("scripted", returns={"a": 1})
    graph.declare_node(
        "ask",
        "approval",
        {"prompt": "Go on?"},
        review="before",
        side_effects=True,
        note="asks",
        terms=ReviewTerms(deadline=0, approvals=2, escalate_after=0.5, escalate_to=("chris",)),
    )
    graph.add_edge("ask", "ask", when="n > 3", label="again", note="until there are enough")
    graph.add_conditional_edge("ask", END, "decision", "reject", note="as said")
    graph.add_edge("ask", END, when=HandlerPredicate("tools:is_late"))
    graph.add_edge("ask", END)
    return graph


FULL = {
    "format": 1,
    "name": "full",
    "note": "All of it.",
    "start": "ask",
    "max_steps": 7,
    "on_max_steps": "flag",
    "on_no_match": "end",
    "max_seconds": 2.5,
    "feedback": False,
    "review": "every",
    "no_feedback": ["ask"],
    "reviews": {
        "deadline": "90m",
        "on_timeout": "reject",
        "approvers": ["ana", "ben"],
        "allow_self": False,
    },
    "state": {
        "n": {
            "type": "list",
            "default": [],
            "input": True,
            "reducer": "append",
            "secret": True,
            "note": "numbers",
        },
        "plain": {},
    },
    "tools": {
        "look": {"handler": "tools:look", "side_effects": True, "requires_approval": True, "note": "t"},
        "scripted": {"returns": {"a": 1}},
    },
    "nodes": {
        "ask": {
            "type": "approval",
            "prompt": "Go on?",
            "note": "asks",
            "review": "before",
            "side_effects": True,
            "deadline": "0",
            "approvals": 2,
            "escalate_after": "0.5s",
            "escalate_to": ["chris"],
        }
    },
    "edges": [
        {"from": "ask", "to": "ask", "when": "n > 3", "label": "again", "note": "until there are enough"},
        {"from": "ask", "to": "END", "when": {"key": "decision", "equals": "reject"}, "note": "as said"},
        {"from": "ask", "to": "END", "when": {"predicate": "tools:is_late"}},
        {"from": "ask", "to": "END"},
    ],
}


def test_a_document_has_the_tables_of_a_graph_file() -> None:
    assert to_document(full()) == FULL


@given(documents())
def test_any_definition_is_rebuilt_with_the_same_hash(document: dict[str, object]) -> None:
    graph = from_document(document)
    assert graph.noted == []
    once = to_document(graph)
    again = to_document(from_document(json.loads(dumps(once))))
    assert dumps(again) == dumps(once)
    assert definition_hash(again) == definition_hash(once)


def test_half_a_character_is_noted_wherever_it_is() -> None:
    data = json.loads('{"format": 1, "name": "\\ud800", "nodes": {"\\ud801": {}, "a": {"type": "mine"}}}')
    graph = from_document(data)
    assert [problem.code for problem in graph.noted] == ["F023", "F023"]
    assert list(graph.nodes) == ["a"]
