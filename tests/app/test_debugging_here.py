"""The app, opened by a program on its own graph: as a process at a terminal, and where that cannot be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from stepgraph import END, Executor, MemoryStore, StateGraph, StepgraphError
from stepgraph.stores.ledger import RunStatus
from stepgraph.values.errors import StoreError
from stepgraph_tui.app import StepgraphApp
from stepgraph_tui.context import AppContext
from stepgraph_tui.debugging_here import _context, open_here
from stepgraph_tui.documents import PythonGraph
from stepgraph_tui.screens.workbench import Workbench
from stepgraph_tui.worker import Capture
from tests.app.bench import LARGE, P, header, press, settle, until
from tests.app.playing import play


def graph(node: Any = lambda state: {"done": True}) -> StateGraph:
    """A graph of one node."""
    made = StateGraph("one", start="only")
    made.add_node("only", node)
    made.add_edge("only", END)
    return made


# Where there is no screen


def test_without_a_terminal_it_says_so() -> None:
    with pytest.raises(StepgraphError, match="no terminal"):
        open_here(Executor(graph().compile()))


# The app itself


def shown(executor: Executor, run_id: str | None, context: AppContext) -> StepgraphApp:
    """The app as ``open_here`` opens it, without a terminal."""
    file = PythonGraph.made_here(executor.app, context.hints)
    return StepgraphApp(context, here=Workbench(context, None, run_id, file=file))


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes the context that ``open_here`` does, remembering nothing of this machine."""
    monkeypatch.setenv("STEPGRAPH_HOME", str(tmp_path))

    def made(executor: Executor) -> AppContext:
        return _context(executor, Capture(prints=False))

    return made


def test_an_export_leaves_the_programs_store_as_it_is(opened: Any, tmp_path: Path) -> None:
    executor = Executor(graph().compile())
    run = executor.start({})

    async def script(pilot: P) -> None:
        await settle(pilot)
        await press(pilot, "f3")
        field = pilot.app.screen.query_one(Input)
        field.value = str(tmp_path / "run.mmd")
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Workbench))
        assert (tmp_path / "run.mmd").exists()
        await press(pilot, "s")
        assert "ENDED" in header(pilot)

    play(shown(executor, run.id, opened(executor)), script, LARGE)
    assert executor.load(run.id).status is RunStatus.ENDED


# A store on a server


def test_a_store_that_cannot_be_opened_once_more_is_told_before_the_app_opens(
    opened: Any,
) -> None:
    class Hidden(MemoryStore):
        """A store of somebody's own, whose address does not open it."""

        url = "vault://shelf"

    with pytest.raises(StoreError, match="the app needs a second connection to the store: there is no kind"):
        opened(Executor(graph().compile(), Hidden()))
