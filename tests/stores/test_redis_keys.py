"""A script of Redis that cannot be done to its end is not begun: all of a commit is written, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from stepgraph.extras.redis.store import RedisStore
from stepgraph.reviews.inbox import delete_runs
from stepgraph.stores.base import StoredRun
from stepgraph.stores.ledger import Row, RunStatus
from stepgraph.stores.snapshots import SnapshotPolicy
from stepgraph.values.errors import StoreDamaged, StoreError
from tests.servers.redis import RedisServer
from tests.stores.asking import decide, waiting
from tests.stores.building import DEFINITION, Writer, create, head, paused, pointer, step_row

NEW = '{"name":"new"}'
LONG = "x" * 60

Act = Callable[[RedisStore], object]


def prepare(store: RedisStore) -> None:
    """One run with snapshots, big values and a definition of its own, and two that wait for a person."""
    writer = Writer(store, {"n": 0, "log": [], "text": LONG}, {"log": "append"}, "long")
    for number in range(5):
        writer.step({"n": number, "log": [number], "text": f"{LONG}{number}"})
    waiting(store, 2)


def adopt(store: RedisStore) -> None:
    row = Row(7, "adopt", 5, "work", data={"from": "0" * 32, "to": "1" * 32})
    store.commit("long", row, pointer(7, definition="1" * 32), definition=NEW)


ACTS: dict[str, Act] = {
    "create": lambda store: create(store, "new", {"n": 1, "text": LONG}),
    "fork": lambda store: store.create(
        StoredRun(head("new"), pointer(6)), [Row(6, "fork", 4)], DEFINITION, ("long", 5)
    ),
    "step": lambda store: store.commit("long", step_row(7, {"n": 9}), pointer(7), {"n": 9}),
    "big step": lambda store: store.commit("long", step_row(7, {"text": LONG + "!"}), pointer(7)),
    "attempt": lambda store: store.commit("long", Row(7, "attempt", 6, "work"), pointer(7, RunStatus.FAILED)),
    "pause": lambda store: store.commit("long", Row(7, "review", 6, review="b", data={}), paused("b", 7)),
    "end": lambda store: store.commit("long", step_row(7), pointer(7, RunStatus.ENDED)),
    "adopt": adopt,
    "decide": lambda store: decide(store, "a-1"),
    "vote": lambda store: store.commit(
        "r-1", Row(3, "vote", 1, review="a-1", data={}), paused("a-1", 3), audit={"what": "vote"}
    ),
    "delete": lambda store: store.delete_runs({"long": 6}),
    "delete what waits": lambda store: delete_runs(
        store, {"r-1": 2, "r-2": 2, "long": 6}, by="ana", at=1.0, source="cli"
    ),
}


def opened(server: RedisServer) -> RedisStore:
    return RedisStore(server.url(), snapshots=SnapshotPolicy(2, 2, 10**9, big=50))


def dumped(client: Any) -> dict[str, bytes]:
    """All that is on the server, but for the counter that gives each new run a number."""
    return {key: client.dump(key) for key in sorted(client.keys()) if key != "stepgraph:made"}


def tried(server: RedisServer, client: Any, act: Act) -> tuple[dict[str, bytes], dict[str, bytes], list[str]]:
    """What is on the server before an act and after it, and the keys that it has written."""
    with opened(server) as store:
        prepare(store)
        before = {key: client.dump(key) for key in client.scan_iter()}
        act(store)
    after = {key: client.dump(key) for key in client.scan_iter()}
    written = [key for key in {**before, **after} if before.get(key) != after.get(key)]
    assert len(written) >= 6
    return before, after, written


def laid_out(client: Any, keys: dict[str, bytes]) -> None:
    client.flushall()
    for key, value in keys.items():
        client.restore(key, 0, value)


def in_the_way(client: Any, key: str) -> None:
    """Put a key of a type that no store has in the place of one."""
    client.delete(key)
    client.xadd(key, {"of": "others"})


@pytest.fixture
def client(redis_server: RedisServer) -> Iterator[Any]:
    with redis_server.client() as opened:
        yield opened


@pytest.mark.parametrize("name", ACTS)
def test_whatever_key_is_in_the_way_nothing_is_changed(
    redis_server: RedisServer, client: Any, name: str
) -> None:
    act = ACTS[name]
    before, _, written = tried(redis_server, client, act)
    for key in written:
        laid_out(client, before)
        with opened(redis_server) as store:
            in_the_way(client, key)
            there = dumped(client)
            with pytest.raises(StoreError) as caught:
                act(store)
            assert dumped(client) == there, key
            assert f"under its prefix: {key} is a stream" in caught.value.message
            assert caught.value.hint.startswith("nothing was changed; take that key away")


@pytest.mark.parametrize("count", ["many", "9223372036854775807"])
@pytest.mark.parametrize("key", ["changes", "made"])
def test_a_counter_that_cannot_count_on_changes_nothing(
    redis_server: RedisServer, client: Any, key: str, count: str
) -> None:
    with opened(redis_server) as store:
        create(store)
        client.set(f"stepgraph:{key}", count)
        before = dumped(client)
        with pytest.raises(StoreError, match=f"stepgraph:{key} is not a counter") as caught:
            create(store, "r-2")
        assert "nothing was changed" in caught.value.hint
        assert dumped(client) == before


@pytest.mark.parametrize("number", ["many", "00", "-1", "9" * 5_000, ""])
def test_a_number_of_the_last_entry_that_is_none_is_damage(
    redis_server: RedisServer, client: Any, number: str
) -> None:
    with opened(redis_server) as store:
        create(store)
        client.set("stepgraph:audited", number)
        before = dumped(client)
        for act in (store.audit_end, lambda: store.commit("r-1", step_row(2), pointer(2), audit={"a": 1})):
            with pytest.raises(StoreDamaged, match="last entry of its audit cannot be read"):
                act()
        assert dumped(client) == before


@pytest.mark.parametrize("name", ["fork", "big step", "decide", "delete what waits"])
def test_a_user_who_may_not_touch_a_key_changes_nothing(
    redis_server: RedisServer, client: Any, name: str
) -> None:
    """The rights to each key that is written are asked for, not to one like it."""
    act = ACTS[name]
    before, after, written = tried(redis_server, client, act)
    laid_out(client, before)
    for key in written:
        others = [f"~{other}" for other in {**before, **after} if other != key]
        client.execute_command("ACL", "SETUSER", "ana", "reset", "on", ">x", "+@all", "~other", *others)
        there = dumped(client)
        with (
            pytest.raises(StoreError, match="does not let its user") as caught,
            RedisStore(redis_server.url("ana:x"), snapshots=SnapshotPolicy(2, 2, 10**9, big=50)) as store,
        ):
            act(store)
        assert dumped(client) == there, key
        assert "nothing was changed" in caught.value.hint
    client.execute_command("ACL", "DELUSER", "ana")
