"""Nodes under pdb at a real terminal: from the app and back, from the command line, and cut short."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from stepgraph.stores.ledger import RunStatus
from stepgraph_tui.dialogs.questions import TrustDialog
from tests.app.bench import SMALL, Bench, P, dialog, press, said, start, text
from tests.app.hearing import status_of
from tests.app.terminals import Terminal, at_a_terminal
from tests.cli.calling import COMMAND, call

GRAPH = """
format = 1
name = "shop"
start = "fetch"

[state.stop]
type = "boolean"
default = false

[nodes.fetch]
type = "handler"
handler = "work:fetch"

[nodes.ask]
type = "approval"
prompt = "Go on?"

[[edges]]
from = "fetch"
to = "ask"

[[edges]]
from = "ask"
to = "END"
"""
WORK = """
import os

def fetch(state):
    if state["stop"]:
        breakpoint()
    found = 1
    os.write(1, b"A WORD OF THE NODE\\n")
    return {"found": found}
"""
TOOL = """
format = 1
name = "shelf"
start = "count"

[tools.count]
handler = "shelf:count"

[nodes.count]
type = "tool"
tool = "count"
arguments = { name = "a lamp" }
output = "counted"

[[edges]]
from = "count"
to = "END"
"""
SHELF = """
def count(name: str):
    found = len(name)
    return {"found": found}
"""
QUIT = "\x11"


@pytest.fixture(autouse=True)
def pdb_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A breakpoint is answered by pdb, whatever the developer's shell says."""
    monkeypatch.delenv("PYTHONBREAKPOINT", raising=False)


def graph(bench: Bench, *, stops: bool = False) -> Path:
    return bench.trusted(GRAPH.replace("= false", "= true") if stops else GRAPH, work=WORK)


def app(bench: Bench, path: Path, size: tuple[int, int] = SMALL) -> AbstractContextManager[Terminal]:
    return at_a_terminal(*COMMAND, path, "--store", bench.url, size=size)


def begin(terminal: Terminal) -> None:
    """Start a run, which stands at its first node."""
    terminal.until("NO RUN")
    terminal.type("c")
    terminal.until("Enter Start")
    terminal.type("\r")
    terminal.until("NEXT fetch")


def test_a_node_is_stepped_into_from_the_app_and_back_and_runs_once(bench: Bench) -> None:
    with app(bench, graph(bench)) as terminal:
        begin(terminal)
        terminal.type("I")
        terminal.until("(Pdb)")
        assert "node fetch, step 1 of run" in terminal.screen
        assert '-> if state["stop"]:' in terminal.screen
        terminal.type("p dict(state)\n")
        terminal.until("{'stop': False}")
        terminal.type("\x03n\n")  # an interrupt ends nothing
        terminal.until("-> found = 1")
        terminal.type("c\n")
        terminal.until("NEXT ask")
        (run,) = bench.store.runs()
        assert status_of(bench.store, run.head.id) == (RunStatus.READY, 1, "ask")
        terminal.type(QUIT)
        assert terminal.end() == 0
    assert [row.kind for row in bench.store.rows(run.head.id)] == ["start", "step"]
    assert terminal.screen.count("A WORD OF THE NODE") == 1
    assert terminal.modes_after == terminal.modes_before


def test_stepping_into_without_a_run_starts_one_and_stops_in_its_first_node(bench: Bench) -> None:
    with app(bench, graph(bench)) as terminal:
        terminal.until("NO RUN")
        terminal.type("I")
        terminal.until("Enter Start")
        terminal.type("\r")
        terminal.until("(Pdb)")
        assert "node fetch, step 1 of run" in terminal.screen
        terminal.type("c\n")
        terminal.until("NEXT ask")
        terminal.type(QUIT)
        assert terminal.end() == 0
    (run,) = bench.store.runs()
    assert status_of(bench.store, run.head.id) == (RunStatus.READY, 1, "ask")


@pytest.mark.parametrize("refused", [False, True])
def test_what_is_stepped_into_is_trusted_first_and_forgotten_where_it_is_not(
    bench: Bench, refused: bool
) -> None:
    path = bench.graph(GRAPH, work=WORK)

    async def script(pilot: P) -> None:
        await press(pilot, "I", "enter")
        dialog(pilot, TrustDialog)
        if refused:
            await press(pilot, "enter")
            assert said(pilot) == "! not trusted: nothing ran"
            await press(pilot, "c", "enter", "y")
            assert "no terminal" not in said(pilot)
        else:
            await press(pilot, "y")
            assert "there is no terminal that could be lent" in said(pilot)  # to what would begin now
        assert "READY   step 0" in text(pilot)

    bench.play(script, path)


