"""Saving what a store has: what stores that can be lost offer, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable


@dataclass(slots=True)
class Salvage:
    """What was copied to a new store, and what was not."""

    path: Path
    """The new store."""
    whole: list[str] = field(default_factory=list)
    """The runs that are all there."""
    cut: list[str] = field(default_factory=list)
    """Of each run that goes only up to its first damage: which it is, how far it goes, and why."""
    left: list[str] = field(default_factory=list)
    """Of each run that could not be copied: which it is, and why."""
    entries: int = 0
    """How many entries of the audit were copied."""

    @property
    def has_runs(self) -> bool:
        """True when the new store has any run."""
        return bool(self.whole or self.cut)

    @property
    def is_made(self) -> bool:
        """True when there is a new store: a run or an entry could be copied."""
        return self.has_runs or bool(self.entries)

    @property
    def is_whole(self) -> bool:
        """True when nothing is missing from the new store."""
        return self.is_made and not self.cut and not self.left

    def lines(self) -> list[str]:
        """Tell it in words, a line for each run that is not all there."""
        count = f"{len(self.whole):,} run{'' if len(self.whole) == 1 else 's'}"
        audit = f"the audit ({self.entries:,} {'entry' if self.entries == 1 else 'entries'})"
        told = f"{count} copied whole to {self.path}"
        if self.whole and self.cut:
            told = f"{count} copied whole, {len(self.cut):,} in part, to {self.path}"
        elif self.cut:
            told = f"no run copied whole, {len(self.cut):,} in part, to {self.path}"
        elif not self.whole and self.entries:
            told = f"no run copied, but {audit}, to {self.path}"
        elif not self.whole:
            told = "nothing could be copied, and no new store was made"
            told += "" if self.left else ": no run was found"
        if self.has_runs and self.entries:
            told += f", and {audit}"
        return [told, *(f"cut: {line}" for line in self.cut), *(f"left out: {line}" for line in self.left)]


@runtime_checkable
class RescuableStore(Protocol):
    """A store that can be lost while it is open, and still save what it has in hand.

    A store that raises StoreLost offers this beside the methods of ``StateStore``; those that cannot be lost
    have no need of it.
    """

    def rescue(self, path: str | Path | None = None) -> Salvage:
        """Save what the store still has open to a new file: after StoreLost, or as a copy.

        Args:
            path: The new file; None chooses a name beside the store, else in the folder for temporary files.

        Raises:
            StoreError: It cannot be written, or there is a file of that name already.
        """
        ...
