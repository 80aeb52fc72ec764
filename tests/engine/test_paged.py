"""Runs that are read page by page."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import END, Executor, MemoryStore, NodeFailed, Run, State, StateGraph
from stepgraph.runs.history import PAGE
from stepgraph.runs.paged import PagedRun
from stepgraph.stores.ledger import Row
from stepgraph.values.errors import StoreError


def moody(state: State) -> dict[str, Any]:
    """Fail on the third visit, and set no way out until then."""
    if state.visit == 3 and not state.get("tried"):
        raise ValueError("not today")
    return {"count": state.visit}


def graph(steps: int) -> StateGraph:
    graph = StateGraph("loop", start="a", max_steps=steps)
    graph.add_node("a", moody)
    graph.add_node("b", lambda state: {})
    graph.add_edge("a", "b", when='state["way"] == "on"')
    graph.add_edge("b", "a", when="count < 100000")
    graph.add_edge("b", END)
    return graph


def driven(steps: int) -> tuple[MemoryStore, Run, PagedRun]:
    """A run with failures, a routing that was tried again, and edits between its steps."""
    store = MemoryStore()
    executor = Executor(graph(steps).compile(), store)
    run = executor.start({}, "r-1")
    executor.run(run)  # no way yet
    executor.edit(run.id, {"way": "on"}, by="ana")
    run = executor.run(executor.retry(run.id))
    assert isinstance(run.error, NodeFailed)
    executor.edit(run.id, {"tried": True}, by="ana")
    run = executor.retry(run.id)
    paged = PagedRun(store, run.id)
    paged.go_by(run.plan)
    return store, run, paged


def test_reading_on_reads_what_is_new_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    store, run, paged = driven(10 * PAGE)
    executor = Executor(graph(10 * PAGE).compile(), store)
    executor.run(run)
    paged.read(run.version - 3)
    rows, read = store.rows, 0

    def counted(*args: Any, **named: Any) -> list[Row]:
        nonlocal read
        found = rows(*args, **named)
        read += len(found)
        return found

    monkeypatch.setattr(store, "rows", counted)
    paged.read(run.version)
    assert read == 3
    assert paged.steps[-1].step == run.step
    assert read == 3


def test_a_ledger_with_gaps_is_refused() -> None:
    _, run, paged = driven(PAGE)
    with pytest.raises(StoreError, match="has gaps"):
        paged.read(run.version + 1)


def test_the_way_is_known_without_reading_the_steps_again() -> None:
    store, run, paged = driven(2 * PAGE)
    Executor(graph(2 * PAGE).compile(), store).run(run)
    for version in (2, 3, 5, run.version):  # the routing of the first step fails, and succeeds later
        paged.read(version)
        assert paged.steps.departures == [record.departure for record in paged.steps]
    assert len(paged.steps.departures) == run.step
    assert len({*map(id, paged.steps.departures)}) == len({*paged.steps.departures}) < 10
