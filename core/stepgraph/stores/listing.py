"""Reviews with their runs, out of what one query has found of all of them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from .base import Damage, Listing, StoredReview
from .encoding import LEDGER, RUN, SEQ_BITS, Columns, Damaged, whole_row, whole_run
from .ledger import is_id
from .opening import no_review

REVIEW_RUN = ", ".join(f"runs.{column}" for column in ("no", *RUN.split(", "), "digest"))
"""The columns of a review's run."""
REVIEW_ROW = ", ".join(f"ledger.{column}" for column in (*LEDGER.split(", "), "digest"))
"""The columns of a row about a review."""
_ROW_AT = 2 + REVIEW_RUN.count(",") + 1


def reviews_from(found: Iterable[Columns]) -> Listing[StoredReview]:
    """Read reviews, and take note of those that are damaged.

    Args:
        found: For each row about a review, those of one review together and in order: the review's id, its
            run's number, REVIEW_RUN and REVIEW_ROW, in which everything is None that is not there.
    """
    listed: Listing[StoredReview] = Listing()
    for (review_id, no), group in groupby(found, lambda columns: columns[:2]):
        rows = [(columns[2:_ROW_AT], columns[_ROW_AT:]) for columns in group]
        try:
            listed.append(_stored(review_id, no, rows))
        except (Damaged, UnicodeError) as error:
            run_id: Any = rows[0][0][1]
            listed.damages.append(Damage(str(error), run_id if is_id(run_id) else None))
    return listed


def _stored(review_id: str, no: int, rows: list[tuple[Columns, Columns]]) -> StoredReview:
    run, first = rows[0]
    if first[0] is None:
        raise Damaged(no_review(review_id))
    if run[0] is None or any(row[0] >> SEQ_BITS != no for _, row in rows):
        raise Damaged(f"the rows of review {review_id!r} belong to no run, or to several")
    return StoredReview(whole_run(run), [whole_row(row) for _, row in rows])
