"""Going on from the viewed step as a new run: what runs again, with which state, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stepgraph.stores.ledger import RunStatus
from stepgraph_tui.dialogs.fork_form import ForkForm
from stepgraph_tui.dialogs.questions import Confirm
from stepgraph_tui.screens.workbench import Workbench
from tests.app.bench import LARGE, Bench, P, dialog, header, press, said, text, workbench
from tests.app.filling import fill, form_on_top

LOOP = """
format = 1
name = "loop"
start = "work"
max_steps = 9

[state.count]
type = "number"
default = 0
[state.token]
secret = true
default = "hunter2-secret"

[nodes.work]
type = "handler"
handler = "work:work"

[nodes.pay]
type = "handler"
handler = "work:pay"
side_effects = true

[[edges]]
from = "work"
to = "work"
when = "count < 3"

[[edges]]
from = "work"
to = "pay"

[[edges]]
from = "pay"
to = "END"
"""
CODE = """
def work(state):
    return {"count": state["count"] + 1}

def pay(state):
    if state.get("broke"):
        raise ValueError("no money")
    return {"paid": state["count"]}
"""


def graph(bench: Bench) -> Path:
    return bench.trusted(LOOP, work=CODE)


def runs(bench: Bench) -> list[str]:
    return sorted(stored.head.id for stored in bench.store.runs())


def played(bench: Bench, script: Any, steps: int) -> None:
    path = graph(bench)
    bench.run(path, steps=steps)
    bench.play(script, path, run="r-1", size=LARGE)


def test_a_fork_lists_what_runs_again_takes_another_state_and_is_shown_live(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, *["left_square_bracket"] * 3)
        assert "VIEWING 1" in header(pilot)
        await press(pilot, "f")
        form_on_top(pilot, ForkForm)
        assert "work comes next. Run r-1 stays as it is." in text(pilot)
        assert "these run again: work 2 times, pay" in text(pilot)
        assert "! pay has side effects: they happen again" in text(pilot)
        assert "hunter2" not in text(pilot)
        await fill(pilot, count="2")
        dialog(pilot, Confirm)
        assert "~ count 1 → 2" in text(pilot)
        assert "pay has side effects" in text(pilot)
        assert runs(bench) == ["r-1"]
        await press(pilot, "y")
        assert "READY   step 1/9   SCRIPTED   run r-2" in header(pilot)
        assert "run r-2 forks r-1@1: work comes next" in said(pilot)
        await press(pilot, "c")
        assert "ENDED   step 3/9" in header(pilot)

    played(bench, script, 4)
    made = bench.load("r-2")
    assert [record.node for record in made.history] == ["work", "work", "pay"]
    assert made.values["paid"] == 3
    edit = next(row for row in bench.store.rows("r-2") if row.kind == "edit")
    assert (edit.data or {})["by"] == made.started_by == "ana"
    assert bench.load("r-1").step == 4


def test_a_fork_from_the_start_may_have_a_name(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, *["left_square_bracket"] * 9, "f")
        await fill(pilot, **{"run id": "mine"})
        assert "READY   step 0/9   SCRIPTED   run mine" in header(pilot)

    played(bench, script, 2)


def test_a_live_run_is_forked_where_it_stands_with_its_edits(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "f")
        assert "Nothing was recorded after this step" in text(pilot)
        await press(pilot, "enter")
        assert "run r-2" in header(pilot), "nothing happens again, and nothing is changed: nothing is asked"

    path = graph(bench)
    bench.run(path, steps=1)
    bench.executor(path).edit("r-1", {"count": 7}, by="ben")
    bench.play(script, path, run="r-1")
    assert bench.load("r-2").values["count"] == 7


def test_a_fork_that_is_not_confirmed_is_not_made(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "left_square_bracket", "f", "enter", "escape")
        form_on_top(pilot, ForkForm)
        await press(pilot, "escape")
        dialog(pilot, Workbench)
        assert "VIEWING 3" in header(pilot)

    played(bench, script, 4)
    assert runs(bench) == ["r-1"]


def test_bad_input_is_told_in_the_form_and_an_id_that_is_taken_when_it_is_made(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "left_square_bracket", "f")
        await fill(pilot, count="many")
        assert "✗" in text(pilot)
        form_on_top(pilot, ForkForm)
        await fill(pilot, count="1", **{"run id": "r-1"})
        assert "there is a run 'r-1' already" in said(pilot)

    played(bench, script, 2)
    assert runs(bench) == ["r-1"]


def test_a_node_that_has_failed_is_among_those_that_run_again(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "left_square_bracket", "f")
        assert "these run again: work, pay." in text(pilot)
        assert "! pay has side effects: they happen again" in text(pilot)
        await press(pilot, "escape", "escape", "f")
        assert "these run again: pay." in text(pilot)

    path = graph(bench)
    bench.run(path, {"broke": True}, steps=4)
    bench.play(script, path, run="r-1", size=LARGE)


@pytest.mark.parametrize(("gate", "again"), [("after", True), ("before", False)])
def test_a_node_that_waits_at_its_gate_runs_again_where_it_has_run(
    bench: Bench, gate: str, again: bool
) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "f")
        assert ("these run again: pay." in text(pilot)) is again
        assert ("! pay has side effects: they happen again" in text(pilot)) is again
        assert ("so nothing runs again" in text(pilot)) is not again

    gated = LOOP.replace("side_effects = true", f'side_effects = true\nreview = "{gate}"')
    path = bench.trusted(gated, work=CODE)
    bench.run(path, steps=4)
    bench.play(script, path, run="r-1", size=LARGE)


@pytest.mark.parametrize(("steps", "why"), [(4, "the run ended there"), (0, "")])
def test_the_key_says_why_there_is_nothing_to_go_on_from(bench: Bench, steps: int, why: str) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "f")
        if why:
            assert why in said(pilot)
        else:
            form_on_top(pilot, ForkForm)

    played(bench, script, steps)


def test_a_run_whose_file_is_gone_is_forked_on_its_stored_definition(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        path.unlink()
        await press(pilot, "left_square_bracket", "f", "enter")
        assert "run r-2" in header(pilot)

    path = graph(bench)
    bench.run(path, steps=2)
    bench.play(script, path, run="r-1")
    pointer = bench.store.load("r-2").pointer
    assert (pointer.status, pointer.current) == (RunStatus.READY, "work")


def test_the_fork_is_noted_as_the_command_that_does_the_same(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "left_square_bracket", "f")
        await fill(pilot, count="2")
        await press(pilot, "y")
        assert any("fork r-1 --at 1 --set count=2" in command for _, command in workbench(pilot)._shared.log)

    played(bench, script, 2)
