"""Breakpoints in the app: set by keys and a form, kept, shown where they wait, and told when they are met."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepgraph import Breakpoint
from stepgraph.runs.debug.breakpoint import format_breakpoint
from stepgraph.runs.debug.kept import KeptDebugging
from stepgraph_tui.dialogs.break_form import BreakForm
from tests.app.bench import (
    LARGE,
    Bench,
    P,
    press,
    said,
    settle,
    text,
    workbench,
)
from tests.app.filling import fill, form_on_top
from tests.app.letters import LETTERS


@pytest.fixture
def letters(bench: Bench) -> Path:
    return bench.graph(LETTERS, "letters.toml")


def kept(path: Path) -> list[str]:
    """What is kept for a graph, spelled as on the command line, with a minus before what is off."""
    return [
        ("" if each.enabled else "-") + format_breakpoint(each) for each in KeptDebugging(path).breakpoints()
    ]


async def pick(pilot: P, node: str | None, edge: int | None = None) -> None:
    workbench(pilot).select(node, edge)
    await pilot.pause()


# By keys


# The tab and the form


def test_the_mouse_selects_switches_and_opens(bench: Bench, letters: Path) -> None:
    for node in ("draft", "check"):
        KeptDebugging(letters).add(Breakpoint("before", node))

    async def script(pilot: P) -> None:
        await press(pilot, "8")
        pane = workbench(pilot).panes.breaks_pane
        await pilot.click(pane, offset=(2, 1))
        await settle(pilot)
        assert kept(letters) == ["draft", "-check"]
        await pilot.click(pane, offset=(20, 1), times=2)
        await settle(pilot)
        assert form_on_top(pilot, BreakForm).model.heading == "Breakpoint b2"

    bench.play(script, letters)


def test_big_b_opens_the_form_on_what_is_selected_and_refuses_what_can_never_be_met(
    bench: Bench, letters: Path
) -> None:
    async def script(pilot: P) -> None:
        await pick(pilot, "check")
        await press(pilot, "B")
        await fill(pilot, where="chek")
        assert "no node 'chek'" in text(pilot)
        assert kept(letters) == []
        await fill(pilot, where="check", condition="count >")
        assert kept(letters) == []
        await fill(pilot, condition="count > 2", after="-1")
        assert kept(letters) == []
        await fill(pilot, after="1", every="2")
        assert kept(letters) == ["check:count > 2; after 1; every 2"]

    bench.play(script, letters, size=LARGE)


# What is kept


# What is told


def test_b_and_w_in_state_break_on_the_value_and_b_in_why_on_the_edge(bench: Bench, letters: Path) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "2")
        workbench(pilot).panes.state_pane.values.go_to(("letter",))
        await press(pilot, "b")
        assert said(pilot) == 'breakpoint b1: a run halts when letter becomes "Dear Ana"'
        await press(pilot, "B")
        assert said(pilot) == "breakpoint b2: a run halts when letter changes"
        await press(pilot, "b")
        assert said(pilot) == "breakpoint b1 is off"
        await press(pilot, "3", "b")
        assert said(pilot) == "breakpoint b3: a run halts on the edge draft → check"

    bench.play(script, letters, run=bench.run(letters, steps=1).id, size=LARGE)
    assert kept(letters) == ['-key:letter="Dear Ana"', "key:letter", "edge:draft->check"]


def test_keys_are_noted_as_the_commands_that_do_the_same(bench: Bench, letters: Path) -> None:
    async def script(pilot: P) -> None:
        await pick(pilot, "check")
        await press(pilot, "b", "b", "b")
        noted = [command for _, command in workbench(pilot).context.log]
        assert [command.split("letters.toml ")[1] for command in noted] == [
            "--add check",
            "--remove b1",
            "--add check",
        ]

    bench.play(script, letters)


# What it costs
