"""Opening a store on a Redis server: what is refused, and what it says; no password is ever shown."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from stepgraph.extras.redis.store import RedisStore
from stepgraph.extras.redis.texts import FORMAT
from stepgraph.stores import open_store
from stepgraph.values.errors import StoreError, StoreUnreachable
from tests.servers.redis import RedisServer, running_server, skipping
from tests.stores.building import create, pointer, step_row


@contextmanager
def answering(answer: bytes) -> Iterator[str]:
    """A server that gives one answer to whatever it is asked."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            while line := self.rfile.readline():
                if not line.startswith(b"*"):
                    return  # no Redis, but TLS
                for _ in range(int(line[1:])):
                    self.rfile.read(int(self.rfile.readline()[1:]) + 2)
                self.wfile.write(answer)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"redis://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def allow(server: RedisServer, user: str, *rights: str) -> None:
    """Let a user in with a password, and with all rights but these."""
    words = ("ACL", "SETUSER", user, "on", ">s3cret", "~*", "+@all", *rights)
    with server.client() as client:
        assert client.execute_command(*words)


def bulk(text: str) -> bytes:
    return f"${len(text)}\r\n{text}\r\n".encode()


@pytest.mark.parametrize(
    ("address", "message", "hint"),
    [
        ("unix://", "names no server", "redis://"),
        ("redis://localhost:s3cret", "cannot be read", "redis://"),
        ("redis://localhost:99999", "its port is not a number up to 65535", "redis://"),
        ("redis://u:s3cret@localhost/runs", "names no database", "redis://host/0"),
        ("redis://u:12/s3cret@localhost", "'redis://u@localhost' names no database", "redis://host/0"),
        ("redis://u:s3cret@localhost?db=x", "names no database", "redis://host/0"),
        ("redis://u:s3cret@localhost?prefx=a", "unknown setting 'prefx'", "did you mean 'prefix'?"),
        ("redis://u:s3cret@localhost?durability=full", "unknown durability", "durability=none"),
        ("redis://u:s3cret@localhost?durability=", "unknown durability", "durability=none"),
        ("redis://u:s3cret@localhost?socket_timeout=soon", "cannot be read", ""),
        ("redis://u:s3cret@localhost#0", "names no server", "redis://"),
        ("redis://u:s3cret@[::1", "cannot be read", "redis://"),
    ],
)
def test_a_wrong_address_is_explained(address: str, message: str, hint: str) -> None:
    with pytest.raises(StoreError, match=message) as caught:
        open_store(address)
    assert hint in caught.value.hint
    assert "s3cret" not in str(caught.value) or address == "redis://localhost:s3cret"


def test_a_user_who_may_not_ask_is_told_what_cannot_be_known(own_redis: RedisServer) -> None:
    allow(own_redis, "asks", "-config")
    allow(own_redis, "blind", "-config", "-info")
    with RedisStore(own_redis.url("asks:s3cret")) as store:
        create(store)
        assert "how much a power cut may lose is not known" in store.about()["durability"]
    with pytest.raises(StoreError, match="its user may not ask INFO") as caught:
        open_store(own_redis.url("blind:s3cret"))
    assert "+info" in caught.value.hint
    assert "durability=none" in caught.value.hint
    assert "s3cret" not in str(caught.value)
    with RedisStore(own_redis.url("blind:s3cret", durability="none")) as store:
        assert [run.head.id for run in store.runs()] == ["r-1"]
        assert store.about()["durability"].startswith("not known")


