"""Keys that arrive in one burst: what stands behind a verb goes to the field that it opens."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from stepgraph_tui.palette import StepgraphPalette
from tests.app.approving import EDITABLE, Desk, Host, asking, burst, pending, press, type_text
from tests.app.playing import play

ALL = ["approve", "edit", "reject", "respond"]


def waiting(**settings: Any) -> tuple[Desk, Host]:
    desk = Desk()
    settings = {"allow": ALL, "editable": {"order.amount": "number"}, **settings}
    return desk, Host(desk, pending(desk.run(asking(**settings))).id)


@pytest.mark.parametrize(
    ("key", "text"),
    [("c", "yes, ring ben"), ("c", "eeyy nnrr ccdd qq??::"), ("n", "eyn rcdq?:"), ("r", "eyn rcdq?:")],
)
def test_no_letter_behind_the_key_that_opens_a_text_is_lost_or_is_a_verb(key: str, text: str) -> None:
    desk, host = waiting()

    async def script(pilot: Pilot[Any]) -> None:
        await burst(pilot, key, *text)
        assert host.dialog.panel.text == text
        assert host.screen is host.dialog
        await burst(pilot, "!", "escape")
        assert host.dialog.box.idle
        draft = host.dialog.draft
        assert (draft.answer if key == "r" else draft.comment) == f"{text}!"

    play(host, script)
    assert desk.sent == []


def test_a_comment_in_one_burst_ends_at_its_enter_or_its_escape_with_what_was_typed() -> None:
    desk, host = waiting()

    async def script(pilot: Pilot[Any]) -> None:
        await burst(pilot, "c", *"no", "enter")
        assert host.dialog.box.idle
        assert host.dialog.draft.comment == "no"
        await burst(pilot, "c", *"hm", "escape")
        assert host.dialog.box.idle
        assert host.open
        assert host.dialog.draft.comment == "nohm"
        host.at += 1.0
        await pilot.press("c", *"toomuch")  # without a pause
        assert host.dialog.panel.text == "nohmtoomuch"

    play(host, script)
    assert desk.sent == []


def test_a_burst_behind_e_replaces_the_value_of_the_first_field() -> None:
    desk, host = waiting()

    async def script(pilot: Pilot[Any]) -> None:
        await burst(pilot, "e", *"2400")
        assert host.dialog.form.edits == {"order.amount": "2400"}
        await press(pilot, "enter")
        assert "Approve pay(amount=2400)?" in host.text

    play(host, script)
    assert desk.sent == []


def test_a_burst_behind_e_goes_from_field_to_field() -> None:
    _, host = waiting(editable=EDITABLE)

    async def script(pilot: Pilot[Any]) -> None:
        await burst(pilot, "e", *"18", "tab")
        await burst(pilot, *"false")
        assert host.dialog.form.edits == {"order.amount": "18", "order.express": "false"}

    play(host, script, (100, 40))


@pytest.mark.parametrize("risk", ["low", "high"])
def test_an_enter_that_came_with_the_verb_confirms_nothing(risk: str) -> None:
    desk, host = waiting(risk=risk)
    name = "review" if risk == "high" else ""

    async def script(pilot: Pilot[Any]) -> None:
        await burst(pilot, "y", *name, "enter", "enter")
        assert desk.sent == []
        assert desk.bells == 2
        await press(pilot, "enter")
        assert [work.decision.verb for work in desk.sent] == ["approve"]

    play(host, script)


def test_a_burst_that_comes_too_early_does_nothing() -> None:
    desk, host = waiting()

    async def script(pilot: Pilot[Any]) -> None:
        for key in ("y", "e", "c", "n", "r"):
            host.at -= 1.0
            await burst(pilot, key, *"abc", "enter")
            assert host.dialog.box.idle

    play(host, script)
    assert desk.sent == []


@pytest.mark.parametrize("keys", [("escape", "y"), ("q", "c")])
def test_keys_behind_the_one_that_closes_the_dialog_go_nowhere(keys: tuple[str, ...]) -> None:
    desk, host = waiting()

    async def script(pilot: Pilot[Any]) -> None:
        await burst(pilot, *keys, "enter")
        assert not host.open
        assert host.dialog.box.idle

    play(host, script)
    assert desk.sent == []


def test_keys_behind_the_one_that_opens_the_palette_are_no_verbs() -> None:
    desk, host = waiting()

    async def script(pilot: Pilot[Any]) -> None:
        await burst(pilot, ":", "y", "enter")
        assert host.dialog.box.idle
        await press(pilot, "escape")
        if isinstance(host.screen, StepgraphPalette):
            await press(pilot, "escape")
        assert host.screen is host.dialog

    play(host, script)
    assert desk.sent == []


def test_keys_of_one_burst_are_done_in_their_order() -> None:
    _, host = waiting()

    async def script(pilot: Pilot[Any]) -> None:
        await burst(pilot, "d", "c", *"ok", "enter")
        assert host.dialog.draft.comment == "ok"
        await burst(pilot, "d", "d", "d")
        assert host.dialog.view.page == "details"
        await type_text(pilot, "c")
        assert not host.dialog.box.idle

    play(host, script)
