"""What becomes of the open dialog when the store changes below it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from textual.pilot import Pilot

from stepgraph import Decision
from stepgraph.stores.memory import MemoryStore
from stepgraph.values.errors import StoreError
from stepgraph_tui.dialogs.approval.proposal import decided_text
from stepgraph_tui.dialogs.approval.subject import Subject
from tests.app.approving import Desk, Host, low, press
from tests.app.playing import play


def by_ben(desk: Desk, review: str = "a-1") -> None:
    desk.reviews.decide(review, replace(Decision.reject(by="ben", comment="too high"), source="cli"))


@pytest.mark.parametrize("at", [0.0, 1e18])
def test_a_decision_at_an_odd_time_is_told_all_the_same(at: float) -> None:
    desk, _ = low()
    desk.reviews.decide("a-1", Decision.approve(by="ben"))
    decision = Decision("approve", by="ben", at=at)  # as a store of somebody else may have it
    told = decided_text(Subject.read(desk.store, "a-1"), decision, desk.clock.time())
    assert told.startswith("approved by ben (library) ")


def test_a_review_that_is_not_there_is_said_and_closed() -> None:
    desk = Desk()
    host = Host(desk, "a-99")

    async def script(pilot: Pilot[Any]) -> None:
        assert "there is no review 'a-99'" in host.text
        host.dialog.look_again()
        await press(pilot, "y", "d", "=", "<", "enter")
        assert not host.open

    play(host, script)


def test_a_store_that_fails_meanwhile_is_said_and_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    desk, host = low()

    def locked(self: MemoryStore, *given: object) -> Any:
        raise StoreError("the database is locked")

    async def script(pilot: Pilot[Any]) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(MemoryStore, "stamp", locked)
            patch.setattr(MemoryStore, "review", locked)
            host.dialog.look_again()
            await press(pilot, ">")
        assert "the database is locked" in host.text
        by_ben(desk)
        host.dialog.look_again()
        await pilot.pause()
        assert "already rejected by ben" in host.text

    play(host, script)
