"""The dialog that shows the whole of a value."""

from __future__ import annotations

import json
from typing import Any

from textual.app import App
from textual.pilot import Pilot

from stepgraph.values.json_values import Json
from stepgraph_tui.dialogs.value import TextRows, ValueDialog, row_starts
from stepgraph_tui.text.diffs import MarkedText
from tests.app.playing import play, screen_lines
from tests.app.turning import rest


def shown(value: Json, *keys: str, size: tuple[int, int] = (40, 12), title: str = "draft") -> list[str]:
    """What the dialog shows after some keys."""
    app = App[None]()

    async def script(pilot: Pilot[None]) -> list[str]:
        await opened(pilot, ValueDialog(title, value))
        await pilot.press(*keys)
        await rest(pilot)
        return screen_lines(pilot.app)

    return play(app, script, size)


async def opened(pilot: Pilot[Any], dialog: ValueDialog) -> ValueDialog:
    await pilot.app.push_screen(dialog)
    await rest(pilot)
    return dialog


def inside(lines: list[str]) -> list[str]:
    """The text in the frame, without the keys below it."""
    framed = [line.strip("┃").strip(" ▁▂▃▄▅▆▇█") for line in lines if line.startswith("┃")]
    return framed[:-1]


def test_a_hundred_thousand_items_are_shown_to_their_end() -> None:
    lines = inside(shown(list(range(100_000)), "G", "k", "k"))
    assert lines[-1] == "99998,"


def test_a_search_finds_what_goes_over_the_end_of_a_row_and_says_when_there_is_nothing() -> None:
    rows = TextRows(MarkedText("abcdef"), row_starts("abcdef", 3))
    rows.find("cd", 0)
    assert (rows.match_row, rows.match_text()) == (0, "1 of 1")
    assert [row.spans for row in rows[:]] != [[], []]
    rows.find("zz", 0)
    assert (rows.match_row, rows.match_text()) == (None, "not found")


def test_a_large_value_can_be_closed_and_searched_while_it_is_wrapped() -> None:
    app = App[None]()

    async def script(pilot: Pilot[None]) -> None:
        await pilot.app.push_screen(ValueDialog("draft", json.dumps(list(range(300_000)))))
        await pilot.press("slash", *"299998")
        await rest(pilot)
        assert "1 of 1 " in "".join(screen_lines(pilot.app))
        await pilot.resize_terminal(60, 20)
        await pilot.press("escape", "escape")
        await rest(pilot)
        assert not isinstance(pilot.app.screen, ValueDialog)

    play(app, script)
