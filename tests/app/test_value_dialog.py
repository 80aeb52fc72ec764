"""The dialog that shows the whole of a value."""

from __future__ import annotations

import json
from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot

from stepgraph.values.json_values import Json
from stepgraph_tui.dialogs.long_text import MOST_MATCHES, TextRows, row_starts, safe
from stepgraph_tui.dialogs.value import ValueDialog, is_large, size_of
from stepgraph_tui.text.cells import cell_len
from stepgraph_tui.text.value_diff import MarkedText
from stepgraph_tui.widgets.state.versions import ValueVersions
from tests.app.playing import play, screen_lines
from tests.app.state_panes import chain
from tests.app.telling import Driven
from tests.app.turning import rest

FAMILY = "👩‍👩‍👧"


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


def wrapped(text: str, width: int) -> list[str]:
    text = safe(text)
    return [row.plain for row in TextRows(MarkedText(text), row_starts(text, width))[:]]


def test_a_text_is_shown_with_its_line_breaks_and_wrapped_between_words() -> None:
    lines = shown("Dear Ana,\n\nwe refund 240 EUR for the order of last Tuesday.")
    assert "draft  text, 59 characters" in next(line for line in lines if "draft" in line)
    assert inside(lines) == ["Dear Ana,", "", "we refund 240 EUR for the order of", "last Tuesday."]


def test_anything_else_is_shown_as_indented_json() -> None:
    lines = shown({"id": "8812", "items": [1, None, True]}, title="order")
    assert "order  table, 2 keys" in lines[0]
    assert inside(lines)[:4] == ["{", '"id": "8812",', '"items": [', "1,"]


@pytest.mark.parametrize(
    ("value", "size"),
    [
        ("", "text, 0 characters"),
        ("x" * 10_485_760, "text, 10,485,760 characters"),
        ([1], "list, 1 item"),
        ({}, "table, 0 keys"),
        (1.5, "number"),
        (False, "boolean"),
        (None, "null"),
    ],
)
def test_the_title_says_the_type_and_the_size(value: Json, size: str) -> None:
    assert size_of(value) == size


@pytest.mark.parametrize("size", [(80, 24), (2, 1)])
def test_small_values_are_shown_on_any_screen(size: tuple[int, int]) -> None:
    app = App[None]()

    async def script(pilot: Pilot[None]) -> None:
        values: list[Json] = ["", {}, [], None, 0]
        for value in values:
            dialog = await opened(pilot, ValueDialog("draft", value))
            await pilot.press("j", "G", "pagedown", "slash", "x", "escape")
            await pilot.pause()
            assert pilot.app.screen is dialog
            await pilot.press("escape")

    play(app, script, size)


def test_control_characters_and_markup_are_shown_as_data() -> None:
    lines = inside(shown("\x1b[31m[red]\u202e\ttab\r\n\x9b", size=(60, 12)))
    assert lines == ["\\x1b[31m[red]\\u202e    tab\\x0d", "\\x9b"]


def test_the_title_is_data_too_and_cut_when_it_is_long() -> None:
    lines = shown(1, title="\x1b[red]" + "x" * 500, size=(80, 8))
    assert any("\\x1b[red]xxx" in line and "…  number" in line for line in lines)


def test_ten_megabytes_are_shown_to_their_end() -> None:
    value = "a line of text\n" * 700_000 + "the end"
    assert inside(shown(value, "G"))[-1] == "the end"


def test_a_hundred_thousand_items_are_shown_to_their_end() -> None:
    lines = inside(shown(list(range(100_000)), "G", "k", "k"))
    assert lines[-1] == "99998,"


def test_what_is_large_is_told_without_looking_at_all_of_it() -> None:
    assert is_large("x" * 60_000)
    assert is_large([[0]] * 60_000)
    assert is_large({"k" * 60_000: 1})
    assert not is_large({"a": [1, "text", None, {}]})


@pytest.mark.parametrize("width", [2, 3, 7, 40])
@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "\n\n",
        "one two  three\n four ",
        "x" * 100,
        "日本語のテキスト " * 9,
        f"e\u0301a {FAMILY} עברית " * 9,
        " " * 50,
    ],
)
def test_rows_fit_their_width_and_lose_nothing_but_line_breaks(text: str, width: int) -> None:
    made = safe(text)
    starts = row_starts(made, width)
    rows = TextRows(MarkedText(made), starts)
    assert "".join(made[a:b] for a, b in zip(starts, [*starts[1:], len(made)], strict=True)) == made
    assert list(starts) == sorted(set(starts))
    for row in rows[:]:
        shown = row.plain.rstrip(" ")
        assert cell_len(shown) <= width or shown == FAMILY  # one sign is never parted


def test_rows_break_between_words() -> None:
    assert wrapped("one two three four", 9) == ["one two ", "three ", "four"]
    assert wrapped("one two\nthree\n", 20) == ["one two", "three", ""]


def test_a_search_marks_all_matches_and_goes_from_one_to_the_next() -> None:
    value = "\n".join(f"line {number} has {'Gold' if number % 20 == 7 else 'lead'}" for number in range(100))
    app = App[None]()

    async def script(pilot: Pilot[None]) -> None:
        await opened(pilot, ValueDialog("draft", value))
        await pilot.press("slash", *"gold")
        await pilot.pause()
        assert "1 of 5" in "".join(screen_lines(pilot.app))
        await pilot.press("enter", "n", "n")
        await pilot.pause()
        assert "3 of 5" in "".join(screen_lines(pilot.app))
        assert any("line 47" in line for line in screen_lines(pilot.app))
        await pilot.press("N", "N", "N")
        await pilot.pause()
        assert any("line 87" in line for line in screen_lines(pilot.app))
        await pilot.press("escape")
        await pilot.pause()
        assert "of 5" not in "".join(screen_lines(pilot.app))
        assert isinstance(pilot.app.screen, ValueDialog)

    play(app, script, (60, 12))


