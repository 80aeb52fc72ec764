"""Asking what is to become of edits when a graph is closed."""

from __future__ import annotations

from pathlib import Path

from stepgraph_tui.commands import UNSAVED, bindings

from .question import Question


class Unsaved(Question):
    """Returns ``save`` or ``discard``; None when the graph stays open.

    Args:
        path: The file.
    """

    BINDINGS = bindings(UNSAVED)

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} has edits that are not saved.")
