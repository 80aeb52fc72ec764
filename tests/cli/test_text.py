"""Text for people."""

from __future__ import annotations

import pytest

from stepgraph_tui.text.characters import visible


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
