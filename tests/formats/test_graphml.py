"""Graphs as GraphML and as node-link JSON, opened by networkx."""

from __future__ import annotations

import io
import json
from typing import Any

import networkx as nx
import pytest
from hypothesis import given

from stepgraph import END, StateGraph
from stepgraph.formats.export import FORMATS, Exportable
from tests.examples import examples
from tests.formats.hard_names import NAMES as ANY_NAMES
from tests.formats.random_graphs import graphs, run_of
from tests.graphs.playing import NAMES, compiled

GRAPHML = next(each for each in FORMATS if each.name == "graphml")
NODE_LINK = next(each for each in FORMATS if each.name == "json")


def opened(source: Exportable) -> Any:
    """What networkx reads of a graph in GraphML."""
    return nx.read_graphml(io.BytesIO(GRAPHML.write(source).text.encode()), force_multigraph=True)


def linked(source: Exportable) -> Any:
    """What networkx reads of a graph in node-link JSON."""
    return nx.node_link_graph(json.loads(NODE_LINK.write(source).text), edges="edges")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("read", [opened, linked], ids=["graphml", "node-link"])
def test_networkx_opens_every_example(read: Any, name: str) -> None:
    graph = compiled(name).level()
    found = read(Exportable.of_graph(compiled(name)))
    assert set(found) == {*graph.nodes, END}
    assert {node: found.nodes[node]["type"] for node in graph.nodes} == {
        each.name: each.type for each in graph.nodes.values()
    }
    ends = [(edge.source, edge.target) for edge in graph.edges]
    assert sorted((source, target) for source, target in found.edges()) == sorted(ends)
    assert found.is_directed()


@given(graph=graphs(ANY_NAMES))
@examples(80, deadline=None)
def test_networkx_opens_any_graph_with_a_run(graph: StateGraph) -> None:
    run = run_of(graph)
    source = Exportable.of_run(run)
    found = opened(source)
    assert len(found) == len(graph.nodes) + 1
    assert len(found.edges) == len(graph.edges)
    assert sum(data.get("visits", 0) for _, data in found.nodes(data=True)) >= 1
    both = linked(source)
    for name in graph.nodes:
        assert both.nodes[name]["visits"] == sum(record.node == name for record in run.history)
    assert sum(times for *_, times in both.edges(data="times")) == sum(
        record.next is not None for record in run.history
    )
    assert set(both) == {*graph.nodes, *(edge.target for edge in graph.edges)}
    assert len(both.edges) == len(graph.edges)
