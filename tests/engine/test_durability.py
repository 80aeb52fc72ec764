"""What the store sees, and when."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stepgraph import (
    END,
    Decision,
    Executor,
    Reviews,
    RunStatus,
    SqliteStore,
    State,
    StateGraph,
    StateStore,
)
from stepgraph.testing import FakeClock
from tests.crash.children import Child, ask


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


def gated(ran: list[str]) -> StateGraph:
    def act(name: str) -> Callable[[State], dict[str, Any]]:
        def node(state: State) -> dict[str, Any]:
            ran.append(name)
            return {}

        return node

    graph = StateGraph("gated", start="prepare")
    graph.add_node("prepare", act("prepare"))
    graph.declare_node("gate", "approval", {"prompt": "Pay {{ amount }}?"})
    graph.add_node("pay", act("pay"))
    graph.add_edge("prepare", "gate")
    graph.add_conditional_edge("gate", "pay", "decision", "approve")
    graph.add_edge("gate", END)
    graph.add_edge("pay", END)
    return graph


# acceptance 119, 121, 123, e9 3
def test_a_run_that_one_process_paused_is_decided_by_a_second_and_finished_by_a_third(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    ran: list[str] = []
    app = gated(ran).compile()
    monday = 1_800_000_000.0

    def pause(tell: Callable[[str], None]) -> None:
        with SqliteStore(path) as store:
            executor = Executor(app, store, clock=FakeClock(monday))
            tell(executor.run(executor.start({"amount": 240}, "r-1")).status.value)
            tell(",".join(ran))

    def decide(tell: Callable[[str], None]) -> None:
        with SqliteStore(path) as store:
            reviews = Reviews(store, now=lambda: monday + 3 * 86_400)
            (waiting,) = reviews.pending()
            tell(f"{waiting.run_id} {waiting.node} {waiting.request.prompt}")
            reviews.decide(waiting.id, Decision.approve(by="ana"))

    assert ask(pause) == ["paused", "prepare"]
    assert ask(decide) == ["r-1 gate Pay 240?"]
    with SqliteStore(path) as store:
        executor = Executor(app, store, clock=FakeClock(monday + 4 * 86_400))
        run = executor.load("r-1")
        assert (run.status, run.current, run.step) == (RunStatus.READY, "gate", 1)
        executor.run(run)
        assert ran == ["pay"], "what ran before the pause does not run again"
        assert [record.node for record in run.history] == ["prepare", "gate", "pay"]


# acceptance 129, e9 18
def test_a_process_that_dies_inside_a_node_leaves_the_run_ready_at_it_with_the_same_key(
    tmp_path: Path,
) -> None:
    path = tmp_path / "runs.db"
    keys: list[str] = []
    doomed: list[Callable[[str], None]] = []  # stays empty in this process

    def fragile(state: State) -> dict[str, Any]:
        keys.append(state.idempotency_key)
        for tell in doomed:
            tell(keys[-1])
            os.kill(os.getpid(), signal.SIGKILL)
        return {"b": 2}

    app = chain(lambda state: {"a": 1}, fragile).compile()

    def drive(tell: Callable[[str], None]) -> None:
        doomed.append(tell)
        with SqliteStore(path) as store:
            executor = Executor(app, store)
            executor.run(executor.start({}, "r-1"))

    assert Child(drive).wait() == ["r-1:2"]
    with SqliteStore(path) as store:
        executor = Executor(app, store)
        run = executor.load("r-1")
        assert (run.status, run.current, run.values, run.visits) == (
            RunStatus.READY,
            "n1",
            {"a": 1},
            {"n0": 1},
        )
        executor.run(run)
        assert (run.status, run.values, keys) == (RunStatus.ENDED, {"a": 1, "b": 2}, ["r-1:2"])
