"""The stores that the contract is tested on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stepgraph.stores.base import StateStore
from stepgraph.stores.memory import MemoryStore
from stepgraph.stores.redis import RedisStore
from stepgraph.stores.sqlite import SqliteStore
from tests.servers.redis import TestServer, own_redis, redis_of_worker, redis_server

__all__ = ["own_redis", "redis_of_worker", "redis_server"]


@pytest.fixture(params=["memory", "sqlite", "redis"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StateStore]:
    """Each store in turn."""
    with _opened(request, tmp_path) as opened:
        yield opened


def _opened(request: pytest.FixtureRequest, folder: Path) -> StateStore:
    if request.param == "redis":
        server: TestServer = request.getfixturevalue("redis_server")
        return RedisStore(server.url())
    return MemoryStore() if request.param == "memory" else SqliteStore(folder / "runs.db")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a SQLite store may be made."""
    return tmp_path / "runs.db"
