"""The stepping thread: one piece of work at a time, each told, and no error ends it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stepgraph import (
    END,
    AlreadyDecided,
    Decision,
    Executor,
    MemoryStore,
    NotReady,
    ReviewRequest,
    State,
    StateError,
    StateGraph,
    TrustError,
    UnknownRun,
)
from stepgraph.files import grant, read_graph
from stepgraph.graphs.plan import CompiledGraph
from stepgraph.nodes.base import NodeResult
from stepgraph_tui.worker import (
    Decide,
    Decided,
    Go,
    Retry,
    RunStarted,
    Start,
    Step,
    WorkDone,
)
from tests.app.hearing import Hearing, status_of
from tests.app.threads import ENDED, FAILED, PAUSED, READY, Gate, line, nothing, ring
from tests.cli.calling import COUNT


@pytest.fixture
def hearing(store: MemoryStore) -> Iterator[Hearing]:
    hearing = Hearing(lambda: store)
    yield hearing
    hearing.thread.close()


def test_a_start_creates_a_run_and_runs_nothing(hearing: Hearing, store: MemoryStore) -> None:
    app = line(("first", nothing))
    assert hearing.done(Start(app, {"a": 1})) == "done"
    assert [type(message) for message in hearing.said] == [RunStarted, WorkDone]
    assert hearing.heard(RunStarted)[0].run_id == hearing.heard(WorkDone)[0].run_id == "r-1"
    assert status_of(store, "r-1") == (READY, 0, "first")


def test_a_step_runs_one_node(hearing: Hearing, store: MemoryStore) -> None:
    hearing.done(Start(line(("first", nothing), ("second", nothing)), {}, "r-1"))
    assert hearing.done(Step("r-1")) == "done"
    assert status_of(store, "r-1") == (READY, 1, "second")
    assert hearing.done(Step("r-1")) == "ended"
    assert status_of(store, "r-1") == (ENDED, 2, None)
    assert hearing.thread.moves == 2


def test_of_three_quick_submits_one_is_taken_and_none_is_kept_for_later(
    hearing: Hearing, store: MemoryStore
) -> None:
    gate = Gate()
    hearing.done(Start(line(("wait", gate), ("after", nothing)), {}, "r-1"))
    taken = [hearing.thread.submit(Step("r-1")) for _ in range(3)]
    gate.open.set()
    assert taken == [True, False, False]
    assert isinstance(hearing.end(), WorkDone)
    assert status_of(store, "r-1") == (READY, 1, "after")


def test_while_a_node_runs_everybody_can_know_which(hearing: Hearing) -> None:
    gate = Gate()
    hearing.done(Start(line(("first", nothing), ("wait", gate)), {}, "r-1"))
    assert hearing.thread.submit(Go("r-1"))
    gate.wait()
    running = hearing.thread.running
    assert running is not None
    assert (running.run_id, running.node, running.step) == ("r-1", "wait", 2)
    assert hearing.thread.busy
    assert not hearing.thread.idle.is_set()
    gate.open.set()
    hearing.end()
    assert hearing.thread.running is None
    assert not hearing.thread.busy


def test_stop_ends_a_run_after_the_node_that_runs(hearing: Hearing, store: MemoryStore) -> None:
    gate = Gate()
    hearing.done(Start(line(("wait", gate), ("after", nothing)), {}, "r-1"))
    assert hearing.thread.submit(Go("r-1"))
    gate.wait()
    hearing.thread.stop()
    gate.open.set()
    last = hearing.end()
    assert isinstance(last, WorkDone)
    assert last.halt == "stopped"
    assert status_of(store, "r-1") == (READY, 1, "after")
    assert hearing.done(Go("r-1")) == "ended"  # it is forgotten by then


def test_a_stop_while_nothing_is_done_means_nothing(hearing: Hearing) -> None:
    hearing.done(Start(line(("first", nothing), ("second", nothing)), {}, "r-1"))
    hearing.thread.stop()
    assert hearing.done(Go("r-1")) == "ended"


def test_a_run_goes_on_until_a_node_comes_next(hearing: Hearing, store: MemoryStore) -> None:
    hearing.done(Start(ring("a", "b", "c"), {}, "r-1"))
    assert hearing.done(Go("r-1", until="c")) == "reached"
    assert status_of(store, "r-1") == (READY, 2, "c")
    assert hearing.done(Go("r-1", until="c")) == "reached"  # from there it goes round
    assert status_of(store, "r-1") == (READY, 5, "c")


def test_a_run_stops_after_a_marked_node(hearing: Hearing, store: MemoryStore) -> None:
    hearing.done(Start(ring("a", "b", "c"), {}, "r-1"))
    hearing.thread.pause_after = frozenset({"b"})
    assert hearing.done(Go("r-1")) == "hit"
    assert status_of(store, "r-1") == (READY, 2, "c")
    assert hearing.done(Step("r-1")) == "done"


def test_a_mark_that_is_set_while_a_node_runs_counts(hearing: Hearing, store: MemoryStore) -> None:
    gate = Gate()
    hearing.done(Start(line(("wait", gate), ("after", nothing)), {}, "r-1"))
    assert hearing.thread.submit(Go("r-1"))
    gate.wait()
    hearing.thread.pause_after = frozenset({"wait"})
    gate.open.set()
    last = hearing.end()
    assert isinstance(last, WorkDone)
    assert last.halt == "hit"
    assert status_of(store, "r-1") == (READY, 1, "after")


def test_a_failed_node_is_tried_again_on_demand(hearing: Hearing, store: MemoryStore) -> None:
    tries = []

    def flaky(state: State) -> dict[str, Any]:
        tries.append(state.idempotency_key)
        if len(tries) < 3:
            raise ValueError("the line is busy")
        return {}

    hearing.done(Start(line(("first", nothing), ("flaky", flaky), ("last", nothing)), {}, "r-1"))
    assert hearing.done(Go("r-1")) == "failed"
    assert status_of(store, "r-1") == (FAILED, 1, "flaky")
    moves = hearing.thread.moves
    assert hearing.done(Retry("r-1")) == "failed"
    assert hearing.thread.moves == moves + 1  # the attempt is in the ledger
    assert hearing.done(Retry("r-1")) == "done"
    assert tries == ["r-1:2"] * 3
    assert hearing.done(Go("r-1")) == "ended"


def test_a_failed_routing_is_tried_again_without_the_node(hearing: Hearing, store: MemoryStore) -> None:
    ran, answers = [], iter([False, True])

    def only(state: State) -> dict[str, Any]:
        ran.append(1)
        return {}

    graph = StateGraph("route", start="only")
    graph.add_node("only", only)
    graph.add_edge("only", END, when=lambda context: next(answers))
    hearing.done(Start(graph.compile(), {}, "r-1"))
    assert hearing.done(Step("r-1")) == "failed"
    assert hearing.done(Retry("r-1")) == "ended"
    assert ran == [1]


def ask() -> CompiledGraph:
    def pay(state: State) -> Any:
        if state.decision is None:
            return NodeResult.pause(ReviewRequest(prompt="Pay?"))
        return {"decision": state.decision.verb}

    return line(("pay", pay), ("last", nothing))


def test_a_review_is_decided_once(hearing: Hearing, store: MemoryStore) -> None:
    hearing.done(Start(ask(), {}, "r-1"))
    assert hearing.done(Go("r-1")) == "paused"
    assert status_of(store, "r-1") == (PAUSED, 0, "pay")
    review = Executor(ask(), store).load("r-1").pending
    assert review is not None
    work = Decide("r-1", review.id, Decision.approve(by="ana"), review.hash)
    last = hearing.do(work)
    assert isinstance(last, Decided)
    assert last.review.decision is not None
    assert last.review.decision.by == "ana"
    assert status_of(store, "r-1") == (READY, 0, "pay")  # nothing ran
    other = Decide("r-1", review.id, Decision.reject(by="ben"), review.hash)
    assert isinstance(hearing.refused(other), AlreadyDecided)
    assert hearing.done(Go("r-1")) == "ended"
    assert store.values("r-1", store.load("r-1").pointer.version)["decision"] == "approve"


def write_count(folder: Path, body: str) -> Path:
    (folder / "graph.toml").write_text(COUNT, encoding="utf-8")
    (folder / "work.py").write_text(f"def work(state):\n    {body}\n", encoding="utf-8")
    return folder / "graph.toml"


def test_code_that_nobody_has_trusted_does_not_run(
    hearing: Hearing, store: MemoryStore, tmp_path: Path
) -> None:
    app = read_graph(write_count(tmp_path, "return {'count': 3}")).compile()
    assert isinstance(hearing.refused(Start(app, {}, "r-1")), TrustError)
    assert store.runs() == []
    grant(app)
    assert hearing.done(Start(app, {}, "r-1")) == "done"
    assert hearing.done(Go("r-1")) == "ended"


def test_a_node_that_was_mended_runs_as_it_is_now(hearing: Hearing, tmp_path: Path) -> None:
    path = write_count(tmp_path, "raise ValueError('broken')")
    app = read_graph(path).compile()
    grant(app)
    hearing.done(Start(app, {}, "r-1"))
    assert hearing.done(Step("r-1")) == "failed"
    write_count(tmp_path, "return {'count': 3}")
    assert isinstance(hearing.refused(Retry("r-1")), TrustError)
    grant(app)
    assert hearing.done(Retry("r-1")) == "ended"


def test_a_run_of_an_earlier_session_goes_on_with_the_graph_from_the_store(
    store: MemoryStore, tmp_path: Path
) -> None:
    path = write_count(tmp_path, "return {'count': state['count'] + 1}")
    app = read_graph(path).compile()
    grant(app)
    Executor(app, store).start({}, "r-1")
    hearing = Hearing(lambda: store)
    assert hearing.done(Go("r-1")) == "ended"
    assert status_of(store, "r-1") == (ENDED, 3, None)
    hearing.thread.close()


def test_each_run_goes_on_with_its_own_graph(hearing: Hearing, store: MemoryStore) -> None:
    hearing.done(Start(line(("first", lambda state: {"by": 1})), {}, "r-1"))
    hearing.done(Start(line(("other", lambda state: {"by": 2})), {}, "r-2"))
    assert hearing.done(Step("r-1")) == "ended"
    assert hearing.done(Step("r-2")) == "ended"
    assert [store.values(run, 2)["by"] for run in ("r-1", "r-2")] == [1, 2]


@pytest.mark.parametrize(
    ("work", "error"),
    [
        (Step("r-1"), NotReady),
        (Go("r-1"), NotReady),
        (Retry("r-1"), NotReady),
        (Step("r-9"), UnknownRun),
        (Start(line(("first", nothing)), {"a": object()}), StateError),  # type: ignore[dict-item]  # the point
    ],
)
def test_work_that_cannot_be_done_says_why_and_the_next_can(
    hearing: Hearing, work: Any, error: type[Exception]
) -> None:
    app = line(("first", nothing))
    hearing.done(Start(app, {}, "r-1"))
    assert hearing.done(Step("r-1")) == "ended"
    assert isinstance(hearing.refused(work), error)
    assert hearing.done(Start(app, {}, "r-2")) == "done"


def test_a_fast_run_floods_nobody_with_messages(hearing: Hearing, store: MemoryStore) -> None:
    hearing.done(Start(ring("a", "b", rounds=1000), {}, "r-1"))
    said = len(hearing.said)
    assert hearing.done(Go("r-1")) == "ended"
    assert status_of(store, "r-1") == (ENDED, 2000, None)
    assert [type(message) for message in hearing.said[said:]] == [WorkDone]
    assert hearing.thread.moves == 2000
