"""Calls with arguments that make no sense: one clear error each, and nothing is changed."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from stepgraph import (
    END,
    Decision,
    Executor,
    MemoryStore,
    NodeResult,
    NotAllowed,
    ReviewRequest,
    Reviews,
    RunError,
    RunStatus,
    State,
    StateError,
    StateGraph,
    StateStore,
    UnknownRun,
)
from stepgraph.reviews.inbox import already_decided
from stepgraph.stores.ledger import Row
from stepgraph.values.errors import GraphError, StepgraphError, StoreError


class Shapeless:
    def __repr__(self) -> str:
        raise ValueError("no words for it")


def loop(**settings: Any) -> StateGraph:
    graph = StateGraph("loop", start="a", **settings)
    graph.add_node("a", lambda state: {"n": state.get("n", 0) + 1})
    graph.add_edge("a", "a", "n < 5")
    graph.add_edge("a", END)
    graph.add_key("notes", reducer="append", type="list")
    graph.add_key("facts", reducer="merge")
    return graph


def asking(store: StateStore) -> Executor:
    def node(state: State) -> Any:
        if state.decision is None:
            return NodeResult.pause(
                ReviewRequest("Go?", editable={"tags": "list"}, allow=("approve", "edit", "respond"))
            )
        return state.decision.apply_to(dict(state))

    graph = StateGraph("ask", start="a")
    graph.add_node("a", node)
    graph.add_edge("a", END)
    executor = Executor(graph.compile(), store)
    executor.run(executor.start({"tags": []}, run_id="r-1"))
    return executor


@pytest.mark.parametrize("run_id", ["", " ", "a\nb", "x" * 201, "\ud800", 5, Shapeless()])
def test_what_cannot_name_a_run_names_neither_a_new_run_nor_a_fork(store: StateStore, run_id: Any) -> None:
    executor = Executor(loop().compile(), store)
    executor.run(executor.start({}, run_id="r-1"))
    with pytest.raises(RunError, match="cannot name a run"):
        executor.start({}, run_id=run_id)
    with pytest.raises(RunError, match="cannot name a run"):
        executor.fork("r-1", at=1, new_run_id=run_id)
    assert [run.head.id for run in store.runs()] == ["r-1"]


@pytest.mark.parametrize("run_id", [None, 5, "x" * 10_000])
def test_what_names_no_run_is_unknown(store: StateStore, run_id: Any) -> None:
    executor = Executor(loop().compile(), store)
    executor.start({}, run_id="r-1")
    with pytest.raises(UnknownRun):
        executor.load(run_id)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (None, "the values are None"),
        ([1], r"the values are \[1\]"),
        (Shapeless(), "cannot be shown"),
        ({1: 2}, "the key 1, which is not text"),
        ({Shapeless(): 2}, "cannot be shown"),
        ({"\ud800": 1}, "a key of the state has a lone surrogate"),
        ({"notes": "one"}, 'reducer "append" needs a list'),
        ({"facts": [1]}, 'reducer "merge" needs a table'),
    ],
)
def test_values_that_a_run_cannot_hold_are_refused_at_the_start_and_in_edits(
    store: StateStore, values: Any, said: str
) -> None:
    executor = Executor(loop().compile(), store)
    with pytest.raises(StateError, match=said):
        executor.start(values, run_id="r-1")
    executor.start({}, run_id="r-2")
    with pytest.raises(StateError, match=said):
        executor.edit("r-2", values, by="ana")
    assert [(run.head.id, run.pointer.version) for run in store.runs()] == [("r-2", 1)]


@pytest.mark.parametrize(("by", "comment"), [(None, ""), ("\ud800", ""), ("ana", 5), ("ana", Shapeless())])
def test_who_edits_and_why_are_texts(store: StateStore, by: Any, comment: Any) -> None:
    executor = Executor(loop().compile(), store)
    executor.start({}, run_id="r-1")
    with pytest.raises(StateError):
        executor.edit("r-1", {"n": 1}, by=by, comment=comment)
    assert executor.load("r-1").version == 1


@pytest.mark.parametrize("steps", [0, -1, True, 1.5, "3", None, 10**30])
def test_an_extension_is_a_number_of_steps(store: StateStore, steps: Any) -> None:
    executor = Executor(loop().compile(), store)
    executor.start({}, run_id="r-1")
    with pytest.raises(RunError, match="cannot extend run 'r-1' by"):
        executor.extend("r-1", steps)
    assert executor.load("r-1").max_steps == 50


def test_a_cap_that_no_store_can_count_is_a_problem_of_the_graph() -> None:
    with pytest.raises(GraphError, match="more than can be counted"):
        loop(max_steps=10**30).compile()


@pytest.mark.parametrize("step", [-1, 6, True, 1.0, "1"])
def test_what_is_no_step_is_refused(store: StateStore, step: Any) -> None:
    executor = Executor(loop().compile(), store)
    run = executor.run(executor.start({}, run_id="r-1"))
    with pytest.raises(RunError, match="its steps are 0 to 5"):
        run.values_at(step)
    with pytest.raises(RunError, match="its steps are 0 to 5"):
        executor.fork("r-1", at=step)


@pytest.mark.parametrize(
    "decision",
    [
        "approve",
        None,
        Shapeless(),
        Decision("perhaps"),  # type: ignore[arg-type]
        Decision.approve(by=5),  # type: ignore[arg-type]
        Decision.approve(by="\ud800"),
        Decision.approve(comment=Shapeless()),  # type: ignore[arg-type]
        Decision.respond(5),  # type: ignore[arg-type]
        Decision.edit({5: 1}),  # type: ignore[dict-item]
    ],
)
def test_what_is_no_sound_decision_is_not_recorded(store: StateStore, decision: Any) -> None:
    executor = asking(store)
    with pytest.raises(NotAllowed):
        executor.decide("r-1", decision)
    assert executor.load("r-1").status is RunStatus.PAUSED
    assert executor.resume("r-1", Decision.approve(by="ana")).status is RunStatus.ENDED


def test_an_edit_of_no_mapping_is_refused_when_it_is_made() -> None:
    with pytest.raises(NotAllowed, match=r"no values in \[1\]"):
        Decision.edit([1])  # type: ignore[arg-type]


def test_a_decision_at_no_time_of_the_calendar_is_told_all_the_same(store: StateStore) -> None:
    asking(store)
    (review,) = Reviews(store).pending()
    told = already_decided(
        dataclasses.replace(
            review,
            status="decided",
            decision=dataclasses.replace(Decision.approve(by="ana"), at=1e18),
        )
    )
    assert "approve by ana" in told.message


def test_a_handle_is_stepped_by_an_executor_of_its_graph_and_store(store: StateStore) -> None:
    executor = Executor(loop().compile(), store)
    run = executor.start({}, run_id="r-1")
    other = StateGraph("other", start="a")
    other.add_node("a", lambda state: {"wrong": True})
    other.add_edge("a", END)
    for foreign in (Executor(other.compile(), store), Executor(loop().compile(), MemoryStore())):
        with pytest.raises(RunError, match=r"executor.load\('r-1'\)"):
            foreign.step(run)
    assert (run.step, run.values) == (0, {})
    Executor(loop().compile(), store).step(run)  # the same graph, compiled again
    assert run.values == {"n": 1}


@pytest.mark.parametrize("hubs", [51, 5_000])
def test_no_match_of_very_many_edges_stays_readable(hubs: int) -> None:
    graph = StateGraph("hub", start="hub")
    graph.add_node("hub", lambda state: {"n": 0})
    for number in range(1, hubs + 1):
        graph.add_edge("hub", END, f"n == {number}")
    executor = Executor(graph.compile())
    run = executor.run(executor.start({}))
    assert isinstance(run.error, StepgraphError)
    assert f"50. END [n == 50], and {hubs - 50:,} more" in run.error.message


def test_a_retry_of_a_run_whose_ledger_was_tampered_with_says_that_the_store_is_damaged(
    store: StateStore,
) -> None:
    executor = Executor(loop().compile(), store)
    run = executor.start({}, run_id="r-1")
    pointer = dataclasses.replace(
        store.load("r-1").pointer,
        version=2,
        status=RunStatus.FAILED,
        error={"type": "NoEdgeMatched", "message": "made up"},
    )
    store.commit("r-1", Row(2, "extend", 0, data={"steps": 1}), pointer)
    with pytest.raises(StoreError, match="no step to route again"):
        executor.retry("r-1")
    assert run.step == 0
