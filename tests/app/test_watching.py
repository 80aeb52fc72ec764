"""Hearing that a file has changed on disk."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from stepgraph_tui.documents import Watcher
from tests.app.editing import graph_file, with_note
from tests.app.hearing import PATIENCE

_A_MOMENT = 0.2


def heard_of(path: Path, change: Callable[[int], object]) -> bool:
    """Whether a change is heard of, which is made again until it is: watching begins in a thread."""
    heard = threading.Event()
    watcher = Watcher(path, heard.set)

    def hears(number: int) -> bool:
        change(number)
        return heard.wait(_A_MOMENT)

    try:
        return any(map(hears, range(int(PATIENCE / _A_MOMENT))))
    finally:
        watcher.stop()


def test_a_file_that_is_written_is_heard_of(tmp_path: Path) -> None:
    path = graph_file(tmp_path)
    assert heard_of(path, lambda number: path.write_text(with_note(str(number)), encoding="utf-8"))


@pytest.mark.parametrize("name", ["gone/small.toml", "small.toml/deeper.toml", "a\0b.toml"])
def test_a_folder_that_cannot_be_watched_is_no_trouble(tmp_path: Path, name: str) -> None:
    graph_file(tmp_path)
    watcher = Watcher(tmp_path / name, lambda: None)
    watcher.stop()
    assert not watcher._thread.is_alive()
