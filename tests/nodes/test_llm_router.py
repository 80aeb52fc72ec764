"""The node type llm_router: a model chooses one of the node's edges."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import END, GraphError, LLMRouterNode, NodeFailed, StateGraph, check


def desk(*, labels: tuple[str | None, ...] = ("refund", "bug", None), **settings: Any) -> StateGraph:
    """A desk that a model sorts tickets at."""
    graph = StateGraph("desk", start="sort")
    graph.add_key("ticket", input=True)
    graph.declare_node("sort", "llm_router", {"prompt": "Whose is {{ ticket }}?", **settings})
    targets = ("refunds", "bugs", "people")
    for target in targets:
        graph.declare_node(target, "llm", {"prompt": "x", "replies": [target]}, note=f"All about {target}.")
        graph.add_edge(target, END)
    for target, label in zip(targets, labels, strict=True):
        note = "Money back." if label == "refund" else ""
        graph.add_edge("sort", target, label=label, note=note)
    return graph


def codes(graph: StateGraph) -> list[tuple[str, object]]:
    """The codes of a graph's problems, each with its node."""
    return [
        (problem.code, problem.place.edge if problem.place.node is None else problem.place.node)
        for problem in check(graph)
    ]


def test_a_sound_one_has_no_problems() -> None:
    assert codes(desk(replies=["bug"])) == []


@pytest.mark.parametrize("labels", [("bug", "bug", None), ("bug", "Bug!", None), ("people", "bug", None)])
def test_labels_that_cannot_be_told_apart_are_an_error(labels: tuple[str | None, ...]) -> None:
    found = codes(desk(labels=labels, replies=["bug"]))
    assert [code for code, _ in found] == ["G053"]
    with pytest.raises(GraphError):
        desk(labels=labels).compile()


def test_a_label_that_is_no_word_is_an_error() -> None:
    assert [code for code, _ in codes(desk(labels=("...", "bug", None), replies=["bug"]))] == ["G053"]


def test_a_node_of_its_own_has_nothing_to_choose() -> None:
    from tests.nodes.support import bound, visited

    with pytest.raises(NodeFailed, match="no edges to choose among"):
        bound(LLMRouterNode(prompt="x")).execute(visited({}))


def test_a_node_in_python_chooses_as_one_of_a_file_does() -> None:
    graph = StateGraph("g", start="sort")
    graph.add_edge("sort", END, label="a")
    assert graph.graph.number_of_edges() == 1
    graph.add_edge("sort", END, label="b")
    graph.add_node("sort", LLMRouterNode(prompt="x", replies=["b"]))
    assert [edge.condition.describe() for edge in graph.edges] == ['route == "a"', 'route == "b"']
    assert [edge["edge"].condition.kind for _, _, edge in graph.graph.edges(data=True)] == [
        "equals",
        "equals",
    ]
    assert graph.compile().run({}).values["route"] == "b"
