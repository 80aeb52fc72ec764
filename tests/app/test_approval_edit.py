"""Changing values before approving."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from tests.app.approving import EDITABLE, Desk, Host, asking, pending, press
from tests.app.playing import play


def editing(**settings: Any) -> tuple[Desk, Host]:
    desk = Desk()
    settings = {"editable": EDITABLE, **settings}
    return desk, Host(desk, pending(desk.run(asking(**settings))).id)


def test_values_that_the_action_cannot_be_written_with_are_told() -> None:
    _, host = editing(editable={"order.items": "list"}, action="buy({{ order['items'][0] }})")

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "e", "home", "ctrl+k", "[", "]", "ctrl+j")
        assert "unknown: it cannot be written:" in host.text

    play(host, script)
