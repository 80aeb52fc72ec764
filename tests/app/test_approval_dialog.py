"""Reading a review and deciding it by keys."""

from __future__ import annotations

from typing import Any

from textual.events import Paste
from textual.pilot import Pilot

from stepgraph_tui.commands.live import live_keys
from tests.app.approving import low, press, refund, type_text
from tests.app.bench import until
from tests.app.playing import play


def test_everything_that_a_decision_needs_is_on_one_screen() -> None:
    _, host = refund()

    async def script(pilot: Pilot[Any]) -> tuple[str, object, str]:
        first = host.text, host.focused
        await press(pilot, "d", "escape")
        return *first, host.text.rstrip().splitlines()[-1].strip()

    text, focused, verbs = play(host, script)
    assert focused is None
    assert verbs == "y Approve  e Edit & approve  n Reject  c Comment  d Details  = Diff  Esc Later"
    order = ["APPROVAL 1 of 1", "RISK HIGH", "Risk", "Asks", "Action", "Shown", "Changed", "Then", "Comment"]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    for part in (
        "step 5 of 30",
        "run r-1",
        'pay(order_id="8812", amount=240, currency="EUR")',
        "side effects: pay",
        "e can be edited (number)",
        "y approve → pay ! → notify → END",
        "n reject  → refuse → notify → END",
        "edge 1 approved",
        "required to reject",
    ):
        assert part in text
    assert "more line" not in text


def test_keys_do_nothing_before_a_moment_of_quiet_which_a_click_ends_too() -> None:
    desk, host = low()

    async def script(pilot: Pilot[Any]) -> None:
        assert "keys in 0.5 s" in host.text
        host.at += 0.4
        await pilot.click(offset=(30, 6))
        host.at += 0.4
        await pilot.press("y")
        assert host.dialog.box.idle
        for _ in range(4):
            host.at += 0.3
            await pilot.press("y")
        assert host.dialog.box.idle
        host.at += 0.2
        await until(pilot, lambda: "keys in 0.3 s" in host.text)
        await press(pilot, "y")
        assert not host.dialog.box.idle

    play(host, script)
    assert desk.sent == []


def test_escape_works_before_the_keys_count() -> None:
    desk, host = low()

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("escape")
        assert not host.open

    play(host, script)
    assert desk.reviews.pending()


def test_low_risk_takes_a_key_and_then_enter_and_no_letter_between_them_is_a_verb() -> None:
    desk, host = low()

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "y")
        assert "Approve pay(amount=240)?" in host.text
        await press(pilot, "n", "y", "e", "q")
        assert "Approve pay(amount=240)?" in host.text
        await press(pilot, "escape")
        assert host.dialog.box.idle
        assert host.open
        await press(pilot, "y")
        assert desk.sent == []
        await press(pilot, "enter")
        host.dialog.recorded(desk.record())
        await pilot.pause()
        assert not host.open

    play(host, script)
    (work,) = desk.sent
    decision = work.decision
    assert (decision.verb, decision.by, decision.source) == ("approve", "ana", "app")
    assert (work.review, work.expect_hash) == ("a-1", desk.reviews.get("a-1").hash)
    assert desk.said == [desk.said[0]]
    assert desk.said[0].startswith("approved by ana (app)")


def test_unknown_risk_says_so() -> None:
    _, host = low(risk="unknown")

    async def script(pilot: Pilot[Any]) -> str:
        return host.text

    text = play(host, script)
    assert "RISK UNKNOWN" in text
    assert "unknown: the node does not say" in text


def test_high_risk_takes_the_nodes_name_and_enter_alone_never_decides() -> None:
    desk, host = refund()

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, *["enter"] * 5)
        assert host.open
        assert host.dialog.box.idle
        assert desk.sent == []
        assert desk.bells == 5
        await press(pilot, "y", "enter")
        await type_text(pilot, "reviev")
        await press(pilot, "enter")
        assert "that is not the node's name" in host.text
        assert desk.sent == []
        await press(pilot, "backspace", "w", "enter")
        assert [work.decision.verb for work in desk.sent] == ["approve"]

    play(host, script)


def test_reject_wants_a_reason() -> None:
    desk, host = refund()

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "n", "enter")
        assert "the reason is missing" in host.text
        assert desk.sent == []
        await type_text(pilot, "too high")
        assert desk.sent == []
        await press(pilot, "enter")
        assert "Reject pay(" in host.text
        assert "Then → refuse" in host.text
        await press(pilot, "enter")

    play(host, script)
    assert [(work.decision.verb, work.decision.comment) for work in desk.sent] == [("reject", "too high")]


def test_reject_takes_the_comment_that_is_there() -> None:
    desk, host = refund()

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "c")
        await type_text(pilot, "no")
        await press(pilot, "enter")
        assert host.dialog.box.idle
        await press(pilot, "n", "enter")

    play(host, script)
    assert [work.decision.comment for work in desk.sent] == ["no"]


def test_respond_sends_the_text() -> None:
    desk, host = low(allow=["approve", "respond"])

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "k")
        assert "r Respond" in host.text
        assert "n Reject" not in host.text
        await press(pilot, "r", "space", "enter")
        assert "the answer is missing" in host.text
        await press(pilot, "backspace", "enter")
        assert "the answer is missing" in host.text
        assert desk.sent == []
        await type_text(pilot, "ask Ben")
        await press(pilot, "ctrl+j")
        assert 'Answer "ask Ben"?' in host.text
        await press(pilot, "enter")

    play(host, script)
    assert [(work.decision.verb, work.decision.text) for work in desk.sent] == [("respond", "ask Ben")]


def test_keys_that_are_not_offered_ring_the_bell() -> None:
    desk, host = low(allow=["approve"])

    async def script(pilot: Pilot[Any]) -> None:
        for count, key in enumerate(("e", "n", "r", "x", "tab", "f7", "ctrl+j"), 1):
            await press(pilot, key)
            assert host.dialog.box.idle
            assert host.open
            assert desk.bells == count

    play(host, script)


def test_details_and_the_difference_show_everything_and_come_back() -> None:
    desk, host = refund()

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "d")
        assert desk.reviews.get("a-1").hash in host.text
        await press(pilot, "G")
        assert "│ Your shop team" in host.text
        await press(pilot, "g")
        assert "│ Your shop team" not in host.text
        await press(pilot, "escape")
        assert host.open
        assert "Shown" in host.text
        await press(pilot, "=")
        assert "since the start" in host.text
        assert "+ category" in host.text
        await press(pilot, "pagedown", "j", "k", "down", "up", "pageup", "=")
        assert "Shown" in host.text

    play(host, script)


def test_later_leaves_a_field_then_the_dialog_and_decides_nothing() -> None:
    desk, host = low()

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "c", "o", "ctrl+c")
        assert host.dialog.box.idle
        assert host.open
        assert "Comment   o" in host.text
        assert live_keys(host.dialog)["approval.later"] == ("Esc", "q", "ctrl+c")
        await press(pilot, "ctrl+c")
        assert not host.open

    play(host, script)
    assert [review.id for review in desk.reviews.pending()] == ["a-1"]


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
