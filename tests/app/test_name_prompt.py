"""Asking for a name."""

from __future__ import annotations

import pytest
from textual.events import Paste
from textual.pilot import Pilot
from textual.widgets import Input

from stepgraph_tui.dialogs.pick import NamePrompt
from tests.app.asking import Asking, answered, answered_in_turn
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


def prompt(value: str = "review") -> NamePrompt:
    return NamePrompt(f"Rename {value}", value, check)


def test_enter_hands_the_name_back_without_blanks_around_it_and_esc_nothing() -> None:
    cases: dict[tuple[str, ...], str | None] = {
        (*"ask", "enter"): "ask",  # the old name is selected, so it is typed over
        ("end", *"_2", "enter"): "review_2",
        (*"a", "ctrl+j"): "a",
        ("space", *"a", "space", "enter"): "a",
        ("enter",): "review",
        (*"a", "tab", "shift+tab", "b", "enter"): "ab",
        (*"a", "escape"): None,
    }
    told = answered_in_turn(lambda _: prompt(), *cases)
    assert [answers for answers, _ in told] == [[name] for name in cases.values()]


def test_what_is_wrong_is_said_while_typing_and_enter_does_not_take_it() -> None:
    wrong: dict[tuple[str, ...], str] = {
        (*"pay",): "there is a node 'pay' already",
        (*"END",): "'END' is where a run ends",
        ("backspace",): "a name is needed",
        ("space",): "a name is needed",
    }
    cases = [keys for one in wrong for keys in (one, (*one, "enter"))]
    told = answered_in_turn(lambda _: prompt(), *cases)
    for keys, (answers, text) in zip(cases, told, strict=True):
        assert answers == []
        assert f"✗ {wrong.get(keys) or wrong[keys[:-1]]}" in text


def test_the_message_goes_when_the_name_is_right_again() -> None:
    assert "already" not in answered(Host(), *"pay", "2")[1]


def test_a_name_that_is_not_changed_is_handed_back_as_it_is() -> None:
    values = ["two\nlines", "\x1b[31mred", "[red]x[/]", " x ", "漢字" * 150, "a.b 'c' \"d\""]
    names = iter([name for name in values for _ in range(2)])
    told = answered_in_turn(lambda _: prompt(next(names)), *[[], ["enter"]] * len(values))
    assert [answers for answers, _ in told] == [one for value in values for one in ([], [value])]
    assert "\x1b" not in "".join(text for _, text in told)


def test_a_pasted_name_takes_the_place_of_the_old_one() -> None:
    host = Host()

    async def paste(pilot: Pilot[None]) -> str:
        host.screen.query_one(Input).post_message(Paste("new name\nand more"))
        await pilot.pause()
        await pilot.press("enter")
        return ""

    play(host, paste)
    assert host.answers == ["new name"]


def test_a_paste_of_millions_of_characters_is_refused() -> None:
    host = Host()

    async def paste(pilot: Pilot[None]) -> str:
        field = host.screen.query_one(Input)
        field.post_message(Paste("x" * 5_000_000))
        await pilot.pause()
        return field.value

    assert play(host, paste) == "review"


@pytest.mark.parametrize("size", [(20, 5), (1, 1)])
def test_it_fits_any_screen(size: tuple[int, int]) -> None:
    told = answered_in_turn(lambda _: prompt(), [*"ask", "enter"], [*"pay", "enter"], size=size)
    assert [answers for answers, _ in told] == [["ask"], []]
