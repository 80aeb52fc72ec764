"""Failures in the workbench, and the ways back from them."""

from __future__ import annotations

import pytest

from stepgraph.files import is_trusted, read_graph
from stepgraph_tui.dialogs.questions import TrustDialog
from tests.app.bench import (
    Bench,
    P,
    dialog,
    header,
    press,
    said,
    text,
    workbench,
)

FORK = """
format = 1
name = "fork"
start = "ask"

[state.amount]
type = "number"
default = 5

[nodes.ask]
type = "handler"
handler = "work:ask"

[[edges]]
from = "ask"
to = "END"
when = "amount > 100"
"""


BROKEN = "def ask(state):\n    raise ValueError('the shop is closed')\n"


MENDED = "def ask(state):\n    return {'amount': 500}\n"


def test_a_failed_node_shows_its_traceback_and_can_be_retried_once_it_is_mended(bench: Bench) -> None:
    path = bench.trusted(FORK, work=BROKEN)
    run = bench.run(path)

    async def script(pilot: P) -> None:
        await press(pilot, "s")
        assert "FAILED" in header(pilot)
        assert said(pilot).startswith("FAILED")
        assert "the shop is closed" in said(pilot)
        assert workbench(pilot).grid.groups[1].active == "node"
        page = text(pilot)
        assert "raise ValueError('the shop is closed')" in page
        assert "work.py" in page
        bench.trusted(FORK, work=MENDED)
        await press(pilot, "r")
        assert "ENDED   step 1" in header(pilot)

    bench.play(script, path, run=run.id, size=(120, 40))
    assert bench.load().values["amount"] == 500


def test_code_that_was_changed_is_asked_about_before_it_is_retried(bench: Bench) -> None:
    path = bench.trusted(FORK, work=BROKEN)
    run = bench.run(path)

    async def script(pilot: P) -> None:
        await press(pilot, "s")
        bench.graph(FORK, work=MENDED)
        await press(pilot, "r")
        assert "has changed since you trusted it" in dialog(pilot, TrustDialog).question
        assert "+    return {'amount': 500}" in text(pilot)
        await press(pilot, "enter")
        assert said(pilot) == "! not trusted: nothing ran"
        assert "FAILED" in header(pilot)
        await press(pilot, "r", "y")
        assert "ENDED   step 1" in header(pilot)

    bench.play(script, path, run=run.id)


def test_a_folder_that_is_trusted_is_not_asked_about_again_until_the_app_is_left(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stepgraph.files.trust._folders", {})
    path = bench.trusted(FORK, work="def ask(state):\n    raise RuntimeError('first')\n")
    run = bench.run(path)

    async def script(pilot: P) -> None:
        await press(pilot, "s")
        bench.graph(FORK, work="def ask(state):\n    raise RuntimeError('second')\n")
        await press(pilot, "r", "f")
        assert "second" in text(pilot)
        bench.graph(FORK, work=MENDED)
        await press(pilot, "r")
        assert "ENDED   step 1" in header(pilot)

    bench.play(script, path, run=run.id)
    monkeypatch.setattr("stepgraph.files.trust._folders", {})  # as in another process
    assert not is_trusted(read_graph(path))


def test_a_failed_routing_shows_why_and_a_retry_runs_no_node_again(bench: Bench) -> None:
    path = bench.trusted(FORK, work="def ask(state):\n    return {'amount': 7}\n")
    run = bench.run(path)

    async def script(pilot: P) -> None:
        await press(pilot, "s")
        assert "FAILED" in header(pilot)
        assert workbench(pilot).grid.groups[1].active == "why"
        assert "amount > 100" in text(pilot)
        await press(pilot, "r")
        assert "FAILED" in header(pilot)
        assert said(pilot) == "! it was tried again, but failed again"

    bench.play(script, path, run=run.id)
    assert len([row for row in bench.store.rows(run.id, 0, 99) if row.kind == "step"]) <= 1
