"""Tables on narrow screens."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from stepgraph_tui.cli.tables import Fit, listing

COLUMNS: tuple[tuple[str, Fit], ...] = (
    ("RUN", "keep"),
    ("GRAPH", "cut"),
    ("STATUS", "keep"),
    ("WHY", "fold"),
)
ROW = ("r-12345678", "a graph with a long name", "ready", "because it is so and not otherwise")


def drawn(width: int) -> list[str]:
    out = io.StringIO()
    Console(file=out, width=width, highlight=False).print(*listing(COLUMNS, [ROW], width))
    return [line.rstrip() for line in out.getvalue().splitlines()]


@pytest.mark.parametrize(
    ("width", "titles"),
    [
        (80, ["RUN", "GRAPH", "STATUS", "WHY"]),
        (42, ["RUN", "GRAPH", "STATUS", "WHY"]),
        (41, ["RUN", "GRAPH", "STATUS"]),
        (28, ["RUN", "GRAPH", "STATUS"]),
        (27, ["RUN", "GRAPH"]),
        (5, ["RUN"]),
    ],
)
def test_the_last_columns_give_way_before_the_others_become_unreadable(width: int, titles: list[str]) -> None:
    lines = drawn(width)
    assert lines[0].split() == titles[: len(lines[0].split())]
    assert len(lines[0].split()) == len(titles)
    assert max(map(len, lines)) <= width


def test_what_is_kept_is_whole_and_what_is_cut_says_so() -> None:
    lines = drawn(42)
    assert lines[1].startswith("r-12345678  a gra")
    assert "…" in lines[1]
    assert "ready" in lines[1]


def test_there_is_a_heading_without_rows_too() -> None:
    out = io.StringIO()
    Console(file=out, width=80).print(*listing(COLUMNS, [], 80))
    assert out.getvalue().split() == ["RUN", "GRAPH", "STATUS", "WHY"]
