"""A walk along a run's ledger: row by row, with the keys of the state that matter, each row read once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...stores.ledger import Row, RunStatus, replay
from ...stores.reading import each_row
from .compiled import Happening

if TYPE_CHECKING:
    from ...values.json_values import Json
    from ..history import History
    from ..run import Run


class LedgerWalk:
    """Walks along the ledger of a run that grows, and goes on where it stopped.

    It is what expressions ask for the past meanwhile (``count``, ``last_output``), as it is at the row that
    was given last.

    Args:
        keys: The top-level keys whose values are wanted.
    """

    def __init__(self, keys: frozenset[str]) -> None:
        self.seq = 0
        """The last row that was read."""
        self.values: dict[str, Json] = {}
        """The state after it, of the wanted keys. It is never changed in place."""
        self._keys = keys
        self._visits: dict[str, int] = {}
        self._last: Row | None = None
        self._history: History | None = None
        self._limit = 0

    def rows(self, run: Run, upto: int | None = None) -> Iterator[Happening]:
        """Give the rows that are new; call ``took`` with each, once nobody asks for what was before it.

        Args:
            run: A handle of the run, as it was just read.
            upto: The last row that is wanted; where the handle stands when None.
        """
        self._history = run._history
        pointer = run._image[0]
        if self.seq == 0:  # the cap at the start: what it is now, without the extensions since
            extensions = run.store.rows(run.id, 0, pointer.version, ("extend",))
            self._limit = pointer.limit - sum(map(_steps_more, extensions))
        for row in each_row(run.store, run.id, self.seq, upto or pointer.version):
            after = replay(dict(self.values), (row,), self._keys) if row.updates else self.values
            comes = None
            if row.kind in ("start", "step", "route"):
                comes = run.plan.start if row.kind == "start" else row.next
                ended = row.seq == pointer.version and run.status is not RunStatus.READY
                if row.error is not None or row.step >= self._limit or ended or comes not in run.plan.nodes:
                    comes = None
            elif row.kind == "extend":
                self._limit += _steps_more(row)
            yield Happening(row, self.values, after, comes)
            self.seq, self.values = row.seq, after

    def took(self, row: Row) -> None:
        """Count a row as past."""
        if row.kind == "step":
            node = row.node or ""
            self._visits[node] = self._visits.get(node, 0) + 1
            self._last = row

    def count(self, node: str, upto: int | None = None) -> int:
        """Count the visits of a node so far."""
        return self._visits.get(node, 0)

    def last_output(self, upto: int) -> str:
        """Give what the last node put out so far."""
        if self._last is None or self._history is None:
            return ""
        return self._history.output(self._last)


def _steps_more(row: Row) -> int:
    steps = (row.data or {}).get("steps")
    return steps if isinstance(steps, int) else 0
