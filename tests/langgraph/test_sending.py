"""What is sent to one node is one step of it: the path and the state are those of LangGraph."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("langgraph")

from langgraph.types import Send

from stepgraph import Decision, Executor, NodeFailed, RunStatus, StateGraph, check
from stepgraph.langgraph import BESIDE
from stepgraph.langgraph.beside import read_sends, written_beside
from stepgraph.langgraph.values import StateValues
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


def test_what_is_sent_is_json_between_the_steps_and_gone_behind_them() -> None:
    executor = Executor(opened("sending:reduced").compile())
    run = executor.start({})
    executor.step(run)
    beside: Any = run.values[BESIDE]
    assert [each["node"] for each in beside["sends"]] == ["tell", "tell"]
    assert beside["sends"][1]["arg"] == {
        "$type": "Subject",
        "name": "dogs",
        "pages": {"$type": "set", "items": [1, 2]},
    }
    assert run.history[0].edges[0].explanation.text == 'to_tell == "tell"'
    executor.step(run)
    assert run.values[BESIDE] == {"none": []}


def test_what_the_state_has_under_the_same_key_is_not_there_once_more_for_each_call() -> None:
    executor = Executor(opened("sending:two_calls").compile())
    run = executor.start({"messages": "Calculate."})
    executor.step(run)
    beside: Any = run.values[BESIDE]
    assert [each["arg"]["state"]["messages"] for each in beside["sends"]] == [{"$type": "state"}] * 2
    said: Any = run.values["messages"]
    run = executor.edit(run.id, {"messages": [{"type": "human", "content": "More"}, *said]}, by="ana")
    executor.step(run)  # and one of the calls counts what was sent along
    result: Any = run.values["messages"]
    assert result[-1]["content"] == "3 messages"


@pytest.mark.parametrize(
    "arg",
    [
        {"log": [1, 2], "more": {"log": [1, 2], "n": 3}},
        {"log": [1], "n": 7, "given": {"log": {}}},
        [{"log": [1, 2]}, {"$type": "state"}, {"log": {"$type": "state"}}],
        {"log": (1, 2), "n": {"log": None}},
        {"x": {"$type": "state"}, 1: [1, 2]},
        None,
        "log",
    ],
)
def test_what_is_sent_is_read_back_as_it_was(arg: Any) -> None:
    values = StateValues([])
    state: dict[str, Any] = {"log": [1, 2], "n": 7, "x": None}
    beside = written_beside(state, [Send("work", arg), Send("work", [arg])], values)
    assert json.loads(json.dumps(beside)) == beside
    assert read_sends(beside, state, values) == [Send("work", arg), Send("work", [arg])]


def test_a_router_that_sends_nothing_ends_the_run() -> None:
    graph = opened("sending:nothing_sent")
    assert [(edge.target, edge.label) for edge in graph.edges if edge.source == "plan"] == [
        ("tell", "tell"),
        ("END", "END"),
    ]
    executor = Executor(graph.compile())
    run = executor.run(executor.start({"subjects": []}))
    assert (path_of(run), run.values["to_tell"]) == (["plan"], "END")


def test_what_is_sent_may_be_edited() -> None:
    executor = Executor(opened("sending:from_start").compile())
    run = executor.start({})
    executor.step(run)
    run = executor.edit(
        run.id,
        {BESIDE: {"none": [], "sends": [{"$type": "Send", "node": "work", "arg": {"n": 9}}]}},
        by="ana",
    )
    assert executor.run(run).values["log"] == [9]


@pytest.mark.parametrize(
    "sends",
    [
        7,
        [7],
        [{"node": "work"}],
        [{"arg": {}}],
        [{"node": 1, "arg": {}}],
        [{"node": "x", "arg": {"$type": "X"}}],
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


@pytest.mark.parametrize("name", ["stopping", "stopping_after"])
def test_a_gate_before_or_behind_a_node_asks_once_for_all_its_tasks(name: str) -> None:
    graph = opened(f"sending:{name}")
    executor = Executor(graph.compile())
    run = executor.run(executor.start({"messages": "Calculate."}))
    assert run.pending is not None
    assert run.pending.node == "tools"
    run = executor.resume(run.id, Decision.approve(by="ana"))
    theirs = by_langgraph(
        loaded_of(graph).compiled.copy({"interrupt_before_nodes": [], "interrupt_after_nodes": []}),
        {"messages": "Calculate."},
    )
    assert (path_of(run), state_of(run, graph)) == (theirs.path, theirs.values)


def test_a_node_of_ours_may_stand_between_a_router_and_what_it_sends_to() -> None:
    graph = opened("sending:reduced")
    assert graph.source is not None
    again = StateGraph("approved", start="plan", on_no_match="end", feedback=False).of_module(graph.source)
    for name, entry in graph.nodes.items():
        again.declare_node(name, entry.type, entry.settings or {})
    again.declare_node("approve", "approval", {"prompt": "May {{ langgraph.sends | length }} be told?"})
    again.add_edge("plan", "approve", label="tell")
    again.add_edge("approve", "tell")
    again.add_edge("tell", "choose")
    again.add_edge("choose", "END")
    again.add_edge("plan", "END", label="END")
    executor = Executor(again.compile())
    run = executor.run(executor.start({}))
    assert run.pending is not None
    assert run.pending.request.prompt == "May 2 be told?"
    run = executor.resume(run.id, Decision.approve(by="ana"))
    assert (path_of(run), state_of(run, graph)) == (
        ["plan", "approve", "tell", "choose"],
        by_langgraph(loaded_of(graph).compiled, {}).values,
    )


def test_a_fork_sends_again_what_was_sent_there() -> None:
    graph = opened("sending:two_calls")
    executor = Executor(graph.compile())
    run = executor.run(executor.start({"messages": "Calculate."}))
    fork = executor.run(executor.fork(run.id, at=1))
    assert path_of(fork)[-4:] == path_of(run)[-4:] == ["tools", "agent", "tools", "agent"]
    assert state_of(fork, graph)["messages"][-1].content == state_of(run, graph)["messages"][-1].content


def test_a_task_that_fails_leaves_the_state_as_it_was_and_is_tried_again() -> None:
    graph = opened("sending:failing_once")
    executor = Executor(graph.compile())
    run = executor.run(executor.start({"log": [0]}))
    assert (run.status, run.values["log"]) == (RunStatus.FAILED, [0])
    run = executor.run(executor.retry(run.id))
    assert (path_of(run), state_of(run, graph)) == (["flawed"], {"log": [0, 1, 2, 3]})
