"""Several reviews in one dialog: no key that was meant for something else decides them."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Static

from stepgraph import Decision, ReviewTerms
from stepgraph.reviews.model import Review
from stepgraph.reviews.waiting import ListedReview
from stepgraph_tui.dialogs.bulk import BulkDialog
from tests.app.playing import play, screen_lines
from tests.engine.test_waiting import review


class Host(App[None]):
    """Opens the dialog on some reviews, at a clock that goes only when it is told to."""

    def __init__(self, *reviews: Review, gone: Collection[str] = ()) -> None:
        super().__init__()
        self.at = 100.0
        self.answers: list[Decision | None] = []
        self.dialog = BulkDialog(
            [ListedReview(each) for each in reviews],
            me="ana",
            waiting=lambda: {each.id for each in reviews} - set(gone),
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
        assert host.dialog.panel.idle
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
            assert host.dialog.panel.asks
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
        assert host.dialog.panel.idle
        assert "read to the end before you approve: PgDn" in host.text
        await press(pilot, "G")
        await asyncio.sleep(0)
        await pilot.pause()
        await press(pilot, "y")
        assert not host.dialog.panel.idle

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


# Terms


BY_ANA = ReviewTerms(deadline=600.0, on_timeout="reject", approvers=("ana", "ben"))
BY_BEN = ReviewTerms(deadline=600.0, on_timeout="reject", approvers=("ben",))


def shown(*reviews: Review, gone: Collection[str] = ()) -> tuple[str, list[str]]:
    """What the dialog says of some reviews, on one line without its frame, and which verbs it offers."""
    host = Host(*reviews, gone=gone)

    async def script(pilot: Pilot[Any]) -> tuple[str, list[str]]:
        await pilot.pause()
        verbs = [verb for verb in ("approve", "reject") if host.dialog.check_action("decide", (verb,))]
        return " ".join(host.text.replace("┃", " ").split()), verbs

    return play(host, script)


def test_terms_that_are_the_same_are_told_once_and_each_deadline_by_itself() -> None:
    reviews = [review(n, risk="low", terms=BY_ANA, deadline=10_000.0 + 120 * n) for n in (1, 2)]
    text, verbs = shown(*reviews)
    assert text.count("decides: ana or ben") == 1
    assert "rejects itself in 2m" in text
    assert "rejects itself in 4m" in text
    assert verbs == ["approve", "reject"]


def test_terms_that_differ_are_told_of_each_and_not_approved_together() -> None:
    both = replace(BY_BEN, approvers=("Ana", "cy"))
    text, verbs = shown(review(1, risk="low", terms=BY_ANA), review(2, risk="low", terms=both))
    assert "decides: ana or ben" in text
    assert "decides: Ana or cy" in text
    assert "Not to be approved together: they ask the same on different terms" in text
    assert verbs == ["reject"]


def test_who_may_not_decide_one_of_them_is_told_which_and_decides_none() -> None:
    text, verbs = shown(review(1, risk="low"), review(2, risk="low", hash="x", terms=BY_BEN))
    assert "Not to be rejected together: ana may not decide review a-2 (ben may decide it)" in text
    assert "Under another name: `stepgraph --as NAME`" in text
    assert verbs == []


def test_what_waits_no_more_is_told_with_the_reason() -> None:
    late, not_yet, never = review(1, deadline=9_999.0), review(2, deadline=10_001.0), review(3)
    text, verbs = shown(late, not_yet, never, review(4), gone=("a-1", "a-2", "a-3"))
    assert "run r-1: its deadline has passed" in text
    assert "run r-2: decided elsewhere" in text
    assert "run r-3: decided elsewhere" in text
    assert "4 REVIEWS, 1 still waits" in text
    assert verbs == ["approve", "reject"]
    text, verbs = shown(late, gone=("a-1",))
    assert "nothing here can be decided any more: none of it waits" in text
    assert verbs == []


def test_a_question_without_an_action_is_told_once() -> None:
    text, _ = shown(*LOW)
    assert text.count("Refund it?") == 1
    text, _ = shown(*(replace(each, request=replace(each.request, action="pay")) for each in LOW))
    assert "Action pay" in text
