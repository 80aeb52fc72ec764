"""Node-link JSON of networkx and others."""

from __future__ import annotations

import json
from typing import Any

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
        ({"nodes": [{"id": "a"}], "edges": [1]}, "F031", "edges[0] is not a table"),
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
