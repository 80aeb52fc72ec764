"""The buffer: a graph file with its edits, beside the file on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepgraph import GraphFileError
from stepgraph.editing.text import design_text
from stepgraph_tui.documents import Buffer
from tests.app.editing import GRAPH, Noted, graph_file, with_note


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A graph file."""
    return graph_file(tmp_path)


def note_of(buffer: Buffer) -> object:
    return buffer.design.head["note"]


# Files that cannot be read


# The file on disk


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
