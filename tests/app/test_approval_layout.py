"""What of a review is seen where there is little room, and where there is much."""

from __future__ import annotations

from typing import Any

import pytest
from rich.style import Style
from textual.pilot import Pilot

from tests.app.approving import EDITABLE, Desk, Host, asking, low, pending, press, refund
from tests.app.playing import play


@pytest.mark.parametrize("size", [(60, 15), (80, 24), (200, 60)])
def test_the_question_and_the_action_stay_above_the_line_that_confirms(size: tuple[int, int]) -> None:
    _, host = refund()

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "G", "g", "y")
        await pilot.pause()
        text = host.text
        places = [text.find(part) for part in ("Refund 240 EUR", "Action", "To approve", " Enter Confirm")]
        assert -1 not in places, text
        assert places == sorted(places)

    play(host, script, size)


def test_the_way_of_a_rejection_is_in_view_at_80_columns() -> None:
    fields = {path: EDITABLE[path] for path in ("order.amount", "order.express", "order.items", "title")}
    _, host = low(editable=fields, show=["order"], allow=["approve", "edit", "reject", "respond"])

    async def script(pilot: Pilot[Any]) -> None:
        assert "n reject  → refuse" in host.text
        await press(pilot, "y")
        assert "Go on?" in host.text

    play(host, script, (80, 24))


def test_a_wide_screen_shows_more_of_a_value() -> None:
    _, host = refund()

    async def script(pilot: Pilot[Any]) -> str:
        return host.text

    assert "hand-made coffee grinder" not in play(host, script, (120, 40))
    _, host = refund()
    assert "hand-made coffee grinder" in play(host, script, (200, 60))


def test_the_keys_to_the_others_are_named_where_there_are_others() -> None:
    desk = Desk()
    last = pending(desk.run(asking()))
    _, host = low()
    assert "APPROVAL 1 of 1 ━" in play(host, _text)
    desk.run(asking(risk="high"))
    assert "APPROVAL < 2 of 2 > ━" in play(Host(desk, last.id), _text)


async def _text(pilot: Pilot[Any]) -> str:
    assert isinstance(pilot.app, Host)
    return pilot.app.text


def test_question_action_and_values_have_three_weights_without_colour() -> None:
    _, host = low(show=["title"])

    async def script(pilot: Pilot[Any]) -> list[Style]:
        view = host.dialog.view
        strips = [view.render_line(y) for y in range(len(view.rows))]
        parts = [(part.text, part.style) for strip in strips for part in strip if part.style is not None]
        shown = ("Go on?", "pay(amount=240)", '"a title"')
        return [next(style for text, style in parts if wanted in text) for wanted in shown]

    weights = [(bool(style.bold), bool(style.reverse), bool(style.dim)) for style in play(host, script)]
    assert len(set(weights)) == 3
