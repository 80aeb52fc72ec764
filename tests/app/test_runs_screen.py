"""The list of all runs, played through with keys and the mouse."""

from __future__ import annotations

import pytest
from textual.widgets import Static

from bench.graphs import FAILS
from stepgraph import Decision, Outcome, RunStatus
from stepgraph.stores import Damage, Listing
from stepgraph.values.errors import UnknownRun
from stepgraph_tui.dialogs.approval import ReviewScreen
from stepgraph_tui.dialogs.comparison import ComparisonPage
from stepgraph_tui.dialogs.damage import DamagePage
from stepgraph_tui.dialogs.fork_form import ForkForm
from stepgraph_tui.dialogs.questions import Confirm
from stepgraph_tui.screens.home import HomeScreen
from stepgraph_tui.screens.runs import RunsScreen
from stepgraph_tui.screens.workbench import Workbench
from stepgraph_tui.text.comparison import ComparedRuns
from stepgraph_tui.widgets.run_list import RunList
from tests.app.bench import (
    LARGE,
    REFUND,
    SIZES,
    Bench,
    P,
    dialog,
    press,
    said,
    settle,
    text,
    until,
    workbench,
)
from tests.app.filling import field_in_focus, fill, form_on_top
from tests.app.gates import GATED, WORK, Gate
from tests.app.test_forking import CODE, LOOP
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
    left, _, waiting = title(pilot).rpartition("  A ")
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


@SIZES
def test_all_runs_are_listed_with_where_they_stand(bench: Bench, size: tuple[int, int]) -> None:
    three_runs(bench)

    async def script(pilot: P) -> None:
        await press(pilot, "R")
        seen = text(pilot)
        assert title(pilot).startswith(" Runs   3 runs: 1 paused, 2 ready   by last changed")
        for words in ("paused  4/30  review, high risk", "next: two", "└─ r-3"):
            assert words in seen
        assert ("STARTED" in seen) == (size == LARGE)
        assert "CHANGED" in seen

    bench.play(script, size=size)


def test_nothing_is_there_yet(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "R")
        assert "There are no runs yet. Open a graph to start one." in text(pilot)
        await press(pilot, *"jkgGhl=crfXdyY", "space", "enter", "slash")
        await press(pilot, "x", "escape", "escape", "q")
        assert isinstance(pilot.app.screen, HomeScreen)

    bench.play(script)


def test_moving_folding_and_opening(bench: Bench) -> None:
    three_runs(bench)

    async def script(pilot: P) -> None:
        await press(pilot, "R")
        assert sorted(listed(pilot)) == ["r-1", "r-2", "r-3"]
        await press(pilot, "g", "slash", *"walk", "enter")
        assert listed(pilot) == ["r-2", "r-3"]
        await press(pilot, "j")
        assert selected(pilot) == "r-3"
        assert "forked from r-2@1" in hint(pilot)
        await press(pilot, "h")
        assert selected(pilot) == "r-2"
        await press(pilot, "h")
        assert listed(pilot) == ["r-2"]
        assert "▸ r-2 +1" in text(pilot)
        await press(pilot, "l", "l")
        assert (listed(pilot), selected(pilot)) == (["r-2", "r-3"], "r-3")
        await press(pilot, "enter")
        assert shown_run(pilot) == "r-3"
        await press(pilot, "q")
        assert selected(pilot) == "r-3"

    bench.play(script)


def test_the_mouse_selects_folds_and_opens(bench: Bench) -> None:
    three_runs(bench)

    async def script(pilot: P) -> None:
        await press(pilot, "R", "slash", *"walk", "enter")
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


def test_filters_take_fields_and_escape_takes_them_back(bench: Bench) -> None:
    three_runs(bench)

    async def script(pilot: P) -> None:
        await press(pilot, "R", "slash")
        for written, found in {
            "status:paused": ["r-1"],
            "status:ready": ["r-2", "r-3"],
            "graph:refund": ["r-1"],
            "node:two walk": ["r-2", "r-3"],
            "node:two status:paused": [],
            "r-3": ["r-3"],
            "HIGH": [],
        }.items():
            await press(
                pilot, "ctrl+u", *(("colon" if c == ":" else "space" if c == " " else c) for c in written)
            )
            assert listed(pilot) == found, written
        assert "No run matches." in text(pilot)
        assert "Esc twice: all again" in hint(pilot)
        await press(pilot, "escape")
        assert hint(pilot) == "Esc takes the filter away."
        assert pilot.app.focused is screen(pilot).query_one(RunList)
        await press(pilot, "escape")
        assert len(listed(pilot)) == 3

    bench.play(script)


