"""What belongs to a run stays its own: handles, threads, decisions, listeners, and what nodes keep."""

from __future__ import annotations

import json
import logging
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from stepgraph import (
    END,
    Conflict,
    Decision,
    Executor,
    NodeResult,
    ReviewRequest,
    Reviews,
    Run,
    RunError,
    RunStatus,
    State,
    StateGraph,
    StateStore,
)
from stepgraph.conditions.base import RoutingContext
from stepgraph.testing import sequential_ids


def one_node(node: Any, **edge: Any) -> StateGraph:
    graph = StateGraph("one", start="a")
    graph.add_node("a", node)
    graph.add_edge("a", END, **edge)
    return graph


def ask(state: State) -> Any:
    if state.decision is None:
        return NodeResult.pause(ReviewRequest("Go?", show=("n",), editable={"tags": "list"}))
    return {**state.decision.apply_to(dict(state)), "by": state.decision.by}


# e9 11
def test_a_recorded_decision_cannot_be_changed_from_outside(store: StateStore) -> None:
    executor = Executor(one_node(ask).compile(), store)
    executor.run(executor.start({"n": 1}, run_id="r-1"))
    given: list[Any] = ["approved"]
    review = executor.decide("r-1", Decision.edit({"tags": given}, by="ana"))
    given.append("slipped in before")
    assert review.decision is not None
    tags = review.decision.values["tags"]
    assert isinstance(tags, list)
    tags.append("slipped in after")
    assert executor.run(executor.load("r-1")).values["tags"] == ["approved"]


def test_two_processes_that_count_their_ids_alike_do_not_share_reviews(store: StateStore) -> None:
    app = one_node(ask).compile()
    first = Executor(app, store, ids=sequential_ids())
    first.run(first.start({"n": 1}, run_id="r-1"))
    first.decide("r-1", Decision.approve(by="ana"))
    second = Executor(app, store, ids=sequential_ids())
    waiting = second.run(second.start({"n": 1}, run_id="r-2"))
    assert [review.run_id for review in Reviews(store).pending()] == ["r-2"]
    assert waiting.pending is not None
    assert waiting.pending.id == "a-2"
    assert second.resume("r-2", Decision.approve(by="ben")).values["by"] == "ben"


def test_ids_that_never_change_are_an_error_and_no_endless_loop(store: StateStore) -> None:
    executor = Executor(one_node(ask).compile(), store, ids=lambda prefix: "always")
    executor.run(executor.start({"n": 1}, run_id="r-1"))
    run = executor.start({"n": 1}, run_id="r-2")
    with pytest.raises(RunError, match="'always' already"):
        executor.step(run)
    assert (run.status, run.version) == (RunStatus.READY, 1)


def test_a_default_is_the_plans_own_from_compile_on() -> None:
    default = [1]
    graph = one_node(lambda state: {})
    graph.add_key("notes", default=default)
    app = graph.compile()
    default.append(2)
    assert Executor(app).start({}).values == {"notes": [1]}


def test_a_state_that_a_node_keeps_stays_what_it_was(store: StateStore) -> None:
    kept: list[State] = []

    def node(state: State) -> dict[str, Any]:
        kept.append(state)
        return {"n": state.get("n", 0) + 1}

    graph = StateGraph("loop", start="a")
    graph.add_node("a", node)
    graph.add_edge("a", "a", "n < 3")
    graph.add_edge("a", END)
    executor = Executor(graph.compile(), store)
    executor.run(executor.start({}))
    assert [(state.visit, state.previous_output, dict(state)) for state in kept] == [
        (1, None, {}),
        (2, '{"n":1}', {"n": 1}),
        (3, '{"n":2}', {"n": 2}),
    ]


def test_setting_a_key_of_the_state_says_what_to_do_instead() -> None:
    def setting(state: Any) -> dict[str, Any]:
        state["n"] = 1
        return {}

    def deleting(state: Any) -> dict[str, Any]:
        del state["n"]
        return {}

    for node, hint in ((setting, r"return {'n': ...}"), (deleting, "return {'n': None}")):
        executor = Executor(one_node(node).compile())
        assert hint in str(executor.run(executor.start({"n": 0})).error)


