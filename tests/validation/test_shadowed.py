"""Which edges are never taken, and why: the words that a drawing puts beside them."""

from __future__ import annotations

from stepgraph import StateGraph, check
from stepgraph.graphs.validation import CheckedGraph, shadowed

from .building import sound


def fan(*edges: tuple[str, str | None]) -> StateGraph:
    graph = sound()
    for target, when in edges:
        graph.add_edge("review", target, when)
    return graph


def test_the_reason_names_the_edge_that_is_tried_first() -> None:
    graph = fan(("draft", None), ("draft", "n > 1"))
    assert shadowed(CheckedGraph(graph)) == {
        2: "edge 1 is tried first and always matches",
        3: "edge 1 is tried first and always matches",
    }


def test_the_drawing_and_the_warnings_know_of_the_same_edges() -> None:
    graph = fan(("draft", None), ("nowhere", "n >"), ("draft", "n > 1"))
    warned = {problem.place.edge: problem.message for problem in check(graph) if problem.code == "G103"}
    reasons = shadowed(CheckedGraph(graph))
    assert reasons.keys() == warned.keys()
    assert all("is tried first and always matches" in message for message in warned.values())


def test_nothing_is_shadowed_in_a_sound_graph() -> None:
    assert shadowed(CheckedGraph(sound())) == {}
