"""The inbox, played through with keys and the mouse."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from textual.widgets import Static

from stepgraph import Decision, Executor
from stepgraph.files import read_graph
from stepgraph.reviews.inbox import Reviews
from stepgraph.stores.ledger import RunStatus
from stepgraph.testing import FakeClock
from stepgraph_tui.app import StepgraphApp
from stepgraph_tui.dialogs.approval import ReviewScreen
from stepgraph_tui.dialogs.bulk import BulkDialog
from stepgraph_tui.dialogs.damage import DamagePage
from stepgraph_tui.screens.home import HomeScreen
from stepgraph_tui.screens.inbox import InboxScreen
from stepgraph_tui.screens.runs import RunsScreen
from stepgraph_tui.screens.workbench import Workbench
from stepgraph_tui.view.reviews import RunMasks
from stepgraph_tui.widgets.chrome.word_tabs import WordTabs
from stepgraph_tui.widgets.inbox_list import InboxList
from tests.app.bench import (
    LARGE,
    REFUND,
    SIZES,
    SMALL,
    Bench,
    P,
    dialog,
    header,
    press,
    text,
    until,
    workbench,
)
from tests.cli.calling import call
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


def by_ben(bench: Bench, review: str, comment: str = "too high") -> None:
    decision = replace(Decision.reject(by="ben", comment=comment), source="cli")
    Reviews(bench.store).decide(review, decision)


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


@SIZES
def test_what_waits_is_listed_over_all_graphs_the_most_urgent_first(
    bench: Bench, size: tuple[int, int]
) -> None:
    (low,) = mail(bench)
    high = refund(bench)

    async def script(pilot: P) -> None:
        await press(pilot, "A")
        assert listed(pilot) == [[high], [low]]
        assert "[1 Pending 2] 2 Decided 0  3 Expired 0  4 Broken 0" in header(pilot)
        assert "by deadline" in header(pilot)
        seen = text(pilot)
        for words in ("RISK", "WAITING", "DEADLINE", "GRAPH/NODE", "ACTION", "high", "mailer/ask", "send"):
            assert words in seen
        assert ("RUN" in seen.splitlines()[1]) == (size == LARGE)
        assert "ASKED FOR BY" not in seen  # nobody said who started them
        assert "Refund 240 EUR to Ana for order 8812?" in hint(pilot)

    bench.play(script, size=size)


def test_an_empty_inbox_says_so_and_what_runs(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "A")
        assert "Nothing waits for you.\n    Nothing runs." in text(pilot)
        await press(pilot, *"jkgGhl* ssyY1234", "enter", "slash", "x", "escape", "escape")
        assert "Nothing is broken." in text(pilot)
        bench.run(REFUND)
        await press(pilot, "1")
        await look(pilot)
        assert "1 run is running, or ready to go on." in text(pilot)
        await press(pilot, "q")
        assert isinstance(pilot.app.screen, HomeScreen)

    bench.play(script)


def test_enter_opens_a_review_that_is_decided_there_and_leads_back_to_its_row(bench: Bench) -> None:
    reviews = [*mail(bench, "ana"), *mail(bench, "ben"), *mail(bench, "cy")]
    for file in bench.folder.glob("mailer*.toml"):
        file.unlink()  # deciding needs the store alone

    async def script(pilot: P) -> None:
        await press(pilot, "A", "j", "enter")
        dialog(pilot, ReviewScreen)
        assert "Send it to ben with ***?" in text(pilot)
        await press(pilot, "escape")
        assert selected(pilot) == [reviews[1]]
        assert statuses(bench, *reviews) == ["pending"] * 3
        await press(pilot, "enter", "n", *"no", "enter", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, InboxScreen) and hint(pilot))
        await until(pilot, lambda: "rejected by ana (app)" in hint(pilot))
        assert hint(pilot).startswith("c continues the run; rejected by ana (app)")
        assert selected(pilot) == [reviews[1]]
        assert listed(pilot) == [[review] for review in reviews]
        assert "rejected by ana (app)" in text(pilot)
        assert "[1 Pending 2] 2 Decided 1" in header(pilot)
        await press(pilot, "@")
        assert "approvals decide a-2 --reject" in text(pilot)

    bench.play(script)
    assert statuses(bench, *reviews) == ["pending", "decided", "pending"]


def test_no_key_of_the_list_decides_anything(bench: Bench) -> None:
    reviews = [*mail(bench, count=3), refund(bench)]

    async def script(pilot: P) -> None:
        await press(pilot, "A")
        for key in (*"yYnerdc=xXpstTfS1234567890", "delete", "f5", "f10"):
            await press(pilot, key)
        await press(pilot, "1", "*")
        for key in (*"yYnerdc=xX", "ctrl+s"):
            await press(pilot, key)

    bench.play(script)
    assert statuses(bench, *reviews) == ["pending"] * 4


def test_a_row_decided_elsewhere_stays_struck_through_until_one_leaves(bench: Bench) -> None:
    first, second = mail(bench, "ana")[0], mail(bench, "ben")[0]

    async def script(pilot: P) -> None:
        await press(pilot, "A", "j")
        by_ben(bench, first)
        (new,) = mail(bench, "cy", risk="high")
        await look(pilot)
        assert listed(pilot) == [[new], [first], [second]]
        assert selected(pilot) == [second]  # rows come and go; the cursor stays
        line = next(line for line in text(pilot).splitlines() if "rejected by ben (cli)" in line)
        assert "low" in line
        strips = pilot.app.screen._compositor.render_strips()
        struck = [part for strip in strips for part in strip if part.style is not None and part.style.strike]
        assert any("low" in part.text for part in struck)
        await press(pilot, "k")
        assert "rejected by ben (cli): too high   at " in hint(pilot)
        assert "too high" in hint(pilot)
        await press(pilot, "space")
        assert "marked" not in header(pilot)
        await press(pilot, "2", "1")
        assert listed(pilot) == [[new], [second]]

    bench.play(script, size=LARGE)


def test_the_tabs_show_what_became_of_them(bench: Bench) -> None:
    first, second = mail(bench, "ana")[0], mail(bench, "ben")[0]
    by_ben(bench, first, "no")
    bench.executor(bench.folder / "mailer_low.toml").edit("r-2", {"to": "cy"}, by="ana")

    async def script(pilot: P) -> None:
        await press(pilot, "A", "2")
        assert "OUTCOME" in text(pilot)
        assert "withdrawn" in text(pilot)
        assert sorted(listed(pilot)) == [[first], [second]]
        await press(pilot, "slash", *"run:r-1", "enter")
        assert "rejected by ben (cli)" in hint(pilot)
        await press(pilot, "enter")
        dialog(pilot, ReviewScreen)
        assert "already rejected by ben (cli)" in text(pilot)
        await press(pilot, "escape", "3")
        assert "No review matches the filter; Esc takes it away." in text(pilot)
        await press(pilot, "escape")
        assert "Nothing has expired." in text(pilot)

    bench.play(script)


def test_a_group_unfolds_and_is_marked_as_a_whole(bench: Bench) -> None:
    alike = mail(bench, count=3)
    (other,) = mail(bench, "ben")

    async def script(pilot: P) -> None:
        await press(pilot, "A")
        assert listed(pilot) == [alike, [other]]
        assert "▸ x3 send" in text(pilot)
        await press(pilot, "enter")
        assert listed(pilot) == [alike, *([one] for one in alike), [other]]
        assert "▾ x3 send" in text(pilot)
        assert "└ send" in text(pilot)
        await press(pilot, "j", "space")
        assert "1 marked" in header(pilot)
        await press(pilot, "g", "space")
        assert "3 marked" in header(pilot)
        await press(pilot, "escape", "g", "j", "h")
        assert "marked" not in header(pilot)
        assert selected(pilot) == alike
        assert listed(pilot) == [alike, [other]]
        await press(pilot, "l", "h", "asterisk")
        assert "4 marked" in header(pilot)
        await press(pilot, "asterisk")
        assert "marked" not in header(pilot)

    bench.play(script)


def top(pilot: P) -> int:
    """The first row that is seen."""
    return screen(pilot).query_one(InboxList).lines.top


def test_a_group_that_is_unfolded_at_the_bottom_shows_what_is_in_it(bench: Bench) -> None:
    for number in range(22):
        mail(bench, f"person{number}", risk="high")
    alike = mail(bench, count=3)

    async def script(pilot: P) -> None:
        await press(pilot, "A", "G", "l")
        assert set(selected(pilot)) == set(alike)
        assert text(pilot).count("└ ") == 3

    bench.play(script)


def test_a_review_that_comes_to_be_one_of_several_keeps_the_cursor(bench: Bench) -> None:
    (first,) = mail(bench)
    mail(bench, "ben")

    async def script(pilot: P) -> None:
        await press(pilot, "A")
        assert selected(pilot) == [first]
        (again,) = mail(bench)
        await look(pilot)
        assert selected(pilot) == [first, again]
        by_ben(bench, again)
        await look(pilot)
        assert selected(pilot) == [first]

    bench.play(script)


@pytest.mark.parametrize("wheel", [0, 12], ids=["at the top", "in the middle"])
def test_what_is_seen_stays_when_rows_come_while_the_cursor_is_out_of_sight(bench: Bench, wheel: int) -> None:
    for number in range(45):
        mail(bench, f"person{number}")

    async def script(pilot: P) -> None:
        await press(pilot, "A", *(() if wheel else ("G",)))
        shown = screen(pilot).query_one(InboxList)
        shown.scroll_to(y=wheel and 30, animate=False, force=True)
        await pilot.pause()
        before, chosen = top(pilot), selected(pilot)
        seen = listed(pilot)[before]
        (urgent,) = mail(bench, "cy", risk="high")
        await look(pilot)
        assert listed(pilot)[0] == [urgent]
        assert listed(pilot)[top(pilot)] == (seen if wheel else [urgent])  # at the top, news is seen
        assert selected(pilot) == chosen

    bench.play(script)


def test_a_click_on_a_title_sorts_by_it(bench: Bench) -> None:
    (low,) = mail(bench)
    high = refund(bench)

    async def script(pilot: P) -> None:
        await press(pilot, "A")
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


def test_who_asks_has_a_column_where_somebody_is_known(bench: Bench) -> None:
    mail(bench)
    graph = read_graph(bench.folder / "mailer_low.toml").compile()
    executor = Executor(graph, bench.store, clock=FakeClock(), ids=bench.ids)
    executor.run(executor.start({"to": "x"}, by="zoe"))

    async def script(pilot: P) -> None:
        await press(pilot, "A")
        assert "ASKED FOR BY" in text(pilot)
        assert "zoe" in text(pilot)

    bench.play(script, size=LARGE)


def test_why_several_cannot_be_approved_together_is_told_whole_on_a_narrow_screen(bench: Bench) -> None:
    for number in range(8):
        mail(bench, f"person{number}", risk="high")

    async def script(pilot: P) -> None:
        await press(pilot, "A", "asterisk", "enter")
        words = " ".join(text(pilot).replace("┃", " ").split())
        assert "Not to be approved together: reviews a-1, " in words
        assert "high risk: approve each by itself" in words

    bench.play(script)


@SIZES
def test_titles_are_whole_where_a_scrollbar_comes(bench: Bench, size: tuple[int, int]) -> None:
    for number in range(45):
        by_ben(bench, mail(bench, f"person{number}")[0])

    async def script(pilot: P) -> None:
        await press(pilot, "A", "2")
        titles = text(pilot).splitlines()[1]
        assert titles.split()[:3] == ["RISK", "AGO", "OUTCOME"]
        assert "…" not in titles

    bench.play(script, size=size)


def test_one_of_a_group_that_is_decided_elsewhere_leaves_it(bench: Bench) -> None:
    alike = mail(bench, count=3)

    async def script(pilot: P) -> None:
        await press(pilot, "A", "space")
        by_ben(bench, alike[0])
        await look(pilot)
        assert "x2 send" in text(pilot)
        assert "2 marked" in header(pilot)
        by_ben(bench, alike[1])
        by_ben(bench, alike[2])
        await look(pilot)
        assert sorted(listed(pilot)) == [[one] for one in alike]
        assert "marked" not in header(pilot)

    bench.play(script)


def test_the_filter_is_written_shown_as_chips_and_taken_away(bench: Bench) -> None:
    (low,) = mail(bench)
    high = refund(bench)

    async def script(pilot: P) -> None:
        await press(pilot, "A", "slash", *"risk:hi")
        assert listed(pilot) == [[high]]
        await press(pilot, *" fo:x")
        assert "a filter has no fo: of its own" in hint(pilot)
        assert listed(pilot) == [[high]]  # as it was
        await press(pilot, "enter")
        assert "has no fo:" in hint(pilot)
        await press(pilot, *["backspace"] * 4, *'"to Ana"', "enter")
        assert 'Filter   risk:hi    "to Ana"   Esc clears' in text(pilot)
        assert listed(pilot) == [[high]]
        await press(pilot, "escape")
        assert listed(pilot) == [[high], [low]]
        assert "Esc clears" not in text(pilot)
        await press(pilot, "slash", *"hunter2", "enter")
        assert "No review matches" in text(pilot)  # what is hidden is not found either

    bench.play(script)


def test_the_order_is_another_one_at_each_key(bench: Bench) -> None:
    (low,) = mail(bench)
    high = refund(bench)

    async def script(pilot: P) -> None:
        await press(pilot, "A")
        seen = []
        for _ in range(4):
            seen.append((header(pilot).rpartition("by ")[2].strip(), listed(pilot)))
            await press(pilot, "s")
        urgent = [[high], [low]]
        assert seen == [("deadline", urgent), ("risk", urgent), ("age", urgent[::-1]), ("deadline", urgent)]

    bench.play(script)


def test_marked_ones_are_rejected_together_with_one_reason(bench: Bench) -> None:
    reviews = [*mail(bench, "ana"), refund(bench)]

    async def script(pilot: P) -> None:
        await press(pilot, "A", "asterisk", "enter")
        dialog(pilot, BulkDialog)
        seen = text(pilot)
        for words in (*reviews, "high risk", "low risk", "mailer/ask", "refund-triage/review"):
            assert words in seen
        assert "a-2 has high risk: approve it by itself" in seen
        await press(pilot, "y")
        assert dialog(pilot, BulkDialog).panel.idle  # it is not offered
        await press(pilot, "n", "enter")
        assert "the reason is missing" in text(pilot)
        await press(pilot, *"not today", "enter")
        assert "Reject 2 reviews, all that are listed above?" in text(pilot)
        await press(pilot, "y")
        assert statuses(bench, *reviews) == ["pending"] * 2
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, InboxScreen))
        await until(pilot, lambda: "2 reviews rejected" in hint(pilot))
        assert "[1 Pending 0] 2 Decided 2" in header(pilot)

    bench.play(script)
    for review in reviews:
        decision = Reviews(bench.store).get(review).decision
        assert decision is not None
        assert (decision.verb, decision.by, decision.comment, decision.source) == (
            "reject", "ana", "not today", "app",
        )  # fmt: skip


def test_identical_ones_of_low_risk_are_approved_together(bench: Bench) -> None:
    alike = mail(bench, count=3)

    async def script(pilot: P) -> None:
        await press(pilot, "A", "space", "enter")
        assert "All of them ask the same, low risk:" in text(pilot)
        assert "| Send it to ana@example.com with ***?" in text(pilot)
        await press(pilot, "y", "enter", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, InboxScreen))
        await until(pilot, lambda: "3 reviews approved" in hint(pilot))

    bench.play(script)
    assert statuses(bench, *alike) == ["decided"] * 3


def test_what_was_decided_meanwhile_is_left_alone(bench: Bench) -> None:
    alike = mail(bench, count=3)

    async def script(pilot: P) -> None:
        await press(pilot, "A", "space", "enter")
        by_ben(bench, alike[0])
        await second(pilot)
        assert "a-1  low risk" in text(pilot)
        assert "decided elsewhere" in text(pilot)
        await press(pilot, "y", "enter")
        assert "Approve 2 reviews" in text(pilot)
        by_ben(bench, alike[1])
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, InboxScreen))
        await until(pilot, lambda: "1 review approved" in hint(pilot))

    bench.play(script)
    kept = [Reviews(bench.store).get(review).decision for review in alike]
    assert [decision.by for decision in kept if decision is not None] == ["ben", "ben", "ana"]


def test_a_refusal_is_looked_into_at_once_whatever_the_last_look_has_found(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stepgraph_tui.app.EVERY", 3600.0)
    (review,) = mail(bench)

    async def script(pilot: P) -> None:
        await press(pilot, "A", "enter")
        await second(pilot)
        by_ben(bench, review)
        await press(pilot, "y", "enter")
        await until(pilot, lambda: "already rejected by ben (cli)" in text(pilot))

    bench.play(script)


@pytest.mark.parametrize("keys", [["enter"], ["space", "enter"]], ids=["one", "several"])
def test_the_inbox_below_an_open_dialog_follows_what_others_decide(bench: Bench, keys: list[str]) -> None:
    first, second_one, _ = (mail(bench, name)[0] for name in ("ana", "ben", "cy"))

    async def script(pilot: P) -> None:
        await press(pilot, "A", *keys)
        assert "[1 Pending 3] 2 Decided 0" in below(pilot)
        by_ben(bench, second_one)
        await second(pilot)
        assert "[1 Pending 2] 2 Decided 1" in below(pilot)
        by_ben(bench, first)
        await second(pilot)
        assert "[1 Pending 1] 2 Decided 2" in below(pilot)
        assert "by ben" in text(pilot) or "decided elsewhere" in text(pilot)
        await press(pilot, "escape")
        assert selected(pilot) == [first if keys == ["enter"] else second_one]

    bench.play(script)


def test_when_all_were_decided_elsewhere_nothing_can_be_decided(bench: Bench) -> None:
    alike = mail(bench, count=2)

    async def script(pilot: P) -> None:
        await press(pilot, "A", "space", "enter")
        for review in alike:
            by_ben(bench, review)
        await second(pilot)
        assert "nothing here can be decided any more" in text(pilot)
        await press(pilot, "y", "n")
        assert dialog(pilot, BulkDialog).panel.idle
        await press(pilot, "escape")
        screen(pilot)

    bench.play(script)


def test_leaving_the_dialog_of_several_leaves_all_of_them(bench: Bench) -> None:
    alike = mail(bench, count=2)

    async def script(pilot: P) -> None:
        await press(pilot, "A", "space", "enter", "n", *"no", "enter", "escape")
        assert dialog(pilot, BulkDialog).panel.idle
        await press(pilot, "j", "k", "G", "g", "escape")
        screen(pilot)
        assert "2 marked" in header(pilot)

    bench.play(script)
    assert statuses(bench, *alike) == ["pending"] * 2


def test_the_mouse_selects_unfolds_opens_and_turns_tabs_but_decides_nothing(bench: Bench) -> None:
    alike = mail(bench, count=2)
    high = refund(bench)

    async def script(pilot: P) -> None:
        await press(pilot, "A")
        rows = screen(pilot).query_one(InboxList)
        await pilot.click(InboxList, offset=(20, 2))
        assert selected(pilot) == alike
        await pilot.click(InboxList, offset=(rows._act_at, 2))
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
        await press(pilot, "A")
        assert "[1 Pending 1]" in header(pilot)
        assert "4 Broken 1" in header(pilot)
        await press(pilot, "4")
        assert "review 'a-1' cannot be read (" in text(pilot)
        assert "doctor --repair" in hint(pilot)
        await press(pilot, "enter")
        dialog(pilot, DamagePage)
        await press(pilot, "escape", "space", "y", "Y")

    bench.play(script, size=LARGE)


def test_a_review_whose_node_is_gone_is_broken_and_can_still_be_read(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    (review,) = mail(bench)
    other = read_graph(REFUND).compile()
    monkeypatch.setattr(RunMasks, "plan", lambda masks, run: other)  # such as a store of an older version has

    async def script(pilot: P) -> None:
        await press(pilot, "A", "4")
        assert "[4 Broken 1]" in header(pilot)
        assert "its graph has no node ask any more" in text(pilot)
        assert "runs stop r-1` ends the run" in hint(pilot)
        await press(pilot, "slash", *"node:ask", "enter")
        assert listed(pilot) == [[review]]
        await press(pilot, "asterisk", "space", "enter")
        dialog(pilot, ReviewScreen)

    bench.play(script, size=LARGE)


def test_texts_of_others_are_shown_as_texts(bench: Bench) -> None:
    mail(bench, "x\x1b[31m\n[bold]y\u202e")

    async def script(pilot: P) -> None:
        await press(pilot, "A")
        seen = text(pilot)
        assert "\x1b" not in seen
        assert "\u202e" not in seen
        await press(pilot, "space", "enter")
        seen = text(pilot)
        assert "x\\x1b[31m" in seen
        assert "[bold]y\\u202e" in seen

    bench.play(script, size=LARGE)


def test_from_a_run_that_waits_the_key_opens_its_review_and_again_the_inbox(bench: Bench) -> None:
    (other,) = mail(bench)
    review = refund(bench)

    async def script(pilot: P) -> None:
        await press(pilot, "A")
        assert dialog(pilot, ReviewScreen).watcher.subject is not None
        assert "Refund 240 EUR" in text(pilot)
        await press(pilot, "A")
        assert listed(pilot) == [[review], [other]]
        assert selected(pilot) == [review]
        await press(pilot, "A")
        screen(pilot)  # it is there already
        await press(pilot, "j", "enter", "A")
        assert selected(pilot) == [other]
        await press(pilot, "escape")
        assert pilot.app.screen is workbench(pilot)

    bench.play(script, REFUND, run="r-2")


def test_what_the_inbox_decides_is_seen_in_the_workbench_below(bench: Bench) -> None:
    refund(bench)

    async def script(pilot: P) -> None:
        await press(pilot, "A", "A", "enter", "n", *"no", "enter", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, InboxScreen))
        await until(pilot, lambda: "rejected by ana" in hint(pilot))
        await press(pilot, "q")
        assert isinstance(pilot.app.screen, Workbench)
        assert "READY" in header(pilot)
        assert "A 0" in header(pilot)

    bench.play(script, REFUND, run="r-1")


@SIZES
@pytest.mark.parametrize("keys", [[], ["R"]], ids=["home", "runs"])
@pytest.mark.parametrize("is_open", [False, True], ids=["alone", "above a run"])
def test_a_click_on_the_count_lists_what_is_counted(
    bench: Bench, keys: list[str], is_open: bool, size: tuple[int, int]
) -> None:
    mail(bench, count=2)

    async def script(pilot: P) -> None:
        await press(pilot, *keys)
        await until(pilot, lambda: "A 2" in header(pilot))
        await pilot.click(offset=(header(pilot).index("graph") if "graph" in header(pilot) else 2, 0))
        assert not isinstance(pilot.app.screen, InboxScreen)
        await pilot.click(offset=(header(pilot).index("A 2"), 0))
        await until(pilot, lambda: isinstance(pilot.app.screen, InboxScreen))

    bench.play(script, REFUND if is_open else None, size=size)


def test_every_screen_counts_what_waits(bench: Bench) -> None:
    mail(bench, count=2)

    async def script(pilot: P) -> None:
        assert header(pilot).endswith("A 2 waiting")
        await press(pilot, "R")
        assert header(pilot).endswith("A 2 waiting")
        await press(pilot, "A")
        assert "[1 Pending 2]" in header(pilot)
        await press(pilot, "q", "q")
        await pilot.resize_terminal(30, 24)
        assert header(pilot).endswith("A 2")

    bench.play(script)


def test_a_store_that_cannot_be_read_is_said_and_the_list_stays(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    (review,) = mail(bench)

    async def script(pilot: P) -> None:
        await press(pilot, "A")

        def unreadable(*args: object) -> object:
            from stepgraph.values.errors import StoreError

            raise StoreError("the disk is gone")

        store = screen(pilot)._shared.store
        with monkeypatch.context() as patch:
            patch.setattr(store, "stamp", unreadable)
            await look(pilot)
            assert hint(pilot) == "the disk is gone"
            assert listed(pilot) == [[review]]
        await look(pilot)
        assert hint(pilot) != "the disk is gone"

    bench.play(script)


def test_two_apps_on_one_store_and_a_shell_see_what_the_others_decide(bench: Bench) -> None:
    """Each looks once a second; here the seconds pass when they are told to."""
    reviews = [*mail(bench, "ana"), *mail(bench, "ben"), *mail(bench, "cy")]
    apps = [bench.app() for _ in range(2)]

    async def both() -> None:
        async with apps[0].run_test(size=SMALL) as one, apps[1].run_test(size=LARGE) as two:
            for pilot in (one, two):
                await press(pilot, "A")
            await press(two, "enter")
            await press(one, "enter", "n", *"no", "enter", "enter")
            await until(one, lambda: isinstance(one.app.screen, InboxScreen))
            await second(two)
            assert "already rejected by ana (app)" in text(two)
            await press(two, "y", "enter")
            await until(two, lambda: isinstance(two.app.screen, InboxScreen))
            assert "[1 Pending 2] 2 Decided 1" in header(two)
            store = ("--store", bench.url)
            told = await asyncio.to_thread(
                call, "approvals", "decide", *reviews[1:], "--reject", "--as", "ben", "--comment", "x", *store
            )
            assert told.code == 0
            for pilot in (one, two):
                await look(pilot)
                assert "[1 Pending 0] 2 Decided 3" in header(pilot)
                assert text(pilot).count("rejected by ben (cli)") >= (2 if pilot is two else 0)

    asyncio.run(both())
    for app in apps:
        app.context.store.close()


def test_a_run_of_a_graph_that_was_built_in_python_is_decided_like_any_other(
    bench: Bench, tmp_path: Path
) -> None:
    graph = read_graph(bench.graph(MAIL.replace("RISK", "low"), "other.toml"))
    graph.source = None
    executor = Executor(graph.compile(), bench.store, clock=FakeClock(), ids=bench.ids)
    run = executor.run(executor.start({"to": "ana"}))
    assert run.pending is not None

    async def script(pilot: P) -> None:
        await press(pilot, "A", "enter", "y", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, InboxScreen))
        await until(pilot, lambda: "approved by ana (app)" in hint(pilot))

    bench.play(script)
    assert statuses(bench, run.pending.id) == ["decided"]


# Going on


async def decide_first(pilot: P, *keys: str) -> None:
    await press(pilot, "A", "enter", *keys)
    await until(pilot, lambda: isinstance(pilot.app.screen, InboxScreen) and " by ana" in hint(pilot))


def test_c_continues_the_run_of_what_was_just_decided(bench: Bench) -> None:
    review = refund(bench)

    async def script(pilot: P) -> None:
        await decide_first(pilot, "n", *"too high", "enter", "enter")
        assert "c Continue" in text(pilot).splitlines()[-1]
        await press(pilot, "c")
        assert "Continue run r-1 in Debug? " in text(pilot)
        await press(pilot, "escape")
        assert bench.store.load("r-1").pointer.status is RunStatus.READY
        await press(pilot, "c", "y")
        await until(pilot, lambda: isinstance(pilot.app.screen, Workbench))
        await until(pilot, lambda: bench.store.load("r-1").pointer.status is not RunStatus.READY)

    bench.play(script)
    assert statuses(bench, review) == ["decided"]


def test_the_run_goes_on_in_the_workbench_that_has_its_graph(bench: Bench) -> None:
    refund(bench)

    async def script(pilot: P) -> None:
        below = workbench(pilot)
        await press(pilot, "R")  # the lists may lie on one another
        await decide_first(pilot, "n", *"too high", "enter", "enter")
        await press(pilot, "c", "y")
        assert workbench(pilot) is below
        assert len(pilot.app.screen_stack) == 2
        await until(pilot, lambda: "RUNNING" not in header(pilot) and "r-1" in header(pilot))

    bench.play(script, REFUND)
    assert bench.store.load("r-1").pointer.step > 5


def test_runs_are_listed_with_the_cursor_on_the_run_of_the_review(bench: Bench) -> None:
    mail(bench, "ana")
    mail(bench, "ben")

    async def script(pilot: P) -> None:
        for key, run_id in (("j", "r-2"), ("k", "r-1")):
            await press(pilot, "A", "1", key, "R")
            run = dialog(pilot, RunsScreen).selected
            assert run is not None
            assert run.head.id == run_id
            await press(pilot, "q", "q")

    bench.play(script)


def test_c_says_why_a_run_does_not_go_on_and_is_no_key_of_what_waits(bench: Bench) -> None:
    mail(bench)
    executor = bench.executor(bench.folder / "mailer_low.toml")

    async def script(pilot: P) -> None:
        await press(pilot, "A", "c")
        assert isinstance(pilot.app.screen, InboxScreen)
        assert "c Continue" not in text(pilot)
        await press(pilot, "q")
        await decide_first(pilot, "n", *"no", "enter", "enter")
        executor.run(executor.load("r-1"))
        await press(pilot, "2", "c")
        assert hint(pilot) == "r-1 has ended already; R lists it, with what can be done"
        bench.store.delete_runs({"r-1": bench.store.versions()["r-1"]})
        await press(pilot, "c")
        assert "r-1" in hint(pilot)

    bench.play(script)


def test_the_first_of_two_approvals_leads_nowhere_yet(bench: Bench) -> None:
    path = bench.graph(MAIL.replace("RISK", "low").replace('risk = "low"', 'risk = "low"\napprovals = 2'))
    executor = bench.executor(path)
    executor.run(executor.start({}))

    async def script(pilot: P) -> None:
        await decide_first(pilot, "y", "enter")
        assert "it needs one more" in hint(pilot)
        assert "continues" not in hint(pilot)
        await press(pilot, "@")
        assert "approvals decide a-1 --approve" in text(pilot)

    bench.play(script)
    assert statuses(bench, "a-1") == ["pending"]


def test_a_group_tells_its_soonest_deadline_and_its_longest_wait_in_each_order(bench: Bench) -> None:
    terms = '[reviews]\ndeadline = "50m"\non_timeout = "reject"\n[state.to]'
    path = bench.graph(MAIL.replace("RISK", "low").replace("[state.to]", terms, 1))
    for ago in (600, 1200):
        clock = FakeClock(FakeClock().time() - ago)
        executor = Executor(read_graph(path).compile(), bench.store, clock=clock, ids=bench.ids)
        executor.run(executor.start({}))

    async def script(pilot: P) -> None:
        await press(pilot, "A")
        for _ in range(3):
            (row,) = [line for line in text(pilot).splitlines() if "x2" in line]
            assert row.split()[2:5] == ["20m", "in", "30m"]
            await press(pilot, "s")

    bench.play(script)
