"""Workers: processes, on any number of machines, that run the graphs of one store on PostgreSQL.

What is to be done is a job of procrastinate ("advance this run"), in the store's own database. ``worker``
takes jobs and supervises; ``hand`` is the process in which nodes run; ``queue`` is what everybody else asks:
whether workers drive a run, which one is at it, and to hand one over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from ...stores.base import StateStore
    from .queue import WorkerQueue


def is_driven(store: StateStore, run_id: str) -> bool:
    """Check whether workers drive a run: then nobody else is to."""
    return run_id in driven(store)


def driven(store: StateStore) -> Collection[str]:
    """List the runs that workers drive."""
    queue = _queue(store)
    return () if queue is None else queue.runs().keys()


def take_over(store: StateStore, run_id: str) -> bool:
    """Take a run from the workers, so that whoever asks may drive it; False where they do not drive it.

    Raises:
        Conflict: One of them is at it.
    """
    queue = _queue(store)
    return queue is not None and queue.withdraw(run_id)


def _queue(store: StateStore) -> WorkerQueue | None:
    """Find the queue of a store; other stores than those on PostgreSQL have none."""
    if not store.url.startswith("postgres"):
        return None
    from ..postgres.store import PostgresStore
    from .queue import WorkerQueue

    return WorkerQueue(store.address) if isinstance(store, PostgresStore) else None
