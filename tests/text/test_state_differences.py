"""Differences of two states in lines: what changed is in sight, however long the values are."""

from __future__ import annotations

import pytest

from stepgraph.values.json_values import Json
from stepgraph_tui.text.state_diff import difference_lines, parted

LONG = "My last invoice is twice as high as usual, and nobody told me why. "


@pytest.mark.parametrize(
    ("old", "new", "ends"),
    [
        (240, 90, ("240", "90")),
        ("high", "low", ('"high"', '"low"')),
        (LONG + "Noor", LONG + "Ana", (' me why. Noor"', ' me why. Ana"')),
        (LONG, LONG + "Ana", (' me why. "', ' me why. Ana"')),
        (LONG * 100 + "a", LONG * 100 + "b", (' me why. a"', ' me why. b"')),
        ([LONG, 1], [LONG, 2], ('me why. ", 1]', 'me why. ", 2]')),
    ],
)
def test_the_place_where_two_values_part_is_shown(old: Json, new: Json, ends: tuple[str, str]) -> None:
    (told,) = difference_lines({"key": old}, {"key": new})
    both = told.removeprefix("~ key ").split(" -> ")
    assert all(text.endswith(end) and len(text) <= 60 for text, end in zip(both, ends, strict=True)), both


def test_values_that_part_early_are_shown_from_their_start() -> None:
    (told,) = difference_lines({"key": "a" + LONG}, {"key": "b" + LONG})
    assert '"aMy last' in told
    assert '-> "bMy last' in told


@pytest.mark.parametrize("limit", [8, 24, 60, 200])
@pytest.mark.parametrize("alike", [0, 5, 20, 60, 500])
def test_texts_that_differ_differ_still_when_they_are_cut(alike: int, limit: int) -> None:
    both = parted("x" * alike + "10 EUR" + "y" * 300, "x" * alike + "5 EUR" + "y" * 300, limit)
    assert both[0] != both[1]
    assert max(map(len, both)) <= limit


def test_short_texts_are_not_cut() -> None:
    assert parted("alike", "alike too", 9) == ("alike", "alike too")
