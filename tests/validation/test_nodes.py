"""The nodes: names, what runs, what they name, and gates."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator
from typing import Any

import pytest

from stepgraph import END, BaseNode, NodeResult, Problem, StateGraph, check
from stepgraph.values.problems import Place

from .building import Part, codes, nothing, only, part_graph, sound, spoilt


def alone(node: Any) -> StateGraph:
    graph = StateGraph("alone", start="work")
    graph.add_node("work", node)
    graph.add_edge("work", END)
    return graph


def named(name: Any) -> StateGraph:
    graph = sound()
    graph.add_node(name, nothing)
    graph.add_edge("draft", name, when="n > 1")
    graph.add_edge(name, END)
    return graph


# acceptance 23
@pytest.mark.parametrize("name", ["", "  ", "\t\n"])
def test_a_blank_node_name(name: str) -> None:
    assert "G003" in codes(named(name))


def test_a_node_name_that_is_no_text() -> None:
    problem = spoilt(lambda graph: graph.add_node(7, nothing))  # type: ignore[arg-type]  # that is the point
    assert (problem.code, problem.message) == ("G003", "the node name 7 is not text")


def test_a_node_name_with_half_a_character_could_not_be_stored() -> None:
    graph = StateGraph("half", start="a\ud800")
    graph.add_node("a\ud800", nothing)
    graph.add_edge("a\ud800", END)
    problem = only(graph)
    assert problem.code == "G003"
    problem.message.encode()


# acceptance 24, 40
def test_two_nodes_of_one_name() -> None:
    problem = spoilt(lambda graph: graph.add_node("draft", nothing))
    assert (problem.code, problem.place.node, problem.hint) == ("G004", "draft", "rename one")
    assert "'draft'" in problem.message


# acceptance 25
def test_the_end_is_no_node() -> None:
    for name in (END, "END"):
        graph = alone(nothing)
        graph.add_node(name, nothing)
        graph.add_edge("work", name)
        found = [problem for problem in codes(graph) if problem == "G005"]
        assert found == ["G005"]


# acceptance 26, 40
def test_a_node_without_anything_to_run() -> None:
    problem = only(alone(None))
    assert (problem.code, problem.place.node) == ("G018", "work")
    assert problem.message == "node 'work' has nothing to run"


class Greeter:
    def execute(self, state: object) -> NodeResult:
        return NodeResult({})


class Idle(BaseNode):
    type = "idle"

    def __init__(self) -> None:
        pass


# acceptance 26, 39
@pytest.mark.parametrize(
    ("node", "says"),
    [
        ({}, "neither a function nor an object with execute"),
        ("write", "neither a function nor an object with execute"),
        (type("Odd", (), {"execute": 3})(), "neither a function nor an object with execute"),
        (Greeter, "the class Greeter, not an object of it"),
        (Idle(), "the class Idle, which does not say what it does"),
    ],
)
def test_what_is_no_node(node: Any, says: str) -> None:
    problem = only(alone(node))
    assert (problem.code, problem.place.node) == ("G018", "work")
    assert says in problem.message
    assert problem.hint


@pytest.mark.parametrize("node", [nothing, Greeter(), dict, functools.partial(nothing), Greeter().execute])
def test_what_is_a_node(node: Any) -> None:
    assert codes(alone(node)) == []


async def later(state: object) -> dict[str, object]:
    return {}


async def stream(state: object) -> AsyncIterator[int]:
    yield 1


class LaterNode:
    async def execute(self, state: object) -> dict[str, object]:
        return {}


class LaterCall:
    async def __call__(self, state: object) -> dict[str, object]:
        return {}


@pytest.mark.parametrize(
    "node",
    [later, stream, LaterNode(), LaterCall(), LaterNode().execute, functools.partial(later)],
    ids=["function", "generator", "execute", "call", "method", "partial"],
)
def test_an_async_node_is_refused(node: Any) -> None:
    problem = only(alone(node))
    assert (problem.code, problem.place.node) == ("G017", "work")
    assert problem.message == "node 'work' is async, and Stepgraph never awaits"
    assert "asyncio.run" in problem.hint


# acceptance 35
def test_every_node_without_an_outgoing_edge_is_listed() -> None:
    graph = sound()
    for name in ("one", "two", "three"):
        graph.add_node(name, nothing)
        graph.add_edge("draft", name, when="n > 1")
    problems = [problem for problem in codes(graph) if problem == "G014"]
    assert len(problems) == 3


def test_what_a_node_finds_in_its_own_settings_is_reported_at_that_node() -> None:
    found = Problem("G034", "error", "its prompt is not a template", Place(key="prompt"), "close the braces")
    problem = only(part_graph(ask=Part(problems=(found,))))
    assert problem == Problem("G034", "error", found.message, Place(node="ask", key="prompt"), found.hint)


def test_a_handler_is_never_imported() -> None:
    assert codes(part_graph(work=Part(handlers="no.such.package_anywhere:function"))) == []


def test_a_graph_in_python_may_leave_all_its_tools_to_the_executor() -> None:
    assert codes(part_graph(work=Part(tools="lookup_order"))) == []


def test_an_unknown_gate_is_no_gate_that_was_forgotten() -> None:
    graph = StateGraph("gate", start="pay")
    graph.add_node("pay", nothing, review="befor")  # type: ignore[arg-type]  # that is the point
    graph.add_edge("pay", END)
    problem = only(graph)
    assert (problem.code, problem.place.key, problem.hint) == ("G006", "review", "did you mean 'before'?")


def test_an_edit_of_an_append_key_would_not_replace_it() -> None:
    graph = part_graph(review=Part(editable={"draft": "text", "notes": "list", "log.last": "text"}))
    graph.add_key("draft", type="text")
    graph.add_key("notes", reducer="append")
    graph.add_key("log", reducer="append", default=[])
    found = [(problem.code, problem.place.key) for problem in check(graph)]
    assert found == [("G026", "editable.notes"), ("G026", "editable.log.last")]


@pytest.mark.parametrize(
    ("declared", "found"),
    [
        ({"type": "text"}, ["G028"]),
        ({"type": "list"}, ["G028"]),
        ({"type": "list", "reducer": "append", "default": []}, []),
        ({"type": "table"}, []),
        ({}, []),
    ],
)
def test_the_key_of_a_record_takes_tables(declared: dict[str, Any], found: list[str]) -> None:
    graph = StateGraph("gated", start="gate")
    graph.declare_node("gate", "approval", {"prompt": "Go on?"})
    graph.add_edge("gate", END)
    graph.add_key("review", **declared)
    assert codes(graph) == found
