"""Nodes under pdb at a real terminal: from the app and back, from the command line, and cut short."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.app.bench import SMALL, Bench, P, press, said, start, text
from tests.app.terminals import Terminal, at_a_terminal
from tests.cli.calling import COMMAND

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


@pytest.fixture(autouse=True)
def pdb_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A breakpoint is answered by pdb, whatever the developer's shell says."""
    monkeypatch.delenv("PYTHONBREAKPOINT", raising=False)


def graph(bench: Bench, *, stops: bool = False) -> Path:
    return bench.trusted(GRAPH.replace("= false", "= true") if stops else GRAPH, work=WORK)


def app(bench: Bench, path: Path, size: tuple[int, int] = SMALL) -> AbstractContextManager[Terminal]:
    return at_a_terminal(*COMMAND, path, "--store", bench.url, size=size)


def test_without_a_terminal_nothing_is_stepped_into_and_the_run_stays_where_it_is(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await start(pilot)
        await press(pilot, "i")
        assert "there is no terminal that could be lent" in said(pilot)
        assert "READY" in text(pilot)

    bench.play(script, graph(bench))
    assert bench.nodes() == []


def test_a_failure_is_looked_at_once_and_then_stepped_into(bench: Bench) -> None:
    path = bench.trusted(GRAPH, work=WORK.replace("found = 1", "found = 1 / (0 * len(state))"))
    with app(bench, path) as terminal:
        terminal.until("no run yet")
        terminal.type("s")
        terminal.until("Start")
        terminal.type("\n")
        terminal.until("NEXT fetch")
        terminal.type("s")
        terminal.until("ZeroDivisionError")
        terminal.type("i")
        terminal.until("has failed: this is where")
        terminal.until("(Pdb) ")
        terminal.type("p state['stop'], 1 + 41\r")
        terminal.until("(False, 42)")
        terminal.type("q\r")
        terminal.until("FAILED")
        terminal.type("i")
        terminal.until("The step completes when the function returns")
        terminal.until("(Pdb) ")
        terminal.type("q\r")
        terminal.until("FAILED")
        terminal.type("\x11")
        terminal.end()
    (run,) = bench.store.runs()
    assert [row.kind for row in bench.store.rows(run.head.id)] == ["start", "attempt", "attempt"]
