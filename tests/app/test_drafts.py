"""Drafts: edits outlive the process that they were made in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stepgraph.testing import FakeClock
from stepgraph_tui.documents import Buffer, GraphDraft, GraphDrafts
from tests.app.editing import BROKEN, Noted, graph_file, with_note


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


# Other processes


@pytest.mark.parametrize("process", [99_999_999, 0, -1, 10**40, "7", None, True])
def test_a_process_that_cannot_be_is_gone(path: Path, kept: GraphDrafts, process: object) -> None:
    left_unsaved(path, kept)
    changed(kept, process=process)
    if process is not True:
        assert kept.of(path) is not None


# Whatever is in the folder


@pytest.mark.parametrize("values", [{"text": 5}, {"at": "soon"}, {"digest": 7}, {"path": "/elsewhere"}])
def test_a_draft_with_a_damaged_part_is_none(path: Path, kept: GraphDrafts, values: dict[str, Any]) -> None:
    left_unsaved(path, kept)
    changed(kept, **values)
    assert kept.of(path) is None


# The thread that writes
