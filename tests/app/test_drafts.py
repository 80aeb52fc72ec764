"""Drafts: edits outlive the process that they were made in."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stepgraph.editing.text import design_text
from stepgraph.testing import FakeClock
from stepgraph.values.folders import data_folder
from stepgraph_tui.documents import Buffer, GraphDraft, GraphDrafts, drafts, processes
from stepgraph_tui.documents.later import Later
from tests.app.editing import BROKEN, GRAPH, Noted, graph_file, with_note
from tests.app.hearing import PATIENCE

CHILD = """
import sys, threading
from pathlib import Path
from stepgraph_tui.documents import Buffer, GraphDrafts
from tests.app.editing import Noted
drafts = GraphDrafts(Path(sys.argv[2]))
buffer = Buffer(Path(sys.argv[1]), drafts=drafts)
buffer.do(Noted("of the child"))
drafts.flush()
print("kept", flush=True)
threading.Event().wait()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A graph file."""
    return graph_file(tmp_path)


@pytest.fixture
def kept(tmp_path: Path) -> GraphDrafts:
    """Where drafts are kept."""
    return GraphDrafts(tmp_path / "drafts", FakeClock())


def files(kept: GraphDrafts) -> list[Path]:
    kept.flush()
    return sorted(kept._folder.glob("*"))


def left_unsaved(path: Path, kept: GraphDrafts, note: str = "mine") -> GraphDraft:
    """What is found after a process has gone in the middle."""
    Buffer(path, drafts=kept).do(Noted(note))
    draft = kept.of(path)
    assert draft is not None
    return draft


def changed(kept: GraphDrafts, **values: Any) -> None:
    """Let the one draft say something else."""
    (file,) = files(kept)
    file.write_text(json.dumps({**json.loads(file.read_text(encoding="utf-8")), **values}), encoding="utf-8")


def test_an_edit_is_kept_at_once_and_offered_when_the_file_is_opened_again(
    path: Path, kept: GraphDrafts
) -> None:
    draft = left_unsaved(path, kept)
    assert (draft.path, draft.text, draft.is_behind) == (path, with_note("mine"), False)
    assert draft.at == FakeClock().time()
    again = Buffer(path, drafts=kept)
    assert again.draft.left(again.path) == draft
    assert again.design.head["note"] == "as it was"


def test_restoring_takes_the_edits_and_undo_takes_them_away(path: Path, kept: GraphDrafts) -> None:
    draft = left_unsaved(path, kept)
    again = Buffer(path, drafts=kept)
    again.restore(draft)
    assert (design_text(again.design), again.is_dirty, again.readable) == (with_note("mine"), True, True)
    assert len(files(kept)) == 1  # they are still nowhere else
    turned = again.undo()
    assert turned is not None
    assert turned.said == "restore the draft"
    assert (design_text(again.design), again.is_dirty) == (GRAPH, False)
    assert files(kept) == []


def test_nothing_is_left_after_saving_undoing_or_leaving(path: Path, kept: GraphDrafts) -> None:
    buffer = Buffer(path, drafts=kept)
    for leave in (buffer.undo, buffer.save, buffer.draft.drop):
        buffer.do(Noted("mine"))
        assert len(files(kept)) == 1
        leave()
        assert files(kept) == []


def test_a_discarded_draft_is_gone(path: Path, kept: GraphDrafts) -> None:
    again = Buffer(path, drafts=kept)
    again.draft.discard(left_unsaved(path, kept))
    assert again.draft.left(again.path) is None
    again.draft.discard(GraphDraft(Path("none"), path, "", 0.0, None, False))


def test_a_draft_stays_until_somebody_decides(path: Path, kept: GraphDrafts) -> None:
    left_unsaved(path, kept)
    for _ in range(2):
        assert Buffer(path, drafts=kept).draft.left(path) is not None


def test_saving_a_draft_of_an_older_file_asks(path: Path, kept: GraphDrafts) -> None:
    left_unsaved(path, kept)
    path.write_text(with_note("theirs"), encoding="utf-8")
    again = Buffer(path, drafts=kept)
    draft = again.draft.left(again.path)
    assert draft is not None
    assert draft.is_behind
    again.restore(draft)
    assert again.disk() == "changed"
    assert again.merging() is None  # nobody knows any more what it was made of
    with pytest.raises(Exception, match="it changed on disk"):
        again.save()


@pytest.mark.parametrize("text", [BROKEN, None])
def test_a_draft_of_a_file_that_is_broken_or_gone_can_be_restored_and_saved(
    path: Path, kept: GraphDrafts, text: str | None
) -> None:
    draft = left_unsaved(path, kept)
    path.unlink()
    if text is not None:
        path.write_text(text, encoding="utf-8")
    again = Buffer(path, drafts=kept)
    again.restore(draft)
    assert (again.readable, again.is_dirty) == (True, True)
    again.save(force=True)
    assert path.read_text(encoding="utf-8") == with_note("mine")


def test_a_difference_shows_what_a_draft_would_change(path: Path, kept: GraphDrafts) -> None:
    draft = left_unsaved(path, kept)
    lines = Buffer(path, drafts=kept).difference(draft).lines
    assert [line for line in lines if line[0] in "+-"] == ['-note = "as it was"', '+note = "mine"']


def test_a_draft_that_says_what_the_file_says_is_none(path: Path, kept: GraphDrafts) -> None:
    left_unsaved(path, kept)
    path.write_text(with_note("mine"), encoding="utf-8")
    assert kept.of(path) is None


def test_the_newest_of_several_drafts_is_offered_and_then_the_others(path: Path, tmp_path: Path) -> None:
    clock = FakeClock()
    kept = GraphDrafts(tmp_path / "drafts", clock)
    for note in ("older", "newer"):
        clock.advance(1)
        left_unsaved(path, kept, note)
    for note in ("newer", "older"):
        draft = kept.of(path)
        assert draft is not None
        assert draft.text == with_note(note)
        kept.discard(draft)


def test_who_decides_later_does_not_lose_a_draft_by_editing(path: Path, kept: GraphDrafts) -> None:
    left_unsaved(path, kept, "left")
    again = Buffer(path, drafts=kept)
    again.do(Noted("mine"))
    again.save()
    (draft,) = [kept.of(path)]
    assert draft is not None
    assert (draft.text, draft.is_behind) == (with_note("left"), True)


def test_files_of_one_name_in_two_folders_have_a_draft_each(tmp_path: Path, kept: GraphDrafts) -> None:
    paths = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        paths.append(graph_file(tmp_path / name))
        Buffer(paths[-1], drafts=kept).do(Noted(name))
    texts = [draft.text for path in paths if (draft := kept.of(path)) is not None]
    assert texts == [with_note("one"), with_note("other")]


# Other processes


def test_what_another_process_works_on_is_not_offered(path: Path, kept: GraphDrafts) -> None:
    left_unsaved(path, kept)
    parent = os.getppid()
    changed(kept, process=parent, began=processes.began(parent))
    assert kept.of(path) is None
    changed(kept, began="1")  # the number belongs to somebody else by now
    assert kept.of(path) is not None or processes.began(parent) is None


@pytest.mark.parametrize("process", [99_999_999, 0, -1, 10**40, "7", None, True])
def test_a_process_that_cannot_be_is_gone(path: Path, kept: GraphDrafts, process: object) -> None:
    left_unsaved(path, kept)
    changed(kept, process=process)
    if process is not True:
        assert kept.of(path) is not None


def test_where_processes_cannot_be_asked_for_safely_they_count_as_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    process = os.getpid()
    assert processes.is_alive(process, None)
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(os, "name", "nt")
        alive = processes.is_alive(process, None)
    assert not alive


@pytest.mark.crash
def test_edits_outlive_a_process_that_is_killed(path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "drafts"
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(path), str(folder)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        text=True,
    )
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == "kept\n"
        alive = Buffer(path, drafts=GraphDrafts(folder)).draft.left(path)
        child.send_signal(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
        child.wait(PATIENCE)
    assert alive is None or os.name != "posix"
    again = Buffer(path, drafts=GraphDrafts(folder))
    draft = again.draft.left(again.path)
    assert draft is not None
    again.restore(draft)
    assert again.design.head["note"] == "of the child"


# Whatever is in the folder


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\x00",
        b"null",
        b"[1]",
        b"{",
        b"[" * 100_000,
        b'{"version": 2}',
        b'{"version": 1}',
        b'{"version": 1, "path": 5, "text": 7, "at": "x", "digest": []}',
    ],
)
def test_a_damaged_draft_is_none(path: Path, kept: GraphDrafts, content: bytes) -> None:
    left_unsaved(path, kept)
    (file,) = files(kept)
    file.write_bytes(content)
    assert kept.of(path) is None


@pytest.mark.parametrize("values", [{"text": 5}, {"at": "soon"}, {"digest": 7}, {"path": "/elsewhere"}])
def test_a_draft_with_a_damaged_part_is_none(path: Path, kept: GraphDrafts, values: dict[str, Any]) -> None:
    left_unsaved(path, kept)
    changed(kept, **values)
    assert kept.of(path) is None


def test_a_draft_whose_text_is_no_graph_file_changes_nothing(path: Path, kept: GraphDrafts) -> None:
    left_unsaved(path, kept)
    changed(kept, text=BROKEN)
    again = Buffer(path, drafts=kept)
    draft = again.draft.left(again.path)
    assert draft is not None
    with pytest.raises(Exception, match="cannot be read"):
        again.restore(draft)
    assert (again.is_dirty, design_text(again.design), len(files(kept))) == (False, GRAPH, 1)


def test_a_folder_that_cannot_be_written_keeps_nobody_from_editing(path: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    kept = GraphDrafts(tmp_path / "file" / "drafts")
    buffer = Buffer(path, drafts=kept)
    buffer.do(Noted("mine"))
    assert kept.flush(PATIENCE)
    assert buffer.draft.left(buffer.path) is None
    buffer.save()


def test_drafts_are_for_their_owner_alone(own_home: Path, path: Path) -> None:
    kept = GraphDrafts()
    Buffer(path, drafts=kept).do(Noted("mine"))
    (file,) = files(kept)
    assert file.parent == data_folder() / "drafts"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


# The thread that writes


def test_only_the_newest_of_what_waits_is_done() -> None:
    later, begun, gate, done = Later(), threading.Event(), threading.Event(), []

    def first() -> None:
        begun.set()
        gate.wait(PATIENCE)
        done.append("first")

    def adding(word: str) -> Callable[[], None]:
        return lambda: done.append(word)

    later.submit("a", first)
    assert begun.wait(PATIENCE)
    for word in ("old", "new"):
        later.submit("a", adding(word))
    later.submit("b", adding("other"))
    assert not later.flush(0)
    gate.set()
    assert later.flush(PATIENCE)
    assert done == ["first", "new", "other"]


def test_work_after_a_failure_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[object] = []
    monkeypatch.setattr(threading, "excepthook", lambda failure: told.append(failure.exc_type))
    later, done = Later(), []

    def fail() -> None:
        raise RuntimeError

    later.submit("a", fail)
    assert later.flush(PATIENCE)
    later.submit("a", lambda: done.append("done"))
    assert later.flush(PATIENCE)
    assert done == ["done"]


def test_the_largest_file_that_is_read_is_bounded(
    path: Path, kept: GraphDrafts, monkeypatch: pytest.MonkeyPatch
) -> None:
    left_unsaved(path, kept)
    monkeypatch.setattr(drafts, "_LARGEST", 10)
    assert kept.of(path) is None
