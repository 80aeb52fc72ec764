"""Snapshots on a Redis server: of forks, of other processes, and damaged ones."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stepgraph.stores.base import StoredRun
from stepgraph.stores.ledger import Row
from stepgraph.stores.redis.store import RedisStore
from stepgraph.stores.snapshots import SnapshotPolicy
from stepgraph.values.errors import StoreDamaged
from tests.servers.redis import RedisServer
from tests.stores.building import DEFINITION, Writer, create, head, pointer

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


def test_a_snapshot_has_only_the_items_since_the_last_one(
    store: RedisStore, redis_server: RedisServer
) -> None:
    writer = Writer(store, {}, {"log": "append"})
    for number in range(30):
        writer.step({"log": "x" * 100 + str(number)})
    writer.edit({"log": ["new"]})
    for number in range(6):
        writer.step({"log": str(number)})
    with redis_server.client() as client:
        lists = client.hvals("stepgraph:lists:1")
    assert len(lists) == len(snapshots(redis_server)) > 10
    assert max(map(len, lists)) < 500
    assert {seq: store.values("r-1", seq) for seq in writer.expected} == writer.expected


@pytest.mark.parametrize("left_out", [(), (2,), (9,), (2, 3, 4), (3, 5, 7, 8), tuple(range(2, 10))])
def test_a_fork_takes_over_rows_and_snapshots_wherever_rows_are_left_out(
    store: RedisStore, redis_server: RedisServer, left_out: tuple[int, ...]
) -> None:
    writer = Writer(store, {}, {"log": "append"})
    kept = [1]
    for seq in range(2, 30):
        if seq in left_out:
            store.commit("r-1", Row(seq, "attempt", 1, "work"), pointer(seq))
            writer.seq = seq
        else:
            writer.step({"log": [seq], "n": seq})
            kept.append(seq)
    store.create(StoredRun(head("r-2"), pointer(len(kept))), [], DEFINITION, ("r-1", 29))
    assert len(snapshots(redis_server, 2)) == len(snapshots(redis_server)) > 4
    assert [row.seq for row in store.rows("r-2")] == [*range(1, len(kept) + 1)]
    for seq, original in enumerate(kept, 1):
        assert store.values("r-2", seq) == store.values("r-1", original)
    going_on = Writer.of(store, "r-2", writer, len(kept))
    for number in range(9):
        going_on.step({"log": [number, number]})
    store.delete_runs({"r-1": 29})
    assert {seq: store.values("r-2", seq) for seq in going_on.expected} == going_on.expected


def change(server: RedisServer, hash_: str, row: int, text: str) -> None:
    with server.client() as client:
        stored = client.hget(hash_, str(row))
        assert stored is not None
        changed = stored.replace(text, "9")
        assert changed != stored
        client.hset(hash_, str(row), changed)


@pytest.mark.parametrize(
    ("part", "text"), [("bodies", '"n":'), ("lists", '"log":'), ("lists", "4:"), ("bodies", "4:")]
)
def test_a_snapshot_that_was_changed_is_noticed(
    store: RedisStore, redis_server: RedisServer, part: str, text: str
) -> None:
    writer = Writer(store, {}, {"log": "append"})
    for number in range(8):
        writer.step({"log": [number], "n": number})
    change(redis_server, f"stepgraph:{part}:1", 4, text)
    assert store.values("r-1", 3) == writer.expected[3]
    with pytest.raises(StoreDamaged, match="row 4 of run number 1 is not as it was written"):
        store.values("r-1", 5)
    store.create(StoredRun(head("r-2"), pointer(9)), [], DEFINITION, ("r-1", 9))
    with pytest.raises(StoreDamaged, match="row 4 of run number 2 is not as it was written"):
        store.values("r-2", 5)


def test_lists_that_are_gone_are_noticed(store: RedisStore, redis_server: RedisServer) -> None:
    writer = Writer(store, {}, {"log": "append"})
    for number in range(8):
        writer.step({"log": [number], "n": number})
    with redis_server.client() as client:
        assert client.hdel("stepgraph:lists:1", "4") == 1
    for seq in (4, 8):
        with pytest.raises(StoreDamaged):
            store.values("r-1", seq)


def test_a_row_that_was_changed_is_noticed_and_so_it_is_in_a_fork(
    store: RedisStore, redis_server: RedisServer
) -> None:
    writer = Writer(store, {"n": 0})
    for number in range(2):
        writer.step({"n": number})
    with redis_server.client() as client:
        client.lset(
            "stepgraph:rows:1", 1, str(client.lindex("stepgraph:rows:1", 1)).replace("102.0", "109.0")
        )
    store.create(StoredRun(head("r-2"), pointer(3)), [], DEFINITION, ("r-1", 3))
    for no, run_id in ((1, "r-1"), (2, "r-2")):
        with pytest.raises(StoreDamaged, match=f"row 2 of run number {no} is not as it was written"):
            store.rows(run_id)
    with redis_server.client() as client:
        text = str(client.lindex("stepgraph:rows:1", 1)).replace('"step"', '"attempt"')
        client.lset("stepgraph:rows:1", 1, text)
    with pytest.raises(StoreDamaged, match="row 2 of run number 1 is not as it was written"):
        store.create(StoredRun(head("r-3"), pointer(2)), [], DEFINITION, ("r-1", 3))
    assert [run.head.id for run in store.runs()] == ["r-2", "r-1"]


def test_rows_that_are_gone_are_noticed(store: RedisStore, redis_server: RedisServer) -> None:
    writer = Writer(store, {"n": 0})
    writer.step({"n": 1})
    with redis_server.client() as client:
        client.rpop("stepgraph:rows:1")
    for ask in (
        lambda: store.load("r-1"),
        lambda: store.rows("r-1"),
        lambda: store.values("r-1", 2),
        lambda: store.measure_fork("r-1", 2),
    ):
        with pytest.raises(StoreDamaged):
            ask()


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


def test_deleting_leaves_no_key_behind_but_the_counters(store: RedisStore, redis_server: RedisServer) -> None:
    writer = Writer(store, {"log": []}, {"log": "append"})
    for number in range(20):
        writer.step({"log": [number]})
    store.commit("r-1", Row(22, "review", 20, "ask", review="a-1"), pointer(22))
    create(store, "r-2")
    store.create(StoredRun(head("r-3"), pointer(21)), [], DEFINITION, ("r-1", 21))
    assert store.delete_runs({"r-1": 22, "r-2": 1, "r-3": 21}) == ["r-1", "r-2", "r-3"]
    with redis_server.client() as client:
        kept = [f"stepgraph:{name}" for name in ("changes", "deleted", "format", "made")]
        assert sorted(client.keys("*")) == kept
