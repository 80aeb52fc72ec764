"""The edges: their ends and their conditions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stepgraph import END, StateGraph, check
from stepgraph.conditions import HandlerPredicate

from .building import codes, from_text, nothing, only, sound, spoilt


# acceptance 31, 40, e9 7
def test_an_edge_from_an_unknown_node() -> None:
    problem = spoilt(lambda graph: graph.add_edge("reviw", END))
    assert (problem.code, problem.place.edge, problem.place.key) == ("G010", 2, "from")
    assert problem.message == "edge 3 (reviw -> END) leaves 'reviw', which is not a node of the graph"
    assert problem.hint == "did you mean 'review'?"


# acceptance 32, 40, e9 7
def test_an_edge_to_an_unknown_node() -> None:
    graph = StateGraph("edges", start="draft")
    graph.add_node("draft", nothing)
    graph.add_edge("draft", "pay")
    (problem,) = check(graph)
    assert (problem.code, problem.place.edge, problem.place.key) == ("G011", 0, "to")
    assert problem.message == "edge 1 (draft -> pay) leads to 'pay', which is not a node of the graph"
    assert problem.hint == "known: draft"


def test_the_end_in_a_file_is_spelt_in_capitals(tmp_path: Path) -> None:
    graph = StateGraph("edges", start="draft")
    graph.add_node("draft", nothing)
    graph.add_edge("draft", "end")
    (problem,) = check(from_text(graph, "", tmp_path))
    assert (problem.code, problem.hint) == ("G011", 'the end is written "END"')


# acceptance 33
@pytest.mark.parametrize("end", ["END", "__END__"])
def test_an_edge_out_of_the_end(end: str) -> None:
    problem = spoilt(lambda graph: graph.add_edge(end, "draft"))
    assert (problem.code, problem.place.edge) == ("G013", 2)
    assert problem.message == "edge 3 (END -> draft) leaves END, where every run ends"


# acceptance 34
@pytest.mark.parametrize(("source", "target", "key"), [("", "draft", "from"), ("draft", "  ", "to")])
def test_a_blank_end_of_an_edge(source: str, target: str, key: str) -> None:
    graph = StateGraph("blank", start="draft")
    graph.add_node("draft", nothing)
    graph.add_edge("draft", END, when="n > 1")
    graph.add_edge(source, target)
    found = [(problem.code, problem.place.edge, problem.place.key) for problem in check(graph)]
    assert ("G012", 1, key) in found


# acceptance 34
@pytest.mark.parametrize("end", [None, 7, ["draft"]])
def test_an_end_of_an_edge_that_is_no_text(end: Any) -> None:
    problem = spoilt(lambda graph: graph.add_edge(end, "draft"))
    assert problem.code == "G012"
    assert repr(end) in problem.message


def bad_condition(when: Any) -> str:
    graph = StateGraph("conditions", start="draft")
    graph.add_node("draft", nothing)
    graph.add_edge("draft", END, when=when)
    graph.add_edge("draft", END)
    found = [problem for problem in check(graph) if problem.code == "G016"]
    assert [(problem.severity, problem.place.edge, problem.place.key) for problem in found] == [
        ("error", 0, "when")
    ]
    return str(found[0])


def test_the_caret_points_to_what_is_wrong() -> None:
    lines = bad_condition('ready and category = "billing"').split("\n")
    assert lines[0].startswith("error G016: edge 1 (draft -> END): ")
    assert lines[0].endswith("(write: == to compare)")
    assert lines[1] == '    ready and category = "billing"'
    assert lines[2].index("^") == lines[1].index("= ")


@pytest.mark.parametrize("when", ["", "   ", "len(docs) > 3", "a && b", "true", 7, {"key": "a"}])
def test_a_condition_that_cannot_be_used(when: Any) -> None:
    assert bad_condition(when)


def test_a_very_long_condition_does_not_fill_the_screen() -> None:
    assert all(len(line) < 120 for line in bad_condition("a == 1 or " * 90 + "b = 2").split("\n"))


def test_an_async_predicate_would_always_hold() -> None:
    async def asks(context: object) -> bool:
        return False

    assert "async" in bad_condition(asks)


def test_a_value_that_no_key_can_equal() -> None:
    graph = sound()
    graph.add_conditional_edge("draft", END, "tags", {"a", "b"})  # type: ignore[arg-type]  # that is the point
    assert "G016" in codes(graph)


def loop(when: Any) -> StateGraph:
    graph = StateGraph("loop", start="draft")
    graph.add_node("draft", nothing)
    graph.add_edge("draft", "draft", when=when)
    graph.add_edge("draft", END)
    return graph


def test_visits_of_a_known_node() -> None:
    assert codes(loop("visits.draft < 3")) == []


def test_a_predicate_by_name_is_looked_at_and_never_imported() -> None:
    problem = only(loop(HandlerPredicate("rules.is_billing")))
    assert (problem.code, problem.place.edge, problem.place.key) == ("G021", 0, "when.predicate")
    assert problem.hint == "such as refund_tools:lookup_order"
    assert codes(loop(HandlerPredicate("no.such.module:function"))) == []
