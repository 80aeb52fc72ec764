"""The headless debug session: halts, marks, and looking at the past; and reading runs without an executor."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from stepgraph import (
    END,
    Breakpoint,
    Conflict,
    Decision,
    Executor,
    MemoryStore,
    NotReady,
    RunError,
    SqliteStore,
    State,
    StateGraph,
    TrustError,
    UnknownRun,
)
from stepgraph.graphs.plan import CompiledGraph
from stepgraph.runs import forking, operations
from stepgraph.runs.session import DebugSession
from stepgraph.runs.views import open_run
from stepgraph.stores.ledger import RunStatus


def counted(state: State) -> dict[str, Any]:
    return {"count": state.get("count", 0) + 1}


def ring(rounds: int = 5) -> CompiledGraph:
    """Three nodes that go round, each counting its visits."""
    graph = StateGraph("ring", start="a", max_steps=3 * rounds)
    for name, after in (("a", "b"), ("b", "c"), ("c", "a")):
        graph.add_node(name, counted)
        graph.add_edge(name, after)
    return graph.compile()


def session(app: CompiledGraph, **given: Any) -> DebugSession:
    executor = Executor(app, **given)
    return DebugSession(executor, executor.start({}, "r-1"))


def halt(driven: DebugSession) -> str:
    return driven.halt


def look(driven: DebugSession) -> tuple[str | None, dict[str, Any]]:
    """The node of the step that is looked at, and the state after it."""
    return (driven.record.node if driven.record is not None else None), driven.values


def gone_through(driven: DebugSession, **halts: Any) -> list[str]:
    return [record.node for record in driven.go(**halts)]


def test_going_on_halts_where_it_was_told_to_and_says_why() -> None:
    driven = session(ring())
    assert gone_through(driven, until={"c"}) == ["a", "b"]
    assert halt(driven) == "reached"
    assert gone_through(driven, until={"c"}) == ["c", "a", "b"]  # where it halted does not hold it
    assert gone_through(driven, after={"a"}) == ["c", "a"]
    assert halt(driven) == "reached"
    assert gone_through(driven, stop=lambda: driven.run.step >= 9) == ["b", "c"]
    assert halt(driven) == "stopped"
    assert gone_through(driven) == ["a", "b", "c", "a", "b", "c"]
    assert halt(driven) == "ended"
    with pytest.raises(NotReady):
        next(driven.go())


def test_breakpoints_that_are_set_meanwhile_count() -> None:
    driven = session(ring())
    nodes = []
    for record in driven.go():
        nodes.append(record.node)
        if record.step == 4:
            driven.breakpoints.items = (Breakpoint("after", "c"),)
    assert nodes == ["a", "b", "c", "a", "b", "c"]
    assert halt(driven) == "hit"
    assert [hit.step for hit in driven.hits] == [6]
    driven.breakpoints.items = ()
    driven.step()
    assert driven.hits == ()
    assert halt(driven) == "done"


def test_a_pause_a_failure_and_their_repair_are_halts() -> None:
    broken = True

    def work(state: State) -> dict[str, Any]:
        if broken:
            raise ValueError("not yet")
        return {}

    graph = StateGraph("asks", start="work")
    graph.add_node("work", work)
    graph.declare_node("ask", "approval", {"prompt": "Well?"})
    graph.add_edge("work", "ask")
    graph.add_edge("ask", END)
    driven = session(graph.compile())
    assert gone_through(driven) == ["work"]
    assert halt(driven) == "failed"
    driven.retry()
    assert halt(driven) == "failed"
    broken = False
    driven.retry()
    assert halt(driven) == "done"
    assert gone_through(driven) == ["ask"]
    assert halt(driven) == "paused"
    driven.executor.decide("r-1", Decision.approve(by="ana"))
    with pytest.raises(Conflict):
        driven.step()  # the handle has not heard of the decision
    again = DebugSession(driven.executor, driven.executor.load("r-1"))
    assert again.step().node == "ask"
    assert again.halt == "ended"


def test_what_is_entered_around_a_node_knows_which_and_sees_retries_too() -> None:
    entered: list[tuple[str, str, int, str]] = []

    @contextmanager
    def around(run_id: str, node: str, step: int) -> Iterator[None]:
        entered.append((run_id, node, step, "began"))
        yield
        entered.append((run_id, node, step, "ended"))

    failing = iter([ValueError("once"), None])

    def work(state: State) -> dict[str, Any]:
        error = next(failing)
        if error is not None:
            raise error
        return {}

    graph = StateGraph("line", start="one")
    graph.add_node("one", work)
    graph.add_edge("one", END, when="missing == 1")
    driven = session(graph.compile(), around=around)
    driven.step()
    driven.retry()  # the node runs, its condition fails
    driven.retry()  # only its edge is tried again
    assert [(node, step, what) for _, node, step, what in entered] == [
        ("one", 1, "began"),
        ("one", 1, "ended"),
    ] * 3
    assert {run for run, *_ in entered} == {"r-1"}


def test_the_past_is_looked_at_and_stepping_goes_back_to_now() -> None:
    driven = session(ring())
    list(driven.go(until={"a"}))
    assert (driven.is_live, driven.viewed, driven.values) == (True, 3, {"count": 3})
    driven.view(1)
    assert (driven.is_live, driven.viewed, driven.values) == (False, 1, {"count": 1})
    assert look(driven) == ("a", {"count": 1})
    driven.view(0)
    assert look(driven) == (None, {})
    driven.go_live()
    assert driven.is_live
    driven.view(2)
    driven.step()
    assert (driven.is_live, driven.viewed) == (True, 4)
    with pytest.raises(RunError):
        driven.view(5)
    assert driven.is_live


def test_a_session_that_was_overtaken_changes_nothing() -> None:
    store = MemoryStore()
    driven = session(ring(), store=store)
    Executor(ring(), store).load("r-1")
    other = Executor(driven.executor.app, store)
    other.step(other.load("r-1"))
    with pytest.raises(Conflict):
        list(driven.go())
    assert driven.run.step == 0


GRAPH = """
format = 1
name = "small"
start = "say"