def test_what_others_do_is_shown_and_moves_no_cursor(bench: Bench) -> None:
    three_runs(bench)

    async def script(pilot: P) -> None:
        await press(pilot, "R", "G")
        here, order = selected(pilot), listed(pilot)
        executor = bench.executor(REFUND)
        executor.start({})
        await look(pilot)
        assert selected(pilot) == here
        assert sorted(listed(pilot)) == ["r-1", "r-2", "r-3", "r-4"]
        executor.decide("r-1", Decision.approve(by="ana"))
        await look(pilot)
        assert "next: review" in text(pilot)
        assert [run for run in listed(pilot) if run in order] == order, "what changes stays in its place"
        assert bench.store.delete_runs({str(here): bench.store.versions()[str(here)]})
        await look(pilot)
        assert here not in listed(pilot)
        assert selected(pilot) in order
        for run_id, version in bench.store.versions().items():
            bench.store.delete_runs({run_id: version})
        await look(pilot)
        assert "There are no runs yet" in text(pilot)
        executor.start({})
        await look(pilot)
        assert selected(pilot) == "r-5"

    bench.play(script)


def test_sorting_goes_round_and_the_cursor_stays_on_its_run(bench: Bench) -> None:
    three_runs(bench)

    async def script(pilot: P) -> None:
        await press(pilot, "R", "G")
        here = selected(pilot)
        orders = []
        for _ in range(5):
            orders.append((ordered_by(pilot), listed(pilot)))
            await press(pilot, "s")
            assert selected(pilot) == here
        assert [name for name, _ in orders] == ["last changed", "last started", "status", "graph", "run"]
        assert dict(orders)["status"][0] == "r-1"
        assert dict(orders)["run"] == ["r-1", "r-2", "r-3"]
        assert ordered_by(pilot) == "last changed"

    bench.play(script)


@SIZES
def test_a_click_on_a_title_sorts_by_it(bench: Bench, size: tuple[int, int]) -> None:
    three_runs(bench)
    titles = {"RUN": "run", "GRAPH": "graph", "STATUS": "status", "CHANGED": "last changed"}

    async def script(pilot: P) -> None:
        await press(pilot, "R")
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


def test_a_long_list_keeps_the_row_of_the_cursor_when_runs_come(bench: Bench) -> None:
    walk = bench.executor(bench.graph(WALK))
    for _ in range(60):
        walk.start({})

    async def script(pilot: P) -> None:
        await press(pilot, "R", *["s"] * 1, "pagedown", "pagedown", "k", "k")
        lines = screen(pilot).query_one(RunList).lines
        here, row = selected(pilot), lines.at - lines.top
        for _ in range(3):
            walk.start({})
        await look(pilot)
        assert (selected(pilot), lines.at - lines.top) == (here, row)
        assert len(listed(pilot)) == 63

    bench.play(script)


# What is done with a run


def test_a_ready_run_is_continued_in_debug_after_a_question(bench: Bench) -> None:
    bench.run(bench.graph(WALK))

    async def script(pilot: P) -> None:
        await press(pilot, "R", "c")
        assert "Continue run r-1 in Debug? one runs next." in text(pilot)
        await press(pilot, "n")
        assert bench.load().step == 0
        await press(pilot, "c", "y")
        await until(pilot, lambda: isinstance(pilot.app.screen, Workbench))
        await settle(pilot)
        assert bench.load().status is RunStatus.ENDED

    bench.play(script)


def test_a_paused_run_is_opened_at_its_review(bench: Bench) -> None:
    executor = bench.executor(REFUND)
    executor.run(executor.start({}))

    async def script(pilot: P) -> None:
        await press(pilot, "R", "c")
        await until(pilot, lambda: isinstance(pilot.app.screen, ReviewScreen))
        assert bench.load().status is RunStatus.PAUSED

    bench.play(script)


def test_a_failed_run_is_retried(bench: Bench) -> None:
    path = bench.graph(FAILS)
    executor = bench.executor(path)
    executor.run(executor.start({}))

    async def script(pilot: P) -> None:
        await press(pilot, "R", "c")
        assert "it has failed: r tries that again" in hint(pilot)
        before = len(bench.store.rows("r-1"))
        await press(pilot, "r", "y")
        await until(pilot, lambda: isinstance(pilot.app.screen, Workbench))
        await settle(pilot)
        assert len(bench.store.rows("r-1")) > before

    bench.play(script)


