"""Whatever a node returns or raises, its step ends with a row in the ledger, and the run stays readable."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given

from stepgraph import END, Executor, MemoryStore, RunStatus, SqliteStore, State, StateGraph, StateStore
from stepgraph.conditions.base import RoutingContext
from stepgraph.reviews.inbox import Reviews
from tests.fuzz.hostile_results import Recipe, hostile_errors, made, results, values

_KINDS = {"success": "step", "paused": "review", "failed": "attempt"}


def graph(node: Callable[[State], Any], when: Callable[[RoutingContext], Any] | None = None) -> StateGraph:
    built = StateGraph("hostile", start="work")
    built.add_key("v", default="1")
    built.add_key("list", reducer="append", default=[])
    built.add_key("table", reducer="merge", default={})
    built.add_key("n", type="number", default=0)
    built.add_node("work", node)
    built.add_edge("work", END, when=when)
    return built


def stepped(built: StateGraph, store: StateStore) -> tuple[str, str, str]:
    """Take one step; what came of it is told by the record, the ledger and the state, all of it JSON."""
    executor = Executor(built.compile(), store)
    run = executor.start({})
    record = executor.step(run)
    rows, pointer = store.rows(run.id), store.load(run.id).pointer
    assert len(rows) == pointer.version == 2
    for row in rows:
        json.dumps([row.updates, row.output, row.error, row.data], allow_nan=False)
    fresh = executor.load(run.id)
    assert fresh.values == run.values == store.values(run.id, 2)
    assert (fresh.status, fresh.current) == (run.status, run.current)
    assert str(fresh.error) == str(run.error)
    if record.status == "paused":
        Reviews(store).get(rows[1].review or "").request.to_json()
    if record.status == "failed":
        assert pointer.status is RunStatus.FAILED
    return record.status, rows[1].kind, json.dumps(run.values, sort_keys=True)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteStore]:
    with SqliteStore(tmp_path_factory.mktemp("fuzz") / "runs.db", durability="normal") as store:
        yield store


@given(results())
def test_whatever_a_node_returns_is_a_row_on_both_stores(file: SqliteStore, result: Any) -> None:
    with MemoryStore() as memory:
        status, kind, values = stepped(graph(lambda state: made(result)), memory)
    assert kind == _KINDS[status]
    assert stepped(graph(lambda state: made(result)), file) == (status, kind, values)


@given(hostile_errors())
def test_whatever_a_node_raises_is_a_failed_attempt_on_both_stores(file: SqliteStore, error: Recipe) -> None:
    def raises(state: State) -> Any:
        raise error.make()

    for store in (MemoryStore(), file):
        assert stepped(graph(raises), store)[:2] == ("failed", "attempt")


@given(values(), hostile_errors())
def test_whatever_a_predicate_answers_or_raises_is_a_routing_failure(answer: Any, error: Recipe) -> None:
    def raises(context: RoutingContext) -> Any:
        raise error.make()

    with MemoryStore() as store:
        assert stepped(graph(lambda state: {}, lambda context: made(answer)), store)[1] == "step"
    with MemoryStore() as store:
        assert stepped(graph(lambda state: {}, raises), store)[:2] == ("failed", "step")


@given(hostile_errors())
def test_whatever_a_listener_raises_changes_nothing(error: Recipe) -> None:
    def listen(event: object) -> None:
        raise error.make()

    executor = Executor(graph(lambda state: {"v": 2}).compile())
    executor.on_step(listen)
    run = executor.run(executor.start({}))
    assert (run.status, run.values["v"]) == (RunStatus.ENDED, 2)
