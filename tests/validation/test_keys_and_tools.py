"""What a graph declares: state keys and tools."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import Problem

from .building import codes, only, sound


def with_key(name: Any = "docs", **declared: Any) -> Problem:
    graph = sound()
    graph.add_key(name, **declared)
    return only(graph)


@pytest.mark.parametrize("name", ["", "  ", 7, "half \ud800"])
def test_a_key_without_a_usable_name(name: Any) -> None:
    problem = with_key(name)
    assert problem.code == "G022"
    problem.message.encode()


@pytest.mark.parametrize(
    ("declared", "field", "hint"),
    [
        ({"reducer": "appends"}, "reducer", "did you mean 'append'?"),
        ({"type": "string"}, "type", "it takes: text, number, boolean, list, table"),
        ({"reducer": None}, "reducer", "it takes: replace, append, merge"),
    ],
)
def test_an_unknown_reducer_or_type(declared: dict[str, Any], field: str, hint: str) -> None:
    problem = with_key(**declared)
    assert (problem.code, problem.place.key, problem.hint) == ("G022", f"state.docs.{field}", hint)


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        (
            {"type": "number", "default": True},
            "the default of the state key 'docs' is a boolean, and it is declared as a number",
        ),
        (
            {"type": "text", "default": []},
            "the default of the state key 'docs' is a list, and it is declared as text",
        ),
        (
            {"reducer": "append", "default": "a"},
            "the default of the state key 'docs' is text, and its reducer \"append\" needs a list",
        ),
        (
            {"reducer": "merge", "default": []},
            "the default of the state key 'docs' is a list, and its reducer \"merge\" needs a table",
        ),
        ({"default": {"a": {1, 2}}}, 'the default of state["docs"]["a"] is a set'),
    ],
)
def test_a_default_that_does_not_fit(declared: dict[str, Any], message: str) -> None:
    problem = with_key(**declared)
    assert (problem.code, problem.place.key, problem.message) == ("G022", "state.docs.default", message)
    assert problem.hint


def test_a_type_that_the_reducer_cannot_keep() -> None:
    problem = with_key(reducer="append", type="text")
    assert (problem.code, problem.place.key) == ("G022", "state.docs.type")
    assert problem.hint == 'make it type = "list", or leave it out'


def test_a_key_that_is_declared_twice() -> None:
    graph = sound()
    graph.add_key("docs")
    graph.add_key("docs", reducer="append")
    problem = only(graph)
    assert (problem.code, problem.place.key, problem.hint) == ("G023", "state.docs", "remove one")
    assert problem.message == "the state key 'docs' is declared twice"


def test_a_tool_that_is_declared_twice() -> None:
    graph = sound()
    graph.add_tool("search", returns={})
    graph.add_tool("search", returns={})
    problem = only(graph)
    assert (problem.code, problem.place.key, problem.hint) == ("G024", "tools.search", "rename one")


def with_tool(**declared: Any) -> Problem:
    graph = sound()
    graph.add_tool(**({"name": "pay"} | declared))
    return only(graph)


NEITHER = [None, 0, 1, "", "no", [], [True]]


@pytest.mark.parametrize("flag", ["requires_approval", "side_effects"])
@pytest.mark.parametrize("value", NEITHER)
def test_a_flag_of_a_tool_that_is_neither_true_nor_false(flag: str, value: object) -> None:
    problem = with_tool(returns={}, **{flag: value})
    assert (problem.code, problem.place.key) == ("G027", f"tools.pay.{flag}")
    assert "neither true nor false" in problem.message


@pytest.mark.parametrize("flag", ["input", "secret"])
@pytest.mark.parametrize("value", NEITHER)
def test_a_flag_of_a_key_that_is_neither_true_nor_false(flag: str, value: object) -> None:
    problem = with_key(**{flag: value})
    assert (problem.code, problem.place.key) == ("G022", f"state.docs.{flag}")


async def later(amount: float) -> dict[str, object]:
    return {}


def test_an_async_tool() -> None:
    problem = with_tool(tool=later)
    assert (problem.code, problem.place.key) == ("G017", "tools.pay")
    assert problem.message == "the tool 'pay' is async, and Stepgraph never awaits"


class Ledger:
    def execute(self, params: dict[str, Any]) -> dict[str, Any]:
        return {}


@pytest.mark.parametrize(
    ("declared", "says"),
    [
        ({"name": " ", "returns": {}}, "cannot be named ' '"),
        ({}, "has nothing to run"),
        ({"tool": 7}, "is the number 7, neither a function nor an object with execute"),
        ({"tool": Ledger}, "is a class, not an object of it"),
        ({"returns": "done"}, 'has the text "done" among its scripted answers'),
        ({"returns": [{}, 3]}, "has the number 3 among its scripted answers"),
        ({"returns": []}, "has an empty list of scripted answers"),
        ({"returns": {"a": {1}}}, "is a set"),
    ],
)
def test_a_tool_that_cannot_work(declared: dict[str, Any], says: str) -> None:
    problem = with_tool(**declared)
    assert problem.code == "G027"
    assert says in problem.message
    assert problem.hint


def test_a_stored_definition_says_python_for_a_tool_that_was_an_object() -> None:
    graph = sound()
    graph.add_tool("pay", handler="python")
    assert codes(graph) == []
