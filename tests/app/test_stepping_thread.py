"""The thread that steps: what it outlives, and how it ends."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from stepgraph import (
    Conflict,
    Executor,
    MemoryStore,
    SqliteStore,
    StepgraphError,
    StoreError,
    TrustError,
)
from stepgraph.files import GraphRef, graph_ref
from stepgraph_tui.worker import (
    Capture,
    Go,
    GraphLoaded,
    Load,
    Start,
    Step,
    SteppingThread,
    WorkDone,
    WorkFailed,
)
from tests.app.gates import Gate as Entrance
from tests.app.hearing import PATIENCE, Hearing, status_of
from tests.app.python_graphs import module
from tests.app.threads import ENDED, READY, Gate, line, nothing


def test_which_node_runs_and_how_far_the_run_is_can_be_read_meanwhile(store: MemoryStore) -> None:
    gate = Gate()
    hearing = Hearing(lambda: store)
    quick = [(f"quick{number}", nothing) for number in range(20)]
    hearing.done(Start(line(*quick, ("wait", gate)), {}, "r-1"))
    assert hearing.thread.submit(Go("r-1"))
    gate.wait()
    running = hearing.thread.running
    assert running is not None
    assert (running.node, running.step, hearing.thread.moves) == ("wait", 21, 20)
    gate.open.set()
    hearing.end()
    assert (hearing.thread.running, hearing.thread.moves) == (None, 21)


def test_who_hears_the_last_message_can_answer_it_with_more_work(store: MemoryStore) -> None:
    said: list[Any] = []
    refused: list[Any] = []
    over = threading.Event()

    def hear(message: Any) -> None:
        said.append(message)
        if isinstance(message, WorkDone):
            if message.halt == "ended":
                over.set()
            elif not thread.submit(Step("r-1")):
                refused.append(message)

    thread = SteppingThread(lambda: store, hear)
    assert thread.submit(Start(line(("first", nothing), ("second", nothing)), {}, "r-1"))
    assert over.wait(PATIENCE)
    assert thread.idle.wait(PATIENCE)
    assert refused == []
    thread.close()


def test_a_run_that_somebody_else_moves_meanwhile_is_a_conflict(tmp_path: Path) -> None:
    path, gate = tmp_path / "runs.db", Gate()
    app = line(("wait", gate), ("second", nothing), ("third", nothing))
    hearing = Hearing(lambda: SqliteStore(path))
    hearing.done(Start(app, {}, "r-1"))
    assert hearing.thread.submit(Step("r-1"))
    gate.wait()
    with SqliteStore(path) as other:
        Executor(app, other).extend("r-1", 1)
        gate.open.set()
        last = hearing.end()
        assert isinstance(last, WorkFailed)
        assert isinstance(last.error, Conflict)
        assert status_of(other, "r-1") == (READY, 0, "wait")
        assert hearing.done(Step("r-1")) == "done"  # the next work looks anew
        Executor(app, other).step(Executor(app, other).load("r-1"))
        assert hearing.done(Step("r-1")) == "ended"  # so it does when it was overtaken in between
        assert status_of(other, "r-1") == (ENDED, 3, None)
    hearing.thread.close()


def test_a_store_that_cannot_be_opened_is_tried_again(store: MemoryStore) -> None:
    tries = []

    def connect() -> MemoryStore:
        tries.append(1)
        if len(tries) == 1:
            raise StoreError("the disk is full")
        return store

    hearing = Hearing(connect)
    work = Start(line(("first", nothing)), {}, "r-1")
    assert "the disk is full" in str(hearing.refused(work))
    assert hearing.done(work) == "done"
    hearing.thread.close()


@pytest.mark.parametrize("bug", [RuntimeError("oh"), SystemExit("oh"), KeyboardInterrupt("oh")])
def test_a_bug_is_told_and_ends_no_thread(store: MemoryStore, bug: BaseException) -> None:
    bugs = [bug]

    def connect() -> MemoryStore:
        if bugs:
            raise bugs.pop()
        return store

    hearing = Hearing(connect)
    work = Start(line(("first", nothing)), {}, "r-1")
    error = hearing.refused(work)
    assert isinstance(error, StepgraphError)
    assert f"{type(bug).__name__}: oh" in str(error)
    assert error.__cause__ is bug
    assert hearing.done(work) == "done"
    hearing.thread.close()


def test_after_close_nothing_is_taken_and_nothing_is_said(tmp_path: Path) -> None:
    gate, closed = Gate(), threading.Event()

    class Told(SqliteStore):
        def close(self) -> None:
            super().close()
            closed.set()

    hearing = Hearing(lambda: Told(tmp_path / "runs.db"))
    hearing.done(Start(line(("wait", gate), ("after", nothing)), {}, "r-1"))
    assert hearing.thread.submit(Go("r-1"))
    gate.wait()
    hearing.thread.close()
    heard = len(hearing.said)
    assert not hearing.thread.submit(Step("r-1"))
    assert not closed.is_set()  # the node may take its time
    gate.open.set()
    assert closed.wait(PATIENCE)
    assert len(hearing.said) == heard
    hearing.thread.close()
    with SqliteStore(tmp_path / "runs.db") as store:
        assert status_of(store, "r-1") == (READY, 1, "after")


def test_an_app_that_ended_first_is_no_error(store: MemoryStore) -> None:
    def gone(message: Any) -> None:
        raise RuntimeError("Event loop is closed")

    thread = SteppingThread(lambda: store, gone)
    assert thread.submit(Start(line(("first", nothing)), {}, "r-1"))
    assert thread.idle.wait(PATIENCE)
    assert status_of(store, "r-1") == (READY, 0, "first")
    thread.close()


MODULE = """
from stepgraph import END, StateGraph
from tests.app import gates