def test_a_short_value_is_still_seen_while_it_is_searched() -> None:
    lines = shown("8812", "slash", "8", size=(60, 8))
    assert "8812" in inside(lines)
    assert "1 of 2" in "".join(lines)


def test_letters_type_into_the_search_and_escape_ends_it() -> None:
    app = App[None]()

    async def script(pilot: Pilot[None]) -> None:
        await opened(pilot, ValueDialog("draft", "y q n"))
        await pilot.press("slash", "y", "q", "n", "escape", "n", "N")
        await pilot.pause()
        assert isinstance(pilot.app.screen, ValueDialog)
        await pilot.press("escape")
        await pilot.pause()
        assert not isinstance(pilot.app.screen, ValueDialog)

    play(app, script)


def test_a_search_finds_what_goes_over_the_end_of_a_row_and_says_when_there_is_nothing() -> None:
    rows = TextRows(MarkedText("abcdef"), row_starts("abcdef", 3))
    rows.find("cd", 0)
    assert (rows.match_row, rows.found()) == (0, "1 of 1")
    assert [row.spans for row in rows[:]] != [[], []]
    rows.find("zz", 0)
    assert (rows.match_row, rows.found()) == (None, "not found")


def test_a_search_counts_only_so_many_matches() -> None:
    text = "a" * (MOST_MATCHES + 5)
    rows = TextRows(MarkedText(text), row_starts(text, 80))
    rows.find("a", 0)
    assert rows.found() == "1 of 10,000 and more"


def test_the_dialog_is_closed_with_several_keys() -> None:
    app = App[None]()

    async def script(pilot: Pilot[None]) -> None:
        for key in ("escape", "q", "enter"):
            await opened(pilot, ValueDialog("draft", "text"))
            await pilot.press(key)
            await pilot.pause()
            assert not isinstance(pilot.app.screen, ValueDialog), key

    play(app, script)


def test_y_copies_a_text_as_it_is_and_anything_else_as_json() -> None:
    app = App[None]()
    heard: list[str] = []

    async def script(pilot: Pilot[None]) -> None:
        values: list[Json] = ["a\nb\x1b", {"a": "é"}]
        for value in values:
            await opened(pilot, ValueDialog("draft", value, heard.append))
            await pilot.press("y", "escape")
            await pilot.pause()

    play(app, script)
    assert heard == ["a\nb\x1b", '{\n  "a": "é"\n}']


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


def test_enter_on_a_changed_text_shows_its_words_and_walks_its_versions() -> None:
    letters = ("Dear Ana, sorry.", "Dear Ana, very sorry.", None, "Dear Ben, very sorry.")
    driven = Driven(chain(*({"letter": text} for text in letters), {"n": 1}, letter={})).step(5)
    versions = ValueVersions(driven.view, ("letter",))
    app = App[None]()

    async def script(pilot: Pilot[None]) -> list[tuple[str, list[str]]]:
        copied: list[str] = []
        dialog = ValueDialog("letter", letters[-1], copied.append, versions=(versions, 1), compare=True)
        await opened(pilot, dialog)
        seen = []
        for key in (
            "",
            "v",
            "v",
            "left_square_bracket",
            "left_square_bracket",
            *["right_square_bracket"] * 4,
            "y",
        ):
            if key:
                await pilot.press(key)
                await pilot.pause()
            lines = inside(screen_lines(pilot.app))
            seen.append(
                (
                    lines[0].split(", 20")[0] + lines[0][-14:].rpartition("  ")[2],
                    [line for line in lines[1:] if line],
                )
            )
        assert copied == ["Dear Ben, very sorry."]
        return seen

    seen = play(app, script, (80, 12))
    assert seen == [
        ("2 of 4: n2, step 2, visit 1what changed", ["Dear Ana, {+very +}sorry."]),
        ("2 of 4: n2, step 2, visit 1whole", ["Dear Ana, very sorry."]),
        ("2 of 4: n2, step 2, visit 1what changed", ["Dear Ana, {+very +}sorry."]),
        ("1 of 4: n1, step 1, visit 1whole", ["Dear Ana, sorry."]),
        ("1 of 4: n1, step 1, visit 1whole", ["Dear Ana, sorry."]),  # there is none before it
        ("2 of 4: n2, step 2, visit 1what changed", ["Dear Ana, {+very +}sorry."]),
        ("3 of 4: n3, step 3, visit 1removed", ["Dear Ana, very sorry."]),
        ("4 of 4: n4, step 4, visit 1whole", ["Dear Ben, very sorry."]),
        ("4 of 4: n4, step 4, visit 1whole", ["Dear Ben, very sorry."]),
        ("4 of 4: n4, step 4, visit 1whole", ["Dear Ben, very sorry."]),
    ]  # fmt: skip


def test_a_large_version_that_is_still_wrapped_does_not_take_the_place_of_another() -> None:
    driven = Driven(chain({"letter": "x" * 200_000}, {"letter": "small"}, letter={})).step(2)

    async def script(pilot: Pilot[None]) -> None:
        dialog = ValueDialog("letter", None, versions=(ValueVersions(driven.view, ("letter",)), 0))
        await pilot.app.push_screen(dialog)
        dialog.action_version(1)
        await rest(pilot)
        assert inside(screen_lines(pilot.app))[1] == "small"

    play(App[None](), script, (80, 12))
