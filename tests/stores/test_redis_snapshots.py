"""Snapshots on a Redis server: of forks, of other processes, and damaged ones."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stepgraph.extras.redis.store import RedisStore
from stepgraph.stores.snapshots import SnapshotPolicy
from tests.servers.redis import RedisServer
from tests.stores.building import Writer, create

POLICY = SnapshotPolicy(3, 3)


@pytest.fixture
def store(redis_server: RedisServer) -> Iterator[RedisStore]:
    with RedisStore(redis_server.url(), snapshots=POLICY) as opened:
        yield opened


def snapshots(server: RedisServer, no: int = 1) -> list[int]:
    """The rows of a run that have a snapshot."""
    with server.client() as client:
        return sorted(map(int, client.hkeys(f"stepgraph:bodies:{no}")))


def test_a_snapshot_that_another_process_wrote_is_built_upon(
    store: RedisStore, redis_server: RedisServer
) -> None:
    with RedisStore(redis_server.url(), snapshots=POLICY) as other:
        writer = Writer(store, {}, {"log": "append"})
        for number in range(24):
            writer.store = store if number % 4 < 2 else other
            writer.step({"log": [number, number], "n": number})
        assert snapshots(redis_server) == [4, 7, 10, 13, 16, 19, 22, 25]
        for each in (store, other):
            assert {seq: each.values("r-1", seq) for seq in writer.expected} == writer.expected


def test_a_damaged_run_hides_no_other_one(store: RedisStore, redis_server: RedisServer) -> None:
    for run_id in ("r-1", "r-2", "r-3"):
        create(store, run_id)
    with redis_server.client() as client:
        client.hset("stepgraph:pointers", "r-2", "nonsense")
        client.hset("stepgraph:pointers", "r-3", str(client.hget("stepgraph:pointers", "r-1")))
    listed = store.runs()
    assert [run.head.id for run in listed] == ["r-1"]
    assert {damage.run for damage in listed.damages} == {"r-2", "r-3"}
    assert store.reviews() == []
    assert store.delete_runs({"r-2": 1, "r-3": 1}) == ["r-2", "r-3"]
    assert store.runs().damages == []
