"""A folder whose Python would run in any process that looks for modules in its current folder."""

from __future__ import annotations

from pathlib import Path

_NAMES = (
    "json",
    "sitecustomize",
    "usercustomize",
    "stepgraph",
    "stepgraph_tui",
    "textual",
    "psycopg",
    "work",
)
_LEAVES_A_MARK = """
import pathlib
pathlib.Path({mark!r}).touch()
"""


class HostileFolder:
    """Modules of well-known names, as files and as packages, that leave a mark when they are imported.

    Args:
        folder: Where; it is made.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder
        self._marks = folder / "marks"
        self._marks.mkdir(parents=True)
        for name in _NAMES:
            code = _LEAVES_A_MARK.format(mark=str(self._marks / name))
            (folder / f"{name}.py").write_text(code, encoding="utf-8")
            (folder / name).mkdir()
            (folder / name / "__init__.py").write_text(code, encoding="utf-8")

    def ran(self) -> list[str]:
        """List the modules that were imported."""
        return sorted(mark.name for mark in self._marks.iterdir())
