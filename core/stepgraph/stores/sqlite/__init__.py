"""Runs in SQLite files."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..base import Damage
from ..snapshots import SnapshotPolicy
from .store import SqliteStore, open_sqlite

if TYPE_CHECKING:
    from .checking import file_damages, opened_to_look
    from .salvage import free_name, repair

__all__ = [
    "Damage",
    "SnapshotPolicy",
    "SqliteStore",
    "file_damages",
    "free_name",
    "open_sqlite",
    "opened_to_look",
    "repair",
]
_OF_DAMAGED_STORES = {
    "file_damages": "checking",
    "free_name": "salvage",
    "opened_to_look": "checking",
    "repair": "salvage",
}
"""What looks at each row of a store is imported once it is wanted: who runs a graph needs none of it."""


def __getattr__(name: str) -> Any:
    if name not in _OF_DAMAGED_STORES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_OF_DAMAGED_STORES[name]}", __name__), name)
