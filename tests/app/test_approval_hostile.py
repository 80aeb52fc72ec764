"""Requests that a model may have written to mislead, and screens of all sizes."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from stepgraph import Decision
from stepgraph_tui.commands.hints import UNMAPPED
from stepgraph_tui.dialogs.approval.pages import details, difference, proposal, summary
from stepgraph_tui.dialogs.approval.proposal import Proposal
from stepgraph_tui.dialogs.approval.subject import Subject
from stepgraph_tui.text.cells import cell_len
from tests.app.approving import EDITABLE, Desk, Host, asking, pending, press
from tests.app.playing import play

_DATA = ("asks", "action", "data")


def waiting(**settings: Any) -> tuple[Desk, Host]:
    desk = Desk()
    state = settings.pop("state", None)
    return desk, Host(desk, pending(desk.run(asking(state, **settings))).id)


def test_what_is_too_long_to_be_shown_cannot_be_approved_here() -> None:
    _, host = waiting(state={"long": "y" * 200_000}, prompt="{{ long }}")

    async def script(pilot: Pilot[Any]) -> None:
        assert "too long to show in full here" in host.text
        await press(pilot, "d", "G", "y")
        assert host.dialog.box.idle
        assert "more characters, not shown here" in host.text
        await press(pilot, "n")
        assert not host.dialog.box.idle

    play(host, script)


WIDE = "价格 مرحبا " * 40


def test_no_row_of_a_page_is_wider_than_it_may_be_and_each_width_shows_all_of_the_request() -> None:
    desk = Desk()
    graph = asking({"said": WIDE}, prompt="{{ said }}", action="{{ said }}", show=["said"], editable=EDITABLE)
    subject = Subject.read(desk.store, pending(desk.run(graph)).id)
    for width in (1, 2, 4, 16, 36, 76, 96):
        for rows in (
            details(subject, width),
            summary(subject, width, UNMAPPED),
            difference(subject.changed, f"since {subject.since}", width),
            proposal(Proposal.of(subject, Decision.edit({"order.amount": 1})), width),
        ):
            data = [text for row in rows for text, role in row.parts if role in _DATA]
            assert all(cell_len(text) <= max(2, width) for text in data)
        told = "".join(text for row in details(subject, width) for text, role in row.parts if role in _DATA)
        assert told.count("价") >= 3 * 40
