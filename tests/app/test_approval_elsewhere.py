"""What becomes of the open dialog when the store changes below it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from textual.pilot import Pilot

from stepgraph import Decision, ReviewTerms
from stepgraph.stores.base import StoredReview
from stepgraph.stores.memory import MemoryStore
from stepgraph.values.errors import AlreadyDecided, StoreError, StoreUnreachable
from stepgraph_tui.dialogs.approval.watching import Subject
from stepgraph_tui.dialogs.approval.wording import decided_text
from tests.app.approving import Desk, Host, asking, low, pending, press, type_text
from tests.app.playing import play


def by_ben(desk: Desk, review: str = "a-1") -> None:
    desk.reviews.decide(review, replace(Decision.reject(by="ben", comment="too high"), source="cli"))


def test_a_decision_from_elsewhere_leaves_only_reading() -> None:
    desk, host = low()

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "y")
        by_ben(desk)
        host.dialog.look_again()
        await pilot.pause()
        text = host.text
        assert "already rejected by ben (cli)" in text
        assert ": too high" in text
        await pilot.press("enter")  # it was meant for the line that was there
        assert host.open
        await press(pilot, "y", "e", "n", "c")
        assert host.open
        await press(pilot, "enter")
        assert not host.open

    play(host, script)
    assert desk.sent == []


def test_what_was_written_can_be_copied_out() -> None:
    desk, host = low(editable={"order.amount": "number"})

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "c")
        await type_text(pilot, "fine")
        await press(pilot, "enter", "e", *"2401")
        by_ben(desk)
        host.dialog.look_again()
        await pilot.pause()
        assert "y copies it" in host.text
        await press(pilot, "y")

    play(host, script)
    assert desk.copied == ["order.amount = 2401\nfine"]


def test_a_refusal_because_somebody_was_first_shows_who() -> None:
    desk, host = low()

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "y", "enter")
        by_ben(desk)
        with pytest.raises(AlreadyDecided) as raised:
            desk.record()
        host.dialog.refused(raised.value)
        await pilot.pause()
        assert "already rejected by ben (cli)" in host.text

    play(host, script)


def test_our_own_decision_is_told_by_its_answer_and_not_by_a_look_at_the_store() -> None:
    desk, host = low()

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "y", "enter")
        review = desk.record()
        host.dialog.look_again()  # the answer knows who goes on with the run, the store does not
        await pilot.pause()
        assert host.open
        assert desk.said == []
        host.dialog.recorded(review)
        await pilot.pause()
        assert not host.open

    play(host, script)
    assert len(desk.said) == 1


def test_our_own_decision_whose_answer_was_lost_is_recorded_all_the_same() -> None:
    desk, host = low()

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "y", "enter")
        desk.record()
        with pytest.raises(AlreadyDecided) as raised:
            desk.record()  # as who waits for the store tries once more
        host.dialog.refused(raised.value)
        await pilot.pause()
        assert not host.open

    play(host, script)
    assert len(desk.said) == 1


def test_a_decision_that_comes_after_closing_is_still_told() -> None:
    desk, host = low()

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "y", "enter", "escape")
        assert not host.open
        host.dialog.recorded(desk.record())

    play(host, script)
    assert len(desk.said) == 1


def test_a_withdrawn_request_shows_what_changed_and_leads_to_the_new_one() -> None:
    desk = Desk()
    graph = asking()
    executor = desk.executor(graph)
    run = executor.run(executor.start({}))
    host = Host(desk, pending(run).id)

    async def script(pilot: Pilot[Any]) -> None:
        executor.edit(run.id, {"order": {"amount": 999}}, by="ben")
        host.dialog.look_again()
        await pilot.pause()
        assert "this request changed" in host.text
        assert "order.amount" in host.text
        assert "> shows what is asked now" in host.text
        await press(pilot, "y", "n")
        assert "this request changed" in host.text
        await press(pilot, ">")
        assert "pay(amount=999)" in host.text
        await press(pilot, "y", "enter")

    play(host, script)
    (work,) = desk.sent
    assert work.review == "a-2"
    assert work.expect_hash == desk.reviews.get("a-2").hash


def test_a_changed_run_is_shown_anew_and_arms_anew() -> None:
    desk = Desk()
    executor = desk.executor(asking())
    run = executor.run(executor.start({}))
    host = Host(desk, pending(run).id)

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "y")
        executor.extend(run.id, 7)
        host.dialog.look_again()
        await pilot.pause()
        assert "step 1 of 57" in host.text
        assert host.dialog.box.idle
        await pilot.press("y")
        assert host.dialog.box.idle

    play(host, script)


def test_reviews_are_turned_by_risk_and_then_by_age() -> None:
    desk = Desk()
    for risk in ("low", "medium", "high", "low"):
        desk.run(asking(risk=risk))
        desk.clock.advance(10)
    host = Host(desk, "a-2")

    async def script(pilot: Pilot[Any]) -> list[str]:
        seen = []
        for key in (">", ">", ">", "<", "<"):
            seen.append(host.text.split("APPROVAL ")[1][:10])
            await press(pilot, key)
            assert "keys in" in host.text
        assert "RISK LOW" in host.text
        return seen

    assert play(host, script) == [f"< {at} of 4 >" for at in (2, 3, 4, 1, 4)]


def test_the_waiting_time_goes_on() -> None:
    desk, host = low()

    async def script(pilot: Pilot[Any]) -> None:
        assert "waiting <1m" in host.text
        desk.clock.advance(75)
        host.dialog.look_again()
        await pilot.pause()
        assert "waiting 1m " in host.text
        desk.reviews.decide("a-1", Decision.approve(by="ben"))
        host.dialog.look_again()
        await pilot.pause()
        assert "waiting" not in host.text

    play(host, script)


@pytest.mark.parametrize("at", [0.0, 1e18])
def test_a_decision_at_an_odd_time_is_told_all_the_same(at: float) -> None:
    desk, _ = low()
    desk.reviews.decide("a-1", Decision.approve(by="ben"))
    decision = Decision("approve", by="ben", at=at)  # as a store of somebody else may have it
    told = decided_text(Subject.read(desk.store, "a-1"), decision, desk.clock.time())
    assert told.startswith("approved by ben (library) ")


def test_while_nobody_commits_the_review_is_read_again_only_when_its_deadline_passes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    desk, graph = Desk(), asking(risk="low")
    graph.settings = replace(graph.settings, terms=ReviewTerms(deadline=90.0, on_timeout="reject"))
    host = Host(desk, pending(desk.run(graph)).id)
    read = MemoryStore.review
    reads: list[str] = []

    def counted(self: MemoryStore, review_id: str) -> StoredReview | None:
        reads.append(review_id)
        return read(self, review_id)

    async def script(pilot: Pilot[Any]) -> None:
        host.dialog.look_again()
        with monkeypatch.context() as patch:
            patch.setattr(MemoryStore, "review", counted)
            for left in ("1m 29s", "1m 28s"):
                desk.clock.advance(1)
                host.dialog.look_again()
                await pilot.pause()
                assert f"rejects itself in {left}" in host.text
            assert not reads
            desk.clock.advance(88)
            host.dialog.look_again()
            assert reads
        await pilot.pause()
        assert "already rejected by its deadline" in host.text

    play(host, script)


def test_an_outage_is_told_beside_what_else_was_said_and_the_time_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    desk, graph = Desk(), asking(risk="low")
    graph.settings = replace(graph.settings, terms=ReviewTerms(deadline=90.0, on_timeout="reject"))
    host = Host(desk, pending(desk.run(graph)).id)
    down = StoreUnreachable("the store pg does not answer", "does not answer", hint="start it")

    def unread(self: MemoryStore) -> Any:
        raise down

    async def script(pilot: Pilot[Any]) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(MemoryStore, "stamp", unread)
            await press(pilot, "y", "enter")
            host.dialog.look_again()
            await pilot.pause()
            for words in ("the decision is being recorded", "does not answer", "recorded once it answers"):
                assert words in host.text
            host.dialog.refused(down)
            for left in ("1m 29s", "1m 28s"):
                desk.clock.advance(1)
                host.dialog.look_again()
                await pilot.pause()
                assert "not recorded: the store pg does not answer (start it)" in host.text
                assert "looking again" in host.text
                assert "recorded once it answers" not in host.text
                assert f"rejects itself in {left}" in host.text
        host.dialog.look_again()
        await pilot.pause()
        assert "not recorded: " in host.text
        assert "looking again" not in host.text

    play(host, script)


def test_what_was_decided_before_can_only_be_read() -> None:
    desk, host = low()
    desk.reviews.decide("a-1", Decision.approve(by="ben"))

    async def script(pilot: Pilot[Any]) -> None:
        assert "already approved by ben (library)" in host.text
        await press(pilot, "enter")
        assert not host.open

    play(host, script)


def test_a_review_that_is_not_there_is_said_and_closed() -> None:
    desk = Desk()
    host = Host(desk, "a-99")

    async def script(pilot: Pilot[Any]) -> None:
        assert "there is no review 'a-99'" in host.text
        host.dialog.look_again()
        await press(pilot, "y", "d", "=", "<", "enter")
        assert not host.open

    play(host, script)


def test_a_damaged_review_is_an_error_on_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    desk, host = low()
    read = desk.store.review

    def damaged(review_id: str) -> StoredReview:
        found = read(review_id)
        assert found is not None
        return StoredReview(
            found.run, [replace(row, data={"request": [], "values": 1}) for row in found.rows]
        )

    monkeypatch.setattr(desk.store, "review", damaged)

    async def script(pilot: Pilot[Any]) -> None:
        assert "is damaged: review" in host.text
        await press(pilot, "y", "e", "j", "G", "escape")
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
