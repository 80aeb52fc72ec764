"""Several reviews in one dialog: no key that was meant for something else decides them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from textual.app import App
from textual.pilot import Pilot

from stepgraph import ReviewTerms
from stepgraph.reviews.model import Review
from stepgraph.reviews.waiting import ListedReview
from stepgraph_tui.dialogs.bulk import BulkAnswer, BulkDialog
from tests.app.playing import play, screen_lines
from tests.engine.test_waiting import review


class Host(App[None]):
    """Opens the dialog on some reviews, at a clock that goes only when it is told to."""

    def __init__(self, *reviews: Review, gone: Collection[str] = ()) -> None:
        super().__init__()
        self.at = 100.0
        self.answers: list[BulkAnswer | None] = []
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


# Terms


BY_BEN = ReviewTerms(deadline=600.0, on_timeout="reject", approvers=("ben",))


def shown(*reviews: Review, gone: Collection[str] = ()) -> tuple[str, list[str]]:
    """What the dialog says of some reviews, on one line without its frame, and which verbs it offers."""
    host = Host(*reviews, gone=gone)

    async def script(pilot: Pilot[Any]) -> tuple[str, list[str]]:
        await pilot.pause()
        verbs = [verb for verb in ("approve", "reject") if host.dialog.check_action("decide", (verb,))]
        return " ".join(host.text.replace("┃", " ").split()), verbs

    return play(host, script)


def test_who_may_not_decide_one_of_them_is_told_which_and_decides_none() -> None:
    text, verbs = shown(review(1, risk="low"), review(2, risk="low", hash="x", terms=BY_BEN))
    assert "ana may not decide review a-2 (ben may decide it)" in text
    assert "Under another name: `stepgraph --as NAME`" in text
    assert verbs == []
