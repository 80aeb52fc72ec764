"""Asking what is to become of a file that changed on disk while it was edited here."""

from __future__ import annotations

from pathlib import Path

from stepgraph_tui.commands import CONFLICT, bindings

from .question import Question


class DiskChanged(Question):
    """Returns ``reload``, ``overwrite`` or ``difference``; None leaves both as they are.

    Args:
        path: The file.
    """

    BINDINGS = bindings(CONFLICT)

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} changed on disk, and was edited here.",
            [
                "Reload takes what is on disk; undo brings your edits back.",
                f"Overwrite writes what is here; the file as it is now is kept as {path.name}.bak.",
            ],
        )
