"""The app, opened by a program on its own graph: as a process at a terminal, and where that cannot be."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from textual.widgets import Input

from stepgraph import END, Executor, LLMNode, MemoryStore, StateGraph, StepgraphError
from stepgraph.stores import StateStore, open_store
from stepgraph.stores.ledger import RunStatus
from stepgraph.values.errors import StoreError
from stepgraph_tui.app import StepgraphApp
from stepgraph_tui.context import AppContext
from stepgraph_tui.debugging_here import _context, open_here
from stepgraph_tui.documents import PythonGraph
from stepgraph_tui.screens.workbench import Workbench
from stepgraph_tui.worker import Capture
from tests.app.bench import LARGE, Bench, P, header, press, said, settle, text, until
from tests.app.playing import play
from tests.app.terminals import Terminal, at_a_terminal, without_escapes
from tests.servers.postgres import PostgresServer
from tests.servers.redis import RedisServer
from tests.stores.test_postgres import administrator, let_in

QUIT = "\x11"
LEAVES_ITS_SCREEN = "\x1b[?1049l"
PROGRAM = Path(__file__).with_name("debugged_here.py")


def behind(terminal: Terminal) -> str:
    """What stands on the terminal once the app is gone."""
    return without_escapes(terminal.screen.rpartition(LEAVES_ITS_SCREEN)[2]).replace("\r\n", "\n")


@pytest.mark.parametrize("store", ["memory:", "sqlite"])
def test_a_program_goes_on_where_the_run_was_left(bench: Bench, store: str) -> None:
    url = bench.url if store == "sqlite" else store
    with at_a_terminal(sys.executable, PROGRAM, url, "run", size=LARGE) as terminal:
        terminal.until("NEXT first")
        terminal.type("s")
        terminal.until("NEXT last")
        terminal.type(QUIT)
        assert terminal.end() == 0
    assert "BEFORE the app" in terminal.screen.partition("\x1b[?1049h")[0]
    assert behind(terminal) == "BEHIND the app last ['first']\nTHE END ended {'count': 50}\n"
    assert terminal.modes_after == terminal.modes_before


def test_without_a_run_the_inputs_are_asked_for_and_closing_the_graph_leaves(bench: Bench) -> None:
    with at_a_terminal(sys.executable, PROGRAM, "memory:", "ask", size=LARGE) as terminal:
        terminal.until("Start a run of inside")
        terminal.type("\r")
        terminal.until("NEXT first")
        terminal.type("q")
        assert terminal.end() == 0
    assert "THE END ended {'count': 20}" in behind(terminal)


def test_a_node_that_still_runs_is_waited_for(bench: Bench) -> None:
    pipe = bench.folder / "pipe"
    os.mkfifo(pipe)
    with at_a_terminal(sys.executable, PROGRAM, "memory:", "wait", pipe, size=LARGE) as terminal:
        terminal.until("NEXT first")
        terminal.type("s")
        terminal.until("RUNS first")
        terminal.type(QUIT)
        terminal.until("The program goes on as soon as it has ended")
        terminal.until("y Leave")
        terminal.type("y")
        terminal.until("waits for node first")
        pipe.write_text("news", encoding="utf-8")
        assert terminal.end() == 0
    assert "BEHIND the app last ['first']\nTHE END ended" in behind(terminal)


def test_who_starts_no_run_gets_none(bench: Bench) -> None:
    with at_a_terminal(sys.executable, PROGRAM, "memory:", "ask", size=LARGE) as terminal:
        terminal.until("Start a run of inside")
        terminal.type(QUIT)
        assert terminal.end() == 0
    assert behind(terminal) == "BEHIND the app None []\n"


def test_a_mistake_of_the_app_is_no_end_of_the_debugging(bench: Bench) -> None:
    with at_a_terminal(sys.executable, PROGRAM, "memory:", "broken", size=LARGE) as terminal:
        assert terminal.end() == 0
    assert "RuntimeError: a mistake" in behind(terminal)
    assert behind(terminal).endswith("BEHIND the app the app ended with an error of its own\n")


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


def test_in_another_thread_it_says_so() -> None:
    errors: list[StepgraphError] = []

    def tries() -> None:
        try:
            open_here(Executor(graph().compile()))
        except StepgraphError as error:
            errors.append(error)

    thread = Thread(target=tries)
    thread.start()
    thread.join()
    assert "main thread" in errors[0].message


def test_in_an_event_loop_it_says_so() -> None:
    async def tries() -> None:
        open_here(Executor(graph().compile()))

    with pytest.raises(StepgraphError, match="event loop"):
        asyncio.run(tries())


# The app itself


class Echo:
    """A model that says what it was asked, and how often."""

    def __init__(self) -> None:
        self.asked = 0

    def generate(self, prompt: str) -> str:
        self.asked += 1
        return f"{prompt} {self.asked}"


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


def test_the_programs_own_models_answer(opened: Any) -> None:
    model = Echo()
    made = StateGraph("one", start="only")
    made.add_node("only", LLMNode("only", prompt="Hello", model="mine", output="said"))
    made.add_edge("only", END)
    executor = Executor(made.compile(), models={"mine": model})
    run = executor.start({})

    async def script(pilot: P) -> None:
        await settle(pilot)
        assert header(pilot).startswith(" one   DEBUG   READY")
        assert "models" not in text(pilot)
        await press(pilot, "s")
        assert "ENDED" in header(pilot)

    play(shown(executor, run.id, opened(executor)), script, LARGE)
    assert executor.load(run.id).values["said"] == "Hello 1"


def test_nothing_of_the_graph_can_be_edited_and_no_command_is_offered_for_a_store_in_memory(
    opened: Any,
) -> None:
    executor = Executor(graph().compile(), MemoryStore())
    run = executor.start({})

    async def script(pilot: P) -> None:
        await settle(pilot)
        assert "stepgraph step" not in text(pilot)
        await press(pilot, "m", "a")
        assert "this graph is Python" in said(pilot)
        await press(pilot, "m", "s")
        assert "ENDED" in header(pilot)
        await pilot.press("q")

    app = shown(executor, run.id, opened(executor))
    play(app, script, LARGE)
    assert executor.load(run.id).status is RunStatus.ENDED
    assert app.return_value == []


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


def test_a_failed_node_of_a_program_can_be_looked_at_and_retried(opened: Any) -> None:
    fails = [True]

    def only(state: Any) -> dict[str, Any]:
        if fails.pop():
            fails.append(False)
            raise RuntimeError("not yet")
        return {"done": True}

    executor = Executor(graph(only).compile())
    run = executor.start({})

    async def script(pilot: P) -> None:
        await settle(pilot)
        await press(pilot, "s")
        assert "FAILED" in header(pilot)
        await press(pilot, "r")
        assert "ENDED" in header(pilot)

    play(shown(executor, run.id, opened(executor)), script, LARGE)


# A store on a server


@pytest.fixture(params=["postgres", "redis"])
def behind_a_password(request: pytest.FixtureRequest) -> Iterator[StateStore]:
    """A store whose ``url`` is not enough to open it again."""
    if request.param == "redis":
        redis: RedisServer = request.getfixturevalue("own_redis")
        with redis.client() as client:
            assert client.execute_command("ACL", "SETUSER", "ana", "on", ">right", "~*", "+@all")
            client.config_set("requirepass", "right")
        url = redis.url("ana:right")
    else:
        server: PostgresServer = request.getfixturevalue("postgres_server")
        with administrator(server) as db:
            let_in(db, "debugged")
        url = server.url(user="guarded", schema="debugged").replace("guarded@", "guarded:right@")
    with open_store(url) as store:
        assert ":right" not in store.url
        with pytest.raises(StoreError):
            open_store(store.url)
        yield store


def test_a_run_in_a_store_behind_a_password_is_stepped(opened: Any, behind_a_password: StateStore) -> None:
    executor = Executor(graph().compile(), behind_a_password)
    run = executor.start({})

    async def script(pilot: P) -> None:
        await settle(pilot)
        await press(pilot, "s")
        await settle(pilot)
        assert "ENDED" in header(pilot)
        assert ":right" not in text(pilot)

    play(shown(executor, run.id, opened(executor)), script, LARGE)
    assert executor.load(run.id).status is RunStatus.ENDED


def test_a_store_that_cannot_be_opened_once_more_is_told_before_the_app_opens(
    opened: Any,
) -> None:
    class Hidden(MemoryStore):
        """A store of somebody's own, whose address does not open it."""

        url = "vault://shelf"

    with pytest.raises(StoreError, match="the app needs a second connection to the store: there is no kind"):
        opened(Executor(graph().compile(), Hidden()))