@pytest.mark.parametrize("raised", [SystemExit(3), KeyboardInterrupt(), ValueError("\ud800" * 5_000)])
def test_whatever_a_predicate_raises_is_a_routing_failure(store: StateStore, raised: BaseException) -> None:
    ran: list[int] = []
    broken = [True]

    def node(state: State) -> dict[str, Any]:
        ran.append(state.visit)
        return {}

    def predicate(context: RoutingContext) -> bool:
        if broken:
            raise raised
        return True

    executor = Executor(one_node(node, when=predicate).compile(), store)
    run = executor.run(executor.start({}, run_id="r-1"))
    assert (run.status, run.step) == (RunStatus.FAILED, 1)
    assert type(raised).__name__ in str(run.error)
    assert len(str(run.error)) < 3_000
    str(run.error).encode()
    broken.clear()
    assert executor.retry("r-1").status is RunStatus.ENDED
    assert ran == [1]


def test_a_listener_that_ends_the_process_does_not_keep_it_from_the_others(
    caplog: pytest.LogCaptureFixture,
) -> None:
    heard: list[int] = []

    def leave(event: object) -> None:
        raise SystemExit(1)

    executor = Executor(one_node(lambda state: {}).compile())
    executor.on_step(leave)
    executor.on_step(lambda event: heard.append(event.step))
    with caplog.at_level(logging.ERROR):
        run = executor.run(executor.start({}))
    assert (heard, run.status) == ([1], RunStatus.ENDED)
    assert "leave" in caplog.text


def test_a_node_that_steps_its_own_run_loses_to_itself(store: StateStore) -> None:
    mine: list[Run] = []

    def node(state: State) -> dict[str, Any]:
        if len(mine) == 1:
            run = mine.pop()
            executor.step(run)
        return {"n": state.get("n", 0) + 1}

    executor = Executor(one_node(node).compile(), store)
    run = executor.start({}, run_id="r-1")
    mine.append(run)
    with pytest.raises(Conflict):
        executor.step(run)
    assert executor.load("r-1").values == run.values == {"n": 1}


def test_outputs_of_values_that_came_back_unchanged_are_whole(store: StateStore) -> None:
    big = ["x" * 40] * 3

    def node(state: State) -> dict[str, Any]:
        return {"n": state.get("n", 0) + 1, "big": state["big"]}

    graph = StateGraph("loop", start="a")
    graph.add_node("a", node)
    graph.add_edge("a", "a", "n < 4")
    graph.add_edge("a", END)
    executor = Executor(graph.compile(), store)
    run = executor.start({"big": big}, run_id="r-1")
    executor.step(run)
    executor.edit("r-1", {"big": [*big, "y"]}, by="ana")
    run = executor.run(executor.load("r-1"))
    assert run.outputs == {"a": [record.output for record in run.history]}
    assert json.loads(run.outputs["a"][0]) == {"n": 1, "big": big}
    assert '"y"' in run.outputs["a"][3]


@pytest.fixture
def busy_switching() -> Iterator[None]:
    """Threads take turns a thousand times as often as they do."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("busy_switching")
def test_a_handle_can_be_read_while_another_thread_steps_it(store: StateStore) -> None:
    nodes = [f"n{number}" for number in range(150)]
    graph = StateGraph("long", start=nodes[0], max_steps=200)
    for node, following in zip(nodes, [*nodes[1:], END], strict=True):
        graph.add_node(node, lambda state: {"n": state.get("n", 0) + 1})
        graph.add_edge(node, following)
    executor = Executor(graph.compile(), store)
    run = executor.start({})
    wrong: list[object] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            try:
                steps = [record.step for record in run.history]
                if steps != list(range(1, len(steps) + 1)):
                    wrong.append(steps)
                if any(count != 1 for count in run.visits.values()):
                    wrong.append(run.visits)
                repr((run.outputs, run.values, run.output, run.attempts))
            except Exception as error:  # whatever it is, the test tells it
                wrong.append(error)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    executor.run(run)
    done.set()
    for reader in readers:
        reader.join()
    assert not wrong
    assert run.visits == dict.fromkeys(nodes, 1)