print("importing")
gates.gate.pass_through()
graph = StateGraph("gated", start="first")
graph.add_node("first", lambda state: {})
graph.add_edge("first", END)
"""


def reference(folder: Path, text: str) -> GraphRef:
    """A graph in a module that is trusted."""
    ref = graph_ref(module(folder, text, trusted=True))
    assert ref is not None
    return ref


def test_a_module_is_imported_in_the_thread_and_what_it_prints_is_told(
    store: MemoryStore, tmp_path: Path, gate: Entrance
) -> None:
    gate.open()
    hearing = Hearing(lambda: store, Capture(pipe=False))
    last = hearing.do(Load(reference(tmp_path, MODULE)))
    assert isinstance(last, GraphLoaded)
    assert list(last.loaded.graph.nodes) == ["first"]
    assert last.loaded.sources["first"].lines[0].startswith("graph.add_node")
    assert hearing.by_step() == {(0, "agent.py"): "importing\n"}
    hearing.thread.close()


def test_an_import_that_nobody_trusts_changes_nothing(store: MemoryStore, tmp_path: Path) -> None:
    ref = graph_ref(module(tmp_path, MODULE))
    assert ref is not None
    hearing = Hearing(lambda: store)
    assert isinstance(hearing.refused(Load(ref)), TrustError)
    hearing.thread.close()


def test_work_that_is_abandoned_is_never_told_of_and_more_work_is_taken_at_once(
    store: MemoryStore, tmp_path: Path, gate: Entrance
) -> None:
    others = set(threading.enumerate())
    hearing = Hearing(lambda: store)
    (abandoned,) = set(threading.enumerate()) - others
    assert hearing.thread.submit(Load(reference(tmp_path, MODULE)))
    assert gate.reached.wait(PATIENCE)
    hearing.thread.abandon()
    assert not hearing.thread.busy
    assert hearing.done(Start(line(("first", nothing)), {}, "r-1")) == "done"
    gate.open()
    abandoned.join(PATIENCE)
    assert not abandoned.is_alive()
    assert hearing.heard(GraphLoaded) == []
    assert hearing.done(Go("r-1")) == "ended"
    hearing.thread.close()
