"""What differs between a graph file on disk and its edits."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepgraph_tui.documents import Buffer
from stepgraph_tui.documents.difference import difference
from tests.app.editing import BROKEN, GRAPH, Noted, graph_file


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A graph file."""
    return graph_file(tmp_path)


def test_a_difference_is_told_by_meaning_and_line_by_line(path: Path) -> None:
    opened = Buffer(path)
    opened.do(Noted("mine"))
    path.write_text(GRAPH.replace('name = "small"', 'name = "large"'), encoding="utf-8")
    found = opened.difference()
    assert found.meaning == ('name: "large" became "small"',)
    assert '-name = "large"' in found.lines
    assert '+note = "mine"' in found.lines
    assert " format = 1" in found.lines
    assert found.lines[0] == "line 1"


def test_a_difference_that_runs_would_not_notice_has_lines_alone(path: Path) -> None:
    opened = Buffer(path)
    opened.do(Noted("mine"))
    found = opened.difference()
    assert found.meaning == ()
    assert [line for line in found.lines if line[0] in "+-"] == ['-note = "as it was"', '+note = "mine"']


def test_a_difference_to_a_broken_or_missing_file_says_so(path: Path) -> None:
    opened = Buffer(path)
    path.write_text(BROKEN, encoding="utf-8")
    assert "not valid TOML" in opened.difference().unread
    assert "-[nodes.draft" in opened.difference().lines
    path.unlink()
    assert opened.difference().unread == "there is no such file"
    assert not Buffer(graph_file(path.parent)).difference()


def test_lines_that_differ_in_their_ends_alone_are_told_so(path: Path) -> None:
    opened = Buffer(path)
    path.write_bytes(GRAPH.replace("\n", "\r\n").encode())
    assert opened.difference().lines == ("only the line ends differ",)


def test_a_large_difference_is_told_without_comparing_each_line() -> None:
    old, new = ("\n".join(f"{word} {number}" for number in range(20_000)) for word in ("old", "new"))
    found = difference(f"a\n{old}\nz", f"a\n{new}\nz")
    assert len(found.lines) == 40_000
    assert found.lines[0] == "-old 0"
    assert found.unread
