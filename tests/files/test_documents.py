"""Documents: a graph as tables of JSON, and the graph of such tables."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph import END, GraphError, ReviewTerms, StateGraph
from stepgraph.conditions import HandlerPredicate
from stepgraph.documents.loader import from_document
from stepgraph.graphs.definition import definition_hash, to_document
from stepgraph.values.json_values import dumps
from stepgraph.values.problems import Problem

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
    graph.add_tool("canned", returns={"a": 1})
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
        "canned": {"returns": {"a": 1}},
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


def test_what_has_its_default_is_left_out() -> None:
    graph = StateGraph("small", start="a")
    assert to_document(graph) == {"format": 1, "name": "small", "start": "a"}


def test_a_plan_and_its_builder_have_the_same_document() -> None:
    graph = StateGraph("small", start="ask")
    graph.declare_node("ask", "approval", {"prompt": "Go on?"})
    graph.add_edge("ask", END)
    assert graph.compile().document == to_document(graph)
    assert graph.compile().definition_hash == definition_hash(to_document(graph))


def test_a_full_document_comes_back_as_it_was() -> None:
    graph = from_document(json.loads(dumps(to_document(full()))))
    assert graph.noted == []
    assert to_document(graph) == FULL
    assert dumps(to_document(graph)) == dumps(to_document(full()))
    assert [edge.condition.kind for edge in graph.edges] == ["expression", "equals", "predicate", "always"]
    assert graph.nodes["ask"].node is not None


def test_python_objects_are_opaque_and_stay_so() -> None:
    graph = StateGraph("python", start="a")
    graph.add_node("a", lambda state: {}, note="by hand")
    graph.add_tool("t", tool=lambda x: {"x": x})
    graph.add_edge("a", END, when=lambda context: True)
    document = to_document(graph)
    assert document["nodes"] == {"a": {"type": "python", "note": "by hand"}}
    assert document["tools"] == {"t": {"handler": "python"}}
    assert document["edges"] == [{"from": "a", "to": "END", "when": {"predicate": "python"}}]
    again = from_document(document)
    assert again.noted == []
    assert again.nodes["a"].node is None
    assert to_document(again) == document


def test_a_callable_never_counts_by_its_name() -> None:
    def one(state: object) -> dict[str, object]:
        return {}

    def other(state: object) -> dict[str, object]:
        return {}

    hashes = set()
    for function in (one, other):
        graph = StateGraph("python", start="a")
        graph.add_node("a", function)
        graph.add_edge("a", END)
        hashes.add(graph.compile().definition_hash)
    assert len(hashes) == 1


def test_a_broken_expression_is_kept_as_it_was_written() -> None:
    graph = StateGraph("x", start="a")
    graph.add_edge("a", END, when="n >")
    assert to_document(graph)["edges"] == [{"from": "a", "to": "END", "when": "n >"}]


@given(documents())
def test_any_definition_is_rebuilt_with_the_same_hash(document: dict[str, object]) -> None:
    graph = from_document(document)
    assert graph.noted == []
    once = to_document(graph)
    again = to_document(from_document(json.loads(dumps(once))))
    assert dumps(again) == dumps(once)
    assert definition_hash(again) == definition_hash(once)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.dates(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "nodes", "edges", "state", "from", "to", "when", "key", "type", "x"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(
    st.dictionaries(
        st.sampled_from(["name", "start", "nodes", "edges", "state", "tools", "max_steps", "x"]), anything
    )
)
def test_from_document_never_raises_for_content(data: dict[str, object]) -> None:
    graph = from_document(data)
    assert all(isinstance(problem, Problem) for problem in graph.noted)
    with pytest.raises(GraphError):
        graph.compile()


def test_half_a_character_is_noted_wherever_it_is() -> None:
    data = json.loads('{"format": 1, "name": "\\ud800", "nodes": {"\\ud801": {}, "a": {"type": "mine"}}}')
    graph = from_document(data)
    assert [problem.code for problem in graph.noted] == ["F023", "F023"]
    assert list(graph.nodes) == ["a"]
