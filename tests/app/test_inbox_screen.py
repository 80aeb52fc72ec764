"""The inbox, played through with keys and the mouse."""

from __future__ import annotations

from textual.widgets import Static

from stepgraph.reviews.inbox import Reviews
from stepgraph_tui.app import StepgraphApp
from stepgraph_tui.dialogs.approval import ReviewScreen
from stepgraph_tui.dialogs.pages import DamagePage
from stepgraph_tui.screens.inbox import InboxScreen
from stepgraph_tui.widgets.chrome.tabs import WordTabs
from stepgraph_tui.widgets.inbox_list import InboxList
from tests.app.bench import (
    LARGE,
    REFUND,
    Bench,
    P,
    dialog,
    header,
    press,
    text,
    until,
    workbench,
)
from tests.stores.forging import forged

MAIL = """
format = 1
name = "mailer"
start = "ask"
[state.to]
default = "ana@example.com"
input = true
[state.token]
default = "hunter2-secret"
secret = true
[nodes.ask]
type = "approval"
prompt = "Send it to {{ to }} with {{ token }}?"
action = "send"
show = ["to", "token"]
risk = "RISK"
[[edges]]
from = "ask"
to = "END"
"""


def mail(bench: Bench, to: str = "ana@example.com", risk: str = "low", count: int = 1) -> list[str]:
    """Runs that wait for a person to agree to a mail; their reviews."""
    executor = bench.executor(bench.graph(MAIL.replace("RISK", risk), f"mailer_{risk}.toml"))
    runs = [executor.run(executor.start({"to": to})) for _ in range(count)]
    return [run.pending.id for run in runs if run.pending is not None]


def refund(bench: Bench) -> str:
    """A run that waits for a refund to be agreed to; its review."""
    pending = bench.run(REFUND, steps=5).pending
    assert pending is not None
    return pending.id


def screen(pilot: P) -> InboxScreen:
    return dialog(pilot, InboxScreen)


def selected(pilot: P) -> list[str]:
    """The reviews of the row with the cursor."""
    row = screen(pilot).selected
    return [listed.review.id for listed in row.reviews] if row is not None else []


def listed(pilot: P) -> list[list[str]]:
    """The reviews of all rows, from top to bottom."""
    rows = screen(pilot).query_one(InboxList)._rows
    return [[one.review.id for one in row.reviews] for row in rows]


def hint(pilot: P) -> str:
    return str(screen(pilot).query_one(".hint", Static).content)


def below(pilot: P) -> str:
    """The first line of the inbox that a dialog lies on."""
    inbox = next(each for each in pilot.app.screen_stack if isinstance(each, InboxScreen))
    return "".join(part.text for part in inbox._compositor.render_strips()[0])


async def look(pilot: P) -> None:
    """Let the screen look at the store, as it does each second."""
    screen(pilot).look()
    await pilot.pause()


async def second(pilot: P) -> None:
    """Let the app look at the store, and tell all screens, as it does each second."""
    assert isinstance(pilot.app, StepgraphApp)
    pilot.app._look()
    await pilot.pause()


def statuses(bench: Bench, *reviews: str) -> list[str]:
    return [Reviews(bench.store).get(review).status for review in reviews]


def top(pilot: P) -> int:
    """The first row that is seen."""
    return screen(pilot).query_one(InboxList).lines.top


def test_a_click_on_a_title_sorts_by_it(bench: Bench) -> None:
    (low,) = mail(bench)
    high = refund(bench)

    async def script(pilot: P) -> None:
        await press(pilot, "g i")
        for title, order in (("WAITING", "age"), ("RISK", "risk"), ("DEADLINE", "deadline")):
            (y,) = [at for at, line in enumerate(text(pilot).splitlines()) if "GRAPH/NODE" in line]
            await pilot.click(offset=(text(pilot).splitlines()[y].index(title), y))
            await pilot.pause()
            assert f"by {order}" in header(pilot)
            assert listed(pilot) == ([[low], [high]] if order == "age" else [[high], [low]])
        await pilot.click(offset=(text(pilot).splitlines()[y].index("ACTION"), y))
        assert "by deadline" in header(pilot)
        await press(pilot, "2")
        await pilot.click(offset=(6, 1))
        await press(pilot, "1")
        assert "by deadline" in header(pilot)

    bench.play(script)


