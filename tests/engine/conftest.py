"""Both stores for every engine test, and small graphs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stepgraph import MemoryStore, SqliteStore, StateStore


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StateStore]:
    """A store of each kind."""
    opened: StateStore = MemoryStore() if request.param == "memory" else SqliteStore(tmp_path / "runs.db")
    with opened:
        yield opened
