"""Saving a graph file: wholly or not at all, and never over what others wrote unless that is asked for."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stepgraph import GraphFileError
from stepgraph.files import read_graph
from stepgraph_tui.documents import Buffer, buffer, content
from tests.app.editing import GRAPH, Noted, graph_file, with_note


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A graph file."""
    return graph_file(tmp_path)


def note_on_disk(path: Path) -> str:
    return read_graph(path).settings.note


def note_of(buffer: Buffer) -> object:
    return buffer.design.head["note"]


def test_a_save_writes_the_text_and_leaves_nothing_else(path: Path) -> None:
    path.chmod(0o640)
    opened = Buffer(path)
    opened.do(Noted("new"))
    saved = opened.save()
    assert (saved.path, saved.losses, saved.backup) == (path, (), None)
    assert path.read_text(encoding="utf-8") == with_note("new")
    assert (opened.is_dirty, opened.disk()) == (False, "same")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(path.parent.iterdir()) == [path]


def test_a_link_stays_a_link(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.toml"
    link.symlink_to(path)
    opened = Buffer(link)
    opened.do(Noted("new"))
    opened.save()
    assert link.is_symlink()
    assert note_on_disk(path) == "new"


def test_comments_that_are_lost_are_told_once_and_the_old_file_is_kept(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = Buffer(path)
    opened.do(Noted("new"))
    monkeypatch.setattr(buffer, "losses", lambda design: ["line 1: '# A graph of one node.'"])
    assert opened.losses() == ("line 1: '# A graph of one node.'",)
    saved = opened.save()
    assert saved.losses == ("line 1: '# A graph of one node.'",)
    assert saved.backup is not None
    assert saved.backup.read_text(encoding="utf-8") == GRAPH
    assert opened.losses() == ()
    opened.do(Noted("newer"))
    assert opened.save().backup is None


def test_a_copy_has_the_edits_which_stay_unsaved_here(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    opened = Buffer(path)
    opened.do(Noted("new"))
    opened.copy_to(other)
    assert (opened.path, note_on_disk(other), note_on_disk(path)) == (path, "new", "as it was")
    assert opened.is_dirty
    opened.undo()
    assert not opened.is_dirty


def test_a_copy_overwrites_nothing(path: Path, tmp_path: Path) -> None:
    other = graph_file(tmp_path, with_note("other"), "other.toml")
    opened = Buffer(path)
    for there in (other, path):
        with pytest.raises(GraphFileError, match="the file already exists"):
            opened.copy_to(there)
    assert (note_on_disk(other), note_on_disk(path)) == ("other", "as it was")


# Saving that fails


def failing(number: int) -> Callable[..., Any]:
    def fail(*arguments: object, **options: object) -> Any:
        raise OSError(number, os.strerror(number))

    return fail


@pytest.mark.parametrize(
    ("number", "told"),
    [(errno.ENOSPC, "free some space"), (errno.EIO, "elsewhere"), (errno.EROFS, "elsewhere")],
)
@pytest.mark.parametrize("call", ["fsync", "fdopen"])
def test_a_save_that_fails_keeps_the_edits_and_the_file(
    path: Path, monkeypatch: pytest.MonkeyPatch, number: int, told: str, call: str
) -> None:
    opened = Buffer(path)
    opened.do(Noted("new"))
    with monkeypatch.context() as broken:
        broken.setattr(os, call, failing(number))
        with pytest.raises(GraphFileError, match=os.strerror(number)) as refused:
            opened.save()
    assert told in refused.value.hint
    assert str(path) in refused.value.message
    assert (note_of(opened), opened.is_dirty, path.read_text(encoding="utf-8")) == ("new", True, GRAPH)
    assert list(path.parent.iterdir()) == [path]
    opened.save()
    assert note_on_disk(path) == "new"


def test_a_file_without_write_permission_is_left_alone(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    opened = Buffer(path)
    opened.do(Noted("new"))
    with pytest.raises(GraphFileError, match="you may not write it") as refused:
        opened.save()
    assert "permissions" in refused.value.hint
    assert (opened.is_dirty, note_on_disk(path)) == (True, "as it was")


def test_a_folder_in_the_place_of_the_file_is_no_place_to_save(path: Path) -> None:
    opened = Buffer(path)
    opened.do(Noted("new"))
    path.unlink()
    path.mkdir()
    assert opened.disk() == "changed"
    for force in (False, True):
        with pytest.raises(GraphFileError, match="was not saved"):
            opened.save(force=force)
    assert opened.is_dirty
    assert list(path.iterdir()) == []


def test_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "deep"
    folder.mkdir()
    path = graph_file(folder)
    opened = Buffer(path)
    opened.do(Noted("new"))
    path.unlink()
    folder.rmdir()
    with pytest.raises(GraphFileError, match="No such file") as refused:
        opened.save()
    assert "folder is gone" in refused.value.hint
    assert opened.is_dirty


def test_where_no_copy_can_be_left_nothing_is_overwritten(path: Path) -> None:
    opened = Buffer(path)
    opened.do(Noted("mine"))
    path.write_text(with_note("theirs"), encoding="utf-8")
    path.with_name("small.toml.bak").mkdir()
    with pytest.raises(GraphFileError, match="no copy of the old one"):
        opened.save(force=True)
    assert (note_on_disk(path), opened.is_dirty) == ("theirs", True)


@pytest.mark.parametrize(
    ("note", "told"),
    [("x" * 1_000_000, "larger than 1 MB"), ("\ud800", "U\\+D800"), ("{{" + "x" * 130_000, "again")],
)
def test_what_could_never_be_read_again_is_not_written(path: Path, note: str, told: str) -> None:
    opened = Buffer(path)
    opened.do(Noted(note))
    with pytest.raises(GraphFileError, match=told):
        opened.save()
    assert (opened.is_dirty, path.read_text(encoding="utf-8")) == (True, GRAPH)


def test_a_text_that_would_mean_something_else_is_not_written(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = Buffer(path)
    opened.do(Noted("new"))
    monkeypatch.setattr(content, "design_text", lambda design: GRAPH)
    with pytest.raises(GraphFileError, match="would mean something else"):
        opened.save()
    assert opened.is_dirty


@pytest.mark.parametrize(
    "data", [GRAPH.replace("\n", "\r\n"), "\ufeff" + GRAPH, GRAPH.rstrip("\n"), GRAPH + "\t# end"]
)
def test_marks_and_line_ends_of_a_file_stay_as_they_are(tmp_path: Path, data: str) -> None:
    path = graph_file(tmp_path, data)
    opened = Buffer(path)
    opened.do(Noted("new"))
    opened.save()
    assert path.read_bytes().decode() == data.replace("as it was", "new")
    assert (opened.disk(), opened.place_of(("nodes", "draft"))) == ("same", (path, 7))