@pytest.mark.parametrize("user", ["ana:wr0ng", "nobody:s3cret", ":wr0ng"])
def test_a_wrong_user_or_password_is_refused_and_never_shown(own_redis: RedisServer, user: str) -> None:
    allow(own_redis, "ana")
    with own_redis.client() as client:
        client.config_set("requirepass", "s3cret")
    with pytest.raises(StoreError, match="refuses the user or the password") as caught:
        open_store(own_redis.url(user))
    with pytest.raises(StoreError, match="asks for a password") as missing:
        open_store(own_redis.url())
    assert "redis://:PASSWORD@host" in missing.value.hint
    for error in (caught.value, missing.value):
        assert not isinstance(error, StoreUnreachable)
        assert "wr0ng" not in str(error)
        assert "s3cret" not in str(error)
    with open_store(own_redis.url("ana:s3cret")) as store:
        assert "s3cret" not in store.url
        assert store.runs() == []


def refusal(server: RedisServer, act: Callable[[], object]) -> StoreError | None:
    """What refuses an act, if anything does: then it has changed nothing."""
    with server.client() as client:
        keys = {*client.keys()} - {"stepgraph:made"}
        before = {key: client.dump(key) for key in keys}
        try:
            act()
        except StoreError as error:
            found = error
        else:
            return None
        assert {key: client.dump(key) for key in {*client.keys()} - {"stepgraph:made"}} == before
    return found


@pytest.mark.parametrize("right", ["unlink", "exists", "hdel", "setbit", "smembers", "srem", "incr"])
def test_a_user_without_the_right_to_delete_changes_nothing(own_redis: RedisServer, right: str) -> None:
    with open_store(own_redis.url()) as store:
        create(store)
    allow(own_redis, "ana", f"-{right}")
    with open_store(own_redis.url("ana:s3cret")) as store:
        error = refusal(own_redis, lambda: store.delete_runs({"r-1": 1}))
    assert f"does not let its user run {right.upper()}" in str(error)


def test_a_replica_is_refused_and_names_its_primary(own_redis: RedisServer) -> None:
    with open_store(own_redis.url()) as store, own_redis.client() as client:
        create(store)
        client.slaveof("127.0.0.1", 1)
        with pytest.raises(StoreError, match="is a replica, which cannot be written") as caught:
            open_store(own_redis.url())
        assert "127.0.0.1:1" in caught.value.hint
        with pytest.raises(StoreError, match="has become a replica"):
            store.commit("r-1", step_row(2), pointer(2))
        client.slaveof()
        store.commit("r-1", step_row(2), pointer(2))


def test_without_memory_nothing_is_written_and_runs_can_be_deleted(own_redis: RedisServer) -> None:
    with open_store(own_redis.url()) as store, own_redis.client() as client:
        create(store)
        store.commit("r-1", step_row(2), pointer(2))
        before = store.load("r-1"), store.rows("r-1"), store.stamp()
        client.config_set("maxmemory", "100kb")
        acts: list[Callable[[], None]] = [
            lambda: create(store, "r-2"),
            lambda: store.commit("r-1", step_row(3), pointer(3)),
        ]
        for act in acts:
            with pytest.raises(StoreError, match="has no memory left") as caught:
                act()
            assert "maxmemory" in caught.value.hint
        assert (store.load("r-1"), store.rows("r-1"), store.stamp()) == before
        assert store.delete_runs({"r-1": 2}) == ["r-1"]
        client.config_set("maxmemory", "0")
        create(store, "r-2")


def test_a_part_of_a_cluster_is_refused() -> None:
    with skipping(), running_server({"cluster-enabled": "yes"}) as server:
        for query in ({}, {"durability": "none"}):
            with pytest.raises(StoreError, match="is a part of a Redis Cluster"):
                open_store(server.url(**query))


@pytest.mark.parametrize(
    ("info", "message"),
    [
        ("redis_version:6.2.14\r\nrole:master", "is kept by Redis 6.2.14, which is too old"),
        ("redis_version:2.8.0", "is kept by Redis 2.8.0, which is too old"),
        ("redis_mode:sentinel\r\nredis_version:7.0.0", "is a Sentinel, which keeps no data"),
        ("redis_version:7.2.4\r\nrole:master\r\naof_enabled:0", "keeps no append-only file"),
    ],
)
def test_what_a_server_says_of_itself_may_make_it_unfit(info: str, message: str) -> None:
    with answering(bulk(info)) as url, pytest.raises(StoreError, match=message):
        open_store(url)


