"""Trials in the stepping thread: told, captured, and nothing of them stored."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stepgraph import Decision, GraphError, MemoryStore, State, StateError, StateGraph, TrustError
from stepgraph.documents.loader import from_document
from stepgraph.files import grant, read_graph
from stepgraph.graphs.parts import END
from stepgraph.graphs.plan import CompiledGraph
from stepgraph_tui.worker import Capture, NodeTried, Printed, Start, Step, Try, WorkDone
from tests.app.gates import GATED, WORK, Gate
from tests.app.hearing import PATIENCE, Hearing, status_of


@pytest.fixture
def hearing(store: MemoryStore) -> Iterator[Hearing]:
    capture = Capture(pipe=False)
    hearing = Hearing(lambda: store, capture)
    yield hearing
    hearing.thread.close()
    capture.close()


def count(state: State) -> dict[str, Any]:
    print(f"counting from {state['count']}")
    return {"count": state["count"] + 1}


def counting() -> CompiledGraph:
    graph = StateGraph("counting", start="count")
    graph.add_node("count", count)
    graph.add_edge("count", END)
    graph.add_key("count", default=0)
    return graph.compile()


def tried(hearing: Hearing, work: Try) -> NodeTried:
    last = hearing.do(work)
    assert isinstance(last, NodeTried), getattr(last, "error", last)
    assert last.work is work
    return last


def test_a_trial_tells_what_came_of_it_and_stores_nothing(hearing: Hearing, store: MemoryStore) -> None:
    message = tried(hearing, Try(counting(), "count", {"count": 4}))
    assert message.tried.after == {"count": 5}
    assert store.runs() == []
    assert not hearing.thread.busy


def test_a_trial_leaves_the_run_that_is_open_where_it_stands(hearing: Hearing, store: MemoryStore) -> None:
    app = counting()
    hearing.done(Start(app, {}, "r-1"))
    tried(hearing, Try(app, "count", {"count": 40}, step=1))
    assert status_of(store, "r-1")[1:] == (0, "count")
    assert hearing.done(Step("r-1")) == "ended"
    assert store.values("r-1", 2) == {"count": 1}


def test_what_it_prints_goes_by_its_own_name(hearing: Hearing) -> None:
    tried(hearing, Try(counting(), "count", {"count": 4}, step=7))
    assert {printed.run_id for printed in hearing.heard(Printed)} == {"try-1"}
    assert hearing.by_step() == {(7, "count"): "counting from 4\n"}


def test_visits_answers_and_past_outputs_reach_the_node(hearing: Hearing) -> None:
    def look(state: State) -> dict[str, Any]:
        return {"seen": [state.visit, state.previous_output, state.last_output, state.visits["other"]]}

    graph = StateGraph("looking", start="look")
    graph.add_node("look", look)
    graph.add_edge("look", END, when="visits.other == 3")
    graph.declare_node("other", "approval", {"prompt": "Go on?"})
    graph.add_edge("other", END)
    app = graph.compile()
    trial = Try(app, "look", {}, visit=2, visits={"other": 3}, previous_output="so far", last_output="go")
    message = tried(hearing, trial)
    assert message.tried.updates == {"seen": [2, "so far", "go", 3]}
    assert message.tried.next == END
    answered = tried(hearing, Try(app, "other", {}, decision=Decision.approve(by="ana")))
    updates: dict[str, Any] = answered.tried.updates
    assert (updates["decision"], updates["review"]["by"]) == ("approve", "ana")


def test_code_that_nobody_has_trusted_is_not_tried(hearing: Hearing, tmp_path: Path) -> None:
    (tmp_path / "work.py").write_text(WORK, encoding="utf-8")
    (tmp_path / "graph.toml").write_text(GATED, encoding="utf-8")
    app = read_graph(tmp_path / "graph.toml").compile()
    assert isinstance(hearing.refused(Try(app, "first", {})), TrustError)
    grant(app)
    assert tried(hearing, Try(app, "first", {})).tried.after == {"count": 1}


def test_what_cannot_be_tried_says_why_and_the_next_can(hearing: Hearing) -> None:
    app = counting()
    nan = float("nan")
    assert isinstance(hearing.refused(Try(app, "count", {"count": nan})), StateError)
    known = StateGraph("known", start="a")
    known.add_node("a", count)
    known.add_edge("a", END)
    stored = from_document(known.compile().document).nodes
    assert stored["a"].node is None
    rebuilt = CompiledGraph(app.settings, stored, (), {}, {})
    assert isinstance(hearing.refused(Try(rebuilt, "a", {})), GraphError)
    assert tried(hearing, Try(app, "count", {})).tried.status == "success"


def test_a_trial_that_hangs_keeps_other_work_out_and_ends_nothing(
    hearing: Hearing, gate: Gate, tmp_path: Path
) -> None:
    (tmp_path / "work.py").write_text(WORK, encoding="utf-8")
    (tmp_path / "graph.toml").write_text(GATED, encoding="utf-8")
    app = read_graph(tmp_path / "graph.toml").compile()
    grant(app)
    assert hearing.thread.submit(Try(app, "wait", {"count": 1}, step=3))
    assert gate.reached.wait(PATIENCE)
    running = hearing.thread.running
    assert running is not None
    assert (running.node, running.step) == ("wait", 3)
    assert not hearing.thread.submit(Start(app, {}))
    hearing.thread.stop()
    assert hearing.thread.busy
    gate.open()
    last = hearing.end()
    assert isinstance(last, NodeTried)
    assert hearing.thread.running is None
    assert hearing.done(Start(app, {}, "r-1")) == "done"
    assert isinstance(hearing.said[-1], WorkDone)


def test_a_node_that_ends_the_process_has_only_failed(hearing: Hearing) -> None:
    def leave(state: State) -> dict[str, Any]:
        raise SystemExit("bye")

    graph = StateGraph("leaving", start="leave")
    graph.add_node("leave", leave)
    graph.add_edge("leave", END)
    message = tried(hearing, Try(graph.compile(), "leave", {}))
    assert "raised SystemExit on visit 1: bye" in str(message.tried.error)
    assert tried(hearing, Try(counting(), "count", {})).tried.status == "success"
