"""What a node sees on a later visit, and what listeners hear."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from stepgraph import END, Executor, NodeResult, State, StateGraph, StateStore, StepCompleted


def loop(node: Any, other: Any = None, **settings: Any) -> StateGraph:
    graph = StateGraph("loop", start="write", **settings)
    graph.add_node("write", node)
    graph.add_node("other", other or (lambda state: NodeResult(output="other's output")))
    graph.add_edge("write", END, when="visits.write >= 3")
    graph.add_edge("write", "other")
    graph.add_edge("other", "write")
    return graph


class Writer:
    def __init__(self) -> None:
        self.saw: list[tuple[int, str | None, str | None]] = []

    def __call__(self, state: State) -> NodeResult:
        self.saw.append((state.visit, state.feedback, state.previous_output))
        return NodeResult(output=f"draft {state.visit}")


# acceptance 57, 58, 59
def test_a_revisit_sees_its_own_previous_output_and_the_exact_text(store: StateStore) -> None:
    writer = Writer()
    executor = Executor(loop(writer).compile(), store)
    executor.run(executor.start({}))
    text = (
        "Graph state 'write' visit #{}. Prior visit's output is provided above; "
        "refine your response based on it."
    )
    assert writer.saw == [
        (1, None, None),
        (2, text.format(2), "draft 1"),
        (3, text.format(3), "draft 2"),
    ]


# acceptance 57
def test_a_revisit_in_a_fresh_process_sees_it_too(store: StateStore) -> None:
    executor = Executor(loop(Writer()).compile(), store)
    run = executor.start({}, run_id="r-1")
    executor.step(run)
    executor.step(run)
    writer = Writer()
    again = Executor(loop(writer).compile(), store)
    again.step(again.load("r-1"))
    assert [(visit, previous) for visit, _, previous in writer.saw] == [(2, "draft 1")]


# acceptance 11
def test_feedback_can_be_switched_off_for_the_whole_graph(store: StateStore) -> None:
    writer, other = Writer(), Writer()
    executor = Executor(loop(writer, other, feedback=False).compile(), store)
    executor.run(executor.start({}))
    assert writer.saw == [(1, None, None), (2, None, None), (3, None, None)]
    assert other.saw == [(1, None, None), (2, None, None)]


# acceptance 12
def test_feedback_can_be_switched_off_for_one_node_alone(store: StateStore) -> None:
    writer, other = Writer(), Writer()
    executor = Executor(loop(writer, other, no_feedback=["write"]).compile(), store)
    executor.run(executor.start({}))
    assert writer.saw == [(1, None, None), (2, None, None), (3, None, None)]
    assert [(visit, previous) for visit, _, previous in other.saw] == [(1, None), (2, "draft 1")]


# acceptance 73, 74, 75
def test_listeners_hear_each_step_once_after_its_commit_and_before_the_next(store: StateStore) -> None:
    heard: list[StepCompleted] = []
    ran: list[str] = []
    graph = StateGraph("hear", start="a", max_steps=7)

    def tell(name: str, updates: dict[str, Any]) -> Any:
        def node(state: State) -> dict[str, Any]:
            ran.append(name)
            return updates

        return node

    graph.add_node("a", tell("a", {"n": 1}))
    graph.add_node("b", tell("b", {}))
    graph.add_edge("a", "b")
    graph.add_edge("b", END)
    executor = Executor(graph.compile(), store)

    def listen(event: StepCompleted) -> None:
        heard.append(event)
        ran.append(f"heard {event.node}, stored {store.load(event.run_id).pointer.step}")

    executor.on_step(listen)
    run = executor.run(executor.start({}))
    assert ran == ["a", "heard a, stored 1", "b", "heard b, stored 2"]
    first = heard[0]
    assert (first.graph, first.run_id, first.node, first.step, first.max_steps) == ("hear", run.id, "a", 1, 7)
    assert (first.output, first.next) == ('{"n":1}', "b")
    assert first.duration >= 0
    assert heard[1].next == END


# acceptance 54
def test_a_listener_that_raises_is_logged_and_changes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def bad(event: StepCompleted) -> None:
        raise RuntimeError("deaf")

    heard: list[str] = []
    executor = Executor(loop(Writer()).compile())
    executor.on_step(bad)
    executor.on_step(lambda event: heard.append(event.node))
    with caplog.at_level(logging.ERROR, logger="stepgraph.runs.executor"):
        run = executor.run(executor.start({}))
    assert run.step == 5
    assert len(heard) == 5
    assert "deaf" in caplog.text


# acceptance 75
def test_a_step_whose_routing_failed_is_told_once_when_a_retry_has_routed_it(store: StateStore) -> None:
    graph = StateGraph("late", start="a")
    graph.add_node("a", lambda state: {})
    graph.add_edge("a", END, when="limit > 1")
    executor = Executor(graph.compile(), store)
    heard: list[str | None] = []
    executor.on_step(lambda event: heard.append(event.next))
    executor.run(executor.start({"limit": 0}, run_id="r-1"))
    assert heard == []
    executor.edit("r-1", {"limit": 5}, by="ana")
    executor.retry("r-1")
    assert heard == [END]
