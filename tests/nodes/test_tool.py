"""The node type tool."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import END, Executor, NodeFailed, RunStatus, StateGraph, ToolNode, ToolRegistry
from tests.nodes.support import bound, visited

calls: list[dict[str, Any]] = []


@pytest.fixture
def tools() -> ToolRegistry:
    calls.clear()
    registry = ToolRegistry()

    def look_up(id: int, region: str = "eu") -> dict[str, Any]:
        calls.append({"id": id, "region": region})
        return {"id": id, "amount": 240}

    def broken(id: int) -> dict[str, Any]:
        raise ConnectionError("the database is down")

    registry.register("look_up", look_up)
    registry.register("broken", broken)
    return registry


def waiting(name: str = "look_up", **arguments: Any) -> dict[str, Any]:
    return {"tool_call": {"name": name, "arguments": arguments}}


# acceptance 99, 101, 102
def test_the_tool_that_waits_is_called_with_named_arguments(tools: ToolRegistry) -> None:
    result = bound(ToolNode(), tools).execute(visited(waiting(id=8812)))
    assert calls == [{"id": 8812, "region": "eu"}]
    assert result.updates == {
        "context": {"id": 8812, "amount": 240},
        "next_action": "EVALUATE",
        "tool_call": None,
    }
    assert result.output == '{"id":8812,"amount":240}'


# acceptance 101
def test_without_a_request_it_fails(tools: ToolRegistry) -> None:
    with pytest.raises(NodeFailed, match="no pending tool call") as failed:
        bound(ToolNode(), tools).execute(visited({}))
    assert 'next_action == "RUN_TOOL"' in failed.value.hint


@pytest.mark.parametrize(
    "request_", ["look_up", {"arguments": {}}, {"name": 1}, {"name": "look_up", "arguments": "id=1"}, [1]]
)
def test_a_request_of_another_shape_fails_and_is_shown(tools: ToolRegistry, request_: Any) -> None:
    with pytest.raises(NodeFailed, match=r"'tool_call' is the .*, not a tool call"):
        bound(ToolNode(), tools).execute(visited({"tool_call": request_}))


# acceptance 101
def test_an_unknown_tool_fails_with_the_nearest_name(tools: ToolRegistry) -> None:
    with pytest.raises(NodeFailed, match="there is no tool 'lookup'; called with") as failed:
        bound(ToolNode(), tools).execute(visited(waiting("lookup", id=1)))
    assert failed.value.hint == "did you mean 'look_up'?"


# acceptance 101
def test_what_a_tool_raises_names_node_tool_and_arguments_and_changes_nothing(tools: ToolRegistry) -> None:
    graph = StateGraph("g", start="fetch")
    graph.declare_node("fetch", "tool", {"tool": "broken", "arguments": {"id": 7}})
    graph.add_tool("broken", tool=tools.get("broken"))
    graph.add_edge("fetch", END)
    executor = Executor(graph.compile())
    run = executor.run(executor.start({"x": 1}))
    assert run.status is RunStatus.FAILED
    with pytest.raises(NodeFailed) as failed:
        run.raise_for_status()
    assert failed.value.message == (
        "node 'fetch' failed on visit 1: tool 'broken' raised ConnectionError: the database is down; "
        'called with {"id": 7}'
    )
    assert isinstance(failed.value.__cause__, ConnectionError)
    assert (run.values, run.step) == ({"x": 1}, 0)


# acceptance 100
@pytest.mark.parametrize("declared", [(), ("other",)])
def test_a_tool_that_is_registered_while_a_run_waits_is_found_by_it(declared: tuple[str, ...]) -> None:
    graph = StateGraph("g", start="fetch")
    graph.declare_node("fetch", "tool", {})
    graph.add_key("tool_call", input=True)
    graph.add_edge("fetch", END)
    for name in declared:
        graph.add_tool(name, returns={})
    registry = ToolRegistry()
    executor = Executor(graph.compile(), tools=registry)
    run = executor.run(executor.start(waiting("late", x=1)))
    assert "there is no tool 'late'" in str(run.error)
    registry.register("late", lambda x: {"got": x})
    run = executor.retry(run.id)
    assert run.values == {"context": {"got": 1}, "next_action": "EVALUATE"}


# acceptance 102
def test_wrong_arguments_are_all_named_and_the_tool_does_not_run(tools: ToolRegistry) -> None:
    with pytest.raises(NodeFailed) as failed:
        bound(ToolNode(), tools).execute(visited(waiting(idd=1, region=5)))
    assert "'id' is missing" in failed.value.message
    assert "'idd' is unknown, did you mean 'id'?" in failed.value.message
    assert "'region' takes text, not the number 5" in failed.value.message
    assert calls == []


def test_without_an_executor_it_says_so() -> None:
    with pytest.raises(NodeFailed, match="no tools to find 'pay' in"):
        ToolNode(tool="pay").execute(visited({}))
