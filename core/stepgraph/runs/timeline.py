"""How the time of a run was spent: what its nodes worked, and how long it waited for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from ..stores.ledger import RowKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..stores.ledger import Row

_KEEPS_WAITING: frozenset[RowKind] = frozenset({"vote", "escalation", "adopt", "extend", "mode"})
WITHOUT_STEPS: tuple[RowKind, ...] = tuple(
    kind for kind in get_args(RowKind) if kind not in {"start", "step", "route"}
)
"""The rows that a timeline must take to know how long a run waited."""


class Timeline:
    """Looks at work and waiting, row by row, in the order of the ledger.

    A question waits until it is decided, or until anything else happens that answers or withdraws it.

    Args:
        rows: The first rows.
    """

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self.waits: dict[int, float] = {}
        """The seconds that each step waited for a person, by its number; those that waited only."""
        self.longest_work = 0.0
        """The most seconds that a completed step worked."""
        self.longest_wait = 0.0
        """The most seconds that a step waited for a person."""
        self.asked: float | None = None
        """Since when a question waits, in seconds since 1970; None while none does."""
        self._step, self._waited = 0, 0.0
        for row in rows:
            self.take(row)

    def take(self, row: Row) -> None:
        """Take up the next row."""
        if row.kind == "step":
            self.longest_work = max(self.longest_work, row.duration)
        if self.asked is not None and row.kind not in _KEEPS_WAITING:
            waited = max(0.0, row.at - self.asked)
            self._waited += waited
            self.waits[self._step] = self.waits.get(self._step, 0.0) + waited
            self.longest_wait = max(self.longest_wait, self.waits[self._step])
            self.asked = None
        if row.kind == "review":
            self.asked, self._step = row.at + row.duration, row.step

    def waiting(self, now: float | None = None) -> float:
        """Add up the seconds of waiting, for a person or a time.

        Args:
            now: The time, in seconds since 1970: a question that waits still counts up to it; not at all
                when None.
        """
        open_for = 0.0 if now is None or self.asked is None else max(0.0, now - self.asked)
        return self._waited + open_for
