"""Rows, heads, pointers and snapshots as the texts that a Redis server keeps, each behind its checksum.

The JSON that a row or a snapshot brings with it stands in lines of its own, for JSON has no line breaks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any
from zlib import crc32

from ...stores import encoding
from ...stores.base import AuditEntry, Damage, Listing, StoredReview, StoredRun
from ...stores.big_values import Kept, hashes_of, refers
from ...stores.encoding import SUM_MASK, Columns, Damaged, loads, place, require_end, row_id, row_name
from ...stores.ledger import Pointer, Row, RunHead
from ...stores.opening import no_review
from ...stores.snapshots import Snapshot, rebuild
from ...values.json_values import Json, dumps

_SHORT = (1, 2, 3, 4, 5, 6, 9, 10, 11, 13)
"""The LEDGER columns that are not JSON: kind, step, node, visit, at, duration, output, next, edge, review."""
_LONG = (7, 8, 12, 14)
"""Those that are: updates, ops, error, data."""


def sealed(text: str, where: int = 0) -> str:
    """Put the checksum of a text and of its place before it."""
    return f"{crc32(text.encode()) + where & SUM_MASK}:{text}"


def unsealed(stored: str, where: int, what: str) -> str:
    """Check a text against the checksum before it, and give it without.

    Raises:
        Damaged: It is not as it was written, or not where it was written.
    """
    digest, _, text = stored.partition(":")
    if digest != str(crc32(text.encode()) + where & SUM_MASK):
        raise Damaged(f"{what} is not as it was written")
    return text


def moved(stored: str, by: int) -> str:
    """Move a text to another place: its checksum changes by as much as the place, and damage stays damage."""
    digest, _, text = stored.partition(":")
    return f"{int(digest) + by & SUM_MASK}:{text}" if digest.isdecimal() else stored


def row_text(columns: Columns) -> str:
    """Write a row's LEDGER columns as a text."""
    short = dumps([columns[at] for at in _SHORT])
    return sealed("\n".join((short, *[columns[at] or "" for at in _LONG])), place(columns[0]))


def row_columns(no: int, seq: int, stored: str) -> Columns:
    """Read the LEDGER columns of row ``seq`` of run number ``no``; of JSON, the text.

    Raises:
        Damaged: They are not as they were written.
    """
    id_ = row_id(no, seq)
    first, *long = unsealed(stored, place(id_), row_name(id_)).split("\n")
    short = loads(first)
    if type(short) is not list or (len(short), len(long)) != (len(_SHORT), len(_LONG)):
        raise Damaged(f"{row_name(id_)} cannot be read")
    columns: list[object] = [id_] + [None] * 14
    for at, value in zip(_SHORT, short, strict=True):
        columns[at] = value
    for at, text in zip(_LONG, long, strict=True):
        columns[at] = text or None
    return tuple(columns)


def row_from(no: int, seq: int, stored: str) -> Row:
    """Read row ``seq`` of run number ``no``.

    Raises:
        Damaged: It is none, or another one than was written.
    """
    return encoding.row_from(row_columns(no, seq, stored))


def changes_from(no: int, first: int, rows: Iterable[str]) -> list[tuple[str | None, str | None]]:
    """Read what rows of a run change, from row ``first`` on: updates and ops, as JSON."""
    return [row_columns(no, seq, stored)[7:9] for seq, stored in enumerate(rows, first)]


def head_text(no: int, head: RunHead) -> str:
    """Write the part of a run that never changes as a text."""
    return sealed(dumps([no, *encoding.head_columns(head)]))


def pointer_text(no: int, pointer: Pointer) -> str:
    """Write where a run stands as a text."""
    return sealed(dumps([no, *encoding.pointer_columns(pointer)]))


def run_from(run_id: str, head: str, pointer: str) -> tuple[int, StoredRun]:
    """Read a run's number, and the run, from the texts of its head and pointer.

    Raises:
        Damaged: They are not as they were written, or not of one run.
    """
    what = f"the entry of run {run_id!r:.200}"
    parts = [loads(unsealed(text, 0, what)) for text in (head, pointer)]
    if any(type(part) is not list for part in parts) or [len(part) for part in parts] != [6, 13]:
        raise Damaged(f"{what} cannot be read")
    (no, *columns), (same, *rest) = parts
    if no != same or columns[0] != run_id:
        raise Damaged(f"{what} is another run's")
    return no, encoding.run_from((*columns, *rest))


def kind_and_node(no: int, seq: int, stored: str) -> tuple[str, str | None]:
    """Read the kind and the node of a row that is to be copied, unchecked.

    Raises:
        Damaged: It is not a row.
    """
    short = loads(stored.partition(":")[2].partition("\n")[0])
    if type(short) is not list or len(short) != len(_SHORT):
        raise Damaged(f"{row_name(row_id(no, seq))} cannot be read")
    return short[0], short[2]


