"""Clocks of a program's own: what they tell goes into the ledger, so it must be a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

import pytest

from stepgraph import (
    END,
    ApprovalNode,
    CompiledGraph,
    Decision,
    Executor,
    Reviews,
    RunError,
    StateGraph,
    StateStore,
)
from stepgraph.runs.trial import try_node


class TellingClock:
    """Tells what it was given, one after the other, and the last for ever."""

    def __init__(self, times: Sequence[object], ticks: Sequence[object] = (0.0,)) -> None:
        self._times, self._ticks = list(times), list(ticks)

    def time(self) -> float:
        return self._next(self._times)

    def perf_counter(self) -> float:
        return self._next(self._ticks)

    @staticmethod
    def _next(told: list[object]) -> float:
        return cast("float", told.pop(0) if len(told) > 1 else told[0])


@pytest.fixture
def app() -> CompiledGraph:
    graph = StateGraph("asking", start="work")
    graph.add_node("work", lambda state: {"n": 1})
    graph.add_node("ask", ApprovalNode(prompt="Go on?"))
    graph.add_edge("work", "ask")
    graph.add_edge("ask", END)
    return graph.compile()


@pytest.mark.parametrize("wrong", [math.inf, -math.inf, math.nan, 1e300, -1.0, 10**400, "noon", None])
def test_a_clock_that_tells_no_time_is_named_and_nothing_is_kept_of_it(
    store: StateStore, app: CompiledGraph, wrong: object
) -> None:
    message = r"the clock's time\(\) gave .*seconds since 1970"
    with pytest.raises(RunError, match=message):
        Executor(app, store, clock=TellingClock([wrong])).start({}, run_id="r-1")
    assert store.runs() == []
    executor = Executor(app, store, clock=TellingClock([1.0, wrong]))
    run = executor.start({}, run_id="r-1")
    with pytest.raises(RunError, match=message):
        executor.step(run)
    assert (run.step, store.load("r-1").pointer.version) == (0, 1)
    with pytest.raises(RunError, match=message):
        try_node(app, "work", {}, clock=TellingClock([wrong]))


@pytest.mark.parametrize("wrong", [math.inf, math.nan, 10**400, "soon", None])
def test_a_clock_that_measures_nothing_is_named_too(
    store: StateStore, app: CompiledGraph, wrong: object
) -> None:
    for ticks in ([wrong], [0.0, wrong]):
        executor = Executor(app, store, clock=TellingClock([1.0], ticks))
        run = executor.start({}, run_id=f"r-{len(ticks)}")
        with pytest.raises(RunError, match=r"perf_counter\(\) gave"):
            executor.step(run)
        assert (run.step, store.load(run.id).pointer.version) == (0, 1)


@pytest.mark.parametrize("wrong", [math.inf, math.nan, 1e18])
def test_a_decision_is_not_recorded_at_no_time(store: StateStore, app: CompiledGraph, wrong: float) -> None:
    executor = Executor(app, store)
    executor.run(executor.start({}, run_id="r-1"))
    (review,) = Reviews(store).pending()
    with pytest.raises(RunError, match=r"time\(\) gave"):
        Reviews(store, lambda: wrong).decide(review.id, Decision.approve(by="ana"))
    assert Reviews(store).get(review.id).status == "pending"
