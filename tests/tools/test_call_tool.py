"""Calling a tool from a node: who answers, and what the ledger keeps of it."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import END, BaseNode, Executor, NodeFailed, NodeResult, RunStatus, StateGraph, ToolRegistry
from stepgraph.models.recordings import Question
from stepgraph.models.watch import CallBegan, CallEnded, CallEvent
from stepgraph.nodes.tool_calling import call_tool
from stepgraph.runs.bind import CallRules
from stepgraph.values.json_values import Json
from stepgraph.values.state import State


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


class Recorded:
    """Recordings that know one answer, and what they were asked."""

    run_id = "r-0"

    def knows(self, node: str) -> bool:
        """Tell that it knows every node."""
        return True

    def __init__(self, call: dict[str, Json]) -> None:
        self.call = call
        self.asked: list[Question] = []

    def answer(self, question: Question) -> dict[str, Json]:
        self.asked.append(question)
        return self.call


def test_a_call_is_kept_with_its_step_and_its_result_is_not_kept_twice() -> None:
    executor = Executor(graph_of(look_up).compile())
    run = executor.run(executor.start({"id": 7}, run_id="r"))
    call = first_call(run)
    assert (call["kind"], call["name"], call["source"]) == ("tool", "look_up", "live")
    assert call["arguments"] == {"id": 7}
    assert call["seconds"] >= 0
    assert "result" not in call
    assert run.history[0].calls[0]["result"] == {"id": 7, "amount": 240}


def test_what_a_node_makes_of_a_result_keeps_the_result_itself() -> None:
    class Counts(BaseNode):
        def execute(self, state: State) -> NodeResult:
            found = call_tool(self, state, "look_up", {"id": 1})
            return NodeResult({"n": len(found)}, "two")

    graph = StateGraph("g", start="n")
    graph.add_tool("look_up", look_up)
    graph.add_node("n", Counts())
    graph.add_edge("n", END)
    executor = Executor(graph.compile())
    run = executor.run(executor.start({}))
    assert first_call(run)["result"] == {"id": 1, "amount": 240}
    assert run.history[0].calls == [first_call(run)]


def test_the_same_call_has_the_same_digest_and_another_another() -> None:
    def digest(id: int) -> str:
        executor = Executor(graph_of(look_up).compile())
        return str(first_call(executor.run(executor.start({"id": id})))["digest"])

    assert digest(1) == digest(1)
    assert digest(1) != digest(2)


def test_a_recording_answers_in_place_of_the_tool() -> None:
    def never(id: int) -> dict[str, Any]:
        raise AssertionError("the tool was called")

    recorded = Recorded({"kind": "tool", "name": "look_up", "result": {"id": 7, "amount": 1}})
    executor = Executor(graph_of(never).compile(), calls=CallRules(recorded))
    run = executor.run(executor.start({"id": 7}))
    assert run.values["context"] == {"id": 7, "amount": 1}
    assert first_call(run)["source"] == "replay"
    (question,) = recorded.asked
    assert (question.node, question.visit, question.kind, question.name) == ("fetch", 1, "tool", "look_up")
    assert question.said == {"tool": "look_up", "arguments": {"id": 7}}


def test_a_recorded_failure_fails_again() -> None:
    recorded = Recorded({"kind": "tool", "name": "look_up", "error": "the database was down"})
    executor = Executor(graph_of(look_up).compile(), calls=CallRules(recorded))
    run = executor.run(executor.start({"id": 7}))
    with pytest.raises(NodeFailed, match="the database was down"):
        run.raise_for_status()


def test_canned_answers_are_neither_recorded_nor_replayed() -> None:
    graph = StateGraph("g", start="fetch")
    graph.add_tool("look_up", returns=[{"n": 1}, {"n": 2}])
    graph.declare_node("fetch", "tool", {"tool": "look_up"})
    graph.add_edge("fetch", END)
    recorded = Recorded({"result": {"n": 99}})
    executor = Executor(graph.compile(), calls=CallRules(recorded))
    run = executor.run(executor.start({}))
    assert run.values["context"] == {"n": 1}
    assert recorded.asked == []
    assert run.history[0].row.data is None


def test_a_failed_call_is_kept_with_its_attempt() -> None:
    def broken(id: int) -> dict[str, Any]:
        raise ConnectionError("no answer")

    executor = Executor(graph_of(broken).compile())
    run = executor.run(executor.start({"id": 7}))
    assert run.status is RunStatus.FAILED
    data: Any = run.attempts[0].row.data
    (call,) = data["calls"]
    assert "raised ConnectionError: no answer" in call["error"]
    assert "result" not in call


def test_who_listens_hears_of_a_call_and_can_stop_it_before_it_begins() -> None:
    heard: list[CallEvent] = []
    executor = Executor(graph_of(look_up).compile(), calls=CallRules(tell=heard.append))
    executor.run(executor.start({"id": 7}, run_id="r"))
    began, ended = heard
    assert isinstance(began, CallBegan)
    assert isinstance(ended, CallEnded)
    assert (began.place.run_id, began.place.node, began.place.name) == ("r", "fetch", "look_up")
    assert ended.call["result"] == {"id": 7, "amount": 240}

    executor = Executor(graph_of(look_up).compile(), calls=CallRules(stopped=lambda: True))
    run = executor.run(executor.start({"id": 7}))
    assert run.error is not None
    assert "the tool 'look_up' was stopped" in str(run.error)
    assert run.error.hint == "retry the run to call it again"


def test_a_tool_that_takes_the_idempotency_key_gets_the_same_one_at_each_attempt() -> None:
    seen: list[str] = []

    def pay(id: int, idempotency_key: str) -> dict[str, Any]:
        seen.append(idempotency_key)
        if len(seen) == 1:
            raise ConnectionError("lost")
        return {}

    executor = Executor(graph_of(pay).compile())
    executor.run(executor.start({"id": 7}, run_id="r"))
    assert executor.run(executor.retry("r")).status is RunStatus.ENDED
    assert seen == ["r:1", "r:1"]


def test_a_tool_describes_itself_by_its_hints_and_docstring() -> None:
    def find(name: str, limit: int = 5, idempotency_key: str = "") -> dict[str, Any]:
        """Find people.

        Longer than that.

        Args:
            name: Whom to find,
                in full.
            limit (int): How many at most.
            idempotency_key: Not for a model.

        Returns:
            What was found.
        """
        return {}

    registry = ToolRegistry()
    registry.register("find", find)
    spec = registry.spec("find")
    assert (spec.name, spec.description) == ("find", "Find people.\n\nLonger than that.")
    assert spec.parameters is not None
    properties: Any = spec.parameters["properties"]
    assert list(properties) == ["name", "limit"]
    assert properties["name"]["description"] == "Whom to find, in full."
    assert properties["limit"] == {
        "default": 5,
        "title": "Limit",
        "type": "integer",
        "description": "How many at most.",
    }
    assert spec.parameters["required"] == ["name"]


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
