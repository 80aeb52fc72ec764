"""The keys that run nodes, and those that look at what ran."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepgraph.stores.ledger import RunStatus
from stepgraph_tui.dialogs.extend_form import ExtendForm
from stepgraph_tui.dialogs.run_form import RunForm
from tests.app.bench import (
    REFUND,
    SMALL,
    Bench,
    P,
    header,
    press,
    said,
    settle,
    shown,
    start,
    text,
    until,
    workbench,
)
from tests.app.filling import form_on_top
from tests.app.gates import GATED, WORK, Gate


@pytest.fixture
def gated(bench: Bench) -> Path:
    """A graph whose second node runs into the gate."""
    return bench.trusted(GATED, work=WORK)


# One node, and more


def test_s_runs_exactly_one_node_and_c_until_something_stops_it(bench: Bench) -> None:
    run = bench.run(REFUND)

    async def script(pilot: P) -> None:
        await press(pilot, "s")
        assert "READY   step 1/30" in header(pilot)
        await press(pilot, "f10")
        assert "READY   step 2/30" in header(pilot)
        await press(pilot, "c")
        assert bench.load().status is RunStatus.PAUSED
        await press(pilot, "n", *"no", "enter", "enter")
        await press(pilot, "f5")
        assert "ENDED" in header(pilot)

    bench.play(script, REFUND, run=run.id)
    assert bench.nodes()[:3] == ["classify", "lookup", "draft"]


def test_without_a_run_the_same_keys_ask_for_the_inputs_of_one(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        for key in ("s", "c"):
            await press(pilot, key)
            form_on_top(pilot, RunForm)
            await press(pilot, "escape")
            assert "NO RUN" in header(pilot)
        await press(pilot, "s", "enter")
        assert "READY   step 0/30" in header(pilot)

    bench.play(script, REFUND)
    assert bench.nodes() == []


def test_c_after_the_end_asks_for_the_inputs_of_another_run(bench: Bench) -> None:
    run = bench.run(bench.graph(ROUTE), steps=1)

    async def script(pilot: P) -> None:
        assert "ENDED" in header(pilot)
        await press(pilot, "s")
        assert pilot.app.screen is workbench(pilot)
        await press(pilot, "c")
        form_on_top(pilot, RunForm)
        await press(pilot, "enter")
        assert "READY   step 0" in header(pilot)

    bench.play(script, bench.folder / "graph.toml", run=run.id)
    assert bench.load("r-1").status is RunStatus.ENDED
    assert bench.load("r-2").status is RunStatus.READY


def test_t_runs_on_until_the_selected_node_comes_next(bench: Bench) -> None:
    run = bench.run(REFUND)

    async def script(pilot: P) -> None:
        await press(pilot, "j", "j")
        assert workbench(pilot).panes.graph_view.selection.node == "draft"
        await press(pilot, "t")
        assert said(pilot) == "stopped before draft"
        assert "READY   step 2/30" in header(pilot)

    bench.play(script, REFUND, run=run.id)
    assert bench.nodes() == ["classify", "lookup"]


# Stopping


def test_p_makes_c_stop_after_the_selected_node_until_it_is_pressed_again(bench: Bench) -> None:
    run = bench.run(REFUND)

    async def script(pilot: P) -> None:
        await press(pilot, "j", "p")
        assert said(pilot) == "lookup is marked: c pauses after it"
        await press(pilot, "c")
        assert said(pilot) == "stopped before draft"
        await press(pilot, "j", "p")
        workbench(pilot).panes.graph_view.selection.select("amount_check")
        await press(pilot, "p", "p")
        await until(pilot, lambda: said(pilot) == "amount_check is unmarked: c runs on after it")

    bench.play(script, REFUND, run=run.id)
    assert bench.nodes() == ["classify", "lookup"]


def test_a_node_can_be_marked_while_it_runs(bench: Bench, gated: Path, gate: Gate) -> None:
    run = bench.run(gated)

    async def script(pilot: P) -> None:
        await pilot.press("c")
        await gate.is_reached()
        await until(pilot, lambda: workbench(pilot).panes.graph_view.running == "wait")
        workbench(pilot).panes.graph_view.selection.select("wait")
        await pilot.press("p")
        gate.open()
        await settle(pilot)
        assert said(pilot) == "stopped before last"

    bench.play(script, gated, run=run.id)
    assert bench.nodes() == ["first", "wait"]


def test_marks_are_made_before_there_is_a_run_and_outlive_the_start_of_another(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        assert "p Pause after" in text(pilot)
        await press(pilot, "j", "p")
        assert said(pilot) == "lookup is marked: c pauses after it"
        await start(pilot)
        await press(pilot, "c")
        assert said(pilot) == "stopped before draft"
        await pilot.resize_terminal(*SMALL)
        keys = text(pilot).splitlines()[-1]
        assert "S Start over" in keys  # before what is rarely wanted
        assert "p Pause after" not in keys
        await press(pilot, "S", "ctrl+j", "c")
        assert said(pilot) == "stopped before draft"

    bench.play(script, REFUND, size=(160, 40))
    assert bench.nodes("r-1") == bench.nodes("r-2") == ["classify", "lookup"]


@pytest.mark.parametrize("mode", ["debug", "design"])
def test_x_stops_after_the_node_that_runs(bench: Bench, gated: Path, gate: Gate, mode: str) -> None:
    run = bench.run(gated)

    async def script(pilot: P) -> None:
        await pilot.press("c")
        await gate.is_reached()
        await pilot.press(*["m"] * (mode == "design"))
        await until(pilot, lambda: "X Stop" in text(pilot))
        await pilot.press("X")
        assert said(pilot) == "stops after this node"
        gate.open()
        await settle(pilot)
        assert said(pilot) == "stopped before last"
        await pilot.press(*["m"] * (mode == "design"), "X")
        assert "READY   step 2" in header(pilot)
        assert said(pilot) == "! nothing runs"

    bench.play(script, gated, run=run.id)
    assert bench.nodes() == ["first", "wait"]


# While a node runs


def test_keys_are_answered_while_a_node_runs(bench: Bench, gated: Path, gate: Gate) -> None:
    run = bench.run(gated)

    async def script(pilot: P) -> None:
        bench_ = workbench(pilot)
        await pilot.press("c")
        await gate.is_reached()
        await until(pilot, lambda: said(pilot).startswith("RUNS wait"))
        assert "RUNNING   step 1" in header(pilot)
        await pilot.press("3")
        assert shown(pilot) == "why"
        await pilot.press("5")
        assert shown(pilot) == "trace"
        await pilot.press("g")
        assert bench_.runs.shown.moment is not None
        assert bench_.runs.shown.moment.step == 0
        assert "RUNNING" in header(pilot)
        await pilot.press("G", "1", "j")
        assert bench_.panes.graph_view.selection.node is not None
        await pilot.press("question_mark")
        assert "Stop after the current node" in text(pilot)
        await pilot.press("escape")
        assert not gate.passed
        gate.open()
        await settle(pilot)
        assert "ENDED" in header(pilot)

    bench.play(script, gated, run=run.id)


def test_of_three_quick_steps_one_runs_and_none_waits_its_turn(bench: Bench, gated: Path, gate: Gate) -> None:
    run = bench.run(gated, steps=1)

    async def script(pilot: P) -> None:
        await pilot.press("s", "s", "s")
        await gate.is_reached()
        assert "wait is still running: X stops after it" in said(pilot)
        gate.open()
        await settle(pilot)
        assert "READY   step 2" in header(pilot)
        assert said(pilot).startswith("NEXT")

    bench.play(script, gated, run=run.id)
    assert bench.nodes() == ["first", "wait"]
    assert gate.passed == 1


def test_a_graph_is_not_closed_under_a_node_that_runs(bench: Bench, gated: Path, gate: Gate) -> None:
    run = bench.run(gated, steps=1)

    async def script(pilot: P) -> None:
        await pilot.press("s")
        await gate.is_reached()
        await pilot.press("q")
        assert pilot.app.screen is workbench(pilot)
        assert "ctrl+q leaves at once" in said(pilot)
        gate.open()
        await settle(pilot)

    bench.play(script, gated, run=run.id)


# Starting over


def test_starting_over_keeps_the_inputs_and_the_old_run(bench: Bench) -> None:
    path = bench.graph(ROUTE)
    run = bench.run(path, {"amount": 7}, steps=1)

    async def script(pilot: P) -> None:
        for key, started in (("S", "r-2"), ("ctrl+r", "r-3")):
            await press(pilot, key)
            assert "READY   step 0" in header(pilot)
            assert f"run {started}" in header(pilot)
            await press(pilot, "s")

    bench.play(script, path, run=run.id)
    assert bench.load("r-1").status is RunStatus.ENDED
    assert bench.load("r-2").values["amount"] == bench.load("r-3").values["amount"] == 7


def test_starting_over_in_the_middle_of_a_run_asks_with_which_inputs(bench: Bench) -> None:
    run = bench.run(REFUND, steps=2)

    async def script(pilot: P) -> None:
        await press(pilot, "S")
        form_on_top(pilot, RunForm)
        assert "Start over; run r-1 is kept" in text(pilot)
        await press(pilot, "escape")
        assert "run r-1" in header(pilot)
        await press(pilot, "S", "ctrl+j")
        assert "run r-2" in header(pilot)

    bench.play(script, REFUND, run=run.id)
    assert bench.nodes("r-1") == ["classify", "lookup"]
    assert bench.nodes("r-2") == []


# Looking back


def test_x_allows_more_steps_to_a_run_that_reached_its_cap(bench: Bench) -> None:
    path = bench.graph(ROUND)
    run = bench.run(path)

    async def script(pilot: P) -> None:
        await press(pilot, "x")
        assert pilot.app.screen is workbench(pilot)  # it is not at its cap yet
        await press(pilot, "c")
        assert "FAILED" in header(pilot)
        assert "before a; D shows why, x allows more steps" in text(pilot)
        await press(pilot, "x")
        assert form_on_top(pilot, ExtendForm).model.heading == f"Extend run {run.id}"
        await press(pilot, "0", "enter")
        assert "takes a whole number from 1" in text(pilot)
        await press(pilot, "backspace", "3", "enter")
        assert "READY   step 4/7" in header(pilot)
        await press(pilot, "c")
        assert "FAILED   step 7/7" in header(pilot)

    bench.play(script, path, run=run.id)
    assert bench.nodes() == ["a", "b", "a", "b", "a", "b", "a"]


def test_brackets_view_earlier_and_later_steps(bench: Bench) -> None:
    run = bench.run(REFUND, steps=3)

    async def script(pilot: P) -> None:
        assert workbench(pilot).panes.state_pane.moment is not None
        await press(pilot, "[")
        assert "VIEWING 2" in header(pilot)
        assert said(pilot).startswith("VIEWING step 2 of 3")
        assert "after step 2  lookup" in text(pilot)
        await press(pilot, "[", "[", "[")
        assert "VIEWING 0" in header(pilot)
        assert said(pilot) == "! this is the start"
        assert "at the start" in text(pilot)
        await press(pilot, "]")
        assert "VIEWING 1" in header(pilot)
        await press(pilot, "]", "]", "]")
        assert "READY   step 3/30" in header(pilot)
        assert said(pilot) == "! this is the latest step"
        assert "] Later" not in text(pilot)
        for key in ("s", "c", "t"):  # from the past the first key only goes back
            await press(pilot, "[", key)
            assert "READY   step 3/30" in header(pilot)
            assert said(pilot) == "! back at the latest step; press again to run it"

    bench.play(script, REFUND, run=run.id)
    assert len(bench.nodes()) == 3


def test_each_action_is_logged_as_the_command_that_does_the_same(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await start(pilot)
        await press(pilot, "s", "c", "escape", "@")
        page = text(pilot)
        assert "stepgraph run" in page
        assert "stepgraph step r-1" in page
        assert "stepgraph resume r-1" in page

    bench.play(script, REFUND, size=(120, 40))


ROUND = """
format = 1
name = "round"
start = "a"
max_steps = 4
on_max_steps = "fail"

[nodes.a]
type = "llm"
prompt = "Go on"
replies = ["yes"]

[nodes.b]
type = "llm"
prompt = "Go on"
replies = ["yes"]

[[edges]]
from = "a"
to = "b"

[[edges]]
from = "b"
to = "a"
"""
ROUTE = """
format = 1
name = "route"
start = "pick"

[state.amount]
type = "number"
default = 5

[nodes.pick]
type = "router"
key = "amount"
threshold = 100
high = "much"
low = "little"

[[edges]]
from = "pick"
to = "END"
"""
