"""The line that says what the next key will do."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from stepgraph_tui.text.cells import cell_len
from stepgraph_tui.widgets.chrome.next_line import NextLine
from tests.app.desktop import Holder
from tests.app.playing import play, widget_lines


def line_at(width: int, **values: object) -> str:
    """The line at a width."""
    line = NextLine()
    given = {"what": "NEXT", "text": "review  approval, risk high", "twin": "stepgraph step r-7"}
    for name, value in (given | values).items():
        setattr(line, name, value)

    async def look(pilot: Pilot[None]) -> str:
        (shown,) = widget_lines(line)
        return shown

    return play(Holder(line), look, (width, 4))


def test_a_wide_line_ends_with_the_command_that_does_the_same() -> None:
    shown = line_at(100)
    assert shown.startswith(" NEXT review  approval, risk high  ")
    assert shown.endswith("   $ stepgraph step r-7")
    assert "$" not in line_at(99)


def test_the_text_is_worth_more_than_the_command() -> None:
    assert "$" not in line_at(100, text="word " * 18)


@pytest.mark.parametrize("text", ["x" * 10_000, "漢" * 10_000, "\x1b[31m\n" * 500])
def test_a_long_text_is_cut_where_the_screen_ends(text: str) -> None:
    shown = line_at(80, text=text)
    assert 78 <= cell_len(shown) <= 80
    assert shown.endswith("…")
    assert "\x1b" not in shown


def test_a_passing_word_takes_the_place_of_the_text_until_it_is_hushed() -> None:
    line = NextLine()

    async def look(pilot: Pilot[None]) -> list[str]:
        line.what, line.text = "NEXT", "lookup"
        seen = []
        for text, severity in (("[b]copied[/b]", "information"), ("slow", "warning"), ("no store", "error")):
            line.say(text, severity)  # type: ignore[arg-type]  # a word of the tuple above
            await pilot.pause()
            seen += widget_lines(line)
        line.clear()
        await pilot.pause()
        return seen + widget_lines(line)

    assert play(Holder(line), look) == [" [b]copied[/b]", " ! slow", " ✗ no store", " NEXT lookup"]


def test_what_comes_next_may_change_while_a_word_passes() -> None:
    line = NextLine()

    async def look(pilot: Pilot[None]) -> list[str]:
        line.say("copied")
        line.what, line.text = "RUNS", "lookup, 2.1 s"
        await pilot.pause()
        return widget_lines(line)

    assert play(Holder(line), look) == [" copied"]


def test_nothing_to_say_is_an_empty_line() -> None:
    assert line_at(80, what="", text="", twin="").strip() == ""
