"""The list of all runs, played through with keys and the mouse."""

from __future__ import annotations

from textual.widgets import Static

from bench.graphs import FAILS
from stepgraph_tui.dialogs.pages import DamagePage
from stepgraph_tui.dialogs.questions import Confirm
from stepgraph_tui.dialogs.run_form import ForkForm
from stepgraph_tui.screens.runs import RunsScreen
from stepgraph_tui.screens.workbench import Workbench
from stepgraph_tui.widgets.run_list import RunList
from tests.app.bench import (
    LARGE,
    REFUND,
    SIZES,
    Bench,
    P,
    dialog,
    press,
    settle,
    text,
    until,
    workbench,
)
from tests.app.filling import field_in_focus, fill, form_on_top
from tests.app.looping import CODE, LOOP
from tests.stores.forging import forged

WALK = """
format = 1
name = "walk"
start = "one"
[state.n]
type = "number"
default = 1
[nodes.one]
type = "router"
key = "n"
threshold = 5
high = "much"
low = "little"
[nodes.two]
type = "router"
key = "n"
threshold = 5
high = "much"
low = "little"
[[edges]]
from = "one"
to = "two"
[[edges]]
from = "two"
to = "END"
"""


def screen(pilot: P) -> RunsScreen:
    return dialog(pilot, RunsScreen)


def listed(pilot: P) -> list[str]:
    """The ids of what is listed, from top to bottom."""
    return [branch.run.head.id for branch in screen(pilot).query_one(RunList).branches]


def selected(pilot: P) -> str | None:
    run = screen(pilot).selected
    return run.head.id if run is not None else None


def shown_run(pilot: P) -> str | None:
    """The run in the workbench."""
    run = workbench(pilot).runs.shown.run
    return run.id if run is not None else None


def hint(pilot: P) -> str:
    return str(screen(pilot).query_one(".hint", Static).content)


def title(pilot: P) -> str:
    return text(pilot).splitlines()[0]


def ordered_by(pilot: P) -> str:
    """What the title says that the runs are sorted by; the count of reviews that wait is at its right end."""
    left, _, waiting = title(pilot).rpartition("  gi ")
    assert waiting.split()[0].isdigit()
    return left.partition("   by ")[2].rstrip()


async def look(pilot: P) -> None:
    """Let the screen look at the store, as it does each second."""
    screen(pilot).look()
    await pilot.pause()


def three_runs(bench: Bench) -> None:
    """r-1 waits for a person, r-2 is ready at its second node, r-3 is a fork of r-2."""
    executor = bench.executor(REFUND)
    executor.run(executor.start({}))
    walk = bench.executor(bench.graph(WALK))
    run = walk.start({})
    walk.step(run)
    walk.fork(run.id)


def test_the_mouse_selects_folds_and_opens(bench: Bench) -> None:
    three_runs(bench)

    async def script(pilot: P) -> None:
        await press(pilot, "g r", "slash", *"walk", "enter")
        await pilot.click(RunList, offset=(20, 2))
        assert selected(pilot) == "r-3"
        await pilot.click(RunList, offset=(4, 1))
        assert (selected(pilot), listed(pilot)) == ("r-2", ["r-2"])
        await pilot.click(RunList, offset=(4, 1))
        assert listed(pilot) == ["r-2", "r-3"]
        await pilot.click(RunList, offset=(20, 2), times=2)
        await settle(pilot)
        assert shown_run(pilot) == "r-3"

    bench.play(script)


@SIZES
def test_a_click_on_a_title_sorts_by_it(bench: Bench, size: tuple[int, int]) -> None:
    three_runs(bench)
    titles = {"RUN": "run", "GRAPH": "graph", "STATUS": "status", "CHANGED": "last changed"}

    async def script(pilot: P) -> None:
        await press(pilot, "g r")
        (y,) = [at for at, line in enumerate(text(pilot).splitlines()) if "WHERE IT STANDS" in line]
        line = text(pilot).splitlines()[y]
        for title, order in (titles | ({"STARTED": "last started"} if "STARTED" in line else {})).items():
            await pilot.click(offset=(line.index(title), y))
            await pilot.pause()
            assert ordered_by(pilot) == order
        await pilot.click(offset=(line.index("STEP"), y))
        await pilot.pause()
        assert ordered_by(pilot) == order

    bench.play(script, size=size)


