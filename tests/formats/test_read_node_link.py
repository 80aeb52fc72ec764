"""Node-link JSON of networkx and others."""

from __future__ import annotations

import json
from typing import Any

import networkx as nx
import pytest

from stepgraph import END, GraphFileError, StateGraph, check
from stepgraph.formats.reading import read_foreign
from tests.formats.random_graphs import run_of


def imported(table: Any) -> StateGraph:
    made = read_foreign(json.dumps(table), "x.json")
    assert not [problem for problem in check(made.graph) if problem.is_error]
    assert run_of(made.graph, steps=60).error is None
    assert made.kind == "node-link JSON"
    return made.graph


def ways(graph: StateGraph) -> list[tuple[str, str, str | None]]:
    return [(edge.source, edge.target, edge.label) for edge in graph.edges]


@pytest.mark.parametrize("edges", ["edges", "links"])
@pytest.mark.parametrize("kind", [nx.DiGraph, nx.MultiDiGraph])
def test_what_networkx_writes_is_read(kind: Any, edges: str) -> None:
    graph = kind(name="orders")
    graph.add_node("read", label="Read the order")
    graph.add_edge("read", "check")
    graph.add_edge("check", "read", label="again")
    graph.add_edge("check", "send", label="good")
    found = imported(nx.node_link_data(graph, edges=edges))
    assert found.name == "orders"
    assert ways(found) == [
        ("read", "check", None),
        ("check", "read", "again"),
        ("check", "send", "good"),
        ("send", END, None),
    ]
    assert (found.nodes["read"].settings or {})["prompt"] == "Read the order"


def test_nodes_that_are_numbers_or_tuples_are_named() -> None:
    graph: Any = nx.DiGraph([(0, 1), (1, (2, 3)), ((2, 3), 2.5)])
    assert [name for name, *_ in ways(imported(nx.node_link_data(graph, edges="edges")))] == [
        "0",
        "1",
        "[2,3]",
        "2.5",
    ]


def test_ends_that_are_places_in_the_list_are_looked_up() -> None:
    table = {"nodes": [{"name": "a"}, {"name": "b"}], "links": [{"source": 0, "target": 1, "value": 3}]}
    assert ways(imported(table)) == [("a", "b", None), ("b", END, None)]


@pytest.mark.parametrize(
    ("table", "code", "said"),
    [
        ({"nodes": []}, "F031", "neither"),
        ({"nodes": [], "edges": []}, "F031", "no nodes"),
        ({"nodes": [{}], "edges": []}, "F031", "nodes[0] has no id"),
        ({"nodes": [{"id": {}}], "edges": []}, "F031", "nodes[0] has no id"),
        ({"nodes": [{"id": "a"}], "edges": [1]}, "F031", "edges[0] is no table"),
        ({"nodes": [{"id": "a"}], "edges": [{"source": "a"}]}, "F031", "edges[0] has no target"),
        (
            {"nodes": [{"id": "a"}], "edges": [{"source": "a", "target": "b"}]},
            "F031",
            "edges[0] has no target",
        ),
        ({"nodes": [{"id": "a"}], "edges": [{"source": True, "target": "a"}]}, "F031", "no source"),
        ({"directed": False, "nodes": [{"id": "a"}], "edges": []}, "F033", "no direction"),
        ({"nodes": {"a": 1}, "edges": []}, "F030", "no graph that is known"),
        ({"nodes": [{"id": n} for n in range(5_001)], "edges": []}, "F032", "5,001 nodes"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_what_cannot_be_read_is_told(table: Any, code: str, said: str) -> None:
    with pytest.raises(GraphFileError) as caught:
        read_foreign(json.dumps(table), "x.json")
    [problem] = caught.value.problems
    assert problem.code == code
    assert said in problem.message


def test_what_only_looks_like_ours_is_read_as_that_of_others() -> None:
    table = {
        "graph": {"stepgraph": {"format": 1}},
        "nodes": [{"id": "a"}],
        "edges": [{"source": "a", "target": "a"}],
    }
    assert ways(imported(table)) == [("a", "a", None)]
    twice = {
        "graph": {"stepgraph": {"format": 1, "start": "a"}},
        "nodes": [{"id": "a", "stepgraph": {"type": "llm"}}] * 2,
        "edges": [],
    }
    assert list(imported(twice).nodes) == ["a"]


def test_ours_is_checked_as_a_graph_file_is() -> None:
    table = {
        "graph": {"stepgraph": {"format": 1, "name": "x", "start": "a"}},
        "nodes": [{"id": "a", "stepgraph": {"type": "lmm"}}],
        "edges": [{"source": "a", "target": "b", "stepgraph": {}}],
    }
    with pytest.raises(GraphFileError) as caught:
        read_foreign(json.dumps(table), "x.json")
    assert {problem.place.file for problem in caught.value.problems} == {"x.json"}
    assert any("did you mean 'llm'" in problem.hint for problem in caught.value.problems)
