"""The way that everybody takes first: from the start of the app to a paid refund, by keys alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stepgraph import END
from stepgraph.reviews.inbox import Reviews
from stepgraph.stores.ledger import RunStatus
from stepgraph_tui.dialogs.approval import ReviewScreen
from stepgraph_tui.dialogs.questions import Confirm
from stepgraph_tui.dialogs.run_form import RunForm
from stepgraph_tui.screens.home import HomeScreen
from tests.app.bench import (
    LARGE,
    REFUND,
    SMALL,
    Bench,
    P,
    dialog,
    header,
    press,
    said,
    settle,
    text,
    until,
    workbench,
)
from tests.app.filling import form_on_top


async def to_the_review(pilot: P) -> None:
    """From the home screen to the pause of the first example."""
    await press(pilot, "enter", "c", "enter", *"sssss")


def test_four_keys_lead_from_the_start_to_the_first_step(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        dialog(pilot, HomeScreen)
        assert "Enter opens the graph" in text(pilot)
        await press(pilot, "enter")
        assert "NO RUN" in header(pilot)
        assert "c starts one" in said(pilot)
        await press(pilot, "c")
        form_on_top(pilot, RunForm)
        await press(pilot, "enter")
        assert "READY   step 0/30" in header(pilot)
        assert said(pilot).startswith("NEXT classify  llm: s runs it")
        await press(pilot, "s")
        assert "READY   step 1/30" in header(pilot)
        assert said(pilot).startswith("NEXT lookup")

    bench.play(script, size=SMALL)
    assert bench.nodes() == ["classify"]


def test_a_review_that_is_asked_for_twice_at_once_opens_once(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await to_the_review(pilot)
        await press(pilot, "escape")
        assert workbench(pilot).reviews.open()
        assert workbench(pilot).reviews.open()  # before the dialog is there
        await settle(pilot)
        assert [type(screen) for screen in pilot.app.screen_stack].count(ReviewScreen) == 1
        await press(pilot, "escape", "c")
        dialog(pilot, ReviewScreen)

    bench.play(script)


def test_an_edited_refund_is_paid_once_with_the_edited_amount(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await to_the_review(pilot)
        dialog(pilot, ReviewScreen)
        await press(pilot, "e", "backspace", "backspace", "backspace", "9", "0", "enter")
        assert "amount=90" in text(pilot)
        await press(pilot, *"review", "enter")
        assert "READY   step 5/30" in header(pilot)  # the step that came to it is finished, and no more
        assert said(pilot).startswith("NEXT pay")
        await press(pilot, "c")
        assert "ENDED   step 7/30" in header(pilot)
        assert said(pilot).startswith("ENDED at END after 7 steps")
        assert workbench(pilot).panes.state_pane.moment is workbench(pilot).runs.shown.moment

    bench.play(script, size=LARGE)
    run = bench.load()
    nodes = ["classify", "lookup", "draft", "amount_check", "review", "pay", "notify"]
    assert [record.node for record in run.history] == nodes
    assert [record.next for record in run.history] == [*nodes[1:], END]
    assert run.values["payment"] == {"receipt": "rf-8812", "amount": 90, "currency": "EUR"}
    assert "Refunded: 90 EUR" in str(run.values["notice"])
    review = Reviews(bench.store).last_of("r-1")
    assert review is not None
    assert review.decision is not None
    assert (review.decision.verb, review.decision.by, review.decision.source) == ("edit", "ana", "app")
    assert (run.started_by, review.started_by) == ("ana", "ana")
    (link,) = bench.store.audit()
    told = {part: link.entry[part] for part in ("verb", "by", "source", "edited", "review", "hash")}
    edited = {"verb": "edit", "by": "ana", "source": "app", "edited": ["order.amount"]}
    assert told == {**edited, "review": review.id, "hash": review.hash}


def test_a_pause_opens_its_review_and_neither_enter_nor_escape_decides_it(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await to_the_review(pilot)
        first = dialog(pilot, ReviewScreen)
        assert "Refund 240 EUR to Ana for order 8812?" in text(pilot)
        await press(pilot, "enter", "enter", "space")
        assert dialog(pilot, ReviewScreen) is first
        assert first.box.idle
        await press(pilot, "escape")
        assert pilot.app.screen is workbench(pilot)
        assert "AWAITING HUMAN   step 4/30" in header(pilot)
        assert "gi 1" in header(pilot)
        assert said(pilot) == "WAITS review asks a person: c opens the review"
        for key in ("g i", "c"):
            await press(pilot, key)
            assert "Refund 240 EUR to Ana for order 8812?" in text(pilot)
            dialog(pilot, ReviewScreen)
            await press(pilot, "escape")

    bench.play(script)
    assert bench.load().status is RunStatus.PAUSED
    assert len(Reviews(bench.store).pending()) == 1


def paused(bench: Bench) -> str:
    """A run that waits for its review."""
    return bench.run(REFUND, steps=5).id


async def write_and_quit(pilot: P) -> None:
    """Write a comment, and ask to leave while it is not sent."""
    await press(pilot, "g i", "tab", *"why", "ctrl+q")
    assert "wrote for a review was not sent" in dialog(pilot, Confirm).question
    assert not pilot.app._exit


@pytest.mark.parametrize("key", ["y", "ctrl+q"])
def test_leaving_with_something_written_asks_each_time_and_only_who_says_so_loses_it(
    bench: Bench, key: str
) -> None:
    async def script(pilot: P) -> list[str] | None:
        for stay, written in (("enter", "why"), ("escape", "whywhy")):
            await write_and_quit(pilot)
            await press(pilot, stay)
            assert written in text(pilot)
            await press(pilot, "escape", "escape")
            assert pilot.app.screen is workbench(pilot)
            await press(pilot, "g i")
            assert written in text(pilot)
            assert "draft" in text(pilot)
            await press(pilot, "escape")
        await write_and_quit(pilot)
        await pilot.press(key)
        return pilot.app.return_value

    words = bench.play(script, REFUND, run=paused(bench))
    assert words == ["1 approval pending:", "  r-1 review: stepgraph approvals show a-1"]
    assert bench.load().status is RunStatus.PAUSED


def test_leaving_asks_nothing_when_nothing_would_be_lost(bench: Bench) -> None:
    async def script(pilot: P) -> bool:
        await press(pilot, "g i", "tab", "h", "backspace", "escape", "n", *"no", "enter", "ctrl+j")
        assert "rejected by ana" in said(pilot)
        await pilot.press("ctrl+q")
        return pilot.app._exit

    assert bench.play(script, REFUND, run=paused(bench))


def test_a_rejected_refund_is_not_paid(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "g i", "n", *"no", "enter", "ctrl+j")
        assert "rejected by ana" in said(pilot)
        await press(pilot, "c")
        assert "ENDED" in header(pilot)

    bench.play(script, REFUND, run=paused(bench))
    assert "pay" not in bench.nodes()
    assert bench.load().values["payment"] == {}


def test_after_a_decision_the_line_names_the_keys_that_go_on(bench: Bench) -> None:
    elsewhere = bench.executor(REFUND)
    elsewhere.run(elsewhere.start({}))

    async def script(pilot: P) -> None:
        await press(pilot, "g i", "y", *"review", "ctrl+j")
        goes_on = "s takes the next step, c continues"
        assert said(pilot).startswith(f"{goes_on}; approved by ana (app)")
        workbench(pilot).next_line.clear()
        assert said(pilot).startswith(f"NEXT review  approved by ana: {goes_on}")
        await press(pilot, "g i", "enter", "n", *"no", "enter", "ctrl+j")
        await until(pilot, lambda: "c continues the run" in text(pilot))
        await press(pilot, "q", "g i")
        assert "Nothing waits for you." in text(pilot)

    bench.play(script, REFUND, run=paused(bench), size=(200, 60))


def test_a_run_continues_after_a_decision_unless_the_settings_say_otherwise(bench: Bench) -> None:
    async def goes_on(pilot: P) -> None:
        await press(pilot, "g i", "y", *"review")
        assert "Enter approve and continue · ctrl+j approve only" in text(pilot)
        await press(pilot, "enter")
        await settle(pilot)
        assert "ENDED   step 7/30" in header(pilot)

    async def stays(pilot: P) -> None:
        await press(pilot, "g i", "y", *"review")
        assert "and continue" not in text(pilot)
        await press(pilot, "enter")
        assert "READY   step 4/30" in header(pilot)

    bench.play(goes_on, REFUND, run=paused(bench))
    bench.settings = replace(bench.settings, auto_continue=False)
    bench.play(stays, REFUND, run=paused(bench))
    assert bench.nodes()[-2:] == ["pay", "notify"]
