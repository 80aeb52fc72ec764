"""A program opens the app on its own graph and run: the engine's side of ``stepgraph.debug``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType

import pytest

import stepgraph
from stepgraph import (
    END,
    Executor,
    GraphError,
    MemoryStore,
    NodeResult,
    ReviewRequest,
    RunError,
    RunStatus,
    SqliteStore,
    State,
    StateError,
    StateGraph,
    StepgraphError,
    UnknownRun,
)
from stepgraph.runs import debugger

Opened = list[tuple[Executor, str | None]]


class FakeApp(ModuleType):
    """Stands for the app: what a person does in it is a function."""

    def __init__(self) -> None:
        super().__init__("stepgraph_tui.debugging_here")
        self.opened: Opened = []
        self.person: Callable[[Executor, str | None], str | None] = lambda _, run_id: run_id
        self.has_terminal = True

    def require_terminal(self) -> None:
        if not self.has_terminal:
            raise StepgraphError("there is no terminal to open the app in", hint="start the program at one")

    def open_here(self, executor: Executor, run_id: str | None) -> str | None:
        self.opened.append((executor, run_id))
        return self.person(executor, run_id)


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> FakeApp:
    """The app, as the engine finds it."""
    fake = FakeApp()
    monkeypatch.setitem(sys.modules, fake.__name__, fake)
    return fake


def counting() -> StateGraph:
    def work(state: State) -> dict[str, int]:
        return {"count": state["count"] + 1}

    graph = StateGraph("count", start="work")
    graph.add_key("count", default=0, type="number")
    graph.add_node("work", work)
    graph.add_edge("work", "work", when="count < 3")
    graph.add_edge("work", END)
    return graph


def test_the_app_is_opened_on_a_new_run_and_its_end_is_given_back(app: FakeApp) -> None:
    def person(executor: Executor, run_id: str | None) -> str | None:
        assert run_id is not None
        executor.step(executor.load(run_id))
        return run_id

    app.person = person
    store = MemoryStore()
    run = stepgraph.debug(counting(), {"count": 1}, store)
    assert run is not None
    assert (run.status, run.values, run.step, run.store) == (RunStatus.READY, {"count": 2}, 1, store)
    [(executor, run_id)] = app.opened
    assert (executor.store, run_id) == (store, run.id)
    assert executor.run(run).values == {"count": 3}


def test_without_values_the_app_asks_for_them_and_may_start_none(app: FakeApp) -> None:
    assert stepgraph.debug(counting().compile()) is None
    assert [run_id for _, run_id in app.opened] == [None]
    app.person = lambda executor, _: executor.start({"count": 2}, "r-1").id
    run = stepgraph.debug(counting())
    assert run is not None
    assert (run.id, run.values) == ("r-1", {"count": 2})


def test_a_run_is_debugged_where_it_stands_and_the_handle_goes_on_from_where_it_was_left(
    app: FakeApp,
) -> None:
    executor = Executor(counting().compile())
    run = executor.start({})
    executor.step(run)

    def person(opened: Executor, run_id: str | None) -> str | None:
        assert opened is executor
        assert run_id == run.id
        moved = executor.edit(run.id, {"count": 10}, by="ana")
        executor.step(moved)
        return executor.start({}, "another").id

    app.person = person
    assert executor.debug(run) is run
    assert (run.status, run.values, run.step) == (RunStatus.ENDED, {"count": 11}, 2)
    assert [record.step for record in run.history] == [1, 2]


def test_a_loop_goes_on_behind_it_as_behind_a_breakpoint(app: FakeApp) -> None:
    executor = Executor(counting().compile())
    run = executor.start({})

    def person(_: Executor, run_id: str | None) -> str | None:
        executor.step(executor.load(str(run_id)))
        return run_id

    app.person = person
    steps = []
    for record in executor.iterate(run):
        steps.append(record.step)
        if record.step == 1:
            executor.debug(run)
    assert steps == [1, 3]
    assert (run.status, run.values) == (RunStatus.ENDED, {"count": 3})


def test_a_review_that_was_decided_in_the_app_is_used_behind_it(app: FakeApp) -> None:
    def ask(state: State) -> NodeResult | dict[str, str]:
        if state.decision is None:
            return NodeResult.pause(ReviewRequest("Pay?"))
        return {"by": state.decision.by}

    graph = StateGraph("ask", start="ask")
    graph.add_node("ask", ask)
    graph.add_edge("ask", END)
    executor = Executor(graph.compile())
    run = executor.run(executor.start({}))
    assert run.status is RunStatus.PAUSED
    app.person = lambda _, run_id: executor.decide(str(run_id), stepgraph.Decision.approve(by="ana")).run_id
    assert executor.debug(run).status is RunStatus.READY
    assert executor.run(run).values == {"by": "ana"}


def test_without_a_terminal_nothing_is_started(app: FakeApp, tmp_path: object) -> None:
    app.has_terminal = False
    with SqliteStore(f"{tmp_path}/runs.db") as store:
        with pytest.raises(StepgraphError, match="there is no terminal"):
            stepgraph.debug(counting(), {}, store)
        assert store.runs() == []
        executor = Executor(counting().compile(), store)
        run = executor.start({})
        with pytest.raises(StepgraphError, match="there is no terminal"):
            executor.debug(run)
        assert (run.step, run.version) == (0, 1)
    assert app.opened == []


def test_without_the_app_the_error_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(debugger, "_APP", "stepgraph_tui_is_not_installed")
    with pytest.raises(RunError, match="stepgraph_tui_is_not_installed is not installed") as caught:
        stepgraph.debug(counting(), {})
    assert caught.value.hint == "pip install stepgraph"


def test_what_is_no_graph_or_no_run_of_it_is_refused_before_anything_opens(app: FakeApp) -> None:
    executor = Executor(counting().compile())
    run = executor.start({})
    with pytest.raises(RunError, match="something of the type Run is no graph"):
        stepgraph.debug(run)  # type: ignore[arg-type]
    with pytest.raises(UnknownRun):
        Executor(counting().compile()).debug(run)
    broken = counting()
    broken.add_node("alone", lambda state: {})
    with pytest.raises(GraphError, match="1 error"):
        stepgraph.debug(broken)
    with pytest.raises(StateError):
        stepgraph.debug(counting(), {"count": "many"})
    assert app.opened == []
