"""Reading a review and deciding it by keys."""

from __future__ import annotations

from typing import Any

from textual.events import Paste
from textual.pilot import Pilot

from tests.app.approving import low, press
from tests.app.playing import play


def test_several_pasted_lines_are_kept_and_sent() -> None:
    desk, host = low(allow=["approve", "respond"])

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "r")
        host.post_message(Paste("one\n\x1btwo"))
        await pilot.pause()
        assert "New line" in host.text
        await press(pilot, "ctrl+j", "enter")

    play(host, script)
    assert [work.decision.text for work in desk.sent] == ["one\n\\x1btwo"]