# What is done with a run


def test_a_failed_run_is_retried(bench: Bench) -> None:
    path = bench.graph(FAILS)
    executor = bench.executor(path)
    executor.run(executor.start({}))

    async def script(pilot: P) -> None:
        await press(pilot, "g r", "c")
        assert "it has failed: r retries it" in hint(pilot)
        before = len(bench.store.rows("r-1"))
        await press(pilot, "r", "y")
        await until(pilot, lambda: isinstance(pilot.app.screen, Workbench))
        await settle(pilot)
        assert len(bench.store.rows("r-1")) > before

    bench.play(script)


def test_a_fork_is_made_from_a_step_that_is_written_with_another_state(bench: Bench) -> None:
    bench.run(bench.trusted(LOOP, work=CODE), steps=4)

    async def script(pilot: P) -> None:
        await press(pilot, "g r", "f")
        form_on_top(pilot, ForkForm)
        assert field_in_focus(pilot).text == "3", "the last step that a run can go on from"
        assert "will run again: pay." in text(pilot)
        for step, refusal in {
            "4": "the run ended there: take an earlier step",
            "7": "takes a step from 0, the start, to 4",
            "9" * 12: "takes a step from 0",
        }.items():
            await fill(pilot, "", **{"after step": step})
            assert refusal in text(pilot)
        await fill(pilot, "", **{"after step": "1"})
        await until(pilot, lambda: "work 2 times" in text(pilot))
        for words in ("will run again: work 2 times, pay.", "! pay has side effects: they happen again"):
            assert words in text(pilot)
        await fill(pilot, count="2", **{"run id": "mine"})
        dialog(pilot, Confirm)
        assert "Fork run r-1 after step 1?" in text(pilot)
        assert "~ count 1 → 2" in text(pilot)
        await press(pilot, "y")
        assert selected(pilot) == "mine"
        assert "mine continues from r-1 after step 1: nothing has run yet" in hint(pilot)
        await press(pilot, "g l")
        shown = text(pilot)
        assert "stepgraph fork r-1 --at 1 --set count=2 --run-id mine" in shown
        assert "hunter2" not in shown

    bench.play(script, size=LARGE)
    made = bench.load("mine")
    assert (made.current, made.step, made.values["count"]) == ("work", 1, 2)
    assert bench.store.rows("mine")[-1].data == {
        "by": "ana",
        "comment": "given when it was forked from r-1@1",
    }
    assert bench.load("r-1").step == 4


def test_deleting_or_ending_a_run_that_waits_is_in_the_audit(bench: Bench) -> None:
    executor = bench.executor(REFUND)
    for _ in range(2):
        executor.run(executor.start({}))

    async def script(pilot: P) -> None:
        await press(pilot, "g r", "g g", "d", "y")
        await press(pilot, "g g", "X", "y")

    bench.play(script)
    entries = [link.entry for link in bench.store.audit()]
    assert [(each["verb"], each["source"]) for each in entries] == [("delete", "app"), ("stop", "app")]
    assert {each["what"] for each in entries} == {"withdrawn"}
    assert all(each["by"] for each in entries)


# From and to the workbench


def damage(bench: Bench, run_id: str) -> None:
    with forged(bench.folder / "runs.db") as db:
        db.execute("UPDATE runs SET status = 'asleep', version = version + 1 WHERE id = ?", (run_id,))