def references(stored: str) -> list[str]:
    """Find the big values that a row refers to that is copied, unchecked: none for a damaged one."""
    short, *long = stored.partition(":")[2].split("\n")
    if len(long) != len(_LONG) or not refers(long[1]):
        return []
    try:
        return hashes_of(long[0], long[1], loads(short)[_SHORT.index(9)])
    except (Damaged, LookupError, TypeError):
        return []


def review_from(review_id: str, found: Sequence[str]) -> StoredReview:
    """Read a review from the id, version, head and pointer of its run and its rows, each behind its number.

    Raises:
        Damaged: They are not as they were written.
    """
    run_id, _, head, pointer, *rows = found
    if not rows:
        raise Damaged(no_review(review_id))
    if not head or "" in rows:
        raise Damaged(f"the rows of review {review_id!r:.200} belong to no run, or to several")
    no, run = run_from(run_id, head, pointer)
    return StoredReview(
        run, [row_from(no, int(seq), text) for seq, text in zip(rows[::2], rows[1::2], strict=True)]
    )


def entry_text(link: AuditEntry) -> str:
    """Write an entry of the audit as a text; its hash is its checksum."""
    return dumps([link.number, link.entry, link.previous, link.hash])


def entry_from(stored: str) -> AuditEntry:
    """Read an entry of the audit; of one that cannot be read the text is its entry, under no number."""
    try:
        number, entry, previous, hash_ = loads(stored)
    except (Damaged, TypeError, ValueError):
        return AuditEntry(0, {"unreadable": stored}, "", "")
    fits = type(number) is int and type(entry) is dict and type(previous) is type(hash_) is str
    return (
        AuditEntry(number, entry, previous, hash_) if fits else AuditEntry(0, {"unreadable": stored}, "", "")
    )


def snapshot_texts(no: int, seq: int, taken: Snapshot) -> tuple[str, str | None]:
    """Write a snapshot's body as a text, and its lists where it has any: each behind the base of these."""
    if taken.lengths is None:
        return _part_text(no, seq, 0, taken.body), None
    lists = f"{taken.lengths}\n{taken.tails or '{}'}"
    return _part_text(no, seq, taken.base, taken.body), _part_text(no, seq, taken.base, lists)


def snapshot_part(no: int, seq: int, stored: str) -> tuple[int, str]:
    """Read the base of a snapshot's lists (0: it has none), and its body, or lengths and tails as two lines.

    Raises:
        Damaged: They are not as they were written.
    """
    what = f"the snapshot at {row_name(row_id(no, seq))}"
    base, text = _based(stored, what)
    return base, unsealed(text, place(row_id(no, seq), base), what)


def moved_part(stored: str, was: tuple[int, int], new: tuple[int, int], move: Callable[[int], int]) -> str:
    """Move a part of a snapshot to another run and row, and its base with it.

    Args:
        stored: The text.
        was: The number of the run and the row that it is of.
        new: Those that it is for.
        move: Gives the new number of a row.
    """
    base, text = _based(stored, f"the snapshot at {row_name(row_id(*was))}")
    by = place(row_id(*new), move(base)) - place(row_id(*was), base)
    return f"{move(base)}:{moved(text, by)}"


def _part_text(no: int, seq: int, base: int, text: str) -> str:
    return f"{base}:{sealed(text, place(row_id(no, seq), base))}"


def _based(stored: str, what: str) -> tuple[int, str]:
    base, _, text = stored.partition(":")
    if not base.isdecimal():
        raise Damaged(f"{what} is not as it was written")
    return int(base), text


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


def listed_run(run_id: str, entry: str, head: str, pointer: str, count: int, last: str) -> StoredRun:
    """Read a run, and check it against its version and the last row of its ledger."""
    no, version = place_from(run_id, entry)
    same, run = run_from(run_id, head, pointer)
    if (no, version) != (same, run.pointer.version):
        raise Damaged(f"run {run_id!r} is at version {run.pointer.version}, and was moved to {version}")
    kind, step = row_columns(no, version, last)[1:3] if count == version else (None, None)
    require_end(run, count, kind, step)
    return run


def runs_from(found: str, limit: int | None) -> Listing[StoredRun]:
    """Read runs, the last changed first, and take note of those that are damaged."""
    runs: list[tuple[int, StoredRun]] = []
    damages: list[Damage] = []
    for run_id, head, pointer in zip(*[iter(loads(found))] * 3, strict=True):
        try:
            runs.append(run_from(run_id, head, pointer))
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
            review = review_from(review_id, parts)
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
    base, body = snapshot_part(no, last, stored) if last else (0, None)
    if base and (not parts or parts[-2] != last):
        raise Damaged(f"the snapshot at row {last} of run {run_id!r} has lost its lists")
    lists = [tuple(snapshot_part(no, at, text)[1].split("\n")) for at, text in pairs(parts)]
    changes = changes_from(no, last + 1, rows)
    return rebuild(body, lists, [change for change in changes if change[0] is not None], kept, whole)
