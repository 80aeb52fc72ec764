"""Calling a tool from a node: who answers, and what the ledger keeps of it."""

from __future__ import annotations

from typing import Any

from stepgraph import END, Executor, StateGraph, ToolRegistry


class Thing:
    """What no schema describes."""


def graph_of(tool: Any, **settings: Any) -> StateGraph:
    graph = StateGraph("g", start="fetch")
    graph.add_tool("look_up", tool)
    graph.declare_node("fetch", "tool", {"tool": "look_up", "arguments": {"id": "{{ id }}"}, **settings})
    graph.add_edge("fetch", END)
    return graph


def look_up(id: int) -> dict[str, Any]:
    return {"id": id, "amount": 240}


def first_call(run: Any) -> dict[str, Any]:
    (call,) = run.history[0].row.data["calls"]
    return dict(call)


def test_a_call_is_kept_with_its_step_and_its_result_is_not_kept_twice() -> None:
    executor = Executor(graph_of(look_up).compile())
    run = executor.run(executor.start({"id": 7}, run_id="r"))
    call = first_call(run)
    assert (call["kind"], call["name"], call["source"]) == ("tool", "look_up", "live")
    assert call["arguments"] == {"id": 7}
    assert call["seconds"] >= 0
    assert "result" not in call
    assert run.history[0].calls[0]["result"] == {"id": 7, "amount": 240}


def test_what_cannot_be_described_takes_any_arguments() -> None:
    class Echo:
        """Gives back what it gets."""

        def execute(self, params: dict[str, Any]) -> dict[str, Any]:
            return params

    def odd(thing: Thing) -> dict[str, Any]:
        return {}

    registry = ToolRegistry()
    registry.register("echo", Echo())
    registry.register("odd", odd)
    registry.register("by_position", lambda a, /: {})
    assert registry.spec("echo").parameters is None
    assert registry.spec("echo").description == "Gives back what it gets."
    assert registry.spec("odd").parameters is None
    assert registry.spec("by_position").parameters is None
