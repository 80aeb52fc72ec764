"""Runs in SQLite files."""

from __future__ import annotations

from ..snapshots import SnapshotPolicy
from .store import SqliteStore, open_sqlite

__all__ = ["SnapshotPolicy", "SqliteStore", "open_sqlite"]
