"""The screen in ASCII."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.segment import Segment
from rich.style import Style
from textual.app import App, ComposeResult
from textual.color import Color
from textual.filter import LineFilter
from textual.pilot import Pilot
from textual.widgets import DataTable, Input, OptionList, ProgressBar, Static, TextArea

from stepgraph_tui.ascii import AsciiFilter, to_ascii, wants_ascii
from stepgraph_tui.drawing.picture.glyphs import UNICODE
from stepgraph_tui.text.cells import cell_len
from tests.app.bench import SIZES
from tests.app.desktop import Desktop
from tests.app.playing import play, screen_lines
from tests.app.turning import rest

BORDERS = ("round", "solid", "double", "dashed", "heavy", "hkey", "vkey", "tall", "panel", "tab", "wide",
           "outer", "inner", "thick", "ascii", "blank")  # fmt: skip


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("─[1 Graph]── ↑ 3  ↓ 2 ──", "-[1 Graph]-- ^ 3  v 2 --"),
        ("┌┸┐│✓└┘╭╮╰╯", "+#+|+++..`'"),
        ("┏━┓┃►┗┛", "#=##>##"),
        ("draft → review …", "draft > review ~"),
        ("Zoë naïve", "Zoe naive"),
        ("漢字 👩\u200d💻!", "???? ????!"),
        ("e\u0301 a\u0300", "e a"),
        ("plain", "plain"),
    ],
)
def test_marks_have_likenesses_and_the_rest_is_not_guessed(text: str, plain: str) -> None:
    assert to_ascii(text) == plain


@given(st.text(max_size=40))
def test_any_text_becomes_ascii_of_the_same_width(text: str) -> None:
    shown = "".join(char for char in text if char.isprintable() or char == "\u200d")
    assert to_ascii(shown).isascii()
    assert cell_len(to_ascii(shown)) == cell_len(shown)


def test_each_mark_of_the_pictures_is_one_character() -> None:
    marks = UNICODE.lines + UNICODE.back + UNICODE.frame + UNICODE.heavy + UNICODE.dot + UNICODE.more
    assert "?" not in to_ascii(marks + "".join(UNICODE.marks.values()) + "".join(UNICODE.fired.values()))


def test_styles_and_controls_are_left_alone() -> None:
    bold = Style(bold=True)
    segments = [Segment("→", bold), Segment("a"), Segment("é", None)]
    assert AsciiFilter().apply(segments, Color(0, 0, 0)) == [
        Segment(">", bold),
        Segment("a"),
        Segment("e", None),
    ]


class Widgets(App[None]):
    """What frames and marks Textual itself draws."""

    CSS = "Static { height: 3; } OptionList { height: 4; } TextArea { height: 4; } Screen { overflow: auto; }"

    def __init__(self, plain: bool) -> None:
        super().__init__()
        self.plain = plain

    def get_line_filters(self) -> tuple[LineFilter, ...]:
        return (*super().get_line_filters(), *((AsciiFilter(),) if self.plain else ()))

    def compose(self) -> ComposeResult:
        yield Input("漢字", placeholder="…")
        yield OptionList(*(f"option {number} →" for number in range(30)))
        yield TextArea("é\n" * 20, show_line_numbers=True)
        yield ProgressBar(100)
        table: DataTable[str] = DataTable()
        table.add_columns("ä", "b")
        table.add_row("1", "…")
        yield table
        for border in BORDERS:
            framed = Static("│ 漢 │")
            framed.styles.border = (border, "white")  # type: ignore[assignment]  # one of Textual's names
            framed.border_title = "tïtle"
            yield framed


async def shown(pilot: Pilot[None]) -> list[str]:
    """The screen, with a message over it."""
    pilot.app.notify("saved → ✓", title="Ü")
    await pilot.pause()
    return screen_lines(pilot.app)


def test_textuals_own_frames_are_ascii_and_as_wide_as_before() -> None:
    plain, drawn = (play(Widgets(plain), shown, (60, 90)) for plain in (True, False))
    assert all(line.isascii() for line in plain)
    assert [cell_len(line) for line in plain] == [cell_len(line) for line in drawn]
    assert not all(line.isascii() for line in drawn)


@SIZES
@pytest.mark.parametrize("key", ["f1", "ctrl+p"])
def test_our_own_screens_are_ascii(size: tuple[int, int], key: str) -> None:
    async def look(pilot: Pilot[None]) -> list[str]:
        await pilot.press(key)
        await rest(pilot)
        return screen_lines(pilot.app)

    lines = play(Desktop([AsciiFilter()]), look, size)
    assert all(line.isascii() for line in lines)
    assert any(line.strip() for line in lines)


@pytest.mark.parametrize(
    ("setting", "environment", "encoding", "wanted"),
    [
        ("auto", {"TERM": "xterm-256color"}, "utf-8", False),
        ("auto", {"TERM": "linux"}, "utf-8", True),
        ("auto", {}, "ANSI_X3.4-1968", True),
        ("auto", {}, "latin-1", True),
        ("auto", {}, "UTF8", False),
        ("always", {}, "utf-8", True),
        ("never", {"TERM": "linux"}, "ascii", False),
    ],
)
def test_ascii_is_for_terminals_that_have_nothing_else(
    setting: str, environment: dict[str, str], encoding: str, wanted: bool
) -> None:
    assert wants_ascii(setting, environment, encoding) is wanted  # type: ignore[arg-type]  # three words


def test_without_an_encoding_that_of_the_process_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.__stdout__", None)
    assert wants_ascii("auto", {})
