"""The builder as networkx has it."""

from __future__ import annotations

import networkx as nx

from stepgraph import END, StateGraph


def test_the_graph_of_networkx_has_all_that_was_added() -> None:
    graph = StateGraph("both", start="a")
    graph.add_node("a", lambda state: {})
    graph.add_edge("a", "a", "n < 3")
    graph.add_edge("a", "later")
    assert "entry" not in graph.graph.nodes["later"]
    graph.add_node("later", lambda state: {})
    graph.add_edge("later", END)
    graph.add_edge("a", "later", "n > 5", note="for another day")
    assert isinstance(graph.graph, nx.MultiDiGraph)
    assert {name: data["entry"] for name, data in graph.graph.nodes(data=True) if data} == graph.nodes
    edges = [data["edge"] for *_, data in graph.graph.edges(data=True)]
    assert sorted(edges, key=lambda edge: edge.index) == graph.edges
    assert nx.has_path(graph.graph, "a", END)
    assert graph.graph is graph.graph
