"""Saving a graph file: wholly or not at all, and never over what others wrote unless that is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepgraph import GraphFileError
from stepgraph.files import read_graph
from stepgraph_tui.documents import Buffer
from tests.app.editing import GRAPH, Noted, graph_file, with_note


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A graph file."""
    return graph_file(tmp_path)


def note_on_disk(path: Path) -> str:
    return read_graph(path).settings.note


# Saving that fails


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
