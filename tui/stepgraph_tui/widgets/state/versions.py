"""The versions of a value through a run: who wrote each, and what it was before."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from stepgraph.expressions.explain import MISSING, Missing
from stepgraph.expressions.paths import Path, value_at
from stepgraph_tui.text.versions import versions_of, written_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stepgraph.values.json_values import Json
    from stepgraph_tui.run_view import RunView


class ValueVersions:
    """The rows of a run that changed a value. A state is read when a version of it is looked at.

    Args:
        view: The run.
        path: Where the value is.
    """

    def __init__(self, view: RunView, path: Path) -> None:
        self._view, self._path = view, path
        self.rows = versions_of(view.rows, path)
        """What wrote each version, in order."""

    def __len__(self) -> int:
        return len(self.rows)

    def until(self, seq: int) -> int:
        """Count the versions that were written up to a row of the ledger."""
        return bisect_right(self.rows, seq, key=lambda row: row.seq)

    def written(self, upto: int) -> int | None:
        """Find the last version up to a row of the ledger after which there is a value, else the next one."""
        at = self.until(upto)
        versions: Iterable[int] = (*reversed(range(at)), *range(at, len(self)))
        return next((each for each in versions if self.values(each)[1] is not MISSING), None)

    def values(self, version: int) -> tuple[Json | Missing, Json | Missing]:
        """Read the masked value before and after a version was written.

        Raises:
            StoreError: The store cannot be read.
        """
        seq, view = self.rows[version].seq, self._view
        before = value_at(view.state_at(seq - 1), self._path) if seq > 1 else MISSING
        return before, value_at(view.state_at(seq), self._path)

    def words(self, version: int) -> str:
        """Say which version it is, of how many, who wrote it, and when."""
        return f"{version + 1:,} of {len(self):,}: {written_at(self.rows[version])}"
