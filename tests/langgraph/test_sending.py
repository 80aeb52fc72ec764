"""What is sent to one node is one step of it: the path and the state are those of LangGraph."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("langgraph")


from stepgraph import Executor, NodeFailed, RunStatus, check
from stepgraph.extras.langgraph import BESIDE
from tests.langgraph.side_by_side import by_langgraph, here, loaded_of, opened, path_of, state_of

SAME: list[tuple[str, dict[str, Any], list[Any]]] = [
    ("one_call", {"messages": "Calculate."}, []),
    ("two_calls", {"messages": "Calculate."}, []),
    ("failing_tool", {"messages": "Calculate."}, []),
    ("commanding_tool", {"messages": []}, []),
    ("no_call", {"messages": "Calculate."}, []),
    ("asking_tool", {"messages": "Ask."}, ["Ana", {"at": "home"}]),
    ("hooked", {"messages": "Calculate."}, []),
    ("shaped", {"messages": "Calculate."}, []),
    ("reduced", {}, []),
    ("reduced", {"jokes": ["given"]}, []),
    ("deferred", {}, []),
    ("retried", {}, []),
    ("nothing_sent", {"subjects": []}, []),
    ("from_start", {}, []),
    ("from_start", {"log": ["given"]}, []),
    ("by_command", {}, []),
    ("again", {}, []),
    ("some_go_on", {"n": 4}, []),
    ("one_at_a_time", {}, []),
    ("asking", {}, ["one", [2]]),
]


@pytest.mark.parametrize(("name", "inputs", "answers"), SAME)
def test_path_and_final_state_are_those_of_langgraph(
    name: str, inputs: dict[str, Any], answers: list[Any]
) -> None:
    graph = opened(f"sending:{name}")
    assert [problem for problem in check(graph) if problem.is_error] == []
    theirs = by_langgraph(loaded_of(graph).compiled, inputs, answers)
    ours = here(graph, inputs, answers)
    assert ours.path == theirs.path
    assert ours.values == theirs.values


def test_async_tasks_are_awaited_with_their_timeouts() -> None:
    graph = opened("sending:awaited")
    executor = Executor(graph.compile())
    run = executor.start({})
    executor.step(run)
    beside: Any = run.values[BESIDE]
    assert [each["timeout"]["run_timeout"] for each in beside["sends"]] == [3600, 7200]
    run = executor.run(run)
    assert (path_of(run), state_of(run, graph)) == (["waits"], {"log": ["waited 1", "waited 2"]})


@pytest.mark.parametrize(
    "sends",
    [
        7,
        [7],
        [{"node": "work"}],
        [{"arg": {}}],
        [{"node": 1, "arg": {}}],
        [{"node": "x", "arg": {"$type": "X"}}],
        *(
            [{"$type": "Send", "node": "work", "arg": {}, "timeout": timeout}]
            for timeout in ("soon", -1, {"a": 1}, {"$type": "TimeoutPolicy"})
        ),
    ],
)
def test_what_is_edited_into_nonsense_is_named(sends: Any) -> None:
    executor = Executor(opened("sending:from_start").compile())
    run = executor.start({})
    executor.step(run)
    run = executor.edit(run.id, {BESIDE: {"none": [], "sends": sends}}, by="ana")
    run = executor.run(run)
    assert run.status is RunStatus.FAILED
    with pytest.raises(NodeFailed, match=r'state\["langgraph"\]\["sends"\]\[0\]') as caught:
        run.raise_for_status()
    assert caught.value.hint


def test_what_is_sent_to_no_node_is_named_and_not_passed_over() -> None:
    executor = Executor(opened("sending:from_start").compile())
    run = executor.start({})
    executor.step(run)
    sends: Any = [{"$type": "Send", "node": "wrok", "arg": {"n": 9}}]
    run = executor.run(executor.edit(run.id, {BESIDE: {"none": [], "sends": sends}}, by="ana"))
    with pytest.raises(NodeFailed, match="sends to 'wrok', which the graph does not have") as caught:
        run.raise_for_status()
    assert "work" in caught.value.hint
