"""What a fork takes over of the run that it is forked from: rows that a database copies and moves."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from .encoding import SEQ_MASK, SUM_MASK, Columns, place, require, row_digest, row_id, row_name


def left_out(rows: Iterable[Columns]) -> list[int]:
    """Give the sequence numbers of the rows that a fork does not take over.

    Args:
        rows: The LEDGER columns of each, and its checksum.

    Raises:
        Damaged: One is not as it was written: it may be one to take over.
    """
    left = []
    for columns in rows:
        require(columns[-1], row_digest(columns[:-1]), row_name(columns[0]))
        left.append(columns[0] & SEQ_MASK)
    return left


def stretches(no: int, origin: int, left: list[int], upto: int) -> Iterator[tuple[int, int, int, int]]:
    """Find the rows that stay together: their first and last id, and what is added to ids and checksums.

    Each checksum is moved with its row (see ``place``), and none is computed anew: what is damaged is so in
    the fork too.

    Args:
        no: The number of the fork.
        origin: The number of the run that it is forked from.
        left: The rows that are left out.
        upto: The sequence number of the last row that is taken over.
    """
    start = 1
    for gone, seq in enumerate([*left, upto + 1]):
        if start < seq:
            first, new = row_id(origin, start), row_id(no, start - gone)
            yield first, row_id(origin, seq - 1), new - first, place(new) - place(first) & SUM_MASK
        start = seq + 1


def moved_snapshots(
    no: int, left: list[int], snapshots: Iterable[tuple[int, int]]
) -> Iterator[tuple[int, int, int, int]]:
    """Find where snapshots go: their id, their new id and base, and what is added to their checksum.

    Args:
        no: The number of the fork.
        left: The rows that are left out.
        snapshots: The id and base of each.
    """

    def seq(of_origin: int) -> int:
        return of_origin - bisect_right(left, of_origin)

    for id_, base in snapshots:
        was = place(id_, base)
        new = row_id(no, seq(id_ & SEQ_MASK)), seq(base)
        yield id_, *new, place(*new) - was & SUM_MASK