def test_a_fork_is_made_from_a_step_that_is_written_with_another_state(bench: Bench) -> None:
    bench.run(bench.trusted(LOOP, work=CODE), steps=4)

    async def script(pilot: P) -> None:
        await press(pilot, "R", "f")
        form_on_top(pilot, ForkForm)
        assert field_in_focus(pilot).text == "3", "the last step that a run can go on from"
        assert "these run again: pay." in text(pilot)
        for step, refusal in {
            "4": "the run ended there: take an earlier step",
            "7": "takes a step from 0, the start, to 4",
            "9" * 12: "takes a step from 0",
        }.items():
            await fill(pilot, "", **{"after step": step})
            assert refusal in text(pilot)
        await fill(pilot, "", **{"after step": "1"})
        await until(pilot, lambda: "work 2 times" in text(pilot))
        for words in ("these run again: work 2 times, pay.", "! pay has side effects: they happen again"):
            assert words in text(pilot)
        await fill(pilot, count="2", **{"run id": "mine"})
        dialog(pilot, Confirm)
        assert "Fork run r-1 after step 1?" in text(pilot)
        assert "~ count 1 → 2" in text(pilot)
        await press(pilot, "y")
        assert selected(pilot) == "mine"
        assert "mine goes on from r-1 after step 1: nothing has run yet" in hint(pilot)
        await press(pilot, "at")
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


@pytest.mark.parametrize("is_edited", [True, False])
def test_a_fork_from_where_a_run_stood_is_made_of_what_was_seen_or_not_at_all(
    bench: Bench, is_edited: bool
) -> None:
    executor = bench.executor(bench.graph(WALK))
    run = executor.start({})
    executor.step(run)
    if is_edited:
        run = executor.edit(run.id, {"n": 7}, by="ben")

    async def script(pilot: P) -> None:
        await press(pilot, "R", "f")
        executor.step(run)
        await press(pilot, "enter")
        if is_edited:
            assert "run 'r-1' has moved on meanwhile (look, then try again)" in hint(pilot)
            await press(pilot, "f", "enter")
        assert selected(pilot) == "r-2"

    bench.play(script)
    made = bench.load("r-2")
    assert (made.current, made.step) == ("two", 1)


def test_a_run_that_goes_on_elsewhere_is_ended_all_the_same_but_not_one_that_waits_since(
    bench: Bench,
) -> None:
    executor = bench.executor(REFUND)
    run = executor.start({})

    async def script(pilot: P) -> None:
        await press(pilot, "R", "X")
        executor.run(run)
        await press(pilot, "y")
        assert "run 'r-1' has moved on meanwhile" in hint(pilot)
        assert bench.load().status is RunStatus.PAUSED
        other = executor.start({})
        await look(pilot)
        await press(pilot, "g", "s", "s", "slash", *"r-2", "enter", "X")
        executor.step(other)
        await press(pilot, "y")
        assert "r-2 was ended where it stood" in hint(pilot)

    bench.play(script)
    assert (bench.load("r-2").outcome, bench.load("r-2").step) == (Outcome.STOPPED, 1)


def test_a_run_that_waits_is_ended_and_its_review_withdrawn(bench: Bench) -> None:
    executor = bench.executor(REFUND)
    executor.run(executor.start({}))

    async def script(pilot: P) -> None:
        await press(pilot, "R", "X")
        assert "End run r-1 where it stands (review asks)?" in text(pilot)
        assert "Its review is withdrawn." in " ".join(text(pilot).replace("┃", " ").split())
        await press(pilot, "y")
        assert "r-1 was ended where it stood" in hint(pilot)
        assert "where it was stopped" in text(pilot)
        await press(pilot, "X")
        assert "r-1: it has ended already" in hint(pilot)

    bench.play(script)
    stored = bench.store.load("r-1")
    assert (stored.pointer.status, stored.pointer.outcome) == (RunStatus.ENDED, Outcome.STOPPED)
    assert (bench.store.rows("r-1")[-1].data or {})["by"] == "ana"


def gone(bench: Bench, run_id: str) -> bool:
    try:
        bench.store.load(run_id)
    except UnknownRun:
        return True
    return False


