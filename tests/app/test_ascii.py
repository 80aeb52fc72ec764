"""The screen in ASCII."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.pilot import Pilot

from stepgraph_tui.terminal import to_ascii, wants_ascii
from stepgraph_tui.text.cells import cell_len
from tests.app.playing import screen_lines


@given(st.text(max_size=40))
def test_any_text_becomes_ascii_of_the_same_width(text: str) -> None:
    shown = "".join(char for char in text if char.isprintable() or char == "\u200d")
    assert to_ascii(shown).isascii()
    assert cell_len(to_ascii(shown)) == cell_len(shown)


async def shown(pilot: Pilot[None]) -> list[str]:
    """The screen, with a message over it."""
    pilot.app.notify("saved → ✓", title="Ü")
    await pilot.pause()
    return screen_lines(pilot.app)


def test_without_an_encoding_that_of_the_process_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.__stdout__", None)
    assert wants_ascii("auto", {})
