"""Several reviews in one dialog: no key that was meant for something else decides them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Static

from stepgraph import Decision
from stepgraph.reviews.model import Review
from stepgraph.reviews.waiting import ListedReview
from stepgraph_tui.dialogs.bulk import BulkDialog
from tests.app.playing import play, screen_lines
from tests.engine.test_waiting import review


class Host(App[None]):
    """Opens the dialog on some reviews, at a clock that goes only when it is told to."""

    def __init__(self, *reviews: Review) -> None:
        super().__init__()
        self.at = 100.0
        self.answers: list[Decision | None] = []
        self.dialog = BulkDialog(
            [ListedReview(each) for each in reviews],
            me="ana",
            waiting=lambda: {each.id for each in reviews},
            time=lambda: 10_000.0,
            now=lambda: self.at,
            stamp=lambda event: self.at,
        )

    def on_mount(self) -> None:
        self.push_screen(self.dialog, self.answers.append)

    @property
    def text(self) -> str:
        return "\n".join(screen_lines(self))


LOW = review(1, risk="low"), review(2, risk="low")


async def press(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys one by one, each after a moment of quiet."""
    host: Any = pilot.app
    for key in keys:
        host.at += 1.0
        await pilot.press(key)
        await pilot.pause()


def test_keys_that_were_typed_for_something_else_do_nothing() -> None:
    host = Host(*LOW)

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("n", *"no", "enter", "enter", "y", "enter", "enter")
        await pilot.pause()
        assert host.dialog.idle
        assert "keys in" in host.text

    play(host, script)
    assert host.answers == []


def test_no_key_of_a_burst_answers_the_question_that_it_opens() -> None:
    for first in ("y", "n"):
        host = Host(*LOW)

        async def script(pilot: Pilot[Any], host: Host = host, first: str = first) -> None:
            host.at += 1.0
            await pilot.press(first, *"fine", "enter", "enter", "enter", "y", "n")
            await pilot.pause()
            assert host.dialog.asks
            assert host.answers == []
            await press(pilot, "enter")

        play(host, script)
        (answer,) = host.answers
        assert answer is not None
        assert (answer.verb, answer.comment) == ("approve" if first == "y" else "reject", "fine")


def test_the_wait_begins_anew_when_the_person_comes_back() -> None:
    host = Host(*LOW)

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "n", *"no", "enter")
        host.at += 1.0
        host.app_focus = False
        await pilot.pause()
        host.app_focus = True
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        assert host.answers == []
        await press(pilot, "escape", "escape")

    play(host, script)
    assert host.answers == [None]


def test_a_click_decides_nothing_anywhere() -> None:
    host = Host(*LOW)

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "y", "enter")
        host.at += 1.0
        for y in range(0, 24, 2):
            for x in range(2, 80, 19):
                await pilot.click(offset=(x, y))
        assert host.answers == []

    play(host, script)


def test_what_is_long_must_be_seen_to_its_end_before_it_can_be_approved() -> None:
    long = "\n".join(f"line {number}" for number in range(100))
    host = Host(*(replace(each, request=replace(each.request, prompt=long)) for each in LOW))

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "y")
        assert host.dialog.idle
        assert "read to the end before you approve: PgDn" in host.text
        await press(pilot, "G")
        await asyncio.sleep(0)
        await pilot.pause()
        await press(pilot, "y")
        assert not host.dialog.idle

    play(host, script)


def test_what_differs_is_listed_with_what_each_does() -> None:
    host = Host(
        review(1, risk="low", action="pay", arguments={"amount": 1}),
        review(2, risk="low", action="pay", arguments={"amount": 2}, hash="other"),
    )

    async def script(pilot: Pilot[Any]) -> None:
        text = str(host.dialog.query_one("VerticalScroll Static", Static).content)
        assert "pay(amount=1)" in text
        assert "pay(amount=2)" in text
        assert "they do not all ask the same" in host.text

    play(host, script)