def test_deleting_asks_names_the_run_and_tells_of_its_forks(bench: Bench) -> None:
    three_runs(bench)

    async def script(pilot: P) -> None:
        await press(pilot, "R", "slash", *"walk", "enter", "d")
        assert isinstance(pilot.app.screen, Confirm)
        for words in ("Delete run r-2?", "walk: ready, next: two, 1 step", "1 run was forked from it"):
            assert words in " ".join(text(pilot).split()), words
        await press(pilot, "enter")
        assert not gone(bench, "r-2")
        await press(pilot, "delete", "y")
        assert gone(bench, "r-2")
        assert "r-2 is deleted" in hint(pilot)
        assert (listed(pilot), selected(pilot)) == (["r-3"], "r-3")
        await press(pilot, "j")
        assert "forked from r-2@1, which is gone" in hint(pilot)
        await press(pilot, "at")
        assert "stepgraph runs delete r-2 --yes" in text(pilot)

    bench.play(script)
    assert bench.load("r-3").current == "two"


def test_deleting_or_ending_a_run_that_waits_is_in_the_audit(bench: Bench) -> None:
    executor = bench.executor(REFUND)
    for _ in range(2):
        executor.run(executor.start({}))

    async def script(pilot: P) -> None:
        await press(pilot, "R", "g", "d", "y")
        await press(pilot, "g", "X", "y")

    bench.play(script)
    entries = [link.entry for link in bench.store.audit()]
    assert [(each["verb"], each["source"]) for each in entries] == [("delete", "app"), ("stop", "app")]
    assert {each["what"] for each in entries} == {"withdrawn"}
    assert all(each["by"] for each in entries)


def test_a_run_that_moves_while_one_is_asked_is_not_deleted(bench: Bench) -> None:
    path = bench.graph(WALK)
    run = bench.run(path)

    async def script(pilot: P) -> None:
        await press(pilot, "R", "d")
        bench.executor(path).step(run)
        await press(pilot, "y")
        assert "r-1 moved on meanwhile, and was not deleted" in hint(pilot)
        assert not gone(bench, "r-1")
        await press(pilot, "d", "y")
        assert gone(bench, "r-1")

    bench.play(script)


def test_marks_are_taken_away_and_delete_nothing(bench: Bench) -> None:
    three_runs(bench)

    async def script(pilot: P) -> None:
        await press(pilot, "R", "g", "space", "space")
        assert "2 marked" in title(pilot)
        here = selected(pilot)
        await press(pilot, "d")
        assert f"Delete run {here}?" in text(pilot)
        await press(pilot, "y")
        assert "2 marked" in title(pilot)
        await press(pilot, "escape")
        assert "marked" not in title(pilot)
        assert (len(listed(pilot)), here in listed(pilot)) == (2, False)

    bench.play(script)


def test_two_marked_runs_are_compared(bench: Bench) -> None:
    three_runs(bench)
    walk = bench.executor(bench.graph(WALK))
    walk.run(walk.edit("r-3", {"n": 9}, by="ana"))

    async def script(pilot: P) -> None:
        await press(pilot, "R", "slash", *"walk", "enter", "equals_sign")
        assert "mark two runs with Space, or one and go to the other" in hint(pilot)
        await press(pilot, "space", "equals_sign")
        dialog(pilot, ComparisonPage)
        for words in ("r-3 was forked from r-2 after step 1.", "SAME      step 1", "PART      at step 2"):
            assert words in text(pilot)
        assert "has not gone on" in text(pilot)
        await press(pilot, "q")
        assert selected(pilot) is not None

    bench.play(script)


@pytest.mark.parametrize("width", [20, 75, 115])
def test_a_comparison_loses_no_words_and_tells_long_texts_from_where_they_part(
    bench: Bench, width: int
) -> None:
    executor = bench.executor(bench.graph(WALK))
    for end in ("10 EUR", "5 EUR"):
        executor.edit(executor.start({}).id, {"letter": f"{'in words ' * 40}{end}"}, by="ana")
    told = list(ComparedRuns(bench.store, "r-1", "r-2").lines())
    assert [line.endswith(' EUR"') for line in told].count(True) == 2
    lines = ComparisonPage(bench.store, "r-1", "r-2").lines(width)
    assert max(line.cell_len for line in lines) <= width
    assert "".join("".join(map(str, lines)).split()) == "".join("".join(told).split())


