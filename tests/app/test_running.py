"""A run that goes on by itself: what looking costs, pause marks, keys typed ahead, passing words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.widgets import Input

from bench.graphs import LOOP
from stepgraph import END, Executor, SqliteStore
from stepgraph.files import read_graph
from stepgraph.runs.pages import PAGE
from stepgraph.stores.ledger import Row
from stepgraph.values.errors import StoreError
from stepgraph_tui.dialogs.forms import FormDialog
from stepgraph_tui.dialogs.new_graph import NewGraph
from stepgraph_tui.dialogs.pick import Pick
from stepgraph_tui.screens.workbench.look_pace import LookPace
from stepgraph_tui.widgets.trace.lines import TraceLines
from stepgraph_tui.widgets.trace.signs import RowSigns
from tests.app.bench import (
    REFUND,
    Bench,
    P,
    dialog,
    header,
    press,
    said,
    settle,
    start,
    text,
    until,
    workbench,
)
from tests.app.playing import widget_lines

SECRET_LOOP = LOOP.replace(
    "[nodes.think]", '[state.code]\ntype = "text"\nsecret = true\ndefault = "shibboleth"\n\n[nodes.think]', 1
)


@pytest.fixture
def loop(bench: Bench) -> Path:
    return bench.graph(SECRET_LOOP, "loop.toml")


def type_ahead(pilot: P, *keys: str) -> None:
    """Type faster than anything is answered, as a slow line delivers it."""
    for key in keys:
        pilot.app.post_message(events.Key(key, key if len(key) == 1 else None))


# What looking costs


class Work:
    """Counts what is read from the store and what the trace writes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.rows = self.lines = 0
        read, painted = SqliteStore.rows, TraceLines.painted

        def rows(store: SqliteStore, *args: Any, **named: Any) -> list[Row]:
            found = read(store, *args, **named)
            self.rows += len(found)
            return found

        def line(lines: TraceLines, *args: Any) -> Any:
            self.lines += 1
            return painted(lines, *args)

        monkeypatch.setattr(SqliteStore, "rows", rows)
        monkeypatch.setattr(TraceLines, "painted", line)

    def take(self) -> tuple[int, int]:
        """What there was since the last time."""
        taken = self.rows, self.lines
        self.rows = self.lines = 0
        return taken


@pytest.mark.parametrize("tab", ["state", "why", "node"])
def test_a_look_at_a_long_run_takes_no_more_work_than_one_at_a_short_run(
    bench: Bench, loop: Path, monkeypatch: pytest.MonkeyPatch, tab: str
) -> None:
    store = SqliteStore(bench.folder / "runs.db", durability="normal")
    executor = Executor(read_graph(loop).compile(), store)
    work = Work(monkeypatch)

    def cost_after(steps: int) -> tuple[int, int]:
        run = executor.start({}, f"r-{steps}")
        for _ in range(steps):
            executor.step(run)

        async def look(pilot: P) -> tuple[int, int]:
            workbench(pilot).grid.show_pane(tab)
            await pilot.pause()
            costs = []
            for _ in range(3):
                for _ in range(4):
                    executor.step(run)
                work.take()
                assert workbench(pilot).runs.shown.look()
                await pilot.pause()
                assert header(pilot).split("step ")[1].startswith(f"{run.step}/")
                costs.append(work.take())
            return max(costs)

        return bench.play(look, loop, run=run.id)

    short, long = cost_after(40), cost_after(10 * PAGE)
    store.close()
    assert long[0] <= max(short[0], 4)  # rows: the new ones
    assert long[1] <= short[1] + 2  # lines: those in view


