"""A run that counts for ever: what a child drives until it is killed, and what must be true afterwards."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from stepgraph import Executor, SqliteStore, StateGraph
from stepgraph.graphs.plan import CompiledGraph
from stepgraph.runs.run import Run
from stepgraph.stores.ledger import RunStatus
from stepgraph.stores.snapshots import SnapshotPolicy
from stepgraph.values.errors import Conflict, RunExists, UnknownRun
from tests.crash.children import Work

_OFTEN = SnapshotPolicy(min_rows=3, max_rows=10)  # so that many a kill falls into the writing of one


def _graph() -> CompiledGraph:
    def count(state: Mapping[str, Any]) -> dict[str, Any]:
        return {"count": state["count"] + 1, "seen": state["count"] + 1}

    graph = StateGraph("counting", start="tick", max_steps=10**9)
    graph.add_key("count", default=0)
    graph.add_key("seen", reducer="append", default=[])
    graph.add_node("tick", count)
    graph.add_node("tock", count)
    graph.add_edge("tick", "tock")
    graph.add_edge("tock", "tick")
    return graph.compile()


APP = _graph()


class Meeting:
    """Two processes that wait for each other between reading and committing, until one of them is gone."""

    def __init__(self) -> None:
        self.sides = socket.socketpair()

    def join(self, side: int) -> Callable[[], None]:
        """Take a side, in the process that meets the other one; returns what waits for the other one."""
        mine = self.sides[side]
        self.sides[1 - side].close()

        def wait() -> None:
            try:
                mine.send(b".")
                mine.recv(1)
            except ConnectionError:
                pass  # the other one was killed

        return wait

    def close(self) -> None:
        """Leave both sides to the processes, so that each hears when the other one is gone."""
        for side in self.sides:
            side.close()


class _MeetingStore(SqliteStore):
    """A store that calls a function before each commit."""

    before_commit: Callable[[], None] | None = None

    def commit(self, *args: Any, **options: Any) -> None:
        if self.before_commit is not None:
            self.before_commit()
        super().commit(*args, **options)


def counting(path: Path, run_id: str, meeting: Meeting | None = None, side: int = 0) -> Work:
    """Drive the run for ever, telling the number of each step once it is committed, or ``conflict``."""

    def work(tell: Callable[[str], None]) -> None:
        with _MeetingStore(path, snapshots=_OFTEN) as store:
            if meeting is not None:
                store.before_commit = meeting.join(side)
            executor = Executor(APP, store)
            run = _load_or_start(executor, run_id)
            while True:
                before = (run.version, run.step, dict(run.values))
                try:
                    record = executor.step(run)
                except Conflict:
                    assert (run.version, run.step, dict(run.values)) == before
                    tell("conflict")
                    run = executor.load(run_id)
                else:
                    tell(str(record.step))

    return work


def _load_or_start(executor: Executor, run_id: str) -> Run:
    try:
        return executor.load(run_id)
    except UnknownRun:
        try:
            return executor.start({}, run_id)
        except RunExists:  # the other process was quicker
            return executor.load(run_id)


def steps_told(lines: list[str]) -> list[int]:
    """The steps that a child has acknowledged."""
    return [int(line) for line in lines if line != "conflict"]


def steps_kept(path: Path, run_id: str) -> int:
    """How many steps the store has of the run, after making sure that nothing is wrong with any of them."""
    if not path.exists():
        return 0
    with SqliteStore(path) as store:
        assert store.backend.db.pragma("integrity_check") == "ok"
        try:
            run = Executor(APP, store).load(run_id)
        except UnknownRun:
            return 0
        rows = store.rows(run_id)
        kept = [row.step for row in rows if row.kind == "step"]
        assert kept == list(range(1, len(kept) + 1)), "no step is missing, and none is there twice"
        assert [row.seq for row in rows] == list(range(1, run.version + 1))
        assert [record.step for record in run.history] == kept
        assert dict(run.values) == {"count": len(kept), "seen": kept}
        assert (run.status, run.step) == (RunStatus.READY, len(kept))
        assert run.current == ("tock" if len(kept) % 2 else "tick")
    return len(kept)
