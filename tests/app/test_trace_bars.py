"""Bars in the trace: how long each step worked, and how long it waited for a person."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph import END, Decision, Executor, StateGraph
from stepgraph.files import read_graph
from stepgraph.runs.timeline import Timeline
from stepgraph.stores.ledger import Row
from stepgraph.testing import FakeClock
from stepgraph_tui.widgets.trace import TracePane
from stepgraph_tui.widgets.trace.bars import WAIT, WORK, bar_length, bar_spans, bar_titles
from stepgraph_tui.widgets.trace.columns import TITLES, Needs, StepCells
from tests.app.bench import Bench, P, press, text
from tests.app.playing import play, screen_lines
from tests.app.telling import Driven, Host, told
from tests.examples import examples

REFUND = Path(__file__).parents[2] / "graphs" / "refund_triage.toml"
SECONDS = st.floats(0, 1e9)


@given(SECONDS, SECONDS, SECONDS, st.integers(1, 40))
@examples(200)
def test_a_bar_is_never_too_long_grows_with_time_and_shows_whatever_took_any(
    one: float, other: float, more: float, width: int
) -> None:
    longest = max(one, other, more)
    short, long = sorted((one, other))
    lengths = bar_length(short, longest, width), bar_length(long, longest, width)
    assert 0 <= lengths[0] <= lengths[1] <= width
    assert (lengths[0] == 0) == (short == 0)
    if longest:
        assert bar_length(longest, longest, width) == width


@given(st.integers(0, 120), st.integers(0, 120), st.integers(0, 60), st.integers(20, 160))
@examples(200)
def test_bars_take_no_cell_that_changes_need(node: int, edge: int, changed: int, width: int) -> None:
    needs = (
        Needs().with_step(TITLES).with_step(StepCells("1", "n" * node, "e" * edge, "1.0 ms", "c" * changed))
    )
    columns = needs.fit(width, 9, Needs())
    if columns.bar:
        assert columns.changed >= needs.changed
        assert columns.took
    used = columns.indent + columns.node + 3 + columns.edge
    used += sum(2 + cells for cells in (columns.took, columns.changed, columns.bar) if cells)
    assert used <= max(width, columns.indent + 4)


def drawn(step: int, seconds: float, times: Timeline, width: int) -> str:
    text = "".join(text for text, _ in bar_spans(step, seconds, times, width))
    assert len(text) == width
    return text


def test_work_and_waiting_have_scales_of_their_own() -> None:
    rows = [Row(0, "step", 1, "a", duration=0.4), Row(0, "step", 2, "b", duration=0.1)]
    times = Timeline(rows)
    assert drawn(1, 0.4, times, 8) == WORK * 8
    assert drawn(2, 0.1, times, 8) == WORK * 2 + " " * 6
    times.take(Row(0, "review", 3, "ask", at=0.0))
    times.take(Row(0, "decision", 3, "ask", at=4_000.0))
    times.take(Row(0, "step", 3, "ask", duration=0.0001))
    assert drawn(1, 0.4, times, 9) == WORK * 4 + " " * 5
    assert drawn(3, 0.0001, times, 9) == WORK + " " * 4 + WAIT * 4


def waited() -> Driven:
    driven = Driven(read_graph(REFUND))
    while driven.run.status == "ready":
        driven.step()
    driven.clock.advance(600)
    driven.decide(Decision("approve", by="ana"))
    return driven.step(9)


@pytest.mark.parametrize("size", [(100, 9), (120, 20)])
def test_a_wait_is_hatched_beside_the_work_and_totals_are_told(size: tuple[int, int]) -> None:
    moment = waited().now()
    rows = told(TracePane(now=lambda: 0.0), moment, size)
    review = next(row for row in rows if "review" in row and "approved" in row)
    assert review.rstrip().endswith(WAIT * 3)
    assert sum(WAIT * 3 in row for row in rows) == 1
    assert "0.0 ms work, 10m 0s waiting" in rows[-1]
    assert rows[0].split()[-2:] == ["work", "waits"]


@pytest.mark.parametrize("width", [60, 80])
def test_a_low_pane_tells_the_totals_at_the_end_of_its_live_line(width: int) -> None:
    rows = told(TracePane(now=lambda: 0.0), waited().now(), (width, 5))
    assert rows[-1].lstrip().startswith("✓  END")
    assert rows[-1].rstrip().endswith("  0.0 ms work, 10m 0s waiting")
    assert rows[-1].count("work") == 1
    (narrow,) = told(TracePane(now=lambda: 0.0), waited().now(), (40, 5))[-1:]
    assert "END" in narrow
    assert "work" not in narrow  # what the line says comes first


def test_a_reason_is_not_cut_for_the_totals() -> None:
    def fails(state: object) -> None:
        raise ValueError("no such parcel in all the wide world")

    graph = StateGraph("g", start="a")
    graph.add_node("a", lambda state: {})
    graph.add_node("b", fails)
    graph.add_edge("a", "b")
    graph.add_edge("b", END)
    moment = Driven(graph).step(2).now()

    def failed(width: int) -> str:
        rows = told(TracePane(now=lambda: 0.0), moment, (width, 5))
        return next(row.rstrip() for row in reversed(rows) if row.strip())

    assert "on visit 1: no such" in failed(70)
    assert "work" not in failed(70)
    assert failed(120).endswith("  0.0 ms work")
    assert "all the wide world" in failed(120)


def test_a_narrow_column_of_bars_has_one_title() -> None:
    times = Timeline([Row(0, "step", 1, "a", duration=0.4)])
    assert bar_titles(times, 6) == "work"
    times.take(Row(0, "review", 2, "ask", at=0.0))
    times.take(Row(0, "decision", 2, "ask", at=9.0))
    assert [bar_titles(times, width).split() for width in (6, 8, 9)] == [["time"], ["time"], ["work", "wait"]]


def test_where_there_is_no_room_the_changes_keep_theirs() -> None:
    graph = StateGraph("wide", start="a")
    graph.add_node("a", lambda state: {f"a_key_with_a_long_name_{n}": n for n in range(3)})
    graph.add_edge("a", END)
    driven = Driven(graph).step()
    rows = told(TracePane(now=lambda: 0.0), driven.now(), (90, 8))
    step = next(row for row in rows if "+ a_key_with_a_long_name_0" in row)
    assert "+ a_key_with_a_long_name_1" in step
    assert "work" not in rows[0].split()


def test_more_of_a_step_says_how_long_it_waited() -> None:
    driven = waited()
    pane = TracePane(now=lambda: 0.0)
    asked = next(row.step for row in driven.view.rows if row.kind == "review")

    async def look(pilot: Any) -> str:
        pane.moment = driven.at(asked)
        await pilot.pause()
        pane.action_expand()
        await pilot.pause()
        return "\n".join(screen_lines(pilot.app))

    assert "waited   10m 0s for a person" in play(Host(pane), look, (100, 30))


@pytest.mark.parametrize(("size", "bars"), [((80, 24), False), ((120, 40), True)])
def test_in_the_app_the_trace_has_bars_as_soon_as_it_has_the_room(
    bench: Bench, size: tuple[int, int], bars: bool
) -> None:
    clock = FakeClock()
    executor = Executor(read_graph(REFUND).compile(), bench.store, clock=clock, ids=bench.ids)
    run = executor.run(executor.start({}))
    clock.advance(600)
    executor.resume(run.id, Decision("approve", by="ana"))

    async def look(pilot: P) -> tuple[str, str]:
        await press(pilot, "5")
        small = text(pilot)
        await press(pilot, "plus")
        return small, text(pilot)

    small, large = bench.play(look, REFUND, run=run.id, size=size)
    assert "0.0 ms work, 10m 0s waiting" in small
    assert "0.0 ms work, 10m 0s waiting" in large
    assert "~ payment ~" in small
    assert "~ payment ~" in large
    assert WAIT * 3 not in small
    assert (WAIT * 3 in large) == bars