[nodes.say]
type = "llm"
prompt = "Hello"
replies = ["hi"]

[nodes.ask]
type = "approval"
prompt = "Well?"

[nodes.act]
type = "handler"
handler = "nowhere:act"

[[edges]]
from = "say"
to = "ask"

[[edges]]
from = "ask"
to = "act"

[[edges]]
from = "act"
to = "END"
"""


@pytest.fixture
def stored(tmp_path: Path) -> Iterator[SqliteStore]:
    """A store with a run that waits, of a file whose handler is neither trusted nor there."""
    file = tmp_path / "small.toml"
    file.write_text(GRAPH.replace("nowhere:act", "acts:act"))
    (tmp_path / "acts.py").write_text("def act(state): return {}")
    from stepgraph.files import grant

    app = StateGraph.from_file(file).compile()
    grant(app)
    with SqliteStore(tmp_path / "runs.db") as store:
        executor = Executor(app, store)
        executor.run(executor.start({}, "r-1"))
        (tmp_path / "acts.py").unlink()
        yield store


def test_a_run_is_read_without_trust_and_without_what_it_names(stored: SqliteStore) -> None:
    run = open_run(stored, "r-1")
    assert run.status is RunStatus.PAUSED
    assert run.values == {"response": "hi", "next_action": "RESPOND"}
    assert [record.node for record in run.history] == ["say"]
    assert run.history[0].edges[0].target == "ask"
    assert run.values_at(0) == {}
    assert list(run.plan.nodes) == ["say", "ask", "act"]
    with pytest.raises(UnknownRun):
        open_run(stored, "r-2")


def test_a_run_that_is_only_read_can_be_forked_and_extended(stored: SqliteStore) -> None:
    run = open_run(stored, "r-1")
    made = forking.fork(run, at=0, new_id="r-2", now=1.0)
    assert (made.status, made.current, made.head.origin) == (RunStatus.READY, "say", "r-1@0")
    operations.extend(run, 5, now=2.0)
    assert open_run(stored, "r-1").max_steps == 55


def test_a_session_on_a_stored_run_goes_on_where_it_stands(stored: SqliteStore, tmp_path: Path) -> None:
    with pytest.raises(TrustError):
        DebugSession.open(stored, "r-1")
    (tmp_path / "acts.py").write_text("def act(state): return {}")
    Executor(StateGraph.from_file(tmp_path / "small.toml").compile(), stored).decide(
        "r-1", Decision.approve(by="ana")
    )
    driven = DebugSession.open(stored, "r-1", breakpoints=[Breakpoint("after", "ask")])
    assert gone_through(driven) == ["ask"]
    assert halt(driven) == "hit"
    assert gone_through(driven) == ["act"]
    assert halt(driven) == "ended"
