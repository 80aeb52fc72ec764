"""Claims: who drives a run on PostgreSQL moves it only as long as it is theirs."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import psycopg
import pytest

from stepgraph.extras.postgres.address import read_address
from stepgraph.extras.postgres.store import PostgresStore
from stepgraph.stores.serving import Claim, ClaimLost
from stepgraph.stores.snapshots import SnapshotPolicy
from stepgraph.values.errors import Conflict
from tests.servers.postgres import PostgresServer
from tests.stores.building import Writer, pointer, step_row

HELD = Claim("jobs WHERE id = {0} AND worker = {1}", (7, 1))
Queue = psycopg.Connection[Any]


@pytest.fixture
def url(postgres_server: PostgresServer) -> str:
    return postgres_server.fresh_url()


@pytest.fixture
def store(url: str) -> Iterator[PostgresStore]:
    """A store over which a run is driven by who holds job 7."""
    with PostgresStore(url, snapshots=SnapshotPolicy(big=100)) as store:
        store.claims["r-1"] = HELD
        yield store


@pytest.fixture
def queue(url: str, store: PostgresStore) -> Iterator[Queue]:
    """A connection to the same schema, where job 7 is worker 1's."""
    address = read_address(url)
    with psycopg.connect(**address.options, autocommit=True) as queue:
        queue.execute(f"SET search_path = {address.schema}".encode())
        queue.execute("CREATE TABLE jobs(id bigint PRIMARY KEY, worker bigint)")
        queue.execute("INSERT INTO jobs VALUES (7, 1)")
        yield queue


@pytest.mark.parametrize("text", ["small", "big" * 100])  # a statement, and a transaction of several
def test_a_commit_is_refused_once_the_claim_is_lost(store: PostgresStore, queue: Queue, text: str) -> None:
    writer = Writer(store, {"n": 0})
    writer.step({"n": 1})
    queue.execute("UPDATE jobs SET worker = 2")
    with pytest.raises(ClaimLost, match="run 'r-1' now belongs to another worker"):
        store.commit("r-1", step_row(3, {"n": text}), pointer(3), {"n": text})
    assert (store.load("r-1").pointer.version, store.values("r-1", 2)) == (2, {"n": 1})
    queue.execute("UPDATE jobs SET worker = 1")
    store.commit("r-1", step_row(3, {"n": text}), pointer(3), {"n": text})
    assert store.values("r-1", 3) == {"n": text}


def test_who_moves_a_run_without_a_claim_is_not_asked_for_one(
    store: PostgresStore, queue: Queue, url: str
) -> None:
    writer = Writer(store, {"n": 0})
    queue.execute("DELETE FROM jobs")
    Writer(store, {"n": 0}, run_id="r-2").step({"n": 1})
    with PostgresStore(url) as other:
        other.commit("r-1", step_row(2, {"n": 1}), pointer(2), {"n": 1})
    with pytest.raises(Conflict, match="at version 2") as caught:  # that comes first
        writer.step({"n": 1})
    assert type(caught.value) is Conflict


def waits_for_lock(queue: Queue) -> None:
    """Wait until a statement of a store waits for somebody's lock."""
    never = Event()
    query = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'stepgraph' AND wait_event_type = 'Lock'"
    while queue.execute(query).fetchone() is None:
        never.wait(0.01)


@pytest.mark.parametrize("worker", [1, 2])
def test_a_commit_waits_for_who_is_about_to_take_the_run_over(
    store: PostgresStore, queue: Queue, worker: int
) -> None:
    writer = Writer(store, {"n": 0})
    with ThreadPoolExecutor(1) as thread, psycopg.connect(queue.info.dsn, autocommit=True) as admin:
        with queue.transaction():
            queue.execute("UPDATE jobs SET worker = %s", (worker,))
            commit = thread.submit(writer.step, {"n": 1})
            waits_for_lock(admin)
        if worker == 1:
            commit.result()
        else:
            assert isinstance(commit.exception(), ClaimLost)
    assert store.load("r-1").pointer.version == (2 if worker == 1 else 1)


def test_a_person_who_stops_a_run_and_its_driver_do_not_wait_for_each_other(
    store: PostgresStore, queue: Queue
) -> None:
    writer = Writer(store, {"n": 0})
    with ThreadPoolExecutor(1) as thread, psycopg.connect(queue.info.dsn, autocommit=True) as admin:
        with queue.transaction():  # as a stop does, whose trigger tells the queue
            queue.execute("UPDATE runs SET version = 2 WHERE id = 'r-1'")
            commit = thread.submit(writer.step, {"n": 1})
            waits_for_lock(admin)
            queue.execute("UPDATE jobs SET worker = 2")
        assert isinstance(commit.exception(), Conflict)
