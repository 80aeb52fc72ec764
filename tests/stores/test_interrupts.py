"""Whatever a Ctrl-C interrupts, a store has all of a commit or nothing, and goes on at once."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from random import Random
from typing import Any

import apsw
import pytest

from stepgraph import (
    END,
    ApprovalNode,
    Decision,
    Executor,
    MemoryStore,
    Run,
    SqliteStore,
    StateGraph,
    StateStore,
)
from stepgraph.reviews.inbox import delete_runs
from stepgraph.stores.audit import audit_damages
from stepgraph.stores.checking import store_damages
from stepgraph.stores.snapshots import SnapshotPolicy
from stepgraph.values.errors import Conflict, NotReady
from tests.crash.children import ask
from tests.examples import times
from tests.interrupting import at_each_place, unmeasured
from tests.stores.building import create


def counting(store: StateStore) -> Executor:
    """Counts, or asks."""
    graph = StateGraph("ask", start="count", max_steps=100_000)
    graph.add_key("log", reducer="append", default=[])
    graph.add_node("count", lambda state: {"n": state.get("n", 0) + 1, "log": [state.get("n", 0)]})
    graph.add_node("ask", ApprovalNode(prompt="Go on?", show=["n"]))
    graph.add_edge("count", "ask", when="wait")
    graph.add_edge("count", END, when="n < 0")
    graph.add_edge("count", "count")
    graph.add_edge("ask", "ask")
    return Executor(graph.compile(), store)


class Interruptible:
    """A store that is interrupted, and what is then looked at."""

    def __init__(self, store: StateStore, other: SqliteStore | None, threads: ThreadPoolExecutor) -> None:
        self.store = store
        self._other = other
        self._threads = threads
        self.within = "stores/memory" if other is None else "stores/sqlite"
        self.executor = counting(store)

    def start(self, run_id: str, wait: bool = False) -> Run:
        return self.executor.start({"wait": wait}, run_id)

    def check(self, place: object) -> None:
        """Nothing is held, half done, or seen by this process alone."""
        if self._other is not None:
            create(self._other, "beside")  # it waits for nobody
            assert self.store.versions() == self._other.versions(), place
            assert self.store.runs() == self._other.runs(), place
            self._other.delete_runs({"beside": 1})
        versions = {run.head.id: run.pointer.version for run in self.store.runs()}
        read = self._threads.submit(self.store.versions)
        assert read.result(timeout=30) == versions, place
        assert list(store_damages(self.store)) == [], place
        assert audit_damages(self.store) == [], place


@pytest.fixture(params=["memory", "sqlite"])
def tried(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Interruptible]:
    with ThreadPoolExecutor(1) as threads:
        if request.param == "memory":
            yield Interruptible(MemoryStore(), None, threads)
            return
        path, snapshots = tmp_path / "runs.db", SnapshotPolicy(3, 10, 1000)
        with (
            SqliteStore(path, durability="normal", snapshots=snapshots) as store,
            SqliteStore(path, durability="normal", busy_timeout=0) as other,
        ):
            yield Interruptible(store, other, threads)


def test_a_step_is_recorded_or_not_and_its_handle_goes_on(tried: Interruptible) -> None:
    run = tried.start("r-1")

    def step(_: int) -> None:
        tried.executor.step(run)

    told = 0
    for _, place in at_each_place(step, tried.within):
        recorded = tried.store.load("r-1").pointer
        assert recorded.step in (told, told + 1), place
        tried.check(place)
        tried.executor.step(run)  # with the very handle: nobody else has moved it on
        told = recorded.step + 1
        assert (run.step, run.values["n"], run.visits) == (told, told, {"count": told}), place
    assert run.values["log"] == [*range(run.step)]


def test_a_handle_learns_of_its_own_step_wherever_the_executor_was_interrupted(tried: Interruptible) -> None:
    run = tried.start("r-1")

    def step(_: int) -> None:
        tried.executor.step(run)

    for _, place in at_each_place(step, "runs"):
        recorded = tried.store.load("r-1").pointer
        if recorded.error is None:
            tried.executor.step(run)
        else:  # it came while the node ran: that is the node's failure
            run = tried.executor.load("r-1")
            tried.executor.try_again(run)
        assert run.step == recorded.step + 1, place
        assert run.visits == {"count": run.step}, place


def test_a_step_whose_end_was_cut_off_is_looked_up(
    store: StateStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    executor = counting(store)
    run = executor.start({"wait": False}, "r-1")
    commit = store.commit

    def cut(*given: Any, **named: Any) -> None:
        commit(*given, **named)
        raise KeyboardInterrupt

    for done in (1, 3, 5):
        with monkeypatch.context() as patched:
            patched.setattr(store, "commit", cut)
            with pytest.raises(KeyboardInterrupt):
                executor.step(run)
        assert executor.step(run).step == done + 1
        assert run.values["log"] == [*range(done + 1)]
    executor.stop("r-1", by="ana")
    with pytest.raises(Conflict):
        executor.step(run)


OPERATIONS: dict[str, Callable[[Interruptible, str], object]] = {
    "start": lambda tried, run_id: tried.start(run_id),
    "decide": lambda tried, run_id: tried.executor.decide(run_id, Decision.approve(by="ana")),
    "edit": lambda tried, run_id: tried.executor.edit(run_id, {"n": 7}, by="ana"),
    "fork": lambda tried, run_id: tried.executor.fork("origin", new_run_id=run_id),
    "delete": lambda tried, run_id: delete_runs(tried.store, {run_id: 3}, by="ana", at=1.0),
}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_what_is_done_to_a_run_is_done_or_not(tried: Interruptible, operation: str) -> None:
    def prepare(number: int) -> None:
        if operation in ("decide", "edit", "delete"):
            assert tried.executor.run(tried.start(f"r-{number}", wait=True)).version == 3

    def work(number: int) -> None:
        OPERATIONS[operation](tried, f"r-{number}")

    tried.executor.run(tried.start("origin", wait=True))
    prepare(0)
    for number, place in at_each_place(work, tried.within):
        tried.check(place)
        tried.store.delete_runs({id_: v for id_, v in tried.store.versions().items() if id_ != "origin"})
        assert [run.head.id for run in tried.store.runs()] == ["origin"], place
        prepare(number + 1)


READING: dict[str, Callable[[StateStore], object]] = {
    "load": lambda store: store.load("origin"),
    "rows": lambda store: store.rows("origin"),
    "values": lambda store: store.values("origin", 8),
    "visits": lambda store: store.visits("origin"),
    "reviews": lambda store: store.reviews(pending=False),
}


@pytest.mark.parametrize("what", READING)
def test_who_was_interrupted_while_reading_sees_what_comes_then(tried: Interruptible, what: str) -> None:
    run = tried.start("origin")
    for _ in range(8):
        tried.executor.step(run)
    for _, kept in at_each_place(lambda _: READING[what](tried.store), tried.within):
        tried.check(kept)  # as in a notebook, which keeps the last error with its frames
        tried.start("new")
        tried.store.delete_runs({"new": 1})


def test_an_interrupt_of_the_cleaning_up_is_made_good_by_the_next_call(tmp_path: Path) -> None:
    with SqliteStore(tmp_path / "runs.db") as store:
        store.backend.db.execute("BEGIN IMMEDIATE")
        store.backend.db.execute("DELETE FROM definitions")
        assert store.runs() == []
        with closing(apsw.Connection(str(tmp_path / "runs.db"))) as other:
            other.execute("BEGIN IMMEDIATE")


@unmeasured
@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_a_program_that_survives_a_hundred_signals_loses_no_step(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "runs.db"

    def work(tell: Callable[[str], None]) -> None:
        def interrupt(*_: object) -> None:
            raise KeyboardInterrupt

        signal.signal(signal.SIGALRM, interrupt)
        random = Random(22)  # noqa: S311  # no secret
        with ThreadPoolExecutor(1) as threads, ExitStack() as stores:
            store: StateStore = MemoryStore()
            other = None
            if kind == "sqlite":
                store = stores.enter_context(SqliteStore(path, durability="normal"))
                other = stores.enter_context(SqliteStore(path, durability="normal", busy_timeout=0))
            tried = Interruptible(store, other, threads)
            for number in times(100):
                run, told = tried.start(f"r-{number}"), 0
                try:
                    signal.setitimer(signal.ITIMER_REAL, random.uniform(0.00001, 0.001))
                    for _ in range(200):
                        if tried.executor.step(run).status == "failed":  # it came while the node ran
                            tried.executor.try_again(run)
                        told = run.step
                    signal.setitimer(signal.ITIMER_REAL, 0)
                except (KeyboardInterrupt, NotReady):
                    signal.setitimer(signal.ITIMER_REAL, 0)
                run.settle()
                assert run.step in (told, told + 1)
                if run.error is not None:
                    tried.executor.try_again(run)
                tried.executor.step(run)
                assert run.values["log"] == [*range(run.step)]
                tried.check("a signal")
                tried.store.delete_runs({run.id: run.version})
        tell("done")

    assert ask(work) == ["done"]
