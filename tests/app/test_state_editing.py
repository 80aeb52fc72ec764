"""Editing the state of a run in the app: one value or all of it, with a review that waits, against others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stepgraph.runs import operations
from stepgraph.runs.views import open_run
from stepgraph_tui import app
from stepgraph_tui.dialogs.questions import Confirm
from tests.app.bench import LARGE, Bench, P, dialog, press, said, text, workbench
from tests.app.filling import fill
from tests.app.writing_editor import WritingEditor

SHOP = """
format = 1
name = "shop"
start = "make"

[state.order]
type = "table"
default = { id = "8812", amount = 240 }
[state.category]
type = "text"
default = "billing"
[state.token]
secret = true
default = "hunter2-secret"

[nodes.make]
type = "router"
key = "order.amount"
threshold = 100
high = "much"
low = "little"

[nodes.ask]
type = "approval"
prompt = "Pay {{ order.amount }}?"
show = ["order.amount"]
allow = ["approve", "reject"]

[[edges]]
from = "make"
to = "ask"
[[edges]]
from = "ask"
to = "END"
"""


def edits(bench: Bench) -> list[Any]:
    return [row for row in bench.store.rows("r-1") if row.kind == "edit"]


async def at_key(pilot: P, name: str) -> None:
    """Go to a key in the state, as it is after the step."""
    await press(pilot, "2", "v", "g g")
    pane = workbench(pilot).panes.state_pane
    for _ in range(20):
        if pane.copied_path() == name:
            return
        await press(pilot, "l" if pane.copied_path() == name.partition(".")[0] else "j")
    raise AssertionError(text(pilot))


def played(bench: Bench, script: Any, *, steps: int = 1) -> Path:
    path = bench.graph(SHOP)
    bench.run(path, steps=steps)
    bench.play(script, path, run="r-1", size=LARGE)
    return path


def test_what_is_refused_is_told_with_what_to_do_about_it_on_a_line_of_its_own(bench: Bench) -> None:
    bench.editor = WritingEditor(lambda text: text.replace('"billing"', "3"))

    async def script(pilot: P) -> None:
        await press(pilot, "2", "E")
        dialog(pilot, Confirm)
        lines = [line.strip(" ┃") for line in text(pilot).splitlines()]
        assert any(line.startswith("give it") for line in lines), text(pilot)

    played(bench, script)


@pytest.fixture
def unwatched(monkeypatch: pytest.MonkeyPatch) -> None:
    """An app that does not look at its store by itself, and so meets what others did only when it acts."""
    monkeypatch.setattr(app, "EVERY", 3_600)


@pytest.mark.usefixtures("unwatched")
def test_an_edit_that_leads_nowhere_since_says_so(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await at_key(pilot, "order.amount")
        await press(pilot, "e")
        await fill(pilot, **{"order.amount": "90"})
        operations.edit(open_run(bench.store, "r-1"), {"order": None}, "ben", "", 0.0)
        await press(pilot, "y")
        assert "moved the run on, and nothing was edited" in said(pilot)

    played(bench, script)
    assert len(edits(bench)) == 1
