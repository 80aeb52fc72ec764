"""Hearing that a file has changed on disk."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from stepgraph_tui.documents import Watcher
from tests.app.editing import GRAPH, graph_file, with_note
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


def test_a_file_that_is_replaced_is_heard_of(tmp_path: Path) -> None:
    path = graph_file(tmp_path)
    assert heard_of(path, lambda number: graph_file(tmp_path, with_note(str(number)), "new").replace(path))


def test_a_file_that_is_made_is_heard_of(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    assert heard_of(path, lambda number: graph_file(tmp_path))


def test_a_file_behind_a_link_is_heard_of(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "links").mkdir()
    path = graph_file(tmp_path / "real")
    link = tmp_path / "links" / "link.toml"
    link.symlink_to(path)
    assert heard_of(link, lambda number: path.write_text(with_note(str(number)), encoding="utf-8"))


def test_other_files_of_the_folder_are_not_heard_of(tmp_path: Path) -> None:
    path = graph_file(tmp_path)
    heard: list[str] = []
    seen = threading.Event()
    others = Watcher(path, lambda: heard.append("small.toml"))
    other = Watcher(tmp_path / "other.toml", seen.set)
    for number in range(int(PATIENCE / _A_MOMENT)):
        graph_file(tmp_path, GRAPH + f"# {number}\n", "other.toml")
        if seen.wait(_A_MOMENT):
            break
    others.stop()
    other.stop()
    assert seen.is_set()
    assert heard == []


def test_nothing_is_heard_after_the_end_and_no_thread_is_left(tmp_path: Path) -> None:
    path = graph_file(tmp_path)
    heard: list[str] = []
    watcher = Watcher(path, lambda: heard.append("changed"))
    watcher.stop()
    watcher.stop()
    path.write_text("", encoding="utf-8")
    assert heard == []
    assert not watcher._thread.is_alive()


def test_who_is_told_may_end_it(tmp_path: Path) -> None:
    path = graph_file(tmp_path)
    told = threading.Event()

    def end() -> None:
        watcher.stop()
        told.set()

    watcher = Watcher(path, end)
    for number in range(int(PATIENCE / _A_MOMENT)):
        path.write_text(with_note(str(number)), encoding="utf-8")
        if told.wait(_A_MOMENT):
            break
    watcher._thread.join(PATIENCE)
    assert told.is_set()
    assert not watcher._thread.is_alive()


@pytest.mark.parametrize("name", ["gone/small.toml", "small.toml/deeper.toml", "a\0b.toml"])
def test_a_folder_that_cannot_be_watched_is_no_trouble(tmp_path: Path, name: str) -> None:
    graph_file(tmp_path)
    watcher = Watcher(tmp_path / name, lambda: None)
    watcher.stop()
    assert not watcher._thread.is_alive()
