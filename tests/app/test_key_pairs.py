"""Two keys that are one: the menu between them, what ends it, and what keys of before tell."""

from __future__ import annotations

import pytest
from textual.widgets import Input

from stepgraph_tui.screens.inbox import InboxScreen
from stepgraph_tui.screens.runs import RunsScreen
from stepgraph_tui.settings import Settings
from stepgraph_tui.widgets.chrome.key_pairs import PairMenu
from tests.app.bench import REFUND, Bench, P, press, said, text, until, workbench


def menus(pilot: P) -> int:
    return len(pilot.app.screen.query(PairMenu))


def told(pilot: P) -> list[str]:
    """What was said beside the screen."""
    return [note.message for note in pilot.app._notifications]


def test_a_menu_tells_what_the_second_key_may_be_after_a_moment(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "g")
        await until(pilot, lambda: menus(pilot))
        assert " i  Open this run's pending review, or else the inbox" in text(pilot)
        assert " r  List every run in the store" in text(pilot)
        await press(pilot, "r")
        assert isinstance(pilot.app.screen, RunsScreen)
        await press(pilot, "q")
        assert not menus(pilot)

    bench.play(script, REFUND)


def test_with_space_it_shows_at_once_and_escape_ends_it(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "z", "space")
        assert menus(pilot) == 1
        assert "Draw" not in text(pilot).split("View")[-1]  # what has one key alone is not among them
        assert "Show only this pane" in text(pilot)
        await press(pilot, "escape", "s")
        assert not menus(pilot)
        await press(pilot, "escape")
        await press(pilot, "g", "escape", "r")
        assert pilot.app.screen is workbench(pilot)

    bench.play(script, REFUND)


def test_a_second_key_that_leads_nowhere_does_nothing_and_a_click_ends_the_wait(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "g", "s")
        assert pilot.app.screen is workbench(pilot)  # no step, which would ask for the inputs
        await press(pilot, "g", "space")
        await pilot.click("GraphView")
        assert not menus(pilot)
        await press(pilot, "r")
        assert pilot.app.screen is workbench(pilot)

    bench.play(script, REFUND)


def test_a_text_field_takes_the_first_key_as_a_letter(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "slash", *"gi")
        assert pilot.app.screen.query_one(Input).value == "gi"

    bench.play(script, REFUND)


def test_two_keys_say_why_they_do_nothing_now_as_one_does(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "x m")
        assert "there is no run yet" in said(pilot)

    bench.play(script, REFUND)


@pytest.mark.parametrize(
    ("key", "now"),
    [("A", "A is gi now: Inbox"), ("R", "R is gr now: Runs"), ("D", "D is xd now: Loop"),
     ("at", "@ is gl now: Command log"), ("x", None)],
)  # fmt: skip
def test_a_key_of_before_tells_the_one_of_now(bench: Bench, key: str, now: str | None) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, key)
        assert told(pilot) == ([now] if now else [])

    bench.play(script, REFUND)


def test_people_may_give_commands_two_keys_and_keep_those_of_before(bench: Bench) -> None:
    bench.settings = Settings(name="ana", keys={"workbench.approvals": "A", "runs.sort": "z>z"})

    async def script(pilot: P) -> None:
        await press(pilot, "A")
        assert isinstance(pilot.app.screen, InboxScreen)
        await press(pilot, "q", "A", "g r")
        assert "zz Sort" in text(pilot)
        assert told(pilot) == []

    bench.run(REFUND)
    bench.play(script, REFUND, run="r-1", size=(160, 30))


def test_the_help_lists_only_the_keys_that_have_a_text(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "?")
        assert "Start a run" in text(pilot)
        await press(pilot, "/", *"one node", "enter")
        shown = text(pilot)
        assert "s  F10  Run exactly one node" in shown
        assert "Start a run" not in shown
        await press(pilot, "/", *"zebra")
        assert "no key has zebra in what it does" in text(pilot)
        await press(pilot, "escape")
        assert "Start a run" in text(pilot)
        await press(pilot, "escape")
        assert pilot.app.screen is workbench(pilot)

    bench.play(script, REFUND)