def test_a_damaged_run_hides_no_other_and_tells_what_to_do(bench: Bench) -> None:
    three_runs(bench)

    async def script(pilot: P) -> None:
        await press(pilot, "g r")
        damage(bench, "r-1")
        await look(pilot)
        assert listed(pilot) == ["r-2", "r-3"]
        assert "2 ready, 1 damaged" in title(pilot)
        assert selected(pilot) is not None
        await press(pilot, "g g")
        assert selected(pilot) is None
        row = next(line for line in text(pilot).splitlines() if "r-1" in line)
        assert row.split()[:5] == ["▸", "r-1", "damaged", "its", "entry"]
        assert "It cannot be read: Enter shows what is known, and what to do." in hint(pilot)
        for key in ("c", "r", "f", "X", "equals_sign"):
            await press(pilot, key)
            assert "r-1: it is damaged: Enter shows what to do" in hint(pilot)
        await press(pilot, "space", "h", "l", "enter")
        page = dialog(pilot, DamagePage)
        assert "stepgraph doctor --repair" in page.text()
        assert "In the list, d deletes what is left of it." in text(pilot)
        await press(pilot, "escape", "slash", *"graph:walk")
        assert "its entry" not in text(pilot)
        await press(pilot, "ctrl+u", *"status:dam", "enter")
        assert listed(pilot) == []
        await pilot.click(RunList, offset=(20, 1), times=2)
        await settle(pilot)
        dialog(pilot, DamagePage)
        await press(pilot, "escape", "escape", "escape")
        assert listed(pilot) == ["r-2", "r-3"]

    bench.play(script)


# What is in runs


def test_a_filter_that_looks_into_runs_reads_them_beside_the_list(bench: Bench) -> None:
    path = bench.graph(WALK)
    for n in (1, 7, 9):
        bench.run(path, {"n": n})

    async def script(pilot: P) -> None:
        await press(pilot, "g r", "slash", *"state.n>5")
        await until(pilot, lambda: set(listed(pilot)) == {"r-2", "r-3"})
        assert "2 of 3 runs" in text(pilot)
        await press(pilot, *" text:much steps<1")
        await until(pilot, lambda: not listed(pilot))
        await press(pilot, "ctrl+u", *"walk")
        assert len(listed(pilot)) == 3
        await press(pilot, "ctrl+u", *"state.n>5")
        await until(pilot, lambda: set(listed(pilot)) == {"r-2", "r-3"})
        await press(pilot, "escape", "escape")
        assert len(listed(pilot)) == 3

    bench.play(script, size=LARGE)


def test_what_is_no_filter_is_told(bench: Bench) -> None:
    bench.run(bench.graph(WALK))

    async def script(pilot: P) -> None:
        await press(pilot, "g r", "slash", *"cost>1.2.3")
        assert "1.2.3 is not a number" in text(pilot)

    bench.play(script, size=LARGE)


def test_a_filter_is_kept_under_a_name_and_chosen_again(bench: Bench) -> None:
    path = bench.graph(WALK)
    for n in (1, 7):
        bench.run(path, {"n": n})

    async def script(pilot: P) -> None:
        await press(pilot, "g r", "v")
        assert "Write a filter first" in text(pilot)
        await press(pilot, "escape", "slash", *"state.n>5", "enter", "v", *"big", "enter")
        await until(pilot, lambda: "kept: big" in text(pilot))
        await press(pilot, "escape")
        assert len(listed(pilot)) == 2
        await press(pilot, "v", *"big", "enter")
        await until(pilot, lambda: listed(pilot) == ["r-2"])
        await press(pilot, "v", *"forget", "enter")
        assert "forgotten: big" in text(pilot)

    bench.play(script, size=LARGE)


def test_totals_of_the_listed_runs_are_one_key_away(bench: Bench) -> None:
    path = bench.graph(WALK)
    for n in (1, 7):
        bench.run(path, {"n": n})

    async def script(pilot: P) -> None:
        await press(pilot, "g r", "z t")
        await until(pilot, lambda: "by day" in text(pilot))
        assert "TOTALS of 2 runs" in text(pilot)
        assert "by graph" in text(pilot)
        assert "walk" in text(pilot)

    bench.play(script, size=LARGE)
