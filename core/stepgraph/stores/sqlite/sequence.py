"""Whether a run's ledger has every row once, and ends where the run stands."""

from __future__ import annotations

import apsw

from .. import encoding
from ..base import StoredRun
from ..encoding import SEQ_BITS, SEQ_MASK


def check_end(db: apsw.Connection, run: StoredRun, end: int | None) -> None:
    """Check where a run stands against the last row of its ledger."""
    id_, pointer = run.head.id, run.pointer
    last = 0 if end is None else end & SEQ_MASK
    if last != pointer.version:
        raise encoding.Damaged(
            f"run {id_!r} is at version {pointer.version}, and the last row of its ledger is {last}"
        )
    found = db.execute("SELECT kind, step FROM ledger WHERE id = ?", (end,)).fetchone()
    kind, step = found or (None, None)
    if kind in ("step", "route") and step != pointer.step:
        raise encoding.Damaged(f"run {id_!r} is at step {pointer.step}, and its ledger at step {step}")


def check_sequence(db: apsw.Connection, run_id: str, first: int, last: int) -> None:
    """Check that a part of a run's ledger has every row once: as many as there must be, and their sum."""
    found = db.execute(
        "SELECT count(*), total(id - ?1), (SELECT version FROM runs WHERE no = ?3) FROM ledger"
        " WHERE id BETWEEN ?1 AND ?2",
        (first, last, first >> SEQ_BITS),
    ).fetchone()
    count, total, version = found or (0, 0, None)
    if type(version) is not int:
        raise encoding.Damaged(f"run {run_id!r} has no version")
    whole = min(last & SEQ_MASK, version) - (first & SEQ_MASK) + 1
    if (count, total) != (max(whole, 0), max(whole, 0) * (whole - 1) // 2):
        raise encoding.Damaged(f"the ledger of run {run_id!r} has gaps, or rows that are not its own")
