"""Leases: whether a worker still has a run, by the word of the queue."""

from __future__ import annotations

from ..stores.postgres.claims import Claim

_HELD = "procrastinate_jobs WHERE id = {0} AND worker_id = {1} AND status = 'doing'"


def claim_of(job: int, worker: int) -> Claim:
    """Make the claim of a worker to a run: its job, until somebody puts that back or deletes it."""
    return Claim(_HELD, (job, worker))