@pytest.mark.parametrize(
    "answer",
    [
        b"-LOADING Redis is loading the dataset in memory\r\n",
        bulk("role:master\r\nloading:1\r\naof_enabled:0\r\n"),  # it turns the file off while it reads it
    ],
)
def test_a_server_that_is_still_loading_is_told(answer: bytes) -> None:
    told = "is still reading its data from disk"
    with answering(answer) as url, pytest.raises(StoreUnreachable, match=told):
        open_store(url)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("MISCONF Errors writing to the AOF file: No space left on device", "cannot write to its own disk"),
        ("NOREPLICAS Not enough good replicas to write.", "too few of its replicas"),
        ("MOVED 3999 127.0.0.1:6381", "is a part of a Redis Cluster"),
        ("CLUSTERDOWN Hash slot not served", "is a part of a Redis Cluster"),
        ("BUSY Redis is busy running a script.", "is busy with a script of somebody else"),
        ("MASTERDOWN Link with MASTER is down", "has lost its primary"),
        ("ERR max number of clients reached", "has no connection left"),
        (
            "ERR Error running script: Script killed by user with SCRIPT KILL.",
            "stopped what it was asked on an administrator's request",
        ),
        ("ERR unknown command 'INFO', with args beginning with: ", "lacks a command: unknown command 'INFO'"),
        ("ERR something new", "failed: ResponseError: something new"),
    ],
)
def test_what_a_server_refuses_is_told_in_words(answer: str, message: str) -> None:
    with answering(f"-{answer}\r\n".encode()) as url, pytest.raises(StoreError, match=message) as caught:
        open_store(url)
    assert caught.value.hint


def test_a_server_without_tls_is_told() -> None:
    with answering(b"") as url, pytest.raises(StoreUnreachable, match="cannot be reached over TLS"):
        open_store(url.replace("redis:", "rediss:"))


def test_a_certificate_that_is_not_there_is_told(tmp_path: Path) -> None:
    missing = f"?ssl_ca_certs={tmp_path}/none.pem"
    with answering(b"") as url, pytest.raises(StoreError, match="a file that it names is missing"):
        open_store(url.replace("redis:", "rediss:") + missing)


def test_what_is_no_redis_server_is_told() -> None:
    with answering(b"HTTP/1.1 400 Bad Request\r\n\r\n") as url, pytest.raises(StoreError, match=url):
        open_store(url)


def test_a_store_of_a_newer_stepgraph_is_left_alone(redis_server: RedisServer) -> None:
    with redis_server.client() as client:
        client.set("stepgraph:format", "4")
    with pytest.raises(StoreError, match="was made by a newer Stepgraph"):
        open_store(redis_server.url())


def test_what_this_version_writes_to_is_left_alone_by_those_that_read_an_older_layout(
    redis_server: RedisServer,
) -> None:
    with redis_server.client() as client, RedisStore(redis_server.url()) as store:
        create(store)
        client.set("stepgraph:format", "2")  # as the last version made it
        store.commit("r-1", step_row(2), pointer(2))
        assert client.get("stepgraph:format") == FORMAT
        assert store.visits("r-1") == {"work": [2]}


def test_a_user_who_may_not_ask_for_the_time_is_told_none(own_redis: RedisServer) -> None:
    allow(own_redis, "ana", "-time")
    with RedisStore(own_redis.url("ana:s3cret")) as store:
        assert store.now() is None
        assert store.versions() == {}


def test_without_redis_py_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "redis", None)
    with pytest.raises(StoreError, match="redis://ana@localhost needs redis-py") as caught:
        open_store("redis://ana:s3cret@localhost")
    assert 'pip install "stepgraph[redis]"' in caught.value.hint