def test_ids_and_commands_are_copied(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.run(bench.graph(WALK))
    copied: list[str] = []

    def copy(app: object, words: str, **settings: object) -> str:
        copied.append(words)
        return "copied"

    monkeypatch.setattr("stepgraph_tui.screens.runs.screen.clipboard.copy", copy)

    async def script(pilot: P) -> None:
        await press(pilot, "R", "y")
        await press(pilot, "Y")
        assert copied == ["r-1", "stepgraph runs show r-1"]

    bench.play(script)


# From and to the workbench


def test_a_workbench_takes_the_run_that_is_chosen_above_it(bench: Bench) -> None:
    path = bench.graph(WALK)
    bench.run(path)
    bench.run(path, steps=1)
    executor = bench.executor(REFUND)
    executor.start({})

    async def script(pilot: P) -> None:
        below = workbench(pilot)
        await press(pilot, "R")
        assert selected(pilot) == "r-1"
        await press(pilot, "slash", *"walk", "enter")
        screen(pilot).query_one(RunList).go_to("r-2")
        await press(pilot, "enter")
        assert pilot.app.screen is below
        assert below.runs.shown.run is not None
        assert below.runs.shown.run.id == "r-2"
        await press(pilot, "R", "slash", *"refund", "enter", "enter")
        assert workbench(pilot) is not below, "another graph opens above"
        await press(pilot, "q")
        assert isinstance(pilot.app.screen, RunsScreen)
        await press(pilot, "R", "q")
        assert pilot.app.screen is below

    bench.play(script, path, run="r-1")


def test_a_run_that_is_looked_at_can_be_deleted_and_the_workbench_says_so(bench: Bench) -> None:
    path = bench.graph(WALK)
    bench.run(path)

    async def script(pilot: P) -> None:
        await press(pilot, "R", "d", "y", "q")
        await until(pilot, lambda: "r-1 was deleted" in text(pilot))
        assert workbench(pilot).runs.shown.run is None
        await press(pilot, "s", "ctrl+j")
        await until(pilot, lambda: workbench(pilot).runs.shown.run is not None)

    bench.play(script, path, run="r-1")


def test_a_run_that_is_driven_in_this_window_is_not_deleted(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = bench.graph(WALK)
    bench.run(path)

    async def script(pilot: P) -> None:
        app = pilot.app
        monkeypatch.setattr(app, "_driven", lambda: {"r-1"})
        await press(pilot, "R")
        for key in ("d", "X"):
            await press(pilot, key)
            assert "being driven in this window: stop it there first" in hint(pilot)
        await press(pilot, "c")
        assert "r-1: it is being driven in this window already: Enter shows it" in hint(pilot)
        assert "runs here: one" in text(pilot)
        assert not gone(bench, "r-1")

    bench.play(script, path, run="r-1")


def test_enter_on_the_run_that_is_driven_goes_back_to_it_and_no_second_one_drives(
    bench: Bench, gate: Gate
) -> None:
    path = bench.trusted(GATED, work=WORK)
    bench.run(path)

    async def script(pilot: P) -> None:
        below = dialog(pilot, Workbench)
        await pilot.press("c")
        await gate.is_reached()
        await pilot.press("R")
        await until(pilot, lambda: "runs here: wait" in text(pilot))
        await pilot.press("c")
        await until(pilot, lambda: "driven in this window already: Enter shows it" in hint(pilot))
        assert "ctrl+q" not in text(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: pilot.app.screen is below)
        await pilot.press("ctrl+c")
        await until(pilot, lambda: "X stops after this node, ctrl+q leaves Stepgraph" in said(pilot))
        gate.open()
        await settle(pilot)
        await press(pilot, "R")
        assert "runs here" not in text(pilot)

    bench.play(script, path, run="r-1")
    assert gate.passed == 1


def test_a_store_that_cannot_be_read_is_said_and_tried_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    three_runs(bench)

    async def script(pilot: P) -> None:
        from stepgraph.values.errors import StoreError

        await press(pilot, "R")
        table = screen(pilot)._table

        def broken() -> object:
            raise StoreError("the store is busy")

        with monkeypatch.context() as patch:
            patch.setattr(table._store, "stamp", broken)
            await look(pilot)
            assert "the store is busy" in text(pilot)
        await look(pilot)
        assert "the store is busy" not in text(pilot)
        assert len(listed(pilot)) == 3

    bench.play(script)


def damage(bench: Bench, run_id: str) -> None:
    with forged(bench.folder / "runs.db") as db:
        db.execute("UPDATE runs SET status = 'asleep', version = version + 1 WHERE id = ?", (run_id,))


def test_a_damaged_run_hides_no_other_and_tells_what_to_do(bench: Bench) -> None:
    three_runs(bench)

    async def script(pilot: P) -> None:
        await press(pilot, "R")
        damage(bench, "r-1")
        await look(pilot)
        assert listed(pilot) == ["r-2", "r-3"]
        assert "2 ready, 1 damaged" in title(pilot)
        assert selected(pilot) is not None
        await press(pilot, "g")
        assert selected(pilot) is None
        row = next(line for line in text(pilot).splitlines() if "r-1" in line)
        assert row.split()[:5] == ["▸", "r-1", "damaged", "its", "entry"]
        assert "It cannot be read: Enter tells what is known of it, and what to do." in hint(pilot)
        for key in ("c", "r", "f", "X", "equals_sign"):
            await press(pilot, key)
            assert "r-1: it is damaged: Enter tells what to do" in hint(pilot)
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


def test_what_is_left_of_a_damaged_run_is_deleted_after_a_question(bench: Bench) -> None:
    three_runs(bench)
    damage(bench, "r-1")

    async def script(pilot: P) -> None:
        await press(pilot, "R")
        assert selected(pilot) == listed(pilot)[0], "the cursor begins at a run that can be opened"
        await press(pilot, "k", "d")
        assert "Delete run r-1?" in text(pilot)
        await press(pilot, "n")
        assert "r-1" in bench.store.versions()
        await press(pilot, "d", "y")
        assert "r-1 is deleted" in hint(pilot)
        assert "damaged" not in title(pilot)

    bench.play(script)
    assert sorted(bench.store.versions()) == ["r-2", "r-3"]


def test_damage_of_no_known_run_is_listed_too_and_can_only_be_repaired(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    three_runs(bench)

    async def script(pilot: P) -> None:
        await press(pilot, "R")
        store = screen(pilot)._table._store
        whole = store.runs()
        found = Listing(whole, [Damage("a page of the list of runs is not as Stepgraph wrote it")])
        monkeypatch.setattr(store, "runs", lambda *given: found)
        monkeypatch.setattr(store, "versions", lambda *given: {f"r-{number}": 1 for number in range(300)})
        bench.executor(bench.graph(WALK)).start({})
        await look(pilot)
        await press(pilot, "g")
        for key in ("d", "y", "f"):
            await press(pilot, key)
            assert "?: it is damaged: Enter tells what to do" in hint(pilot)
        await press(pilot, "enter")
        page = dialog(pilot, DamagePage).text()
        assert page.startswith("A page of the list of runs is not as Stepgraph wrote it.")
        assert "deletes" not in page
        assert "DAMAGED STORE" in text(pilot)

    bench.play(script)


@pytest.mark.parametrize("size", [(60, 15), (80, 24), (120, 40)])
def test_where_a_run_stands_is_told_whole_before_long_names_are(bench: Bench, size: tuple[int, int]) -> None:
    three_runs(bench)
    bench.executor(bench.graph(WALK)).start({}, run_id=f"nightly-{'import-' * 10}of-all-orders")

    async def script(pilot: P) -> None:
        await press(pilot, "R")
        assert "review, high risk" in text(pilot)
        assert "nightly-" in text(pilot)
        assert ("GRAPH" in text(pilot)) == (size[0] > 60)
        await press(pilot, "g", "slash", *"nightly", "enter")
        assert "of-all-orders of walk" in hint(pilot), "what is cut is told whole"

    bench.play(script, size=size)


def test_what_is_confirmed_is_done_to_the_run_that_was_asked_about(bench: Bench) -> None:
    walk = bench.executor(bench.graph(WALK))
    for _ in range(3):
        walk.start({})

    async def script(pilot: P) -> None:
        await press(pilot, "R", "g")
        asked = str(selected(pilot))
        below = screen(pilot)
        await press(pilot, "d")
        below.query_one(RunList).cursor.to("next")
        await press(pilot, "y")
        assert gone(bench, asked)
        assert len(listed(pilot)) == 2
        asked = str(selected(pilot))
        await press(pilot, "c")
        below.query_one(RunList).cursor.to("previous")
        await press(pilot, "y")
        await until(pilot, lambda: isinstance(pilot.app.screen, Workbench))
        assert shown_run(pilot) == asked

    bench.play(script)
