"""A process that is forked while it has stores open: neither parent nor child hangs, or loses a commit."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from stepgraph import END, Executor, StateGraph
from stepgraph.stores.base import StateStore
from stepgraph.stores.memory import MemoryStore
from stepgraph.stores.sqlite import SqliteStore
from stepgraph.stores.sqlite.tracking import insert_row
from stepgraph.values.errors import StoreError, StoreLost
from tests.crash.children import Child, ask
from tests.stores.building import create, pointer, step_row


def _step(store: StateStore, seq: int) -> None:
    store.commit("r-1", step_row(seq, {"n": seq}), pointer(seq), {"n": seq})


@contextmanager
def _held(lock: Any) -> Iterator[None]:
    """Another thread holds a lock, and does not let go of it."""
    taken, done = threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            taken.set()
            done.wait(60)

    with ThreadPoolExecutor(1) as threads:
        threads.submit(hold)
        assert taken.wait(60)
        try:
            yield
        finally:
            done.set()


def test_a_child_goes_on_with_a_copy_of_a_store_in_memory_that_another_thread_holds() -> None:
    store = MemoryStore()
    create(store)

    def work(tell: Callable[[str], None]) -> None:
        _step(store, 2)
        tell(str(store.load("r-1").pointer.version))

    with _held(store._lock):
        child = Child(work)
    assert child.wait() == ["2"]
    assert store.load("r-1").pointer.version == 1, "it is the child's own"


def test_a_child_is_told_of_a_file_that_another_thread_does_not_let_go_of(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stepgraph.stores.sqlite.store._PATIENCE", 0.05)
    with SqliteStore(path, busy_timeout=0) as store:
        create(store)

        def work(tell: Callable[[str], None]) -> None:
            for use in (lambda: store.load("r-1"), lambda: SqliteStore(path)):
                try:
                    use()
                except StoreError as error:
                    tell(str(error))
            store.close()

        with _held(store._lock):
            child = Child(work)
        told = child.wait()
        assert len(told) == 2
        for line in told:
            assert line.startswith(
                f"the store {path} was in use when this process was forked, and is its parent's"
            )
            assert "fork while no other thread uses it, or start a new process" in line
        _step(store, 2)
        assert store.load("r-1").pointer.version == 2


def test_parent_and_child_go_on_with_a_file_that_was_open(path: Path) -> None:
    store = SqliteStore(path)
    create(store)

    def work(tell: Callable[[str], None]) -> None:
        _step(store, 2)
        tell("2")
        closed.wait(60)
        _step(store, 3)  # to the log that everybody reads
        tell(str(store.load("r-1").pointer.version))

    closed = multiprocessing.get_context("fork").Event()
    child = Child(work)
    while not child.lines:
        assert child.listen(60)
    assert store.load("r-1").pointer.version == 2
    store.close()
    closed.set()
    assert child.wait() == ["2", "3"]
    with SqliteStore(path) as store:
        assert store.load("r-1").pointer.version == 3
        assert store.values("r-1", 3) == {"n": 3}


def test_a_fork_waits_for_the_commit_of_another_thread(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with SqliteStore(path) as store, ThreadPoolExecutor(1) as threads:
        create(store)
        in_commit, forking = threading.Event(), threading.Event()
        rest = store.before_fork

        def insert_slowly(*given: Any) -> None:
            in_commit.set()
            assert forking.wait(60)
            insert_row(*given)

        def begin_to_fork() -> None:
            forking.set()
            rest()

        monkeypatch.setattr("stepgraph.stores.sqlite.store.insert_row", insert_slowly)
        monkeypatch.setattr(store, "before_fork", begin_to_fork)
        step = threads.submit(_step, store, 2)
        assert in_commit.wait(60)
        assert ask(lambda tell: tell(str(store.load("r-1").pointer.version))) == ["2"]
        step.result(60)
        _step(store, 3)


def test_a_store_that_was_closed_stays_so_across_a_fork(path: Path) -> None:
    store = SqliteStore(path)
    store.close()

    def work(tell: Callable[[str], None]) -> None:
        with pytest.raises(StoreError, match="is closed"):
            store.runs()
        tell("closed")

    assert ask(work) == ["closed"]
    with pytest.raises(StoreError, match="is closed"):
        store.runs()
    with SqliteStore(path) as store:
        assert ask(lambda _: None) == []
    with pytest.raises(StoreError, match="is closed"):
        store.runs()


@pytest.mark.parametrize("other", [True, False])
def test_a_file_that_was_taken_away_since_the_fork_is_not_made_anew(path: Path, other: bool) -> None:
    with SqliteStore(path) as store:
        create(store)
        assert ask(lambda _: None) == []
        path.rename(path.with_name("away.db"))
        if other:
            SqliteStore(path).close()
        with pytest.raises(StoreLost):
            store.load("r-1")
        assert path.exists() == other


def test_a_node_may_fork(path: Path) -> None:
    def double(state: Any) -> dict[str, Any]:
        with multiprocessing.get_context("fork").Pool(1) as pool:
            return {"n": pool.apply(int.__mul__, (2, state["n"]))}

    graph = StateGraph("forks", start="double")
    graph.add_node("double", double)
    graph.add_edge("double", END, when="n > 10")
    graph.add_edge("double", "double")
    with SqliteStore(path) as store:
        executor = Executor(graph.compile(), store)
        run = executor.run(executor.start({"n": 3}))
        run.raise_for_status()
        assert (run.values, run.step) == ({"n": 12}, 2)
