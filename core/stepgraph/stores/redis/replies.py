"""What the scripts answer, read and checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...values.json_values import Json
from ..base import Damage, Listing, StoredReview, StoredRun
from ..big_values import Kept
from ..encoding import Damaged, loads
from ..sequence import require_end
from ..snapshots import rebuild
from . import texts


def place_from(run_id: str, entry: str) -> tuple[int, int]:
    """Read the number and the version of a run.

    Raises:
        Damaged: It has none.
    """
    no, _, rest = entry.partition(":")
    version = rest.partition(":")[0]
    if not (no.isdecimal() and version.isdecimal()):
        raise Damaged(f"run {run_id!r:.200} has no version")
    return int(no), int(version)


def number_from(text: str | None) -> int:
    """Read the number of the last entry of the audit that was ever written.

    Raises:
        Damaged: It is none.
    """
    if text is not None and not text.isdecimal():
        raise Damaged("the number of the last entry of its audit cannot be read")
    return int(text or 0)


def require_count(run_id: str, rows: Sequence[str], expected: int) -> None:
    """Check that a part of a run's ledger has as many rows as there must be.

    Raises:
        Damaged: Some are missing, or too many.
    """
    if len(rows) != max(expected, 0):
        raise Damaged(f"the ledger of run {run_id!r:.200} has gaps, or rows that are not its own")


def pairs(flat: Sequence[Any]) -> Iterator[tuple[int, str]]:
    """Read what comes as numbers and texts in turns."""
    return ((int(flat[at]), flat[at + 1]) for at in range(0, len(flat), 2))


def run_from(run_id: str, entry: str, head: str, pointer: str, count: int, last: str) -> StoredRun:
    """Read a run, and check it against its version and the last row of its ledger."""
    no, version = place_from(run_id, entry)
    same, run = texts.run_from(run_id, head, pointer)
    if (no, version) != (same, run.pointer.version):
        raise Damaged(f"run {run_id!r} is at version {run.pointer.version}, and was moved to {version}")
    kind, step = texts.row_columns(no, version, last)[1:3] if count == version else (None, None)
    require_end(run, count, kind, step)
    return run


def runs_from(found: str, limit: int | None) -> Listing[StoredRun]:
    """Read runs, the last changed first, and take note of those that are damaged."""
    runs: list[tuple[int, StoredRun]] = []
    damages: list[Damage] = []
    for run_id, head, pointer in zip(*[iter(loads(found))] * 3, strict=True):
        try:
            runs.append(texts.run_from(run_id, head, pointer))
        except Damaged as damage:
            damages.append(Damage(str(damage), run_id))
    runs.sort(key=lambda numbered: (numbered[1].pointer.updated_at, numbered[0]), reverse=True)
    return Listing([run for _, run in runs[:limit]], damages)


def reviews_from(found: str, by_age: bool, limit: int | None) -> Listing[StoredReview]:
    """Read reviews, in the order in which they come or the oldest first, and note those that are damaged."""
    reviews: list[tuple[int, StoredReview]] = []
    damages: list[Damage] = []
    for review_id, *parts in loads(found):
        try:
            review = texts.review_from(review_id, parts)
            reviews.append((place_from(parts[0], parts[1])[0], review))
        except Damaged as damage:
            damages.append(Damage(str(damage), parts[0] or None))
    if by_age:
        reviews.sort(key=lambda numbered: (numbered[1].rows[0].at, numbered[0]))
    return Listing([review for _, review in reviews[:limit]], damages)


def visits_from(run_id: str, entry: str, nodes: str, others: Sequence[str]) -> dict[str, list[int]]:
    """Find for each visited node the sequence numbers of its step rows.

    Args:
        run_id: The run.
        entry: Its version.
        nodes: The nodes of its steps.
        others: Its rows that are not steps.
    """
    _, version = place_from(run_id, entry)
    names = loads(f"[{nodes.removesuffix(',')}]")
    apart = {int(other.partition(" ")[0]) for other in others}
    steps = [seq for seq in range(1, version + 1) if seq not in apart]
    if len(names) != len(steps):
        raise Damaged(f"run {run_id!r} has {len(steps)} steps, and the nodes of {len(names)}")
    visits: dict[str, list[int]] = {}
    for node, seq in zip(names, steps, strict=True):
        visits.setdefault(node, []).append(seq)
    return visits


def state_from(run_id: str, seq: int, past: Sequence[Any], kept: Kept, whole: bool) -> dict[str, Json]:
    """Rebuild the state after a row: from the last snapshot before it, and the rows since."""
    entry, last, stored, parts, rows = past
    no, version = place_from(run_id, entry)
    require_count(run_id, rows, min(seq, version) - last)
    base, body = texts.snapshot_part(no, last, stored) if last else (0, None)
    if base and (not parts or parts[-2] != last):
        raise Damaged(f"the snapshot at row {last} of run {run_id!r} has lost its lists")
    lists = [tuple(texts.snapshot_part(no, at, text)[1].split("\n")) for at, text in pairs(parts)]
    changes = texts.changes_from(no, last + 1, rows)
    return rebuild(body, lists, [change for change in changes if change[0] is not None], kept, whole)
