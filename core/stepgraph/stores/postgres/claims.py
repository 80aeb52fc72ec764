"""Claims: the right to move one run, which its driver was given and may lose."""

from __future__ import annotations

from typing import Any, NamedTuple

import psycopg

from ...values.errors import ClaimLost


class Claim(NamedTuple):
    """What says, in the store's own database, that a run may be moved: the lease of a queue, say."""

    query: str
    """Finds a row as long as the claim holds, and locks it, so that nobody takes the run over meanwhile."""
    values: tuple[int, ...]


def refuse_lost(db: psycopg.Connection[Any], run_id: str, claim: Claim) -> None:
    """Refuse a commit whose claim is lost, within the transaction that has moved the run.

    The run's row is locked by then. Who stops a run locks it before the row of the queue, too, so neither
    waits for the other for ever.

    Raises:
        ClaimLost: Somebody else was given the run.
    """
    if db.execute(claim.query.encode(), claim.values).fetchone() is None:
        raise ClaimLost(
            f"run {run_id!r} was given to somebody else, who drives it now",
            hint="what its node has just done is not recorded, and the node is executed again",
        )
