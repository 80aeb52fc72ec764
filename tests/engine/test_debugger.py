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
    RunError,
    RunStatus,
    State,
    StateError,
    StateGraph,
    StepgraphError,
    UnknownRun,
)
from stepgraph.runs import session as debugger

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


def test_without_values_the_app_asks_for_them_and_may_start_none(app: FakeApp) -> None:
    assert stepgraph.debug(counting().compile()) is None
    assert [run_id for _, run_id in app.opened] == [None]
    app.person = lambda executor, _: executor.start({"count": 2}, "r-1").id
    run = stepgraph.debug(counting())
    assert run is not None
    assert (run.id, run.values) == ("r-1", {"count": 2})


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


def test_without_the_app_the_error_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(debugger, "_APP", "stepgraph_tui_is_not_installed")
    with pytest.raises(RunError, match="stepgraph_tui_is_not_installed is not installed") as caught:
        stepgraph.debug(counting(), {})
    assert caught.value.hint == "pip install stepgraph"


def test_what_is_no_graph_or_no_run_of_it_is_refused_before_anything_opens(app: FakeApp) -> None:
    executor = Executor(counting().compile())
    run = executor.start({})
    with pytest.raises(RunError, match="something of the type Run is not a graph"):
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