def test_identical_ones_of_low_risk_are_approved_together(bench: Bench) -> None:
    alike = mail(bench, count=3)

    async def script(pilot: P) -> None:
        await press(pilot, "g i", "space", "enter")
        assert "All of them ask the same, low risk:" in text(pilot)
        assert "| Send it to ana@example.com with ***?" in text(pilot)
        await press(pilot, "y", "enter", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, InboxScreen))
        await until(pilot, lambda: "3 reviews approved" in hint(pilot))

    bench.play(script)
    assert statuses(bench, *alike) == ["decided"] * 3


def test_the_mouse_selects_unfolds_opens_and_turns_tabs_but_decides_nothing(bench: Bench) -> None:
    alike = mail(bench, count=2)
    high = refund(bench)

    async def script(pilot: P) -> None:
        await press(pilot, "g i")
        rows = screen(pilot).query_one(InboxList)
        await pilot.click(InboxList, offset=(20, 2))
        assert selected(pilot) == alike
        await pilot.click(InboxList, offset=(rows.start_of("act"), 2))
        await pilot.pause()
        assert listed(pilot) == [[high], alike, *([one] for one in alike)]
        await pilot.click(InboxList, offset=(20, 1), times=2)
        await pilot.pause()
        dialog(pilot, ReviewScreen)
        await press(pilot, "escape")
        assert selected(pilot) == [high]
        assert "[1 Pending 3]" in text(pilot)
        tabs = screen(pilot).query_one(WordTabs)
        await pilot.click(WordTabs, offset=(tabs._places[1].start, 0))
        await pilot.pause()
        assert "[2 Decided 0]" in header(pilot)

    bench.play(script)
    assert statuses(bench, high, *alike) == ["pending"] * 3


def test_what_is_broken_is_listed_with_why_and_what_to_do(bench: Bench) -> None:
    (review,) = mail(bench, "ana")
    mail(bench, "ben")
    with forged(bench.folder / "runs.db") as db:
        db.execute(
            "UPDATE ledger SET data = replace(data, 'Send it to ana', 'Send it to eve') WHERE review = ?",
            (review,),
        )

    async def script(pilot: P) -> None:
        await press(pilot, "g i")
        assert "[1 Pending 1]" in header(pilot)
        assert "4 Broken 1" in header(pilot)
        await press(pilot, "4")
        assert "review 'a-1' cannot be read (" in text(pilot)
        assert "doctor --repair" in hint(pilot)
        await press(pilot, "enter")
        dialog(pilot, DamagePage)
        await press(pilot, "escape", "space", "y", "Y")

    bench.play(script, size=LARGE)


# Going on


async def decide_first(pilot: P, *keys: str) -> None:
    await press(pilot, "g i", "enter", *keys)
    await until(pilot, lambda: isinstance(pilot.app.screen, InboxScreen) and " by ana" in hint(pilot))


def test_the_run_goes_on_in_the_workbench_that_has_its_graph(bench: Bench) -> None:
    refund(bench)

    async def script(pilot: P) -> None:
        below = workbench(pilot)
        await press(pilot, "g r")  # the lists may lie on one another
        await decide_first(pilot, "n", *"too high", "enter", "ctrl+j")
        await press(pilot, "f5", "y")
        assert workbench(pilot) is below
        assert len(pilot.app.screen_stack) == 2
        await until(pilot, lambda: "RUNNING" not in header(pilot) and "r-1" in header(pilot))

    bench.play(script, REFUND)
    assert bench.store.load("r-1").pointer.step > 5
