"""A server that has lost what it had acknowledged is told so, and nobody is told to go on from there."""

from __future__ import annotations

import shutil
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from stepgraph.extras.postgres.store import PostgresStore
from stepgraph.extras.redis.store import RedisStore
from stepgraph.values.errors import CommitsLost, Conflict, StoreError, UnknownRun
from tests.servers import postgres
from tests.servers.redis import RedisServer, running_server, skipping
from tests.stores.building import Writer, create, pointer, step_row
from tests.stores.hearing import Told
from tests.stores.test_redis_outages import cut_off


@contextmanager
def free_port() -> Iterator[int]:
    """A port at which a server of the test may listen, and which nobody else gets meanwhile."""
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        port: int = held.getsockname()[1]
        yield port


@contextmanager
def replicated() -> Iterator[tuple[RedisServer, RedisServer]]:
    """A primary and a replica of it, which has all that the primary has."""
    with (
        skipping(),
        free_port() as port,
        running_server({"port": str(port)}) as primary,
        running_server() as replica,
    ):
        with primary.client() as first, replica.client() as second:
            second.slaveof("127.0.0.1", port)
            first.set("there", "1")
            while first.wait(1, 1000) < 1:
                pass
        yield primary, replica


def promote(primary: RedisServer, replica: RedisServer) -> None:
    """Lose the primary, and have its address lead to the replica."""
    primary.stop(signal.SIGKILL)
    primary.socket.unlink(missing_ok=True)
    primary.socket.symlink_to(replica.socket)


def test_a_replica_that_was_behind_has_lost_what_the_primary_had_acknowledged() -> None:
    with replicated() as (primary, replica), RedisStore(primary.url(), on_outage=Told()) as store:
        old = Writer(store, {"n": 0}, run_id="old")
        for number in range(9):
            old.step({"n": number})
        with primary.client() as first, replica.client() as second:
            assert first.wait(1, 60_000) == 1
            second.slaveof()  # it follows no more
        for number in range(10):
            old.step({"n": number})
        new = Writer(store, {"n": 0}, run_id="new")
        promote(primary, replica)
        with pytest.raises(CommitsLost, match="run 'old' is at version 10 and was at 20") as caught:
            old.step({"n": 99})
        assert "nothing was changed; find out what happened before the run continues" in caught.value.hint
        with pytest.raises(CommitsLost, match="run 'new' is not there, and was not deleted") as caught:
            new.step({"n": 99})
        assert caught.value.code == "S008"


def test_a_server_that_comes_back_without_its_file_is_not_used_any_more() -> None:
    """What was set while it ran, and not in its configuration, is forgotten when it starts again."""
    with skipping(), running_server({"appendonly": "no"}) as server:
        with server.client() as client:
            client.config_set("appendonly", "yes")
        careless = RedisStore(server.url(durability="none"), on_outage=Told())
        with careless, RedisStore(server.url(), on_outage=Told()) as store:
            create(store)
            create(careless, "r-2")
            server.stop(signal.SIGKILL)
            server.start()
            for ask in (
                store.runs,
                lambda: store.commit("r-1", step_row(2), pointer(2)),
                lambda: create(store, "r-3"),
            ):
                with pytest.raises(StoreError, match="would lose runs when its server stops") as caught:
                    ask()
                assert "CONFIG SET appendonly yes" in caught.value.hint
            with pytest.raises(CommitsLost, match="run 'r-2' is not there, and was not deleted"):
                careless.commit("r-2", step_row(2), pointer(2))
            with server.client() as client:
                assert client.keys() == []
                client.config_set("appendonly", "yes")
            assert store.runs() == []
            with pytest.raises(CommitsLost, match="run 'r-1' is not there, and was not deleted"):
                store.commit("r-1", step_row(2), pointer(2))


@pytest.mark.parametrize(
    ("setting", "value", "told"),
    [
        ("appendonly", "no", "would lose runs when its server stops"),
        ("maxmemory-policy", "allkeys-lru", "would evict runs when its memory is full"),
        ("replicaof", "127.0.0.1 1", "is a replica, which cannot be written"),
    ],
)
def test_each_new_connection_looks_whether_the_server_is_safe(
    own_redis: RedisServer, setting: str, value: str, told: str
) -> None:
    with RedisStore(own_redis.url(), on_outage=Told()) as store, own_redis.client() as client:
        create(store)
        was = client.config_get(setting)[setting]
        if setting == "replicaof":
            client.slaveof(*value.split())
        else:
            client.config_set(setting, value)
        client.client_kill_filter(_type="normal", skipme=True)
        with pytest.raises(StoreError, match=told) as caught:
            store.commit("r-1", step_row(2), pointer(2))
        assert caught.value.hint
        if setting == "replicaof":
            client.slaveof()
        else:
            client.config_set(setting, was)
        store.commit("r-1", step_row(2), pointer(2))
        assert store.load("r-1").pointer.version == 2


def test_a_commit_that_was_cut_and_met_an_unsafe_server_may_be_there(own_redis: RedisServer) -> None:
    with cut_off(own_redis) as (cutter, url), RedisStore(url, on_outage=Told()) as store:
        create(store)
        with own_redis.client() as client:
            cutter.script, cutter.then = ["after"], lambda: client.config_set("appendonly", "no")
            with pytest.raises(StoreError, match="would lose runs") as caught:
                store.commit("r-1", step_row(2), pointer(2))
        assert "CONFIG SET appendonly yes" in caught.value.hint
        assert "whether what was asked last is recorded" in caught.value.hint


def test_who_deletes_a_run_is_told_of_whatever_became_of_the_server(own_redis: RedisServer) -> None:
    with RedisStore(own_redis.url(), on_outage=Told()) as store:
        for run_id in ("r-1", "r-2"):
            create(store, run_id)
        own_redis.stop()
        own_redis.start()
        with RedisStore(own_redis.url()) as other:
            assert other.delete_runs({"r-1": 1, "r-2": 1}) == ["r-1", "r-2"]
            create(other, "r-2")
        with pytest.raises(UnknownRun, match=r"it was deleted \(what"):
            store.commit("r-1", step_row(2), pointer(2))
        with pytest.raises(Conflict, match="that one was deleted, and its id reused"):
            store.commit("r-2", step_row(2), pointer(2))
        # A store that has not seen it before cannot know.
        with (
            RedisStore(own_redis.url()) as late,
            pytest.raises(UnknownRun, match=r"or its server, .*, has lost it"),
        ):
            late.commit("r-1", step_row(2), pointer(2))


def test_a_database_that_is_set_back_has_lost_what_was_acknowledged() -> None:
    """An older copy of its files is put in their place: as a standby that was behind and is promoted."""
    with (
        skipping(),
        postgres.running_server() as server,
        PostgresStore(server.fresh_url(), on_outage=Told()) as store,
    ):
        writer = Writer(store, {"n": 0})
        writer.step({"n": 1})
        server.stop("fast")
        data, copy = server.folder / "data", server.folder / "copy"
        shutil.copytree(data, copy, copy_function=shutil.copy2)
        server.start()
        writer.step({"n": 2})
        create(store, "new")
        server.stop("immediate")
        shutil.copytree(copy, data, copy_function=shutil.copyfile, dirs_exist_ok=True)
        server.start()
        with pytest.raises(CommitsLost, match="run 'r-1' is at version 2 and was at 3"):
            writer.step({"n": 3})
        with pytest.raises(UnknownRun, match="or its server, which was away meanwhile, has lost it"):
            store.commit("new", step_row(2), pointer(2))
