"""Tables on narrow screens."""

from __future__ import annotations

import io
import re
from collections.abc import Callable

import pytest

from stepgraph_tui.cli.output import Output
from stepgraph_tui.cli.streams import Stream
from stepgraph_tui.cli.tables import Fit, listing
from stepgraph_tui.text.cells import cell_len

COLUMNS: tuple[tuple[str, Fit], ...] = (
    ("RUN", "keep"),
    ("GRAPH", "cut"),
    ("STATUS", "keep"),
    ("WHY", "fold"),
)
ROW = ("r-12345678", "a graph with a long name", "ready", "because it is so and not otherwise")


def drawn(width: int) -> list[str]:
    return [line for block in listing(COLUMNS, [ROW], width) for line in block]


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
    assert list(listing(COLUMNS, [], 80)) == [["RUN  GRAPH  STATUS  WHY"]]


def test_what_is_folded_goes_on_below_itself_and_what_is_wide_stays_in_its_column() -> None:
    assert drawn(54) == [
        "RUN         GRAPH             STATUS  WHY",
        "r-12345678  a graph with a …  ready   because it is so",
        "                                      and not",
        "                                      otherwise",
    ]


def test_later_rows_keep_to_the_screen_whatever_they_are() -> None:
    rows = [("r-1", "g", "ready", "so")] * 600 + [("長" * 90, "x" * 90, "y" * 90, "z " * 90)] * 2
    for width in (20, 42, 80, 200):
        blocks = list(listing(COLUMNS, rows, width))
        assert len(blocks) == 2
        assert max(cell_len(line) for block in blocks for line in block) <= width


def test_a_table_is_whole_where_it_fits() -> None:
    assert drawn(200)[1] == "r-12345678  a graph with a long name  ready   because it is so and not otherwise"


def written(monkeypatch: pytest.MonkeyPatch, write: Callable[[Output], None], width: int | None) -> list[str]:
    """The lines of both streams, without styles; nobody's but a pipe's where there is no width."""
    monkeypatch.setattr(Stream, "isatty", lambda self: width is not None)
    monkeypatch.setenv("COLUMNS", str(width or 20))
    monkeypatch.setenv("TERM", "xterm")
    output, text = Output(), io.StringIO()
    output.data_stream = output.told_stream = Stream(text)
    write(output)
    return [line.rstrip() for line in re.sub(r"\x1b\[[\d;]*m", "", text.getvalue()).splitlines()]


def test_a_label_may_be_longer_than_its_column_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [("k" * 30, "x"), ("longer", "y")]
    lines = written(monkeypatch, lambda output: output.page(rows), None)
    assert lines == [f"{'k' * 30}  x", f"{'longer':<24}  y"]


def test_a_page_is_not_wrapped_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [("a", "word " * 20), ("longer", "x")]
    lines = written(monkeypatch, lambda output: output.page(rows), None)
    assert lines == [f"a       {'word ' * 20}".rstrip(), "longer  x"]


def test_a_told_line_is_cut_where_a_terminal_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    def tell(output: Output) -> None:
        output.tell(("   1  ", "dim"), ("work", "bold"), ("  -> somewhere", ""), ("  ", "dim"))

    assert written(monkeypatch, tell, 16) == ["   1  work  -> …"]
    assert written(monkeypatch, tell, None) == ["   1  work  -> somewhere"]
