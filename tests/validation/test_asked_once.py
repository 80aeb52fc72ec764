"""A node that is declared by type is asked once for what it needs; a Python object at every check."""

from __future__ import annotations

from stepgraph import END, StateGraph, check
from stepgraph.files.limits import MAX_NODES
from stepgraph.nodes.llm import LLMNode
from stepgraph.templates.parsing import parse


def test_the_settings_of_a_declared_node_never_change() -> None:
    graph = StateGraph("declared", start="a")
    graph.declare_node("a", "llm", {"prompt": "{{ question }}", "replies": ["yes"]})
    graph.add_edge("a", END)
    facts = graph.nodes["a"].facts
    assert facts is graph.nodes["a"].facts
    assert facts.all_reads is facts.all_reads == frozenset({"question"})
    assert isinstance(graph.nodes["a"].node, LLMNode)
    assert check(graph) == check(graph) != []


def test_each_template_of_the_largest_graph_is_parsed_once() -> None:
    graph = StateGraph("large", start="n0")
    for number in range(100):
        graph.declare_node(f"n{number}", "llm", {"prompt": f"{number} {{{{ step }}}}", "replies": ["yes"]})
        graph.add_edge(f"n{number}", f"n{number + 1}" if number < 99 else END)
    parse.cache_clear()
    assert check(graph) == check(graph) == []
    assert parse.cache_info().misses == 100
    assert (parse.cache_info().maxsize or 0) > 2 * MAX_NODES
