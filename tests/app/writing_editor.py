"""An editor for tests: it writes what the test says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from stepgraph import StepgraphError


class WritingEditor:
    """Takes the place of the user's editor.

    Args:
        write: Makes the new text of the old one.
        error: What it fails with, after it has written.
    """

    def __init__(self, write: Callable[[str], str], error: str = "") -> None:
        self._write, self._error = write, error
        self.opened: list[tuple[Path, int | None]] = []
        """The files that were opened, with the lines."""

    def edit(self, path: Path, line: int | None = None) -> None:
        """Write the file anew."""
        self.opened.append((path, line))
        path.write_text(self._write(path.read_text(encoding="utf-8")), encoding="utf-8")
        if self._error:
            raise StepgraphError(self._error)

    def edit_text(self, text: str, suffix: str = ".txt") -> str | None:
        """Give the new text."""
        if self._error:
            raise StepgraphError(self._error)
        new = self._write(text)
        return new if new != text else None
