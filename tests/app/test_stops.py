"""Going from stop to stop in the past of a run: changes of watches, and hits of breakpoints."""

from __future__ import annotations

import pytest

from stepgraph import Breakpoint, StoreError, Watch
from stepgraph.runs.debug.kept import KeptDebugging
from stepgraph.runs.debug.watches import read_watches
from stepgraph.stores.base import StateStore
from stepgraph_tui.screens.workbench import watch_controller
from tests.app.bench import REFUND, Bench, P, header, press, said, settle, until, workbench
from tests.app.test_watches import ADDING, COUNT, counted


async def jump(pilot: P, key: str) -> int:
    """Press a key, and say which step is viewed once the run is read."""
    await press(pilot, key)
    watches = workbench(pilot).controllers.watches
    await until(pilot, lambda: not watches.is_reading)
    await settle(pilot)
    return viewed(pilot)


def viewed(pilot: P) -> int:
    moment = workbench(pilot).runs.shown.moment
    assert moment is not None
    return moment.step


@pytest.fixture
def read_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run is read by a thread, however short it is: keys may come meanwhile."""
    monkeypatch.setattr(watch_controller, "FEW", 0)


def test_the_line_says_what_each_stop_is_and_at_the_ends_that_there_is_none(bench: Bench) -> None:
    path = counted(bench, "word", "n > 6")

    async def script(pilot: P) -> None:
        workbench(pilot).runs.thread.breakpoints.items = (Breakpoint("changes", path="n", when="n == 3"),)
        assert await jump(pilot, "left_curly_bracket") == 7
        assert said(pilot) == "step 7: n > 6 changed"
        assert "VIEWING 7" in header(pilot)
        assert await jump(pilot, "left_curly_bracket") == 6
        assert await jump(pilot, "left_curly_bracket") == 4
        assert said(pilot) == "step 4: breakpoint hit: n changes when n == 3"
        assert await jump(pilot, "left_curly_bracket") == 3
        assert await jump(pilot, "left_curly_bracket") == 3
        assert said(pilot) == "! nothing before step 3: no watch changes there, no breakpoint is hit"
        for step in (4, 6, 7, 7):
            assert await jump(pilot, "right_curly_bracket") == step
        assert said(pilot).startswith("! nothing after step 7")
        await press(pilot, "escape")
        assert "VIEWING" not in header(pilot)

    bench.play(script, path, run="r-1")


def test_in_the_tab_of_watches_only_the_selected_one_is_stopped_at(bench: Bench) -> None:
    path = counted(bench, "n", "word")

    async def script(pilot: P) -> None:
        await press(pilot, "7", "j")
        assert await jump(pilot, "left_curly_bracket") == 6
        assert await jump(pilot, "left_curly_bracket") == 3
        await jump(pilot, "left_curly_bracket")
        assert said(pilot) == "! word does not change before step 3"
        await press(pilot, "k")
        assert await jump(pilot, "right_curly_bracket") == 4
        assert said(pilot) == "step 4: n changed"

    bench.play(script, path, run="r-1")


def test_nothing_runs_where_the_past_is_viewed(bench: Bench) -> None:
    path = counted(bench, "n", steps=4)

    async def script(pilot: P) -> None:
        assert await jump(pilot, "left_curly_bracket") == 3
        await press(pilot, "s")
        assert said(pilot).startswith("! back at the latest step")
        assert bench.load().step == 4

    bench.play(script, path, run="r-1")


def test_without_watches_and_breakpoints_the_keys_say_how_to_get_some(bench: Bench) -> None:
    path = counted(bench)

    async def script(pilot: P) -> None:
        await until(pilot, lambda: workbench(pilot).controllers.watches.is_loaded)
        await press(pilot, "left_curly_bracket")
        assert "nothing to stop at: w in State watches a value" in said(pilot)

    bench.play(script, path, run="r-1")


def test_without_a_run_there_is_nothing_to_view(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "left_curly_bracket")
        assert said(pilot) == "! there are no steps yet"

    bench.play(script, REFUND)


@pytest.mark.parametrize("few", [0, 5, 500])
def test_jumps_land_where_a_scan_of_the_run_finds_changes_whoever_reads_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(watch_controller, "FEW", few)
    path = bench.trusted(COUNT.replace("n >= 8", "n >= 40"), "count.toml", adding=ADDING)
    run = bench.run(path, steps=40)
    watch = Watch("word")
    KeptDebugging(path).add(watch)
    scanned = [step for step in range(41) if read_watches(run, [watch], step)[0].is_changed]
    assert len(scanned) > 10

    async def script(pilot: P) -> None:
        before = [step for step in scanned if step < 40]
        assert [await jump(pilot, "left_curly_bracket") for _ in before] == before[::-1]
        after = [step for step in scanned if step > before[0]]
        assert [await jump(pilot, "right_curly_bracket") for _ in after] == after

    bench.play(script, path, run="r-1")


@pytest.mark.usefixtures("read_aside")
def test_keys_that_come_while_the_run_is_read_are_all_done(bench: Bench) -> None:
    path = counted(bench, "n")

    async def script(pilot: P) -> None:
        await pilot.press("left_curly_bracket", "left_curly_bracket")
        assert await jump(pilot, "left_curly_bracket") == 5

    bench.play(script, path, run="r-1")


def test_what_was_added_counts_from_the_next_key_on(bench: Bench) -> None:
    path = counted(bench, "word")

    async def script(pilot: P) -> None:
        assert await jump(pilot, "left_curly_bracket") == 6
        await press(pilot, "escape", "2", "v", "w")
        assert await jump(pilot, "left_curly_bracket") == 7
        assert said(pilot) == "step 7: n changed"

    bench.play(script, path, run="r-1")


@pytest.mark.usefixtures("read_aside")
def test_what_is_added_while_the_run_is_read_counts_for_the_keys_that_wait(bench: Bench) -> None:
    path = counted(bench, "word")

    async def script(pilot: P) -> None:
        watches = workbench(pilot).controllers.watches
        watches.load()
        watches.action_jump(-1)
        assert watches.is_reading
        watches.add("n")
        watches.action_jump(-1)
        await until(pilot, lambda: not watches.is_reading)
        assert viewed(pilot) == 6

    bench.play(script, path, run="r-1")


@pytest.mark.usefixtures("read_aside")
def test_a_run_that_cannot_be_read_is_told_and_the_next_key_tries_again(bench: Bench) -> None:
    path = counted(bench, "word")

    def refused() -> StateStore:
        raise StoreError("the store is away", hint="bring it back")

    async def script(pilot: P) -> None:
        context = workbench(pilot)._shared
        connect, context.connect = context.connect, refused
        assert await jump(pilot, "left_curly_bracket") == 8
        assert said(pilot) == "✗ the store is away (bring it back)"
        context.connect = connect
        assert await jump(pilot, "left_curly_bracket") == 6

    bench.play(script, path, run="r-1")
