"""What interrupts a decision, and leaves everything as it was typed."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from tests.app.approving import EDITABLE, Host, host_of, low, press, type_text
from tests.app.playing import play


def test_a_busy_thread_keeps_everything() -> None:
    desk, host = low()
    desk.busy = True

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "y", "enter")
        assert "nothing was sent" in host.text
        desk.busy = False
        await press(pilot, "enter", "enter", "y")
        assert len(desk.sent) == 1

    play(host, script)


def test_a_refusal_is_shown_and_nothing_is_lost() -> None:
    desk, host = low()

    async def script(pilot: Pilot[Any]) -> None:
        from stepgraph.values.errors import StoreError

        await press(pilot, "c")
        await type_text(pilot, "ok")
        await press(pilot, "enter", "y", "enter")
        host.dialog.refused(StoreError("the disk is full"))
        await pilot.pause()
        assert "not recorded: the disk is full" in host.text
        await press(pilot, "y", "enter")
        assert [work.decision.comment for work in desk.sent] == ["ok", "ok"]

    play(host, script)


def test_drafts_survive_closing() -> None:
    desk, host = low(editable=EDITABLE, allow=["approve", "edit", "reject", "respond"])

    async def write(pilot: Pilot[Any]) -> None:
        await press(pilot, "c")
        await type_text(pilot, "hm")
        await press(pilot, "escape", "r")
        await type_text(pilot, "yes")
        await press(pilot, "escape", "e")
        await type_text(pilot, "2401")
        await press(pilot, "escape", "escape")
        assert not host.open

    play(host, write)
    assert desk.drafts
    again = Host(desk, "a-1")

    async def read(pilot: Pilot[Any]) -> None:
        assert "draft" in again.text
        assert "draft, not sent: order.amount, an answer, a comment" in again.text
        await press(pilot, "e")
        assert "2401" in again.text
        await press(pilot, "escape", "r")
        assert "yes" in again.text
        await press(pilot, "escape", "y", "enter")
        again.dialog.recorded(desk.record())

    play(again, read)
    assert desk.sent[0].decision.comment == "hm"
    assert not desk.drafts


def test_coming_back_to_the_terminal_arms_anew() -> None:
    desk, host = low()

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "y")
        host.app_focus = False
        host.app_focus = True
        await pilot.pause()
        await pilot.press("enter")
        assert desk.sent == []
        await press(pilot, "enter")
        assert len(desk.sent) == 1

    play(host, script)


def test_coming_back_from_a_suspended_app_arms_anew() -> None:
    desk, host = low()

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "y")
        host.app_resume_signal.publish(host)
        await pilot.press("enter")
        assert desk.sent == []

    play(host, script)


def test_the_help_of_the_app_opens_above_it(monkeypatch: pytest.MonkeyPatch) -> None:
    _, host = low()
    shown: list[str] = []
    monkeypatch.setattr(host, "action_help", lambda: shown.append("help"), raising=False)

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "?")
        assert host_of(pilot).open

    play(host, script)
    assert shown == ["help"]


def test_the_palette_opens_above_and_its_keys_do_not_reach_through() -> None:
    desk, host = low()

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "y", ":")
        assert host.screen is host.dialog  # the line takes letters for itself
        await press(pilot, "escape", ":")
        assert host.screen is not host.dialog
        await press(pilot, "escape")
        assert host.screen is host.dialog
        await pilot.press("y")
        assert host.dialog.box.idle

    play(host, script)
    assert desk.sent == []


def test_what_is_recorded_below_another_screen_is_said_when_one_comes_back() -> None:
    desk, host = low()

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "y", "enter", ":")
        host.dialog.recorded(desk.record())
        await press(pilot, "escape")
        assert "approved by ana (app)" in host.text
        await press(pilot, "enter")
        assert not host.open

    play(host, script)
    assert len(desk.said) == 1
