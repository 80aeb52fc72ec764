"""Requests that a model may have written to mislead, and screens of all sizes."""

from __future__ import annotations

from typing import Any

import pytest
from textual.events import MouseScrollDown, Paste
from textual.pilot import Pilot

from stepgraph import Decision
from stepgraph_tui.commands.hints import UNMAPPED
from stepgraph_tui.dialogs.approval.difference import difference
from stepgraph_tui.dialogs.approval.pages import details, proposal, summary
from stepgraph_tui.dialogs.approval.proposal import Proposal
from stepgraph_tui.dialogs.approval.watching import Subject
from stepgraph_tui.text.cells import cell_len
from tests.app.approving import EDITABLE, Desk, Host, asking, pending, press
from tests.app.playing import play

_DATA = ("asks", "action", "data")
FAKE = "Fine?\n┗━━━━━━┛\nThen      n reject → pay\nRISK LOW [bold red]x[/] \x1b[2J\u202e"


def waiting(**settings: Any) -> tuple[Desk, Host]:
    desk = Desk()
    state = settings.pop("state", None)
    return desk, Host(desk, pending(desk.run(asking(state, **settings))).id)


def test_a_question_cannot_draw_parts_of_the_dialog() -> None:
    _, host = waiting(state={"said": FAKE}, prompt="{{ said }}", show=["said"])

    async def script(pilot: Pilot[Any]) -> list[str]:
        first = host.text
        await press(pilot, "d")
        return [*first.split("\n"), *host.text.split("\n")]

    lines = play(host, script)
    for line in lines:
        assert "\x1b" not in line
        assert "\u202e" not in line
    asked = [line for line in lines if "Then      n reject" in line and "\\n" not in line]
    assert asked
    assert all(line[2:12].strip() == "" and line[12:14] == "│ " for line in asked)
    assert any("[bold red]x[/] \\x1b[2J\\u202e" in line for line in lines)


def test_names_and_values_are_data_wherever_they_appear() -> None:
    odd = "[red]a\x1b[31m\nb"
    _, host = waiting(
        state={"said": odd, odd: 1},
        show=["said", odd],
        action="{{ said }}({{ said }})",
        editable={odd: "number"},
    )

    async def script(pilot: Pilot[Any]) -> None:
        for keys in (["d"], ["="], ["=", "e", "0"], ["ctrl+j"]):
            await press(pilot, *keys)
            assert "\x1b" not in host.text
            assert "[red]" in host.text or keys == ["="]  # nothing has changed

    play(host, script)


def test_a_long_action_must_be_seen_before_it_can_be_approved() -> None:
    desk, host = waiting(
        state={"long": "x" * 2000}, action='pay(to="{{ long }}")', editable={"order.amount": "number"}
    )

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "y", "e")
        assert host.dialog.box.idle
        assert "read the whole action before you approve" in host.text
        assert "y Approve" not in host.text
        assert "n Reject" in host.text
        await press(pilot, "G", "y")
        assert host.dialog.box.idle  # its end is not on this page
        await press(pilot, "d", "y")
        assert "Approve pay(" in host.text

    play(host, script)
    assert desk.sent == []


def test_an_action_below_the_fold_is_seen_by_scrolling() -> None:
    _, host = waiting(prompt="\n".join(f"line {number}" for number in range(10)))

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "y")
        assert host.dialog.box.idle
        await press(pilot, "G", "y")
        assert not host.dialog.box.idle

    play(host, script, (80, 20))


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


def test_clicks_never_decide() -> None:
    desk, host = waiting(editable={"order.amount": "number"})

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "k")
        await everywhere(pilot)
        assert host.dialog.box.idle
        await press(pilot, "y")
        await everywhere(pilot)
        await press(pilot, "escape", "e", "0", "enter")
        await everywhere(pilot)

    async def everywhere(pilot: Pilot[Any]) -> None:
        for x, y in ((3, 1), (30, 6), (3, 13), (30, 17), (3, 18), (30, 19), (3, 23)):
            await pilot.click(offset=(x, y))
        await pilot.click(offset=(30, 20), times=2)

    play(host, script)
    assert desk.sent == []
    assert desk.reviews.pending()


