"""Changing values before approving."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from stepgraph import ReviewRequest
from tests.app.approving import EDITABLE, Desk, Host, asking, pending, press, type_text
from tests.app.playing import play
from tests.app.test_approval_ways import pausing


def editing(**settings: Any) -> tuple[Desk, Host]:
    desk = Desk()
    settings = {"editable": EDITABLE, **settings}
    return desk, Host(desk, pending(desk.run(asking(**settings))).id)


def values_of(desk: Desk) -> dict[str, Any]:
    (work,) = desk.sent
    assert work.decision.verb == "edit"
    return dict(work.decision.values)


def test_an_edit_is_shown_with_its_own_consequence_before_it_is_sent() -> None:
    desk, host = editing(editable={"order.amount": "number"})

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "e", *"2400", "enter")
        text = host.text
        assert "Approve pay(amount=2400)?" in text
        assert "Then → refuse" in text  # as it is, the amount would be paid
        assert "Node      review" in text
        assert "from    240" in text
        assert "to      2400" in text
        assert desk.sent == []
        await press(pilot, "enter")
        desk.record()

    play(host, script)
    assert values_of(desk) == {"order.amount": 2400}


def test_wrong_values_are_told_as_they_are_typed_and_not_sent() -> None:
    desk, host = editing(editable={"order.amount": "number", "order.items": "list"})

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "e")
        await type_text(pilot, "x")
        assert 'takes a number, not "x": write one such as 240' in host.text
        await press(pilot, "ctrl+j")
        assert "To approve" not in host.text
        await press(pilot, "backspace")
        await press(pilot, "ctrl+j")
        assert "takes a number" in host.text
        await type_text(pilot, "1e999")
        await press(pilot, "ctrl+j")
        assert "To approve" not in host.text

    play(host, script)
    assert desk.sent == []


def test_every_type_is_read_as_what_it_is() -> None:
    desk, host = editing()

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "e", "5", "tab")
        await type_text(pilot, "false")
        await press(pilot, "tab", "end", "backspace")
        await type_text(pilot, ",1]")
        await press(pilot, "tab", "ctrl+end")
        await type_text(pilot, "!")
        await press(pilot, "tab", "end")
        await type_text(pilot, " 7")
        await press(pilot, "ctrl+j")
        assert "Approve pay(amount=5)?" in host.text
        await press(pilot, "enter")

    play(host, script, (100, 40))
    values = values_of(desk)
    assert values["order.amount"] == 5
    assert values["order.express"] is False
    assert values["order.items"] == ["tea", 1]
    assert sorted(values["order.note"]) == sorted("two\nlines!")
    assert values["title"] == "a title 7"


def test_enter_goes_from_field_to_field_and_shift_tab_back() -> None:
    desk, host = editing(editable={"order.amount": "number", "title": "text"})

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "e", "enter", "x", "shift+tab", *"2400")
        await press(pilot, "ctrl+j", "enter")

    play(host, script)
    assert values_of(desk) == {"order.amount": 2400, "title": "a titlex"}


def test_high_risk_takes_the_name_for_an_edit_too() -> None:
    desk, host = editing(editable={"order.amount": "number"}, risk="high")

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "e", *"2400", "enter", "enter")
        assert desk.sent == []
        await type_text(pilot, "review")
        await press(pilot, "enter")

    play(host, script)
    assert values_of(desk) == {"order.amount": 2400}


def test_a_draft_is_kept_when_the_question_is_left_and_typing_replaces_it() -> None:
    desk, host = editing(editable={"order.amount": "number"})

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "e", "enter")
        assert "nothing is changed" in host.text
        await press(pilot, "escape")
        assert host.dialog.box.idle
        assert host.open
        await press(pilot, "e", *"2400", "enter", "escape")
        assert host.dialog.box.idle
        await press(pilot, "e")
        assert "2400" in host.text
        await press(pilot, *"90", "enter")
        assert "Approve pay(amount=90)?" in host.text

    play(host, script)
    assert desk.sent == []


def test_a_secret_is_neither_shown_nor_lost_nor_replaced_by_its_mask() -> None:
    desk = Desk()
    graph = asking(
        {"token": "hunter22", "title": "the token is hunter22"},
        ("token",),
        editable={"token": "text", "title": "text", "order.amount": "number"},
        prompt="Use hunter22?",
    )
    host = Host(desk, pending(desk.run(graph)).id)

    async def script(pilot: Pilot[Any]) -> None:
        assert "hunter22" not in host.text
        await press(pilot, "d")
        assert "hunter22" not in host.text
        await press(pilot, "=")
        assert "hunter22" not in host.text
        await press(pilot, "e")
        assert "hunter22" not in host.text
        assert "leave it empty to keep it" in host.text
        await press(pilot, "tab", "tab", *"2400", "ctrl+j")
        assert "hunter22" not in host.text
        await press(pilot, "enter")

    play(host, script, (100, 40))
    assert values_of(desk) == {"order.amount": 2400}


def test_a_secret_that_is_typed_stays_hidden() -> None:
    desk = Desk()
    graph = asking({"token": "hunter22"}, ("token",), editable={"token": "text"})
    host = Host(desk, pending(desk.run(graph)).id)

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "e")
        await type_text(pilot, "swordfish")
        assert "swordfish" not in host.text
        await press(pilot, "enter")
        assert "swordfish" not in host.text
        assert "Approve with token" in host.text
        await press(pilot, "enter")

    play(host, script)
    assert values_of(desk) == {"token": "swordfish"}


def test_what_is_not_there_yet_can_be_given() -> None:
    desk, host = editing(editable={"reason": "text", "order.fee": "number"})

    async def script(pilot: Pilot[Any]) -> None:
        assert "(not set yet)" in host.text
        await press(pilot, "e", "tab", "3", "ctrl+j", "enter")

    play(host, script)
    assert values_of(desk) == {"order.fee": 3}


def test_control_characters_in_a_value_are_edited_as_escapes() -> None:
    desk = Desk()
    graph = asking({"title": "a\x1b[31mred"}, editable={"title": "text"})
    host = Host(desk, pending(desk.run(graph)).id)

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "e")
        assert "\x1b" not in host.text
        assert "\\u001b[31mred" in host.text
        await press(pilot, "end", "backspace", "!", '"', "enter", "enter")

    play(host, script)
    assert values_of(desk) == {"title": "a\x1b[31mred!"}


def rows_of(text: str, label: str) -> list[str]:
    rows = [line.strip("┃ ") for line in text.split("\n")]
    return [row.removeprefix(label).strip() for row in rows if row.startswith(f"{label} ")]


def test_the_name_confirms_the_action_with_the_edited_values_below_the_old_one() -> None:
    _, host = editing(editable={"order.amount": "number"}, prompt="Pay {{ order.amount }}?", risk="high")

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "e", *"150", "enter")
        text = host.text
        assert rows_of(text, "Asked") == ["pay(amount=240)", "Pay 240?"]
        assert rows_of(text, "Now") == ["pay(amount=150)", "Pay 150?"]
        assert text.index("pay(amount=240)") < text.index("pay(amount=150)")
        assert text.index("Approve pay(amount=150)?") < text.index("type the node's name")

    play(host, script)


def test_an_edit_that_the_action_does_not_name_is_told_beside_it() -> None:
    _, host = editing(editable={"title": "text"})

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "e", "x", "enter")
        assert rows_of(host.text, "Now") == ["unchanged: the edit does not affect it"]
        assert 'Approve with title = "a titlex"?' in host.text

    play(host, script)


def test_an_action_that_only_code_could_write_anew_is_said_to_be_unknown() -> None:
    desk = Desk()
    request = ReviewRequest("Pay?", "pay", {"amount": 240}, editable={"amount": "number"})
    host = Host(desk, pending(desk.run(pausing(request, amount=240))).id)

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "e", *"150", "enter")
        assert rows_of(host.text, "Asked")[0] == "pay(amount=240)"
        assert rows_of(host.text, "Now")[0] == "cannot be told: only the code of ask knows it"
        assert "Approve with amount = 150?" in host.text

    play(host, script)


def test_a_secret_that_an_edit_sets_is_hidden_in_the_action_too() -> None:
    desk = Desk()
    graph = asking({"token": "sk-12345"}, ("token",), action="use({{ token }})", editable={"token": "text"})
    host = Host(desk, pending(desk.run(graph)).id)

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "e")
        await type_text(pilot, "sk-98765")
        await press(pilot, "enter")
        assert "To approve" in host.text
        assert "98765" not in host.text

    play(host, script)


def test_values_that_the_action_cannot_be_written_with_are_told() -> None:
    _, host = editing(editable={"order.items": "list"}, action="buy({{ order['items'][0] }})")

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "e", "home", "ctrl+k", "[", "]", "ctrl+j")
        assert "cannot be told: it cannot be written:" in host.text

    play(host, script)
