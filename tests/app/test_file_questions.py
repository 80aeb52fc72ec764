"""The questions about a file: one that changed on disk, a draft that was left, and what differs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from stepgraph_tui.dialogs.pages import DifferencePage
from stepgraph_tui.dialogs.questions import DiskChanged, QuestionDialog, RestoreDraft
from stepgraph_tui.documents import GraphDraft, TextDifference
from tests.app.asking import Asking, answered
from tests.app.editing import with_note

PATH = Path("/graphs/[red]small\x1b[2J.toml")


def draft(is_behind: bool = False) -> GraphDraft:
    return GraphDraft(Path("draft"), PATH, with_note("mine"), 1000.0, "digest", is_behind)


def changed() -> QuestionDialog[Any]:
    return DiskChanged(PATH)


def left() -> QuestionDialog[Any]:
    return RestoreDraft(draft(), 1000.0 + 4000)


# What differs


def test_a_difference_of_many_lines_is_cut_and_can_be_copied() -> None:
    copied: list[str] = []
    many = TextDifference((), tuple(f"+line {number}" for number in range(6_000)))
    host = Asking(DifferencePage("x", many, copied.append))

    assert "… and 1,000 more lines" in answered(host, "y", "G")[1]
    assert copied[0].count("\n") > 5_000
