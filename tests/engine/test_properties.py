"""Whatever is done to a run, a fresh handle sees the same as the live one, and every past stays readable."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph import (
    END,
    Decision,
    Executor,
    NodeResult,
    ReviewRequest,
    RunStatus,
    State,
    StateGraph,
    StateStore,
)
from stepgraph.stores.memory import MemoryStore
from stepgraph.stores.snapshots import SnapshotPolicy
from stepgraph.stores.sqlite import SqliteStore
from tests.examples import examples

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=80)
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=6,
)
updates = st.fixed_dictionaries(
    {},
    optional={
        "free": values,
        "other key": values,
        "log": values,
        "table": st.none() | st.dictionaries(st.sampled_from("xyz"), values, max_size=3),
        "big": st.just(["x" * 70]),
    },
)
actions = st.lists(
    st.one_of(
        st.tuples(st.just("step"), updates),
        st.tuples(st.just("fail"), st.just({})),
        st.tuples(st.just("ask"), st.just({})),
        st.tuples(st.just("edit"), st.fixed_dictionaries({}, optional={"free": values, "log": st.just([0])})),
        st.tuples(st.just("fork"), st.just({})),
        st.tuples(st.just("extend"), st.just({})),
    ),
    max_size=14,
)


class Scripted:
    """A node that does what the test says next."""

    todo: tuple[str, dict[str, Any]] = ("step", {})

    def __call__(self, state: State) -> Any:
        what, result = self.todo
        if what == "fail":
            raise ValueError("as told")
        if what == "ask" and state.decision is None:
            return NodeResult.pause(ReviewRequest("Go on?", show=("free",)))
        return result


def check(executor: Executor, run_id: str, live: Any, states: list[dict[str, Any]]) -> None:
    fresh = executor.load(run_id)
    for handle in (live, fresh):
        assert handle.values == live.values
        assert (handle.status, handle.current, handle.step, handle.version) == (
            live.status,
            live.current,
            live.step,
            live.version,
        )
        assert [handle.values_at(step) for step in range(handle.step + 1)] == states
        assert [record.step for record in handle.history] == list(range(1, handle.step + 1))
        assert [record.visit for record in handle.history] == list(range(1, handle.step + 1))
        assert handle.outputs.get("node", []) == [record.output for record in handle.history]
    rows = executor.store.rows(run_id)
    assert [row.seq for row in rows] == list(range(1, live.version + 1))


def play(store: StateStore, script: list[tuple[str, dict[str, Any]]]) -> None:
    node = Scripted()
    graph = StateGraph("any", start="node", max_steps=10_000)
    graph.add_key("log", reducer="append", default=["first"])
    graph.add_key("table", reducer="merge")
    graph.add_node("node", node)
    graph.add_edge("node", "node", when="step < 9000")
    graph.add_edge("node", END)
    executor = Executor(graph.compile(), store)
    run = executor.start({"free": 1}, run_id="r0")
    states: list[dict[str, Any]] = [run.values]
    for number, (what, data) in enumerate(script):
        node.todo = (what, data)
        if what in ("step", "fail", "ask"):
            executor.step(run)
            if run.status is RunStatus.FAILED:
                node.todo = ("step", {"free": number})
                run = executor.retry(run.id)
            elif run.status is RunStatus.PAUSED:
                run = executor.load(run.id)
                executor.decide(run.id, Decision.approve(by="test"))
                run = executor.load(run.id)
                executor.step(run)
            states.append(run.values)
        elif what == "edit":
            run = executor.edit(run.id, data, by="test")
        elif what == "fork":
            forked = executor.fork(run.id)
            assert forked.values == run.values
            run = forked
        else:
            run = executor.extend(run.id, 1)
        check(executor, run.id, run, states)


@examples(60)
@given(actions)
def test_in_memory(script: list[tuple[str, dict[str, Any]]]) -> None:
    with MemoryStore() as store:
        play(store, script)


@examples(40)
@given(actions)
def test_in_a_file_with_a_snapshot_every_few_rows(
    tmp_path_factory: pytest.TempPathFactory, script: list[tuple[str, dict[str, Any]]]
) -> None:
    policy = SnapshotPolicy(min_rows=2, max_rows=3)
    path = tmp_path_factory.mktemp("runs") / "runs.db"
    with SqliteStore(path, durability="normal", snapshots=policy) as store:
        play(store, script)
