"""Leases: how long a worker may drive a run, by its own clock, and whether it still may, by the queue."""

from __future__ import annotations

import time

from ..stores.postgres.claims import Claim

_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
_HELD = "procrastinate_jobs WHERE id = {0} AND worker_id = {1} AND status = 'doing'"


def now() -> float:
    """Read the clock of leases in seconds; it goes on while a process or, on Linux, the machine sleeps."""
    return time.clock_gettime(_CLOCK)


def claim_of(job: int, worker: int) -> Claim:
    """Make the claim of a worker to a run: its job, until somebody puts that back or deletes it."""
    return Claim(_HELD, (job, worker))
