"""Rows, heads, pointers and snapshots as the texts that a Redis server keeps, each behind its checksum.

The JSON that a row or a snapshot brings with it is in lines of its own, for JSON has no line breaks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from zlib import crc32

from ...stores import encoding
from ...stores.backend import Changes, Found, StoredPlace, WayStep
from ...stores.base import AuditEntry, Damage, Listing, StoredReview, StoredRun
from ...stores.encoding import (
    SUM_MASK,
    Columns,
    Damaged,
    loads,
    place,
    require_end,
    row_id,
    row_name,
    row_seq,
)
from ...stores.ledger import Pointer, RunHead, hashes_in
from ...stores.opening import no_review
from ...stores.snapshots import Snapshot
from ...values.json_values import dumps

FORMAT = "3"
"""The version of the layout of the keys."""
READABLE = ("1", "2", FORMAT)
"""The layouts that this version can go on with: the first has no big values, both have ``nodes:NO``."""

_AT_ONCE = 1_000
"""Words of a command at most: Lua's stack has room for some thousands."""
_SHORT = (1, 2, 3, 4, 5, 6, 9, 10, 11, 13)
"""The LEDGER columns that are not JSON: kind, step, node, visit, at, duration, output, next, edge, review."""
_LONG = (7, 8, 12, 14)
"""Those that are: updates, ops, error, data."""


def sealed(text: str, where: int = 0) -> str:
    """Put the checksum of a text and of its place before it."""
    return f"{crc32(text.encode()) + where & SUM_MASK}:{text}"


def unsealed(stored: str, where: int, what: str) -> str:
    """Check a text against the checksum before it, and return it without.

    Raises:
        Damaged: It is not as it was written, or not where it was written.
    """
    digest, _, text = stored.partition(":")
    if digest != str(crc32(text.encode()) + where & SUM_MASK):
        raise Damaged(f"{what} is not as it was written")
    return text


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


def review_from(review_id: str, found: Sequence[str]) -> StoredReview:
    """Read a review from the id, version, head and pointer of its run and its rows, each after its number.

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
        run,
        [
            encoding.row_from(row_columns(no, int(seq), text))
            for seq, text in zip(rows[::2], rows[1::2], strict=True)
        ],
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


def step_from(stored: str) -> WayStep:
    """Read what the first line of a row says of the run's way, unchecked.

    Raises:
        Damaged: It is not a row's.
    """
    short = loads(stored.partition(":")[2])
    if type(short) is not list or len(short) != len(_SHORT):
        raise Damaged("a row cannot be read")
    return short[0], short[2], short[5]


def snapshot_texts(no: int, taken: Snapshot) -> tuple[str, str | None]:
    """Write a snapshot's body as a text, and its lists where it has any: each after the base of these."""

    def sealed_part(base: int, text: str) -> str:
        return f"{base}:{sealed(text, place(row_id(no, taken.seq), base))}"

    if taken.lengths is None:
        return sealed_part(0, taken.body), None
    lists = f"{taken.lengths}\n{taken.tails or '{}'}"
    return sealed_part(taken.base, taken.body), sealed_part(taken.base, lists)


def snapshot_from(no: int, seq: int, body: str, lists: str) -> Snapshot:
    """Read a snapshot from its two parts.

    Raises:
        Damaged: They are not as they were written.
    """
    base, text = _part(no, seq, body)
    if not base:
        return Snapshot(seq, seq, None, None, text)
    if not lists:
        raise Damaged(f"the snapshot at {row_name(row_id(no, seq))} has lost its lists")
    return Snapshot(seq, base, *lists_from(no, seq, lists), text)


def lists_from(no: int, seq: int, stored: str) -> tuple[str, str]:
    """Read the lengths and tails of a snapshot."""
    lengths, _, tails = _part(no, seq, stored)[1].partition("\n")
    return lengths, tails


def _part(no: int, seq: int, stored: str) -> tuple[int, str]:
    """Read the base of a snapshot's lists (0: it has none), and one of its parts."""
    base, _, text = stored.partition(":")
    what = f"the snapshot at {row_name(row_id(no, seq))}"
    number = _number(base)
    if number is None:
        raise Damaged(f"{what} is not as it was written")
    return number, unsealed(text, place(row_id(no, seq), number), what)


