"""Deleting runs, of which some wait for a person: the audit keeps who has withdrawn their reviews so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from ..stores.audit import entry_of
from ..stores.ledger import Row, RunStatus
from ..values.errors import StoreDamaged, UnknownReview, UnknownRun
from .inbox import Reviews

if TYPE_CHECKING:
    from ..stores.base import StateStore
    from ..values.json_values import Json


def delete_runs(
    store: StateStore, versions: Mapping[str, int], *, by: str, at: float, source: str = "library"
) -> list[str]:
    """Delete runs with all that is theirs, and enter into the audit which reviews were withdrawn by it.

    Args:
        store: Where the runs live.
        versions: The runs, each at the version that the caller has seen.
        by: Who deletes them.
        at: The time, in seconds since 1970.
        source: From where: ``library``, ``cli``, ``app``.

    Returns:
        Those that were deleted: the others are gone already, or at another version.
    """
    return store.delete_runs(versions, dict(_withdrawals(store, versions, by, at, source)))


def _withdrawals(
    store: StateStore, versions: Mapping[str, int], by: str, at: float, source: str
) -> Iterator[tuple[str, dict[str, Json]]]:
    """Make the entries for those of the runs that wait; of a damaged one nobody knows whether it does."""
    for run_id, version in versions.items():
        with suppress(StoreDamaged, UnknownRun):
            run = store.load(run_id)
            pointer = run.pointer
            if pointer.status is RunStatus.PAUSED and pointer.version == version:
                said: dict[str, Json] = {"verb": "delete", "by": by, "source": source}
                said |= {"withdraws": pointer.review, "hash": _hash(store, pointer.review or "")}
                row = Row(version + 1, "stop", pointer.step, pointer.current, at=at, data=said)
                yield run_id, entry_of(run.head, row)


def _hash(store: StateStore, review_id: str) -> str:
    """Read the hash of what a person was asked; empty where that is damaged."""
    try:
        return Reviews(store).read(review_id)[0].hash
    except (StoreDamaged, UnknownReview):
        return ""