def test_the_wheel_scrolls() -> None:
    _, host = waiting(prompt="\n".join(map(str, range(11))))

    async def script(pilot: Pilot[Any]) -> None:
        assert "more line" in host.text
        await pilot._post_mouse_events([MouseScrollDown], host.dialog.view, (5, 3))
        await pilot.pause()
        assert host.dialog.view.scroll_offset.y > 0

    play(host, script)


WIDE = "价格 مرحبا " * 40


@pytest.mark.parametrize("sizes", [[(80, 24), (200, 60)], [(20, 5), (2, 2)]])
def test_every_size_shows_every_part_without_failing(sizes: list[tuple[int, int]]) -> None:
    desk, host = waiting(
        state={"said": WIDE},
        prompt="{{ said }}",
        action="{{ said }}",
        show=["said"],
        editable=EDITABLE,
        allow=["approve", "edit", "reject", "respond"],
    )

    async def script(pilot: Pilot[Any]) -> None:
        for key in ["d", "G", "=", "escape", "n", "x", "escape", "r", "escape", "c", "escape"]:
            await press(pilot, key)
        await press(pilot, "e", "1", "tab", "escape")
        await pilot.resize_terminal(*sizes[1])
        await press(pilot, "e", "escape", "d", "y")
        assert not host.dialog.box.idle
        await pilot.resize_terminal(30, 9)
        await pilot.resize_terminal(90, 30)
        await press(pilot, "enter")

    play(host, script, sizes[0])
    assert len(desk.sent) == 1


def test_no_row_of_a_page_is_wider_than_it_may_be_and_each_width_shows_all_of_the_request() -> None:
    desk = Desk()
    graph = asking({"said": WIDE}, prompt="{{ said }}", action="{{ said }}", show=["said"], editable=EDITABLE)
    subject = Subject.read(desk.store, pending(desk.run(graph)).id)
    for width in (1, 2, 4, 16, 36, 76, 96):
        for rows in (
            details(subject, width),
            summary(subject, width, UNMAPPED).rows,
            difference(subject.changed, f"since {subject.since}", width),
            proposal(Proposal.of(subject, Decision.edit({"order.amount": 1})), width),
        ):
            data = [text for row in rows for text, role in row.parts if role in _DATA]
            assert all(cell_len(text) <= max(2, width) for text in data)
        told = "".join(text for row in details(subject, width) for text, role in row.parts if role in _DATA)
        assert told.count("价") >= 3 * 40


def test_the_line_to_type_in_is_seen_on_the_smallest_screen() -> None:
    desk = Desk()
    host = Host(desk, pending(desk.refund()).id)

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "d", "y", "r", "e", "v")
        assert "rev" in host.text
        await press(pilot, "escape", "n", "h", "i")
        assert "hi" in host.text
        await press(pilot, "escape", "e")
        assert "240" in host.text

    play(host, script, (20, 5))


def test_the_frame_stays_straight_around_wide_characters() -> None:
    _, host = waiting(state={"said": "价格" * 60}, prompt="{{ said }}", show=["said"])

    async def script(pilot: Pilot[Any]) -> list[str]:
        return host.text.split("\n")

    framed = [line for line in play(host, script) if line.startswith(("┃", "┠", "┏", "┗"))]
    assert {cell_len(line) for line in framed} == {80}
    assert {line[-1] for line in framed} <= set("┃┨┓┛")


def test_pasted_keys_decide_nothing() -> None:
    desk, host = waiting()

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "k")
        host.post_message(Paste("y\n"))
        await pilot.pause()
        assert host.dialog.box.idle
        await press(pilot, "y")
        host.post_message(Paste("\n"))
        await pilot.pause()

    play(host, script)
    assert desk.sent == []
