"""Listing the reviews of a SQLite store, with their runs, by one query."""

from __future__ import annotations

import apsw

from ...values.errors import StoreDamaged
from ..base import Damage, Listing, StateStore, StoredReview
from ..encoding import SEQ_BITS
from ..ledger import RunStatus
from ..listing import REVIEW_ROW, REVIEW_RUN, reviews_from
from ..refusals import no_review

_PENDING = """
    SELECT runs.no AS no, runs.review AS review, asked.at AS at, asked.id AS last
    FROM runs LEFT JOIN ledger AS asked ON asked.review = runs.review AND asked.kind = 'review'
    WHERE runs.status = 'paused' ORDER BY at, last LIMIT ?"""
_OTHERS = f"""
    SELECT id >> {SEQ_BITS} AS no, review, -max(at) AS at, -max(id) AS last
    FROM ledger
    WHERE review IS NOT NULL
        AND review NOT IN (SELECT review FROM runs WHERE status = 'paused' AND review IS NOT NULL)
    GROUP BY review ORDER BY 3, 4 LIMIT ?"""  # noqa: S608  # constant
_LIST = f"""
    WITH wanted AS MATERIALIZED (%s)
    SELECT wanted.review, wanted.no, {REVIEW_RUN}, {REVIEW_ROW}
    FROM wanted
    LEFT JOIN runs ON runs.no = wanted.no
    LEFT JOIN ledger ON ledger.review = wanted.review
    ORDER BY wanted.at, wanted.last, ledger.id"""  # noqa: S608  # constant columns


def list_reviews(db: apsw.Connection, pending: bool, limit: int | None) -> Listing[StoredReview]:
    """List the reviews that paused runs wait for, or all the others; see ``StateStore.reviews``."""
    query = _LIST % (_PENDING if pending else _OTHERS)
    return reviews_from(db.execute(query, (-1 if limit is None else limit,)).fetchall())


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
