"""What was not on the screen cannot be approved, and what was can be approved as fast as ever."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from textual.events import Paste
from textual.pilot import Pilot
from textual.screen import ModalScreen

from stepgraph import Decision
from stepgraph_tui.commands.hints import UNMAPPED
from stepgraph_tui.dialogs.approval.pages import details, summary
from stepgraph_tui.text.plain import visible
from tests.app.approving import Desk, Host, asking, burst, pending, press, type_text
from tests.app.playing import play

SMALL, SMALLER = (80, 24), (60, 15)
SIZES = pytest.mark.parametrize("size", [SMALL, SMALLER])
FIRST, REST = 'pay(order="8812", amount=1)', ' then wire(to="mallory", amount=99999)'
BETWEEN = {
    "a filler of Hangul": "\u3164" * 40,
    "a leading consonant that is none": "\u115f" * 60,
    "blank braille": "\u2800" * 100,
    "tags": "\U000e0041" * 100,
    "variation selectors": "\ufe0f" * 400,
    "joiners": "\u200d" * 400,
    "combining marks": "\u0301" * 400,
    "vowel signs": "\u0915\u093e" * 40,
    "new lines": "\n" * 40,
    "tabs": "\t" * 200,
    "blanks": " " * 1000,
    "wide blanks": "\u3000" * 300,
    "a word": "x" * 5000,
    "lines": "\n".join(f"line {number}" for number in range(99)),
    "right to left": "\u202e" * 30 + "\u05d0" * 300,
}


def waiting(said: str, **settings: Any) -> tuple[Desk, Host]:
    """A review whose question or action a model has written."""
    desk = Desk()
    return desk, Host(desk, pending(desk.run(asking({"said": said, "more": ""}, **settings))).id)


class Cover(ModalScreen[None]):
    """A screen that lies above the dialog and leaves it in view."""


class Reader:
    """Somebody who presses the key to approve after each key that the dialog names, and reads what comes."""

    def __init__(self, pilot: Pilot[Any], host: Host) -> None:
        self._pilot, self._host = pilot, host
        self.read = ""

    async def read_on(self) -> None:
        """Read until the dialog asks whether to approve."""
        self._look()
        for _ in range(400):
            await press(self._pilot, "y")
            if not self._host.dialog.box.idle:
                return
            gate = self._host.dialog.view.gate
            assert gate
            await press(self._pilot, "d" if gate.startswith("d ") else "pagedown")
            self._look()
        raise AssertionError(self._host.text)

    def _look(self) -> None:
        text = "".join(line[2:-2] for line in self._host.text.split("\n") if line.startswith("┃"))
        self.read += "".join(text.replace("│", "").split())


IN_THE_ACTION = [(name, "action", SMALLER) for name in BETWEEN]
IN_THE_QUESTION = [(name, "prompt", SMALL) for name in ("a filler of Hangul", "new lines", "lines")]


@pytest.mark.parametrize(("name", "where", "size"), [*IN_THE_ACTION, *IN_THE_QUESTION])
def test_nothing_is_approved_before_all_of_it_was_on_the_screen(
    name: str, where: str, size: tuple[int, int]
) -> None:
    desk, host = waiting(FIRST + BETWEEN[name] + REST, **{where: "{{ said }}"})

    async def script(pilot: Pilot[Any]) -> str:
        reader = Reader(pilot, host)
        await reader.read_on()
        assert len(host.text.split("\n")) == size[1]
        await press(pilot, "enter")
        return reader.read

    read = play(host, script, size)
    assert "mallory" in read
    assert 'wire(to="mallory",amount=99999)' in read
    assert [work.decision.verb for work in desk.sent] == ["approve"]


@SIZES
def test_the_line_that_confirms_says_when_it_is_cut_and_where_the_rest_is(size: tuple[int, int]) -> None:
    _, host = waiting(FIRST + "x" * 2000 + REST, action="{{ said }}")

    async def script(pilot: Pilot[Any]) -> None:
        await Reader(pilot, host).read_on()
        assert 'Approve pay(order="8812", amount=1)x' in host.text
        assert "… cut here: all of it stands above (PgUp PgDn)" in host.text
        assert "mallory" not in host.text
        await press(pilot, *["pagedown"] * 20)
        assert host.dialog.view.scroll_offset.y > 0  # the whole of it, however short the first page is

    play(host, script, size)


@SIZES
def test_an_ordinary_approval_takes_no_more_keys_than_ever(size: tuple[int, int]) -> None:
    desk, host = waiting("")

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "y", "enter")

    play(host, script, size)
    assert [work.decision.verb for work in desk.sent] == ["approve"]


@pytest.mark.parametrize(
    ("risk", "where", "size"),
    [("low", "action", SMALL), ("low", "prompt", SMALLER), ("high", "action", SMALL)],
)
def test_what_an_edit_makes_longer_is_read_before_it_is_approved(
    risk: str, where: str, size: tuple[int, int]
) -> None:
    settings = {where: "pay(amount=1){{ more }}", "editable": {"more": "text"}, "risk": risk}
    desk, host = waiting("", **settings)

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "e")
        assert host.focused is not None
        host.focused.post_message(Paste("z" * 2000 + "!"))
        await pilot.pause()
        await press(pilot, "ctrl+j")
        assert "To approve" not in host.text
        assert "more line" in host.text
        for _ in range(60):
            if risk == "high":
                await type_text(pilot, "review")
            await press(pilot, "enter")
            if desk.sent:
                return
            assert "read the whole change before" in host.text or "To approve" in host.text
            await press(pilot, *["backspace"] * 6 if risk == "high" else [], "pagedown")
            read.append(host.text)
        raise AssertionError(host.text)

    read: list[str] = []
    play(host, script, size)
    assert len(read) > 1
    assert any("zz!" in text for text in read)
    assert [work.decision.verb for work in desk.sent] == ["edit"]


def test_an_action_that_only_an_edit_makes_is_shown() -> None:
    desk, host = waiting("", action="{{ more }}", editable={"more": "text"})

    async def script(pilot: Pilot[Any]) -> None:
        assert "none is named" in host.text
        await press(pilot, "e")
        await type_text(pilot, "wire(99)")
        await press(pilot, "ctrl+j")
        assert "┃ Now       wire(99)" in host.text
        await press(pilot, "enter")

    play(host, script)
    assert [work.decision.verb for work in desk.sent] == ["edit"]


def test_ten_thousand_lines_can_be_refused_at_once_and_are_shown_on_the_command_line() -> None:
    desk, host = waiting("\n".join(f"line {number} of it" for number in range(10_000)), action="{{ said }}")

    async def script(pilot: Pilot[Any]) -> None:
        assert "too long to show in full here: approve it on the command line" in host.text
        assert "stepgraph approvals show a-1" in host.text
        await press(pilot, "d", "G", "y")
        assert host.dialog.box.idle
        await press(pilot, "escape", "n", "n", "o", "enter", "enter")

    play(host, script)
    assert [work.decision.verb for work in desk.sent] == ["reject"]


def test_what_was_read_stays_read_at_another_size_and_nothing_else_does() -> None:
    _, host = waiting("x" * 900 + "end", action="{{ said }}")

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "d", "y")
        assert host.dialog.box.idle
        first = host.dialog.view.gate
        await pilot.resize_terminal(60, 15)
        await pilot.pause()
        await pilot.resize_terminal(*SMALL)
        await press(pilot, "y")
        assert host.dialog.view.gate == first
        await press(pilot, "pagedown", "d", "y")
        assert not host.dialog.box.idle

    play(host, script)


def test_another_review_and_one_that_was_asked_anew_are_not_read_yet() -> None:
    desk = Desk()
    graph = asking({"said": "x" * 900}, action="{{ said }}")
    run, other = desk.run(graph), desk.run(graph)
    host = Host(desk, pending(run).id)

    async def script(pilot: Pilot[Any]) -> None:
        await Reader(pilot, host).read_on()
        await press(pilot, "escape", "greater_than_sign", "y")
        assert pending(other).run_id in host.text
        assert "To approve" not in host.text
        await press(pilot, "less_than_sign", "y")
        assert "To approve" in host.text  # it was read before
        await press(pilot, "escape")
        desk.executor(graph).edit(run.id, {"said": "y" * 900}, by="ana")
        host.dialog.look_again()
        await press(pilot, "y")
        assert "this request changed" in host.text
        await press(pilot, "greater_than_sign", "y")
        assert "yyyy" in host.text
        assert host.dialog.box.idle

    play(host, script)


def test_what_is_painted_below_another_screen_was_not_seen() -> None:
    _, host = waiting("x" * 900, action="{{ said }}")

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "d", "pagedown")
        host.push_screen(Cover())
        await pilot.pause()
        await pilot.resize_terminal(80, 60)
        host.dialog.view.refresh()
        host.dialog._compositor.render_strips()
        assert not host.dialog.view.is_read
        host.pop_screen()
        await pilot.pause()
        await press(pilot, "y")
        assert not host.dialog.box.idle

    play(host, script, (60, 9))


def test_what_can_only_be_refused_or_is_decided_need_not_be_read() -> None:
    _, host = waiting("x" * 2000, action="{{ said }}", allow=["reject", "respond"])

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "j")
        assert "before you approve" not in host.text
        assert "n Reject" in host.text

    play(host, script)
    desk, other = waiting("x" * 2000, action="{{ said }}")

    async def decided_elsewhere(pilot: Pilot[Any]) -> None:
        await press(pilot, "j")
        assert "before you approve" in other.text
        desk.reviews.decide("a-1", Decision.reject(by="ben"))
        other.dialog.look_again()
        await pilot.pause()
        assert "already rejected by ben" in other.text
        assert "before you approve" not in other.text

    play(other, decided_elsewhere)


def test_keys_in_one_burst_approve_nothing_unread() -> None:
    desk, host = waiting("x" * 900, action="{{ said }}")

    async def script(pilot: Pilot[Any]) -> None:
        await burst(pilot, "d", "pagedown", "pagedown", "y", "enter", "enter")
        await pilot.pause()

    play(host, script)
    assert desk.sent == []


def test_ids_and_hashes_of_somebody_elses_store_are_data() -> None:
    desk, forged = Desk(), "\x1b[31m\nnote: forged\u202e"
    run = desk.run(asking())
    stored, rows = desk.store.load(run.id), desk.store.rows(run.id)
    rows[-1].review = stored.pointer.review = f"a-1{forged}"  # no program of ours would write such an id
    forgery = stored._replace(head=replace(stored.head, id="r-2"))
    desk.store.create(forgery, rows, desk.store.definition(stored.pointer.definition))
    host = Host(desk, rows[-1].review)
    subject = host.dialog.watcher.open(host.dialog._first)
    odd = replace(subject.review, hash=forged, run_id=forged, graph=forged, node=forged)
    subject = replace(subject, review=odd, definition=forged)
    for page in (details(subject, 76), summary(subject, 76, UNMAPPED)):
        assert all(visible(text) == text for row in page for text, _ in row.parts)

    async def script(pilot: Pilot[Any]) -> list[str]:
        await press(pilot, "d")
        return [host.text]

    assert "a-1\\x1b[31m\\nnote: forged\\u202e" in play(host, script)[0]
