"""A node that is declared by type is asked once for what it needs; a Python object at every check."""

from __future__ import annotations

from stepgraph import END, StateGraph, check
from stepgraph.files.limits import MAX_NODES
from stepgraph.nodes.llm import LLMNode
from stepgraph.templates.parsing import parse

from .building import Part


class Counted(Part):
    """Counts how often it is asked."""

    asked = 0

    def reads(self) -> frozenset[str]:
        self.asked += 1
        return super().reads()


def test_a_python_object_may_have_changed() -> None:
    node = Counted()
    graph = StateGraph("counted", start="a")
    graph.add_node("a", node)
    graph.add_edge("a", END)
    built = node.asked
    assert check(graph) == []
    once = node.asked - built
    assert once > 0
    node._tools = frozenset({"look"})
    graph.add_tool("other", returns={})
    assert [problem.code for problem in check(graph)] == ["G019"]
    assert node.asked == built + 2 * once


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
