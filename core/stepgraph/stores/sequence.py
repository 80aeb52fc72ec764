"""Whether a run's ledger has every row once, and ends where the run stands."""

from __future__ import annotations

from .base import StoredRun
from .encoding import SEQ_MASK, Damaged


def require_end(run: StoredRun, last: int, kind: str | None, step: int | None) -> None:
    """Check where a run stands against the last row of its ledger.

    Args:
        run: The run.
        last: The last row's sequence number; 0 for none.
        kind: Its kind.
        step: Its step.

    Raises:
        Damaged: They do not fit.
    """
    id_, pointer = run.head.id, run.pointer
    if last != pointer.version:
        raise Damaged(
            f"run {id_!r} is at version {pointer.version}, and the last row of its ledger is {last}"
        )
    if kind in ("step", "route") and step != pointer.step:
        raise Damaged(f"run {id_!r} is at step {pointer.step}, and its ledger at step {step}")


def require_sequence(run_id: str, first: int, last: int, version: object, count: int, total: float) -> None:
    """Check that a part of a run's ledger has every row once: as many as there must be, and their sum.

    Args:
        run_id: The run.
        first: The sequence number of the first row of the part.
        last: That of the last one, which may be after the run's last.
        version: The run's version.
        count: How many rows there are.
        total: The sum of how far each is behind the first.

    Raises:
        Damaged: Some are missing, or too many.
    """
    if type(version) is not int:
        raise Damaged(f"run {run_id!r} has no version")
    whole = max(min(last, version) - first + 1, 0)
    if (count, total) != (whole, whole * (whole - 1) // 2):
        raise Damaged(f"the ledger of run {run_id!r} has gaps, or rows that are not its own")


def moved_version(no: int, version: object) -> int:
    """Check the version of a run that is to be moved.

    Raises:
        Damaged: It is none that a run can be moved on from.
    """
    if type(version) is not int or not 1 <= version < SEQ_MASK:
        raise Damaged(f"its run number {no} has no version")
    return version
