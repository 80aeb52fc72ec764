"""Differences of two states in lines: what changed is in sight, however long the values are."""

from __future__ import annotations

import pytest

from stepgraph_tui.text.state_diff import parted


@pytest.mark.parametrize("limit", [8, 24, 60, 200])
@pytest.mark.parametrize("alike", [0, 5, 20, 60, 500])
def test_texts_that_differ_differ_still_when_they_are_cut(alike: int, limit: int) -> None:
    both = parted("x" * alike + "10 EUR" + "y" * 300, "x" * alike + "5 EUR" + "y" * 300, limit)
    assert both[0] != both[1]
    assert max(map(len, both)) <= limit


def test_short_texts_are_not_cut() -> None:
    assert parted("alike", "alike too", 9) == ("alike", "alike too")
