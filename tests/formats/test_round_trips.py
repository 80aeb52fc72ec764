"""Any graph comes back from Mermaid, DOT and node-link JSON as it was."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from stepgraph import END, StateGraph
from stepgraph.conditions import HandlerPredicate
from stepgraph.formats.export import FORMATS, Exportable
from stepgraph.formats.node_link import asked_by, edge_parts, edge_text
from stepgraph.formats.reading import read_foreign
from stepgraph.graphs.parts import to_document
from stepgraph.graphs.plan import CompiledGraph
from tests.examples import examples
from tests.formats.hard_names import LABELS
from tests.formats.hard_names import NAMES as ANY_NAMES
from tests.formats.random_graphs import graphs, run_of
from tests.graphs.playing import NAMES, compiled

BY_NAME = {each.name: each for each in FORMATS}


def structure(graph: StateGraph | CompiledGraph) -> object:
    """What diagrams hold: names in order, the start, and the edges with what they say and ask."""
    edges = [(each.source, each.target, each.label or None, asked_by(each.condition)) for each in graph.edges]
    return list(graph.nodes), graph.settings.start, edges


def there_and_back(source: Exportable, name: str) -> StateGraph:
    return read_foreign(BY_NAME[name].write(source).text, "graph").graph


@pytest.mark.parametrize("kind", ["mermaid", "dot"])
@pytest.mark.parametrize("name", NAMES)
def test_the_structure_of_every_example_comes_back(name: str, kind: str) -> None:
    graph = compiled(name)
    assert structure(there_and_back(Exportable.of_graph(graph), kind)) == structure(graph.level())


@pytest.mark.parametrize("kind", ["mermaid", "dot"])
@given(graph=graphs(ANY_NAMES))
@examples(120, deadline=None)
def test_the_structure_of_any_graph_comes_back(kind: str, graph: StateGraph) -> None:
    back = there_and_back(Exportable.of_graph(graph.compile()), kind)
    assert structure(back) == structure(graph)
    assert back.name == (graph.name if kind == "mermaid" else " ".join(graph.name.split()) or back.name)
    assert structure(there_and_back(Exportable.of_run(run_of(graph)), kind)) == structure(graph)


@given(graph=graphs(ANY_NAMES))
@examples(120, deadline=None)
def test_all_of_any_graph_comes_back_from_node_link_json(graph: StateGraph) -> None:
    back = there_and_back(Exportable.of_graph(graph.compile()), "json")
    assert to_document(back) == to_document(graph)
    assert to_document(there_and_back(Exportable.of_run(run_of(graph)), "json")) == to_document(graph)


@given(label=LABELS, asked=LABELS)
@examples(400)
def test_any_label_and_any_condition_of_an_edge_are_told_apart(label: str, asked: str) -> None:
    for pair in ((label, None), (None, asked), (label, asked), (None, None)):
        assert edge_parts(edge_text(*pair)) == pair


@pytest.mark.parametrize(
    "value", [None, True, -1, 2.5, "x" * 2_000, 'a "b"\n[c]', ["a", 1], {"a": {"b": []}}, [{"a": None}], ""]
)
@pytest.mark.parametrize("kind", ["mermaid", "dot"])
def test_any_value_that_a_key_may_equal_comes_back(kind: str, value: Any) -> None:
    graph = StateGraph("x", start="a")
    graph.declare_node("a", "llm", {"prompt": "x", "replies": ["y"]})
    graph.add_conditional_edge("a", "a", "my key", value, "again")
    graph.add_edge("a", END)
    back = there_and_back(Exportable.of_graph(graph.compile()), kind)
    assert structure(back) == structure(graph)
    assert back.edges[0].condition.tree is not None


def test_a_predicate_is_named_and_not_looked_for() -> None:
    graph = StateGraph("x", start="a")
    graph.declare_node("a", "llm", {"prompt": "x", "replies": ["y"]})
    graph.add_edge("a", END, HandlerPredicate("no_such_module:ask"), "asked")
    graph.add_edge("a", "a")
    back = there_and_back(Exportable.of_graph(graph.compile()), "dot")
    assert back.edges[0].condition == HandlerPredicate("no_such_module:ask")
