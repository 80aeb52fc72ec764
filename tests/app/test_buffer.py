"""The buffer: a graph file with its edits, beside the file on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepgraph import GraphFileError
from stepgraph_tui.documents import Buffer
from tests.app.editing import Noted, graph_file, with_note


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A graph file."""
    return graph_file(tmp_path)


def note_of(buffer: Buffer) -> object:
    return buffer.design.head["note"]


# Files that cannot be read


# The file on disk


def test_what_both_changed_is_one_or_the_other_and_neither_is_lost(path: Path) -> None:
    opened = Buffer(path)
    opened.do(Noted("mine"))
    path.write_text(with_note("theirs"), encoding="utf-8")
    with pytest.raises(GraphFileError, match="was not saved: it changed on disk"):
        opened.save()
    assert (note_of(opened), opened.disk()) == ("mine", "changed")
    opened.reload()
    assert (note_of(opened), opened.disk(), opened.is_dirty) == ("theirs", "same", False)
    opened.undo()
    path.write_text(with_note("theirs again"), encoding="utf-8")
    saved = opened.save(force=True)
    assert path.read_text(encoding="utf-8") == with_note("mine")
    assert saved.backup is not None
    assert saved.backup.read_text(encoding="utf-8") == with_note("theirs again")
