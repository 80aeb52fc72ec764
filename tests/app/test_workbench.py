"""The workbench around its panes: which are shown, what is searched and copied, what is remembered."""

from __future__ import annotations

import threading
from dataclasses import replace

from stepgraph_tui.commands.remapping import read_keys
from stepgraph_tui.palette import StepgraphPalette
from stepgraph_tui.screens.home import HomeScreen
from tests.app.bench import (
    REFUND,
    Bench,
    P,
    dialog,
    header,
    press,
    settle,
    text,
    until,
    workbench,
)
from tests.app.hearing import PATIENCE
from tests.app.test_approval_terms import ASKS

WAITING = ASKS.replace("TERMS", "")

# Panes


# Searching and leaving


# From one graph to another


# Settings, and what is remembered


def test_keys_of_the_settings_take_the_place_of_others_and_the_palette_does_the_same(bench: Bench) -> None:
    wrong: list[str] = []
    keys = read_keys({"debug": {"step": "f6,ctrl+s"}}, lambda path, what: wrong.append(what))
    bench.settings = replace(bench.settings, keys=keys)
    run = bench.run(REFUND)

    async def script(pilot: P) -> None:
        assert "F6 Step" in text(pilot)
        await press(pilot, "s", "f10")
        assert "step 0/30" in header(pilot)
        await press(pilot, "f6", "ctrl+s")
        assert "step 2/30" in header(pilot)
        await press(pilot, ":")
        dialog(pilot, StepgraphPalette)
        await pilot.press(*"step")
        await until(pilot, lambda: "Run exactly one node" in text(pilot))
        await press(pilot, "enter")
        await until(pilot, lambda: "step 3/30" in header(pilot))

    bench.play(script, REFUND, run=run.id)
    assert not wrong


def test_a_graph_is_closed_while_a_thread_works_for_it(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        screen, begun, goes_on = workbench(pilot), threading.Event(), threading.Event()

        def work() -> None:
            begun.set()
            goes_on.wait(PATIENCE)

        screen.begin(screen.work(work))
        await until(pilot, begun.is_set)
        await pilot.press("q")
        dialog(pilot, HomeScreen)
        goes_on.set()
        await settle(pilot)
        dialog(pilot, HomeScreen)

    bench.play(script, REFUND)


def test_a_file_opens_with_the_run_of_it_that_has_not_ended_whoever_started_it(bench: Bench) -> None:
    path, other = bench.graph(WAITING), bench.graph(WAITING, "other.toml")
    bench.run(path, steps=1)  # it waits
    ended = bench.run(path, steps=1)
    bench.executor(path).stop(ended.id, by="ana")
    bench.run(other, steps=1)

    async def script(pilot: P) -> None:
        assert "AWAITING HUMAN" in header(pilot)
        assert "run r-1 " in header(pilot)
        assert "c opens the review" in text(pilot)

    bench.play(script, path)
