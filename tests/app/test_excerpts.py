"""A line and the caret below it, in whatever room there is."""

from __future__ import annotations

import pytest

from stepgraph.values.errors import pointed
from stepgraph_tui.text.cells import cell_len
from stepgraph_tui.text.excerpts import fitted


@pytest.mark.parametrize("width", [4, 9, 20, 30])
@pytest.mark.parametrize("text", ["abcdefghij = " + "x" * 40, "日本" * 8 + "=" + "日" * 20, "x" * 50 + "="])
def test_a_line_is_cut_around_the_place(text: str, width: int) -> None:
    line, caret = fitted(pointed(text, text.index("=")), width)
    assert cell_len(line) <= width
    before = line[: line.index("=")]
    assert cell_len(before) == len(caret) - 1 < width
