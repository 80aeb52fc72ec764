"""The buffer: a graph file with its edits, beside the file on disk."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from stepgraph import GraphError, GraphFileError
from stepgraph.editing import EditError
from stepgraph.editing.text import design_text
from stepgraph.files import read_graph
from stepgraph_tui.documents import Buffer, disk
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
    assert (opened.path, opened.readable, opened.is_dirty, opened.checked.errors) == (path, True, False, 0)
    assert opened.checked.graph is not None
    assert list(opened.checked.graph.nodes) == ["draft"]
    assert opened.checked.problems == ()
    assert opened.disk() == "same"


def test_problems_have_lines_while_the_design_is_the_one_on_disk(tmp_path: Path) -> None:
    path = graph_file(tmp_path, GRAPH.replace('to = "END"', 'to = "ENDE"'))
    opened = Buffer(path)
    (problem, *_) = opened.checked.problems
    assert (problem.place.line, problem.place.edge) == (14, 0)
    opened.do(Noted("new"))
    opened.refresh()
    assert opened.checked.problems[0].place.line is None  # a line of another text would mislead
    opened.save()
    assert opened.checked.problems[0].place.line == 14


def test_an_edit_changes_the_design_and_the_graph_follows_when_it_is_taken(path: Path) -> None:
    opened = Buffer(path)
    assert opened.do(Noted("new")).said == "note new"
    assert (note_of(opened), opened.is_dirty) == ("new", True)
    assert opened.checked.graph is not None
    assert opened.checked.graph.settings.note == "as it was"
    assert opened.take(opened.checking()())
    assert opened.checked.graph.settings.note == "new"
    assert note_on_disk(path) == "as it was"


def test_what_was_checked_of_an_older_design_is_not_taken(path: Path) -> None:
    opened = Buffer(path)
    opened.do(Noted("one"))
    check = opened.checking()
    opened.do(Noted("two"))
    assert not opened.take(check())
    assert opened.take(opened.checking()())


def test_a_thread_may_check_while_another_one_does(path: Path) -> None:
    opened = Buffer(path)
    checked: list[Any] = []
    threads = [threading.Thread(target=lambda: checked.append(opened.checking()())) for _ in range(4)]
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
    assert (none.checked.graph, none.checked.problems, none.is_dirty, none.disk(), none.draft.left(None)) == (
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
    assert (
        opened.checked.graph,
        opened.readable,
        opened.checked.problems[0].code,
        opened.checked.errors,
    ) == (None, False, "F001", 1)
    assert opened.disk() == "same"
    with pytest.raises(GraphFileError, match="cannot be read"):
        opened.compiled()
    with pytest.raises(GraphFileError, match="nothing to save"):
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
    assert opened.checked.graph is not None
    assert (opened.checked.problems[0].code, opened.checked.problems[0].place.line) == ("F006", 7)
    with pytest.raises(EditError, match="cannot be read") as refused:
        opened.do(Noted("new"))
    assert "editor" in refused.value.hint
    assert opened.undo() is None
    assert opened.redo() is None
    with pytest.raises(GraphFileError, match="cannot be read"):
        opened.save()
    with pytest.raises(GraphFileError):
        opened.compiled()
    assert opened.place_of(("edges", 0)) == (path, 7)  # where the editor is to open it
    path.write_text(with_note("mended"), encoding="utf-8")
    assert opened.follow()
    assert (opened.readable, note_of(opened), opened.is_dirty) == (True, "mended", False)


def test_what_was_checked_before_the_file_broke_is_not_taken(path: Path) -> None:
    opened = Buffer(path)
    check = opened.checking()
    path.write_text(BROKEN, encoding="utf-8")
    opened.follow()
    assert not opened.take(check())
    assert opened.checked.errors == 1


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
    assert opened.checked.problems[0].code.startswith(code)


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


def test_a_merge_takes_both_and_is_taken_apart_by_undo_for_the_disk_too(path: Path) -> None:
    opened = Buffer(path)
    opened.do(Noted("mine"))
    elsewhere = GRAPH.replace('prompt = "Write."', 'prompt = "Write well."  # they say')
    path.write_text(elsewhere, encoding="utf-8")
    opened.merge()
    assert (design_text(opened.design), opened.is_dirty) == (elsewhere.replace("as it was", "mine"), True)
    assert opened.disk() == "same"
    opened.undo()
    assert (design_text(opened.design), opened.disk()) == (with_note("mine"), "changed")
    opened.redo()
    assert opened.disk() == "same"
    opened.save()
    assert path.read_text(encoding="utf-8") == elsewhere.replace("as it was", "mine")
    opened.undo()
    assert opened.disk() == "changed"  # saving would take away what others wrote: it asks
    assert opened.merging() is not None


def test_what_both_changed_is_not_merged_and_nothing_happens(path: Path) -> None:
    opened = Buffer(path)
    opened.do(Noted("mine"))
    path.write_text(with_note("theirs"), encoding="utf-8")
    merging = opened.merging()
    assert merging is not None
    assert merging.conflicts == ("the settings",)
    with pytest.raises(GraphFileError, match="was not merged: both changed the settings"):
        opened.merge()
    assert (note_of(opened), opened.disk()) == ("mine", "changed")


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


@pytest.mark.parametrize(("part", "line"), [(("nodes", "draft"), 7), (("edges", 0), 12), ((), 1)])
def test_the_line_of_a_part_is_that_of_the_file_on_disk(
    path: Path, part: tuple[str | int, ...], line: int
) -> None:
    assert Buffer(path).place_of(part) == (path, line)
    assert Buffer(None).place_of(part) == (None, None)
