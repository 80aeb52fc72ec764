"""What is kept for a graph file: breakpoints, watches; without a file they last until the run is closed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

if TYPE_CHECKING:
    from pathlib import Path

    from stepgraph.runs.debug.breakpoint import Breakpoint
    from stepgraph.runs.debug.kept import DamagedEntry, KeptDebugging
    from stepgraph.runs.debug.watches import Watch

Entry = TypeVar("Entry", bound="Breakpoint | Watch")


class KeptEntries(Generic[Entry]):
    """Adds, replaces and removes entries of one sort, and notices what another process has changed.

    Args:
        path: The graph file; None for a run that has none.
        prefix: What their ids begin with: ``b`` for breakpoints, ``w`` for watches.
    """

    def __init__(self, path: Path | None, prefix: Literal["b", "w"]) -> None:
        self.path = path
        self.entries: tuple[Entry, ...] = ()
        """The entries, in the order in which they were added."""
        self.damaged: tuple[DamagedEntry, ...] = ()
        """Those that cannot be read; they stay until somebody removes them."""
        self._prefix = prefix
        self._kept: KeptDebugging | None = None
        self._stamp: object = {}  # what the files looked like when they were read

    def look(self) -> bool:
        """Read what is kept, where anybody has changed it since the last look.

        Returns:
            Whether it was read.

        Raises:
            BreakpointError: The folder cannot be read.
        """
        if self.path is None:
            return False
        kept = self._place(self.path)
        if kept.stamp(self._prefix) == self._stamp:
            return False
        self._read(kept)
        return True

    def _read(self, kept: KeptDebugging) -> None:
        self._stamp = kept.stamp(self._prefix)  # before it is read: what changes meanwhile is news
        read: Any = kept.breakpoints if self._prefix == "b" else kept.watches
        self.entries = tuple(read())
        self.damaged = tuple(each for each in kept.damaged if each.id.startswith(self._prefix))

    def add(self, made: Entry) -> str:
        """Keep one more, and return its id.

        Raises:
            BreakpointError: It cannot be written, or there are too many.
        """
        if self.path is None:
            id = f"{self._prefix}{max((int(each.id[1:]) for each in self.entries), default=0) + 1}"
            self.entries = (*self.entries, replace(made, id=id))
            return id
        kept = self._place(self.path)
        id = kept.add(made)
        self._read(kept)
        return id

    def replace(self, made: Entry) -> None:
        """Put one in the place of the one with its id.

        Raises:
            BreakpointError: It cannot be written.
        """
        if self.path is None:
            self.entries = tuple(made if each.id == made.id else each for each in self.entries)
            return
        kept = self._place(self.path)
        kept.replace(made)
        self._read(kept)

    def remove(self, id: str) -> None:
        """Remove one, damaged or not.

        Raises:
            BreakpointError: There is none of that id, or it cannot be removed.
        """
        if self.path is None:
            self.entries = tuple(each for each in self.entries if each.id != id)
            return
        kept = self._place(self.path)
        kept.remove(id)
        self._read(kept)

    def _place(self, path: Path) -> KeptDebugging:
        if self._kept is None:
            from stepgraph.runs.debug.kept import KeptDebugging

            self._kept = KeptDebugging(path)
        return self._kept
