"""Stores: where runs live.

A store of your own is a class with the methods of ``StateStore``, in a module beside these or in a package of
yours; ``stepgraph.stores.opening`` registers it by the scheme of its addresses. What it keeps are ``Row``,
``RunHead`` and ``Pointer``. ``stepgraph.stores.encoding`` turns them into columns and back,
``stepgraph.stores.audit`` chains the entries of its audit, ``stepgraph.stores.snapshots`` says when a
snapshot pays, and ``stepgraph.stores.opening`` has the errors.
Where it can be taken away while it is open, it raises ``StoreLost`` and is a ``RescuableStore`` too. Where a
server keeps it, it waits as ``stepgraph.stores.serving`` says and is a ``ServerStore``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .base import AuditEntry, Damage, Listing, StateStore, StoredReview, StoredRun
from .ledger import Outcome, Pointer, Row, RowKind, RunHead, RunStatus, replay
from .opening import default_store_url, left_log, open_store, store_file

if TYPE_CHECKING:
    from .opening import RescuableStore, Salvage

__all__ = [
    "AuditEntry",
    "Damage",
    "Listing",
    "Outcome",
    "Pointer",
    "RescuableStore",
    "Row",
    "RowKind",
    "RunHead",
    "RunStatus",
    "Salvage",
    "StateStore",
    "StoredReview",
    "StoredRun",
    "default_store_url",
    "left_log",
    "open_store",
    "replay",
    "store_file",
]


def __getattr__(name: str) -> Any:
    if name not in ("RescuableStore", "Salvage"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import opening as rescue

    return getattr(rescue, name)
