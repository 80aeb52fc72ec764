"""Runs in SQLite files."""

from __future__ import annotations

from ..base import Damage
from ..snapshots import SnapshotPolicy
from .checking import file_damages, opened_to_look
from .salvage import free_name, repair
from .store import SqliteStore, open_sqlite

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
