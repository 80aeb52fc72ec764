"""Text for people."""

from __future__ import annotations

import pytest

from stepgraph_tui.text.cells import cut, padded
from stepgraph_tui.text.plain import call_text, place, plural, took, visible, visible_lines, waited


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, ünïcode, 漢字", "plain, ünïcode, 漢字"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("a\nb\tc\rd\x00", r"a\nb\tc\x0dd\x00"),
        ("\x9b2J", r"\x9b2J"),
        ("abc\u202edcba", r"abc\u202edcba"),
        ("a\u2028b", r"a\u2028b"),
        ("a\u3000b\xa0c\u202fd\u2007e", "a b c d e"),
        ("👩\u200d💻", "👩\u200d💻"),
        ("\U000e0001", r"\U000e0001"),
    ],
)
def test_nothing_that_moves_or_hides_text_reaches_the_terminal(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_lines_stay_lines() -> None:
    assert visible_lines("a\tb\n\x1bc") == ["a    b", r"\x1bc"]


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.00042, "0.4 ms"), (1.25, "1.2 s"), (250, "4m 10s"), (11_100, "3h 5m"), (176_400, "2d 1h")],
)
def test_durations_are_in_fitting_units(seconds: float, shown: str) -> None:
    assert took(seconds) == shown


def test_a_clock_that_went_back_makes_no_negative_time() -> None:
    assert waited(-5) == "0s"


def test_an_action_shows_all_of_its_arguments() -> None:
    long = "x" * 5000
    assert call_text("pay", {"order": "8812", "note": long}) == f'pay(order="8812", note="{long}")'
    assert call_text("pay", {}) == "pay"
    assert call_text("", {"order": "8812", "amount": 240}) == 'order="8812", amount=240'


def test_the_name_of_an_argument_passes_for_no_other_argument_and_pushes_none_out_of_sight() -> None:
    forged = 'to="ana", amount=10)' + " " * 300
    line = call_text("pay", {forged: "", "to": "mallory", "amount": 5000})
    assert line.startswith(r'pay("to=\"ana\", amount=10)')
    assert line.endswith('="", to="mallory", amount=5000)')
    assert len(line) < 130
    assert call_text("", {"a b": 1, "x=1, y": 2, "sub/draft.line-2": 3, "größe": 4}) == (
        '"a b"=1, "x=1, y"=2, sub/draft.line-2=3, größe=4'
    )
    assert call_text("f", {"": 1, "a\u3164": 2, "x\ny": 3}) == r'f(""=1, "a\u3164"=2, "x\ny"=3)'


def test_places_and_counts() -> None:
    assert (place("END"), place(None), place("a\nb")) == ("END", "-", r"a\nb")
    assert (plural(1, "step"), plural(2000, "step")) == ("1 step", "2,000 steps")


@pytest.mark.parametrize(
    ("text", "width", "more", "shown"),
    [
        ("approved", 8, "…", "approved"),
        ("approved", 5, "…", "appr…"),
        ("approved", 5, "...", "ap..."),
        ("approved", 2, "...", ".."),
        ("approved", 0, "…", ""),
        ("approved", -1, "…", ""),
        ("比較", 4, "…", "比較"),
        ("比較する", 6, "…", "比較…"),
        ("a b c", 3, "…", "a …"),
        ("比 較する", 5, "…", "比 …"),
    ],
)
def test_a_long_text_ends_with_a_mark_and_takes_no_more_cells_than_there_are(
    text: str, width: int, more: str, shown: str
) -> None:
    assert cut(text, width, more) == shown


def test_a_padded_text_takes_all_the_cells() -> None:
    assert [padded(text, 4) for text in ("ab", "abcde", "比較", "比較す")] == ["ab  ", "abc…", "比較", "比… "]