def test_the_function_of_a_tool_is_stepped_into_and_left_as_that_of_a_node(bench: Bench) -> None:
    path = bench.trusted(TOOL, shelf=SHELF)
    with app(bench, path) as terminal:
        terminal.until("NO RUN")
        terminal.type("I")
        terminal.until("Enter Start")
        terminal.type("\r")
        terminal.until("(Pdb)")
        assert "-> found = len(name)" in terminal.screen
        terminal.type("q\n")
        terminal.until("was left in its debugger")
        terminal.type("I")
        terminal.until("(Pdb)")
        terminal.type("p name\n")
        terminal.until("'a lamp'")
        terminal.type("c\n")
        terminal.until("ENDED")
        terminal.type(QUIT)
        assert terminal.end() == 0
    (run,) = bench.store.runs()
    assert [row.kind for row in bench.store.rows(run.head.id)] == ["start", "attempt", "step"]


def test_a_breakpoint_in_a_node_gets_the_terminal_and_leaving_it_is_a_failure_that_can_be_retried(
    bench: Bench,
) -> None:
    with app(bench, graph(bench, stops=True)) as terminal:
        begin(terminal)
        terminal.type("s")
        terminal.until("(Pdb)")
        assert "-> found = 1" in terminal.screen
        terminal.type("q\n")
        terminal.until("was left in its debugger")
        (run,) = bench.store.runs()
        assert status_of(bench.store, run.head.id) == (RunStatus.FAILED, 0, "fetch")
        terminal.type("r")
        terminal.until("(Pdb)")
        terminal.type("c\n")
        terminal.until("NEXT ask")
        terminal.type(QUIT)
        assert terminal.end() == 0
    assert [row.kind for row in bench.store.rows(run.head.id)] == ["start", "attempt", "step"]


def test_an_app_that_is_killed_under_pdb_loses_nothing(bench: Bench) -> None:
    with app(bench, graph(bench)) as terminal:
        begin(terminal)
        terminal.type("I")
        terminal.until("(Pdb)")
        terminal.kill()
    (run,) = bench.store.runs()
    assert status_of(bench.store, run.head.id) == (RunStatus.READY, 0, "fetch")


def test_the_end_of_the_input_leaves_the_debugger(bench: Bench) -> None:
    with app(bench, graph(bench)) as terminal:
        begin(terminal)
        terminal.type("I")
        terminal.until("(Pdb)")
        terminal.type("\x04")
        terminal.until("was left in its debugger")
        terminal.type(QUIT)
        assert terminal.end() == 0


def test_at_the_command_line_a_breakpoint_works_as_in_any_script(bench: Bench) -> None:
    path = graph(bench, stops=True)
    words = [*COMMAND, "run", path, "--store", bench.url, "--run-id", "r-1"]
    with at_a_terminal(*words) as terminal:
        terminal.until("(Pdb)")
        terminal.type("p found\n")
        terminal.until("NameError")
        terminal.type("n\n")
        terminal.until("os.write")
        terminal.type("p found + 41\n")
        terminal.until("42")
        terminal.type("c\n")
        assert terminal.end() == 10
    assert status_of(bench.store, "r-1") == (RunStatus.PAUSED, 1, "ask")


def test_without_a_terminal_the_command_says_so_and_goes_on(bench: Bench) -> None:
    path = graph(bench, stops=True)
    done = call("run", path, "--store", bench.url, "--json")
    assert done.code == 10
    assert "work.py:6 did not stop: there is no terminal to debug at" in done.err
    assert done.json["values"]["found"] == 1


def test_a_node_of_another_type_cannot_be_stepped_into_and_the_key_says_so(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await start(pilot)
        await press(pilot, "s", "I")
        assert "ask is no Python function" in said(pilot)

    bench.play(script, graph(bench))
    assert bench.nodes() == ["fetch"]


def test_without_a_terminal_nothing_is_stepped_into_and_the_run_stays_where_it_is(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await start(pilot)
        await press(pilot, "I")
        assert "there is no terminal that could be lent" in said(pilot)
        assert "READY" in text(pilot)

    bench.play(script, graph(bench))
    assert bench.nodes() == []


def test_a_node_that_has_failed_is_stepped_into_and_tried_again(bench: Bench) -> None:
    with app(bench, graph(bench, stops=True)) as terminal:
        begin(terminal)
        terminal.type("s")
        terminal.until("(Pdb)")
        terminal.type("q\n")
        terminal.until("FAILED")
        terminal.type("I")
        terminal.until('-> if state["stop"]:')
        terminal.type("c\nc\n")  # the second one for the breakpoint
        terminal.until("NEXT ask")
        (run,) = bench.store.runs()
        assert status_of(bench.store, run.head.id) == (RunStatus.READY, 1, "ask")
        terminal.type(QUIT)
        assert terminal.end() == 0
    assert [row.kind for row in bench.store.rows(run.head.id)] == ["start", "attempt", "step"]


def test_where_only_the_routing_has_failed_there_is_no_node_to_step_into(bench: Bench) -> None:
    path = bench.trusted(GRAPH.replace('to = "ask"', 'to = "ask"\nwhen = "gone > 1"', 1), work=WORK)

    async def script(pilot: P) -> None:
        await start(pilot)
        await press(pilot, "s")
        await press(pilot, "I")
        assert "the run has failed: r tries it again" in said(pilot)

    bench.play(script, path)
