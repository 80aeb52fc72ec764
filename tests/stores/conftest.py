"""The stores that the contract is tested on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stepgraph.extras.postgres.store import PostgresStore
from stepgraph.extras.redis.store import RedisStore
from stepgraph.stores.base import StateStore
from stepgraph.stores.memory import MemoryStore
from stepgraph.stores.snapshots import SnapshotPolicy
from stepgraph.stores.sqlite import SqliteStore
from tests.servers.postgres import PostgresServer
from tests.servers.redis import RedisServer


@pytest.fixture(params=["memory", "sqlite", "postgres", "redis"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StateStore]:
    """Each store in turn."""
    with _opened(request, tmp_path, SnapshotPolicy()) as opened:
        yield opened


@pytest.fixture(params=["memory", "sqlite", "postgres", "redis"])
def frugal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StateStore]:
    """Each store in turn, for which 50 characters are much."""
    with _opened(request, tmp_path, SnapshotPolicy(3, 10**9, 0, big=50)) as opened:
        yield opened


def _opened(request: pytest.FixtureRequest, folder: Path, snapshots: SnapshotPolicy) -> StateStore:
    if request.param == "memory":
        return MemoryStore()
    if request.param == "sqlite":
        return SqliteStore(folder / "runs.db", snapshots=snapshots)
    if request.param == "redis":
        redis: RedisServer = request.getfixturevalue("shared_redis")
        return RedisStore(redis.fresh_url(), snapshots=snapshots)
    server: PostgresServer = request.getfixturevalue("postgres_server")
    return PostgresStore(server.fresh_url(), snapshots=snapshots)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a SQLite store may be made."""
    return tmp_path / "runs.db"
