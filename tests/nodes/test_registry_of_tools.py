"""The registry of tools, and functions as tools."""

from __future__ import annotations

import functools
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from stepgraph import StepgraphError, Tool, ToolRegistry
from stepgraph.tools.functions import FunctionTool
from stepgraph.tools.registry import ScriptedTool


class Echo:
    def execute(self, params: dict[str, Any]) -> dict[str, Any]:
        return params


def add(a: int, b: int = 1) -> dict[str, Any]:
    return {"sum": a + b}


# acceptance 100
def test_tools_come_and_go_while_the_program_runs() -> None:
    registry = ToolRegistry()
    assert "add" not in registry
    registry.register("add", add)
    registry.register("echo", Echo())
    assert ("add" in registry, registry.names) == (True, ("add", "echo"))
    assert registry.call("add", {"a": 2}) == {"sum": 3}
    registry.remove("add")
    with pytest.raises(StepgraphError, match="there is no tool 'add'"):
        registry.get("add")


# acceptance 100
def test_an_unknown_tool_is_an_error_with_the_nearest_name() -> None:
    registry = ToolRegistry()
    with pytest.raises(StepgraphError, match="no tool is registered"):
        registry.get("add")
    registry.register("look_up", Echo())
    with pytest.raises(StepgraphError, match="did you mean 'look_up'"):
        registry.get("lookup")
    with pytest.raises(StepgraphError, match="there is no tool 'x'"):
        registry.remove("x")


@pytest.mark.parametrize("name", ["", "  "])
def test_a_blank_name_is_refused(name: str) -> None:
    with pytest.raises(StepgraphError, match="cannot be named"):
        ToolRegistry().register(name, add)


def test_what_is_no_tool_is_refused_at_once() -> None:
    async def later() -> dict[str, Any]:
        return {}

    registry = ToolRegistry()
    with pytest.raises(StepgraphError, match="neither callable nor"):
        registry.register("t", 7)  # type: ignore[arg-type]  # the mistake under test
    with pytest.raises(StepgraphError, match="async"):
        registry.register("t", later)


def test_a_registry_looks_in_its_parent_and_hides_it() -> None:
    parent = ToolRegistry()
    parent.register("a", lambda: {"from": "parent"}, side_effects=True)
    parent.register("b", lambda: {"from": "parent"})
    child = ToolRegistry(parent)
    child.register("b", lambda: {"from": "child"}, side_effects=True)
    assert child.names == ("a", "b")
    assert (child.call("a", {}), child.call("b", {})) == ({"from": "parent"}, {"from": "child"})
    assert (child.has_side_effects("a"), child.has_side_effects("b"), parent.has_side_effects("b")) == (
        True,
        True,
        False,
    )
    parent.register("later", lambda: {})
    assert "later" in child


# acceptance 99, 106
def test_anything_with_execute_is_a_tool() -> None:
    assert isinstance(Echo(), Tool)
    assert isinstance(FunctionTool("add", add), Tool)
    assert isinstance(ScriptedTool("c", {}), Tool)


class Address(BaseModel):
    town: str


class Adder:
    def __init__(self, base: int) -> None:
        self.base = base

    def __call__(self, a: int) -> dict[str, Any]:
        return {"sum": self.base + a}

    def method(self, a: int) -> dict[str, Any]:
        return {"sum": self.base + a}


def send(
    to: Address, how: Literal["mail", "fax"] = "mail", *, tags: list[str] | None = None
) -> dict[str, Any]:
    return {"town": to.town, "how": how, "tags": tags}


# acceptance 102
def test_arguments_become_what_the_type_hints_say() -> None:
    sent = FunctionTool("send", send).execute({"to": {"town": "Lyon"}, "how": "fax", "tags": ["a"]})
    assert sent == {"town": "Lyon", "how": "fax", "tags": ["a"]}
    assert FunctionTool("add", add).execute({"a": "12"}) == {"sum": 13}


# acceptance 102
def test_all_wrong_arguments_are_reported_by_name_in_plain_words() -> None:
    with pytest.raises(StepgraphError) as refused:
        FunctionTool("send", send).execute({"to": {"twon": 1}, "how": "pigeon", "tags": ["a", 2], "extra": 1})
    message = refused.value.message
    assert message.startswith("tool 'send' refuses its arguments: ")
    assert "'to.town' is missing" in message
    assert "'how' takes mail or fax, not the text \"pigeon\"" in message
    assert "'tags[1]' takes text, not the number 2" in message
    assert "'extra' is unknown" in message
    assert "pydantic" not in str(refused.value)
    assert "how: " in refused.value.hint


@pytest.mark.parametrize(
    "call", [Adder(5), Adder(5).method, functools.partial(add, b=5), lambda a: {"sum": 5 + int(a)}]
)
def test_callable_objects_methods_partials_and_lambdas_work(call: Any) -> None:
    tool = FunctionTool("t", call)
    assert tool.execute({"a": 2}) == {"sum": 7}
    with pytest.raises(StepgraphError, match="'z' is unknown"):
        tool.execute({"a": 2, "z": 1})


def test_hints_that_cannot_be_used_are_said_at_the_first_call() -> None:
    def odd(a: NowhereToBeFound) -> dict[str, Any]:  # type: ignore[name-defined]  # noqa: F821  # the mistake under test
        return {}

    with pytest.raises(
        StepgraphError, match=r"the type hints of tool 'odd' cannot be used: .*NowhereToBeFound"
    ):
        FunctionTool("odd", odd).execute({"a": 1})


@pytest.mark.parametrize(
    ("returns", "said"),
    [
        (None, "neither a handler nor scripted"),
        ([], "neither a handler nor scripted"),
        ("x", "is a text, not a table"),
        ([{}, 3], "is a number"),
    ],
)
def test_scripted_answers_must_be_tables(returns: Any, said: str) -> None:
    with pytest.raises(StepgraphError, match=said):
        ScriptedTool("c", returns).answer(2)


def test_a_scripted_answer_is_a_copy() -> None:
    answers: Any = {"rows": [1]}
    answer: Any = ScriptedTool("c", answers).execute({})
    answer["rows"].append(2)
    assert ScriptedTool("c", answers).execute({}) == {"rows": [1]}


def test_an_async_result_is_refused_without_a_warning() -> None:
    async def later() -> dict[str, Any]:
        return {}

    registry = ToolRegistry()
    registry.register("t", lambda: later())
    with pytest.raises(StepgraphError, match="returned a coroutine, not a table"):
        registry.call("t", {})
