"""Asking for a name."""

from __future__ import annotations

import pytest
from textual.events import Paste
from textual.pilot import Pilot
from textual.widgets import Input

from stepgraph_tui.dialogs.pick import NamePrompt
from tests.app.asking import Asking, answered
from tests.app.playing import play


def check(name: str) -> str | None:
    """What a graph with the nodes review and pay says to a new name for review."""
    if not name.strip():
        return "a name is needed"
    if name == "END":
        return "'END' is where a run ends"
    return "there is a node 'pay' already" if name == "pay" else None


class Host(Asking):
    """Asks for a name, and keeps it."""

    def __init__(self, value: str = "review", title: str = "Rename review") -> None:
        super().__init__(NamePrompt(title, value, check))


def test_it_begins_with_the_old_name_and_says_what_the_keys_do() -> None:
    answers, text = answered(Host())
    assert answers == []
    for words in ("Rename review", " review ", "Enter Rename   Esc Cancel"):
        assert words in text


@pytest.mark.parametrize(
    ("keys", "name"),
    [
        ([*"ask", "enter"], "ask"),  # the old name is selected, so it is typed over
        (["end", *"_2", "enter"], "review_2"),
        ([*"ask", "ctrl+j"], "ask"),
        (["space", *"ask", "space", "enter"], "ask"),
        (["enter"], "review"),
        ([*"a", "tab", "shift+tab", "b", "enter"], "ab"),
    ],
)
def test_enter_hands_the_name_back_without_blanks_around_it(keys: list[str], name: str) -> None:
    assert answered(Host(), *keys)[0] == [name]


def test_esc_hands_back_nothing() -> None:
    assert answered(Host(), *"ask", "escape")[0] == [None]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ([*"pay"], "there is a node 'pay' already"),
        ([*"END"], "'END' is where a run ends"),
        (["backspace"], "a name is needed"),
        (["space"], "a name is needed"),
    ],
)
def test_what_is_wrong_is_said_while_typing_and_enter_does_not_take_it(keys: list[str], message: str) -> None:
    assert f"✗ {message}" in answered(Host(), *keys)[1]
    answers, text = answered(Host(), *keys, "enter")
    assert answers == []
    assert message in text


def test_the_message_goes_when_the_name_is_right_again() -> None:
    assert "already" not in answered(Host(), *"pay", "2")[1]


@pytest.mark.parametrize(
    "value", ["two\nlines", "\x1b[31mred", "[red]x[/]", " x ", "漢字" * 150, "a.b 'c' \"d\""]
)
def test_a_name_that_is_not_changed_is_handed_back_as_it_is(value: str) -> None:
    answers, text = answered(Host(value, title=f"Rename {value}"), "enter")
    assert answers == [value]
    assert "\x1b" not in answered(Host(value, title=f"Rename {value}"))[1]
    assert "\x1b" not in text


def test_a_pasted_name_takes_the_place_of_the_old_one() -> None:
    host = Host()

    async def paste(pilot: Pilot[None]) -> str:
        host.dialog.query_one(Input).post_message(Paste("new name\nand more"))
        await pilot.pause()
        await pilot.press("enter")
        return ""

    play(host, paste)
    assert host.answers == ["new name"]


def test_a_paste_of_millions_of_characters_is_refused() -> None:
    host = Host()

    async def paste(pilot: Pilot[None]) -> str:
        field = host.dialog.query_one(Input)
        field.post_message(Paste("x" * 5_000_000))
        await pilot.pause()
        return field.value

    assert play(host, paste) == "review"


@pytest.mark.parametrize("size", [(120, 40), (20, 5), (1, 1)])
def test_it_fits_any_screen(size: tuple[int, int]) -> None:
    assert answered(Host(), *"ask", "enter", size=size)[0] == ["ask"]
    assert answered(Host(), *"pay", "enter", size=size)[0] == []
