"""Listing the reviews of a SQLite store, with their runs, by one query."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import apsw

from ...values.errors import StoreDamaged
from .. import encoding
from ..base import Damage, Listing, StateStore, StoredReview
from ..encoding import SEQ_BITS
from ..ledger import RunStatus, is_id
from ..refusals import no_review

_RUN = ", ".join(f"runs.{column}" for column in ("no", *encoding.RUN.split(", "), "digest"))
_ROW = ", ".join(f"ledger.{column}" for column in (*encoding.LEDGER.split(", "), "digest"))
_ROW_AT = 2 + _RUN.count(",") + 1

_PENDING = """
    SELECT runs.no AS no, runs.review AS review, asked.at AS at, asked.id AS last
    FROM runs LEFT JOIN ledger AS asked ON asked.review = runs.review AND asked.kind = 'review'
    WHERE runs.status = 'paused' ORDER BY at, last LIMIT ?"""
_OTHERS = f"""
    SELECT ledger.id >> {SEQ_BITS} AS no, ledger.review AS review,
        -max(ledger.at) AS at, -max(ledger.id) AS last
    FROM ledger LEFT JOIN runs ON runs.no = ledger.id >> {SEQ_BITS}
    WHERE ledger.review IS NOT NULL
        AND (runs.status IS NOT 'paused' OR runs.review IS NOT ledger.review)
    GROUP BY ledger.review ORDER BY at, last LIMIT ?"""  # noqa: S608  # constant
_LIST = f"""
    WITH wanted AS MATERIALIZED (%s)
    SELECT wanted.review, wanted.no, {_RUN}, {_ROW}
    FROM wanted
    LEFT JOIN runs ON runs.no = wanted.no
    LEFT JOIN ledger ON ledger.review = wanted.review
    ORDER BY wanted.at, wanted.last, ledger.id"""  # noqa: S608  # constant columns


def list_reviews(db: apsw.Connection, pending: bool, limit: int | None) -> Listing[StoredReview]:
    """List the reviews that paused runs wait for, or all the others; see ``StateStore.reviews``."""
    listed: Listing[StoredReview] = Listing()
    query = _LIST % (_PENDING if pending else _OTHERS)
    found = db.execute(query, (-1 if limit is None else limit,)).fetchall()
    for (review_id, no), group in groupby(found, lambda columns: columns[:2]):
        rows = [(columns[2:_ROW_AT], columns[_ROW_AT:]) for columns in group]
        try:
            listed.append(_stored(review_id, no, rows))
        except (encoding.Damaged, UnicodeError) as error:
            run_id: Any = rows[0][0][1]
            listed.damages.append(Damage(str(error), run_id if is_id(run_id) else None))
    return listed


def each_review(store: StateStore, pending: bool, limit: int | None) -> Listing[StoredReview]:
    """List the reviews of a store where the list cannot be read at once: each is read by itself."""
    runs = store.runs(RunStatus.PAUSED if pending else None)
    found: list[StoredReview] = []
    damages = list(runs.damages)
    for run in runs:
        try:
            rows = [] if pending else store.rows(run.head.id, kinds=("review",))
            waits = run.pointer.review if run.pointer.status is RunStatus.PAUSED else None
            for id_ in [waits] if pending else {row.review for row in rows} - {waits}:
                review = store.review(id_ or "")
                if review is None:
                    damages.append(Damage(no_review(id_ or ""), run.head.id))
                else:
                    found.append(review)
        except StoreDamaged as error:
            damages.append(Damage(error.what, run.head.id))
    if pending:
        found.sort(key=lambda review: review.rows[0].at)
    else:
        found.sort(key=lambda review: review.rows[-1].at, reverse=True)
    return Listing(found[:limit], damages)


def _stored(review_id: str, no: int, rows: list[tuple[encoding.Columns, encoding.Columns]]) -> StoredReview:
    run, first = rows[0]
    if first[0] is None:
        raise encoding.Damaged(no_review(review_id))
    if run[0] is None or any(row[0] >> SEQ_BITS != no for _, row in rows):
        raise encoding.Damaged(f"the rows of review {review_id!r} belong to no run, or to several")
    return StoredReview(encoding.whole_run(run), [encoding.whole_row(row) for _, row in rows])
