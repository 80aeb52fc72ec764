"""A run that was asked about goes by another graph, without the gate: it is asked about all the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from stepgraph import (
    END,
    CompiledGraph,
    Decision,
    Executor,
    Outcome,
    ReviewTerms,
    Run,
    RunStatus,
    StateGraph,
    StateStore,
    ToolNode,
)
from stepgraph.reviews.terms import NO_TERMS
from stepgraph.runs.operations import edit
from stepgraph.testing import FakeClock

paid: list[object] = []


@pytest.fixture(autouse=True)
def clean() -> None:
    paid.clear()


def pay(amount: int) -> dict[str, Any]:
    paid.append(amount)
    return {"receipt": len(paid)}


def graph(gate: str | None, **said: Any) -> CompiledGraph:
    """Pay an amount, behind a gate before the node, or of the tool, that one person may pass."""
    made = StateGraph("pay", start="pay")
    made.add_tool("pay", pay, requires_approval=gate == "tool")
    node = ToolNode(tool="pay", arguments={"amount": "{{ amount }}"})
    terms = ReviewTerms(approvers=("ana",), **said) if gate is not None else NO_TERMS
    made.add_node("pay", node, review="before" if gate == "before" else "never", terms=terms)
    made.add_edge("pay", END)
    return made.compile()


def adopted(store: StateStore, gate: str, decision: Decision | None, **values: Any) -> tuple[Executor, Run]:
    """A run that was decided, edited by a process that is gone, and moved to the graph without gates."""
    executor = Executor(graph(gate), store)
    run = executor.run(executor.start({"amount": 5}, run_id="r-1"))
    if decision is not None:
        executor.decide("r-1", replace(decision, by="ana"))
    run = executor.load("r-1")
    if values:
        edit(run, values, "ben", "", 1.0)
    other = Executor(graph(None), store)
    return other, other.load("r-1", adopt=True)


@pytest.mark.parametrize("gate", ["before", "tool"])
@pytest.mark.parametrize(
    "decision", [Decision.approve(), Decision.edit({"amount": 6}), Decision.reject(), None]
)
def test_an_edit_asks_anew_on_the_same_terms(store: StateStore, gate: str, decision: Decision | None) -> None:
    executor, run = adopted(store, gate, decision, amount=5_000)
    executor.run(run)
    assert (run.status, paid) == (RunStatus.PAUSED, [])
    assert run.pending is not None
    assert (run.pending.values["amount"], run.pending.terms.approvers) == (5_000, ("ana",))
    assert "5000" in str(run.pending.request.arguments)
    assert executor.resume("r-1", Decision.reject(by="ana")).outcome is Outcome.STOPPED
    assert paid == []


@pytest.mark.parametrize("gate", ["before", "tool"])
@pytest.mark.parametrize(
    ("decision", "outcome", "amounts"),
    [
        (Decision.approve(), Outcome.END, [5]),
        (Decision.edit({"amount": 6}), Outcome.END, [6]),
        (Decision.reject(), Outcome.STOPPED, []),
    ],
)
def test_what_was_decided_about_the_state_as_it_is_holds(
    store: StateStore, gate: str, decision: Decision, outcome: Outcome, amounts: list[int]
) -> None:
    executor, run = adopted(store, gate, decision)
    assert (executor.run(run).outcome, paid) == (outcome, amounts)


@pytest.mark.parametrize("gate", ["before", "tool"])
def test_who_is_asked_anew_decides(store: StateStore, gate: str) -> None:
    executor, run = adopted(store, gate, Decision.approve(), amount=5_000)
    executor.run(run)
    executor.decide("r-1", Decision.approve(by="ana"))
    assert executor.run(executor.load("r-1")).outcome is Outcome.END
    assert paid == [5_000]


@pytest.mark.parametrize("gate", ["before", "tool"])
def test_a_retry_of_what_nobody_decided_in_time_asks_anew(store: StateStore, gate: str) -> None:
    clock = FakeClock()
    executor = Executor(graph(gate, deadline=60, on_timeout="fail"), store, clock=clock)
    executor.run(executor.start({"amount": 5}, run_id="r-1"))
    clock.advance(60)
    other = Executor(graph(None), store, clock=clock)
    assert other.load("r-1", adopt=True).status is RunStatus.FAILED
    again = other.retry("r-1")
    assert (again.status, paid) == (RunStatus.PAUSED, [])
    clock.advance(60)
    assert other.load("r-1").status is RunStatus.FAILED