def test_a_line_that_cannot_be_read_any_more_says_so(
    bench: Bench, loop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.run(loop, steps=3)

    async def script(pilot: P) -> None:
        monkeypatch.setattr(SqliteStore, "values", gone)
        monkeypatch.setattr(RowSigns, "__getitem__", gone)
        workbench(pilot).panes.trace_pane.lines.repaint()
        await pilot.pause()
        assert "the disk is gone" in text(pilot)
        monkeypatch.undo()

    def gone(*_: object) -> None:
        raise StoreError("the disk is gone")

    bench.play(script, loop, run="r-1")


def test_looks_go_by_time_and_leave_the_nodes_three_quarters_of_it() -> None:
    now, worked = 100.0, 5.0
    pace = LookPace(lambda: now, lambda: worked)
    assert pace.is_due()
    now, worked = 100.1, 5.01  # a cheap look: ten a second are fine
    assert pace.is_due()
    now, worked = 100.2, 5.11  # a tenth of a second of work is a long pause
    assert not pace.is_due()
    now = 100.4
    assert not pace.is_due()
    now = 100.51
    assert pace.is_due()


def test_a_run_that_goes_on_is_shown_as_it_goes_and_stops_at_the_key(bench: Bench, loop: Path) -> None:
    async def script(pilot: P) -> None:
        await start(pilot)
        await pilot.press("c")
        await until(pilot, lambda: bench.load().step > 20 and "RUNNING" in header(pilot))
        await pilot.press("X")
        await settle(pilot)
        await pilot.pause()
        run = bench.load()
        assert run.step < 100_000
        assert f"step {run.step}/" in header(pilot)
        assert said(pilot).startswith("stopped before ")

    bench.play(script, loop)


# Pause marks


def test_a_pause_mark_is_on_the_box_in_the_outline_and_in_node_and_is_kept(bench: Bench, loop: Path) -> None:
    async def mark(pilot: P) -> None:
        await press(pilot, "j", "p")
        assert said(pilot) == "weigh is marked: c pauses after it"
        for _ in range(3):
            await press(pilot, "z")
            graph = workbench(pilot).panes.graph_view
            (box,) = [line for line in widget_lines(graph) if "weigh" in line]
            assert "‖" in box, graph.zoom
        await press(pilot, "4")
        assert "‖ c pauses after it" in text(pilot)
        await press(pilot, "1", "O")
        outlined = [line for line in widget_lines(workbench(pilot).panes.outline) if "R weigh" in line]
        assert "‖R weigh" in outlined[0]

    async def look(pilot: P) -> None:
        assert workbench(pilot).runs.pauses.nodes == {"weigh"}
        await start(pilot)
        await press(pilot, "c")
        assert bench.nodes() == ["think", "weigh"]
        await press(pilot, "1")
        workbench(pilot).surface.select("weigh")
        await press(pilot, "p")
        assert said(pilot) == "weigh is unmarked: c runs on after it"

    async def look_again(pilot: P) -> None:
        assert workbench(pilot).runs.pauses.nodes == frozenset()

    bench.play(mark, loop)
    bench.play(look, loop)
    bench.play(look_again, loop)


def test_nothing_pauses_after_the_end(bench: Bench, loop: Path) -> None:
    async def script(pilot: P) -> None:
        workbench(pilot).runs.pauses.toggle(END)
        assert said(pilot) == "! a run ends at END: it cannot pause there"
        assert workbench(pilot).runs.pauses.nodes == frozenset()

    bench.play(script, loop)


# Keys typed ahead


def test_what_is_typed_ahead_on_the_home_screen_goes_into_the_field_of_the_dialog(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bench.folder)

    async def script(pilot: P) -> None:
        type_ahead(pilot, *"acafe.toml")
        await until(pilot, lambda: isinstance(pilot.app.screen, NewGraph))
        field = dialog(pilot, NewGraph).query_one(Input)
        await until(pilot, lambda: field.value == "cafe.toml")
        type_ahead(pilot, "enter", "a", *"tool", "enter")  # and on, through the graph that it opens
        await until(pilot, lambda: isinstance(pilot.app.screen, FormDialog))
        assert list(workbench(pilot).file.design.nodes) == ["tool"]

    bench.play(script)
    assert (bench.folder / "cafe.toml").exists()


def test_what_is_typed_ahead_in_design_goes_into_the_list_of_types(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        type_ahead(pilot, *"atool")
        await until(pilot, lambda: isinstance(pilot.app.screen, Pick))
        await until(pilot, lambda: dialog(pilot, Pick).query_one(Input).value == "tool")

    bench.play(script, bench.graph(REFUND.read_text(encoding="utf-8")), design=True)


def test_a_key_pressed_while_the_form_of_the_run_closes_runs_a_node(bench: Bench, loop: Path) -> None:
    async def script(pilot: P) -> None:
        type_ahead(pilot, "c", "ctrl+j", "s")
        await until(pilot, lambda: workbench(pilot).header.step == 1)
        await settle(pilot)
        assert "still running" not in said(pilot)
        assert bench.nodes() == ["think"]

    bench.play(script, loop)


# Passing words


def test_any_key_ends_what_was_said_before(bench: Bench, loop: Path) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "p")
        assert "is marked" in said(pilot)
        await press(pilot, "f12")
        assert said(pilot).startswith("HINT")

    bench.play(script, loop)


def test_nothing_is_said_of_an_edge_that_is_not_selected_any_more(bench: Bench, loop: Path) -> None:
    async def script(pilot: P) -> None:
        screen = workbench(pilot)
        screen.panes.graph_view.selection.select_edge(0)
        screen.panes.graph_view.post_message(
            type(screen.panes.graph_view).Selected(screen.panes.graph_view, "think", 0)
        )
        await pilot.pause()
        assert said(pilot).startswith("edge 1 of 1")
        screen.surface.select("weigh")
        assert said(pilot).startswith("HINT")

    bench.play(script, loop)
