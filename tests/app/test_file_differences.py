"""What differs between a graph file on disk and its edits."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepgraph_tui.documents import Buffer
from tests.app.editing import BROKEN, graph_file


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A graph file."""
    return graph_file(tmp_path)


def test_a_difference_to_a_broken_or_missing_file_says_so(path: Path) -> None:
    opened = Buffer(path)
    path.write_text(BROKEN, encoding="utf-8")
    assert "not valid TOML" in opened.difference().unread
    assert "-[nodes.draft" in opened.difference().lines
    path.unlink()
    assert opened.difference().unread == "there is no such file"
    assert not Buffer(graph_file(path.parent)).difference()
