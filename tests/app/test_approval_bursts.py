"""Keys that arrive in one burst: what stands behind a verb goes to the field that it opens."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from tests.app.approving import EDITABLE, Desk, Host, asking, burst, pending
from tests.app.playing import play

ALL = ["approve", "edit", "reject", "respond"]


def waiting(**settings: Any) -> tuple[Desk, Host]:
    desk = Desk()
    settings = {"allow": ALL, "editable": {"order.amount": "number"}, **settings}
    return desk, Host(desk, pending(desk.run(asking(**settings))).id)


def test_a_burst_behind_e_goes_from_field_to_field() -> None:
    _, host = waiting(editable=EDITABLE)

    async def script(pilot: Pilot[Any]) -> None:
        await burst(pilot, "e", *"18", "tab")
        await burst(pilot, *"false")
        assert host.dialog.form.edits == {"order.amount": "18", "order.express": "false"}

    play(host, script, (100, 40))
