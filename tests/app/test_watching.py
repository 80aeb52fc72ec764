"""Hearing that a file has changed on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepgraph_tui.documents import Watcher
from tests.app.editing import graph_file


@pytest.mark.parametrize("name", ["gone/small.toml", "small.toml/deeper.toml", "a\0b.toml"])
def test_a_folder_that_cannot_be_watched_is_no_trouble(tmp_path: Path, name: str) -> None:
    graph_file(tmp_path)
    watcher = Watcher(tmp_path / name, lambda: None)
    watcher.stop()
    assert not watcher._thread.is_alive()
