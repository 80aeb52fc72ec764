"""What is found in the text of a module, without importing it."""

from __future__ import annotations

import pytest

from stepgraph_tui.documents.python_places import graph_names, line_of_edge, line_of_name, line_of_node

TEXT = """
import os
from stepgraph import END, StateGraph

_hidden = 1
limit: int = 3
graph = other = StateGraph("one", start="a")


class Helper:
    inside = 2


def build():
    graph = StateGraph("two", start="a")
    graph.add_node(
        "deep",
        print,
    )
    return graph


graph.add_node("a", print)
graph.declare_node("b", "llm", {})
graph.add_edge("a", "b", when="x > 1")
graph.add_edge("a", "b")
graph.add_edge("b", END)
graph.add_conditional_edge("b", "a", "key", 1)
name = "c"
graph.add_node(name, print)
"""


def line(number: int | None) -> str:
    return TEXT.split("\n")[number - 1] if number is not None else ""


def test_names_that_may_be_graphs_are_those_assigned_or_defined_at_the_top() -> None:
    assert graph_names(TEXT) == ["other", "graph", "limit", "build", "name"]


def test_what_was_made_of_a_graph_comes_before_what_it_was_made_with() -> None:
    text = 'PRICES = {"mug": 12}\nbuilder = StateGraph(State)\nagent = builder.compile()\n'
    assert graph_names(text) == ["agent", "builder", "PRICES"]


@pytest.mark.parametrize(
    "text", ["def f(:", "", "\0", "(" * 5_000], ids=["no Python", "empty", "null", "deep"]
)
def test_a_text_that_is_no_python_has_none(text: str) -> None:
    assert graph_names(text) == []
    assert line_of_name(text, "graph") is None
    assert line_of_node(text, "a") is None


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("graph", "graph = other"),
        ("other", "graph = other"),
        ("limit", "limit:"),
        ("build", "def build"),
        ("os", ""),
    ],
)
def test_the_line_of_a_name(name: str, there: str) -> None:
    assert line(line_of_name(TEXT, name)).startswith(there)


@pytest.mark.parametrize(
    ("node", "there"), [("a", 'graph.add_node("a"'), ("b", 'graph.declare_node("b"'), ("c", "")]
)
def test_the_line_that_adds_a_node(node: str, there: str) -> None:
    assert line(line_of_node(TEXT, node)).strip().startswith(there)


def test_the_line_of_a_call_over_several_lines_is_its_first() -> None:
    assert line(line_of_node(TEXT, "deep")) == "    graph.add_node("


@pytest.mark.parametrize(
    ("ends", "at", "there"),
    [
        (("a", "b"), 0, 'graph.add_edge("a", "b", when'),
        (("a", "b"), 1, 'graph.add_edge("a", "b")'),
        (("b", "END"), 0, 'graph.add_edge("b", END)'),
        (("b", "a"), 0, "graph.add_conditional_edge"),
        (("a", "b"), 2, ""),
    ],
)
def test_the_line_that_adds_an_edge(ends: tuple[str, str], at: int, there: str) -> None:
    assert line(line_of_edge(TEXT, *ends, at)).startswith(there)
