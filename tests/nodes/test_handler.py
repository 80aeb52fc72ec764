"""The node type handler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from stepgraph import (
    END,
    Executor,
    GraphError,
    HandlerNode,
    NodeFailed,
    NodeResult,
    RunStatus,
    State,
    StateGraph,
    StepgraphError,
)
from stepgraph.files import grant
from tests.nodes.support import bound, visited


def handled(function: Callable[..., Any], values: dict[str, Any] | None = None, **settings: Any) -> Any:
    node = HandlerNode(handler="mod:function", **settings)
    return bound(node, resolve=lambda ref: function).execute(visited(values or {}))


# acceptance 93
def test_the_function_gets_the_state_and_its_result_is_the_nodes() -> None:
    def double(state: State) -> dict[str, Any]:
        return {"n": state["n"] * 2}

    assert handled(double, {"n": 4}) == {"n": 8}
    result = NodeResult({"a": 1}, output="said")
    assert handled(lambda state: result) is result


@pytest.mark.parametrize("value", [{"a": 1}, [1, 2], 7, False, ""])
def test_with_an_output_the_value_goes_there_whole(value: Any) -> None:
    assert handled(lambda state: value, output="found").updates == {"found": value}


def test_none_under_an_output_is_refused() -> None:
    with pytest.raises(NodeFailed, match="returned None, and 'found' needs a value"):
        handled(lambda state: None, output="found")


def test_an_async_handler_is_refused_before_anything_runs() -> None:
    async def later(state: State) -> dict[str, Any]:
        return {}

    with pytest.raises(GraphError) as refused:
        bound(HandlerNode("h", handler="mod:later"), resolve=lambda ref: later)
    assert [(p.code, p.place.node, p.place.key) for p in refused.value.problems] == [("G037", "h", "handler")]


# e9 7
def test_a_missing_handler_is_known_before_the_first_step() -> None:
    graph = StateGraph("g", start="first")
    graph.add_node("first", lambda state: {})
    graph.declare_node("second", "handler", {"handler": "no_such_module_here:f"})
    graph.add_edge("first", "second")
    graph.add_edge("second", END)
    app = graph.compile()
    grant(app)
    with pytest.raises(StepgraphError, match="no_such_module_here"):
        Executor(app)


def test_where_nothing_may_be_imported_it_cannot_be_bound_or_run() -> None:
    node = HandlerNode(handler="mod:function")
    with pytest.raises(GraphError, match="nothing may be imported"):
        bound(node)
    with pytest.raises(NodeFailed, match="not loaded"):
        node.execute(visited({}))


# acceptance 56
def test_a_handler_that_returns_nothing_is_a_failure_that_says_what_to_return() -> None:
    graph = StateGraph("g", start="h")
    graph.declare_node("h", "handler", {"handler": "builtins:print"})
    graph.add_edge("h", END)
    app = graph.compile()
    grant(app)
    executor = Executor(app)
    run = executor.run(executor.start({}))
    assert run.status is RunStatus.FAILED
    with pytest.raises(NodeFailed, match=r"node 'h' returned None on visit 1 \(return \{\} instead"):
        run.raise_for_status()
