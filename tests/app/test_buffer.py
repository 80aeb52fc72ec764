"""The buffer: a graph file with its edits, beside the file on disk."""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stepgraph import GraphError, GraphFileError
from stepgraph.editing import EditError
from stepgraph.editing.text import design_text
from stepgraph.files import read_graph
from stepgraph_tui.designing import Buffer, buffer, difference, disk, opening
from tests.app.editing import BROKEN, GRAPH, Noted, graph_file, with_note


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A graph file."""
    return graph_file(tmp_path)


def note_on_disk(path: Path) -> str:
    return read_graph(path).settings.note


def note_of(buffer: Buffer) -> object:
    return buffer.design.head["note"]


def test_a_file_is_opened_clean_with_its_graph_and_its_problems(path: Path) -> None:
    opened = Buffer(path)
    assert (opened.path, opened.readable, opened.is_dirty, opened.errors) == (path, True, False, 0)
    assert opened.graph is not None
    assert list(opened.graph.nodes) == ["draft"]
    assert opened.problems == ()
    assert opened.disk() == "same"


def test_problems_have_lines_while_the_design_is_the_one_on_disk(tmp_path: Path) -> None:
    path = graph_file(tmp_path, GRAPH.replace('to = "END"', 'to = "ENDE"'))
    opened = Buffer(path)
    (problem, *_) = opened.problems
    assert (problem.place.line, problem.place.edge) == (14, 0)
    opened.do(Noted("new"))
    opened.refresh()
    assert opened.problems[0].place.line is None  # a line of another text would mislead
    opened.save()
    assert opened.problems[0].place.line == 14


def test_an_edit_changes_the_design_and_the_graph_follows_when_it_is_taken(path: Path) -> None:
    opened = Buffer(path)
    assert opened.do(Noted("new")).said == "note new"
    assert (note_of(opened), opened.is_dirty) == ("new", True)
    assert opened.graph is not None
    assert opened.graph.settings.note == "as it was"
    assert opened.take(opened.check())
    assert opened.graph.settings.note == "new"
    assert note_on_disk(path) == "as it was"


def test_what_was_checked_of_an_older_design_is_not_taken(path: Path) -> None:
    opened = Buffer(path)
    opened.do(Noted("one"))
    check = opened.checking()
    opened.do(Noted("two"))
    assert not opened.take(check())
    assert opened.take(opened.check())


def test_a_thread_may_check_while_another_one_does(path: Path) -> None:
    opened = Buffer(path)
    checked: list[Any] = []
    threads = [threading.Thread(target=lambda: checked.append(opened.check())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({one.graph.name for one in checked}) == 1
    assert len(checked) == 4


def test_undo_to_the_saved_design_is_clean_and_redo_is_not(path: Path) -> None:
    opened = Buffer(path)
    opened.do(Noted("new"))
    turned = opened.undo()
    assert turned is not None
    assert (turned.said, opened.is_dirty, note_of(opened)) == ("note new", False, "as it was")
    assert opened.undo() is None
    assert opened.redo() is not None
    assert (opened.is_dirty, note_of(opened)) == (True, "new")
    opened.save()
    opened.undo()
    assert opened.is_dirty


def test_what_runs_is_what_is_on_the_screen_saved_or_not(path: Path) -> None:
    opened = Buffer(path)
    opened.do(Noted("new"))
    plan = opened.compiled()
    assert plan.settings.note == "new"
    assert plan.source == path


def test_a_graph_with_errors_has_no_plan(tmp_path: Path) -> None:
    with pytest.raises(GraphError):
        Buffer(graph_file(tmp_path, GRAPH.replace('"END"', '"nowhere"'))).compiled()


def test_a_run_without_a_file_has_nothing_to_edit_save_or_run() -> None:
    none = Buffer(None)
    assert (none.graph, none.problems, none.is_dirty, none.disk(), none.draft()) == (
        None,
        (),
        False,
        "same",
        None,
    )
    with pytest.raises(EditError, match="no graph file"):
        none.do(Noted("new"))
    for attempt in (none.compiled, none.save, none.reload, none.difference):
        with pytest.raises(GraphFileError, match="no graph file"):
            attempt()


# Files that cannot be read


def test_a_missing_file_is_a_problem_until_it_is_there(tmp_path: Path) -> None:
    path = tmp_path / "later.toml"
    opened = Buffer(path)
    assert (opened.graph, opened.readable, opened.problems[0].code, opened.errors) == (None, False, "F001", 1)
    assert opened.disk() == "same"
    with pytest.raises(GraphFileError, match="cannot be read"):
        opened.compiled()
    with pytest.raises(GraphFileError, match="nothing that could be"):
        opened.save(force=True)
    graph_file(tmp_path, name="later.toml")
    assert opened.follow()
    assert opened.readable
    assert not opened.is_dirty
    assert opened.undo() is None


def test_a_file_that_breaks_keeps_its_last_good_graph_and_says_where(path: Path) -> None:
    opened = Buffer(path)
    path.write_text(BROKEN, encoding="utf-8")
    assert opened.follow()
    assert not opened.readable
    assert opened.graph is not None
    assert (opened.problems[0].code, opened.problems[0].place.line) == ("F006", 7)
    with pytest.raises(EditError, match="cannot be read") as refused:
        opened.do(Noted("new"))
    assert "editor" in refused.value.hint
    assert opened.undo() is None
    assert opened.redo() is None
    with pytest.raises(GraphFileError, match="cannot be read"):
        opened.save()
    with pytest.raises(GraphFileError):
        opened.compiled()
    path.write_text(with_note("mended"), encoding="utf-8")
    assert opened.follow()
    assert (opened.readable, note_of(opened), opened.is_dirty) == (True, "mended", False)


def test_what_was_checked_before_the_file_broke_is_not_taken(path: Path) -> None:
    opened = Buffer(path)
    check = opened.checking()
    path.write_text(BROKEN, encoding="utf-8")
    opened.follow()
    assert not opened.take(check())
    assert opened.errors == 1


def test_a_broken_file_is_overwritten_only_when_that_is_asked_for_and_is_kept(path: Path) -> None:
    opened = Buffer(path)
    path.write_text(BROKEN, encoding="utf-8")
    opened.follow()
    saved = opened.save(force=True)
    assert saved.backup is not None
    assert saved.backup.read_text(encoding="utf-8") == BROKEN
    assert path.read_text(encoding="utf-8") == GRAPH
    assert opened.readable
    opened.do(Noted("new"))


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\xff\xfe\x00", "F005"),
        (b"x" * 1_000_001, "F004"),
        (b"format = 9\n", "F009"),
        (b"[" * 100_000, "F00"),
    ],
)
def test_bad_content_is_a_problem(tmp_path: Path, data: bytes, code: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_bytes(data)
    opened = Buffer(path)
    assert not opened.readable
    assert opened.problems[0].code.startswith(code)


# The file on disk


def test_a_clean_buffer_follows_the_file_and_undo_brings_the_old_one_back(path: Path) -> None:
    opened = Buffer(path)
    before = design_text(opened.design)
    assert not opened.follow()
    path.write_text(with_note("elsewhere"), encoding="utf-8")
    assert opened.disk() == "changed"
    assert opened.follow()
    assert (note_of(opened), opened.is_dirty, opened.disk()) == ("elsewhere", False, "same")
    turned = opened.undo()
    assert turned is not None
    assert turned.said == "reload from disk"
    assert (design_text(opened.design), opened.is_dirty) == (before, True)
    opened.redo()
    assert (design_text(opened.design), opened.is_dirty) == (with_note("elsewhere"), False)


def test_edits_stand_against_following_and_against_saving_over_a_change(path: Path) -> None:
    opened = Buffer(path)
    opened.do(Noted("mine"))
    path.write_text(with_note("theirs"), encoding="utf-8")
    assert not opened.follow()
    with pytest.raises(GraphFileError, match="it changed on disk"):
        opened.save()
    assert (note_of(opened), opened.is_dirty, note_on_disk(path)) == ("mine", True, "theirs")


def test_overwriting_a_change_leaves_it_beside_the_file(path: Path) -> None:
    opened = Buffer(path)
    opened.do(Noted("mine"))
    path.write_text(with_note("theirs"), encoding="utf-8")
    saved = opened.save(force=True)
    assert saved.backup == path.with_name("small.toml.bak")
    assert (note_on_disk(saved.backup), note_on_disk(path), opened.is_dirty) == ("theirs", "mine", False)
    assert opened.disk() == "same"


def test_reloading_gives_up_edits_only_until_undo(path: Path) -> None:
    opened = Buffer(path)
    opened.do(Noted("mine"))
    path.write_text(with_note("theirs"), encoding="utf-8")
    opened.reload()
    assert (note_of(opened), opened.is_dirty) == ("theirs", False)
    opened.undo()
    assert (note_of(opened), opened.is_dirty) == ("mine", True)
    opened.undo()
    assert design_text(opened.design) == GRAPH
    opened.redo()
    opened.redo()
    assert opened.is_dirty is False


def test_a_file_that_broke_elsewhere_takes_no_edits_away(path: Path) -> None:
    opened = Buffer(path)
    opened.do(Noted("mine"))
    path.write_text(BROKEN, encoding="utf-8")
    with pytest.raises(GraphFileError, match="not reloaded: line 7: it is not valid TOML") as refused:
        opened.reload()
    assert refused.value.hint == "your edits are kept"
    assert (opened.readable, opened.is_dirty, opened.disk()) == (True, True, "changed")


def test_a_touched_file_is_still_the_same(path: Path) -> None:
    opened = Buffer(path)
    os.utime(path, (1, 1))
    assert opened.disk() == "same"


def test_a_change_that_time_and_size_do_not_tell_is_found_before_saving(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk, "_stamp", lambda path: (1, 1, 1, 1))
    opened = Buffer(path)
    path.write_text(with_note("as it is!"), encoding="utf-8")
    assert opened.disk() == "same"
    with pytest.raises(GraphFileError, match="it changed on disk"):
        opened.save()


def test_a_file_that_is_gone_is_written_again(path: Path) -> None:
    opened = Buffer(path)
    path.unlink()
    assert opened.disk() == "gone"
    assert not opened.follow()
    assert opened.save().backup is None
    assert path.read_text(encoding="utf-8") == GRAPH


# Saving


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


def test_saving_elsewhere_goes_on_there(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    opened = Buffer(path)
    opened.do(Noted("new"))
    opened.save(other)
    assert (opened.path, note_on_disk(other), note_on_disk(path)) == (other, "new", "as it was")
    assert not opened.is_dirty
    path.write_text(with_note("elsewhere"), encoding="utf-8")
    assert opened.disk() == "same"


def test_saving_elsewhere_overwrites_nothing_unasked(path: Path, tmp_path: Path) -> None:
    other = graph_file(tmp_path, with_note("other"), "other.toml")
    opened = Buffer(path)
    with pytest.raises(GraphFileError, match="there is such a file already"):
        opened.save(other)
    assert (opened.path, note_on_disk(other)) == (path, "other")
    saved = opened.save(other, force=True)
    assert saved.backup is not None
    assert (opened.path, note_on_disk(other), note_on_disk(saved.backup)) == (other, "as it was", "other")


def test_a_new_file_is_on_disk_once_it_is_saved(tmp_path: Path) -> None:
    path = tmp_path / "new.toml"
    new = Buffer.new(path, GRAPH)
    assert (new.path, new.is_dirty, new.readable, new.disk(), path.exists()) == (
        path,
        True,
        True,
        "same",
        False,
    )
    new.do(Noted("new"))
    new.undo()
    assert new.is_dirty
    new.save()
    assert (new.is_dirty, path.read_text(encoding="utf-8")) == (False, GRAPH)


def test_a_new_file_overwrites_none_that_came_up_meanwhile(tmp_path: Path) -> None:
    new = Buffer.new(tmp_path / "small.toml", GRAPH)
    graph_file(tmp_path, with_note("theirs"))
    with pytest.raises(GraphFileError, match="it changed on disk"):
        new.save()


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
    with pytest.raises(GraphFileError, match="may not be written") as refused:
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
    [("x" * 1_000_000, "larger than 1 MB"), ("\ud800", "U\\+D800"), ("{{" + "x" * 60_000, "again")],
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
    monkeypatch.setattr(opening, "design_text", lambda design: GRAPH)
    with pytest.raises(GraphFileError, match="would mean something else"):
        opened.save()
    assert opened.is_dirty


# Lines and differences


def test_the_line_of_a_part_is_that_of_the_file_on_disk(path: Path) -> None:
    opened = Buffer(path)
    assert (opened.line_of(("nodes", "draft")), opened.line_of(("edges", 0)), opened.line_of(())) == (
        7,
        12,
        1,
    )
    assert Buffer(None).line_of(("nodes", "draft")) is None


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


@pytest.mark.parametrize(
    "data", [GRAPH.replace("\n", "\r\n"), "\ufeff" + GRAPH, GRAPH.rstrip("\n"), GRAPH + "\t# end"]
)
def test_marks_and_line_ends_of_a_file_stay_as_they_are(tmp_path: Path, data: str) -> None:
    path = graph_file(tmp_path, data)
    opened = Buffer(path)
    opened.do(Noted("new"))
    opened.save()
    assert path.read_bytes().decode() == data.replace("as it was", "new")
    assert (opened.disk(), opened.line_of(("nodes", "draft"))) == ("same", 7)


def test_lines_that_differ_in_their_ends_alone_are_told_so(path: Path) -> None:
    opened = Buffer(path)
    path.write_bytes(GRAPH.replace("\n", "\r\n").encode())
    assert opened.difference().lines == ("the lines differ in nothing but their ends",)


def test_a_large_difference_is_told_without_comparing_each_line() -> None:
    old, new = ("\n".join(f"{word} {number}" for number in range(20_000)) for word in ("old", "new"))
    found = difference(f"a\n{old}\nz", f"a\n{new}\nz")
    assert len(found.lines) == 40_000
    assert found.lines[0] == "-old 0"
    assert found.unread