def _number(text: str) -> int | None:
    """Read a whole number as scripts compare it, to the letter: "05" is none, nor what is far too long."""
    number = int(text) if text.isdecimal() and len(text) < 16 else None
    return number if text == str(number) else None


def place_from(run_id: str, entry: str) -> StoredPlace:
    """Read the number and the version of a run.

    Raises:
        Damaged: It has none.
    """
    no, _, rest = entry.partition(":")
    version = rest.partition(":")[0]
    number, at = _number(no), _number(version)
    if number is None or at is None:
        raise Damaged(f"run {run_id!r:.200} has no version")
    return StoredPlace(number, at)


def number_from(text: str | None) -> int:
    """Read the number of the last entry of the audit that was ever written.

    Raises:
        Damaged: It is none.
    """
    number = _number("0" if text is None else text)
    if number is None:
        raise Damaged("the number of the last entry of its audit cannot be read")
    return number


def found_run(run_id: str, entry: str, head: str, pointer: str, count: int, last: str) -> Found:
    """Read a run, and check it against its version and the last row of its ledger."""
    no, version = place_from(run_id, entry)
    same, run = run_from(run_id, head, pointer)
    if (no, version) != (same, run.pointer.version):
        raise Damaged(f"run {run_id!r} is at version {run.pointer.version}, and was moved to {version}")
    kind, step = row_columns(no, version, last)[1:3] if count == version else (None, None)
    require_end(run, count, kind, step)
    return Found(no, run)


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


class CommitWords(list[Any]):
    """A commit as the arguments of its script.

    Args:
        changes: The commit.
        prefix: What every key begins with.
    """

    def __init__(self, changes: Changes, prefix: str) -> None:
        no, head, pointer, entries = changes.no, changes.head, changes.pointer, changes.entries
        before = "" if changes.before is None else changes.before
        super().__init__((head.id, no, before, pointer.version, pointer.status.value, pointer.review or ""))
        self += (
            pointer_text(no, pointer),
            pointer.updated_at + 0.0,
            "" if entries is None else entries.written,
        )
        self._prefix = prefix
        if changes.before is None:
            self._write("HSET", "heads", head.id, head_text(no, head))
        self._write("SET", "format", FORMAT)  # each time: an older Stepgraph may have made the store
        self._add_rows(no, head.id, changes.rows)
        if changes.definition is not None:
            self._write("HSETNX", "definitions", pointer.definition, sealed(changes.definition))
            self._need(no, pointer.definition)
        for hash_, text in changes.bodies.items():
            self._write("HSETNX", f"big:{no}", hash_, text)
        for taken in changes.snapshots:
            body, lists = snapshot_texts(no, taken)
            self._write("HSET", f"bodies:{no}", taken.seq, body)
            if lists is not None:
                self._write("HSET", f"lists:{no}", taken.seq, lists)
        for link in entries.links if entries is not None else ():
            self._write("ZADD", "audit", link.number, entry_text(link))
            self._write("SET", "audited", link.number)

    def _add_rows(self, no: int, run_id: str, rows: Sequence[Columns]) -> None:
        self._write("RPUSH", f"rows:{no}", *map(row_text, rows))
        others = (f"{row_seq(columns)} {columns[1]}" for columns in rows if columns[1] != "step")
        self._write("RPUSH", f"others:{no}", *others)
        for columns in rows:
            review, data = columns[13:]
            if review is not None:
                self._write("RPUSH", f"review:{review}", f"{row_seq(columns)}:{run_id}")
                self._write("SADD", f"reviews:{no}", review)
                self._write("ZADD", "reviewed", columns[5], f"{no:010d}:{review}")
            if columns[1] == "adopt" and data is not None:
                self._need(no, *hashes_in(data))

    def _need(self, no: int, *definitions: str) -> None:
        """Note which definitions the run may need: they stay as long as it does."""
        for hash_ in definitions:
            self._write("SADD", f"needs:{no}", hash_)
            self._write("SADD", f"users:{hash_}", no)

    def _write(self, name: str, key: str, *words: Any) -> None:
        """Add a command; of very many words it becomes several."""
        for first in range(0, len(words), _AT_ONCE):
            some = words[first : first + _AT_ONCE]
            self.extend((len(some) + 2, name, self._prefix + key, *some))
