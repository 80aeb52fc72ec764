"""What the store sees, and when."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from stepgraph import END, Executor, SqliteStore, State, StateGraph, StateStore


def chain(*nodes: Any) -> StateGraph:
    graph = StateGraph("chain", start="n0")
    for number, node in enumerate(nodes):
        graph.add_node(f"n{number}", node)
        graph.add_edge(f"n{number}", f"n{number + 1}" if number + 1 < len(nodes) else END)
    return graph


# acceptance 111, 116, 132
def test_every_step_is_in_the_store_before_the_next_one_begins(store: StateStore) -> None:
    seen: list[tuple[int, Any]] = []

    def look(state: State) -> dict[str, Any]:
        stored = store.load("r-1")
        seen.append((stored.pointer.step, store.values("r-1", stored.pointer.version).get("n")))
        return {"n": state.get("n", 0) + 1}

    executor = Executor(chain(look, look, look).compile(), store)
    executor.run(executor.start({}, run_id="r-1"))
    assert seen == [(0, None), (1, 1), (2, 2)]


# acceptance 124, e9 19
def test_no_transaction_is_open_while_a_node_runs(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    executor_of_another: list[str] = []

    def write_elsewhere(state: State) -> dict[str, Any]:
        with SqliteStore(path, busy_timeout=0) as other:
            run = Executor(chain(lambda state: {}).compile(), other).start({}, run_id="other")
            executor_of_another.append(run.id)
        return {}

    with SqliteStore(path) as store:
        executor = Executor(chain(write_elsewhere).compile(), store)
        run = executor.run(executor.start({}))
        run.raise_for_status()
        assert executor_of_another == ["other"]
        assert store.load("other").pointer.step == 0


# acceptance 90, 116, 121
def test_a_run_goes_on_in_another_store_object_as_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    graph = chain(lambda state: {"a": 1}, lambda state: {"b": state["a"] + 1})
    with SqliteStore(path) as store:
        executor = Executor(graph.compile(), store)
        executor.step(executor.start({}, run_id="r-1"))
    with SqliteStore(path) as store:
        executor = Executor(graph.compile(), store)
        run = executor.run(executor.load("r-1"))
        assert run.values == {"a": 1, "b": 2}


# acceptance 122
def test_every_commit_moves_the_version_by_one(store: StateStore) -> None:
    executor = Executor(chain(lambda state: {}, lambda state: {}).compile(), store)
    run = executor.start({})
    versions = [run.version]
    for _ in executor.iterate(run):
        versions.append(run.version)
    assert versions == [1, 2, 3]


# acceptance 128
def test_many_runs_share_a_store(store: StateStore) -> None:
    executor = Executor(chain(lambda state: {"n": state["n"] * 2}, lambda state: {}).compile(), store)
    runs = [executor.start({"n": number}) for number in range(30)]
    for run in runs:
        executor.step(run)
    for run in reversed(runs):
        executor.run(run)
    assert [executor.load(run.id).values["n"] for run in runs] == [2 * number for number in range(30)]
    assert len(store.runs()) == 30
