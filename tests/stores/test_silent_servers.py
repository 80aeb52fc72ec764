"""A server that takes what it is asked and says nothing is an outage like any other."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Protocol

import psycopg
import pytest

from stepgraph.extras.postgres.address import read_address
from stepgraph.extras.postgres.store import PostgresStore
from stepgraph.extras.redis.store import RedisStore
from stepgraph.extras.workers.queue import PatientConnector, WorkerQueue
from stepgraph.stores.serving import ANSWERS_WITHIN
from stepgraph.values.errors import Conflict, RunExists, StoreError, StoreUnreachable
from tests.servers.cutting import silence
from tests.servers.postgres import PostgresServer
from tests.servers.redis import RedisServer
from tests.stores.building import create, pointer, step_row
from tests.stores.hearing import Told
from tests.stores.test_redis_outages import cut_off

A_MOMENT = 0.3
SOON = {"postgresql": "answers_within=1&connect_timeout=2", "redis": "socket_timeout=0.2"}


def soon(url: str) -> str:
    """Have the server answer soon, or be taken for one that does not."""
    says = SOON["postgresql" if url.startswith("postgres") else "redis"]
    return f"{url}{'&' if '?' in url else '?'}{says}"


# PostgreSQL


class Patient(Protocol):
    """A connection that waits for a word of its server."""

    patience: float


@contextmanager
def standing_still(server: PostgresServer, connection: Patient) -> Iterator[None]:
    """Let the sessions that stores have on a server stand still; those that are made later go on.

    Args:
        server: The server.
        connection: Waits only a moment for a word of such a session; later ones wait as long as ever.
    """
    connection.patience = A_MOMENT
    with psycopg.connect(server.url(), autocommit=True) as admin:
        mine = "SELECT pid FROM pg_stat_activity WHERE application_name = 'stepgraph'"
        pids = [pid for (pid,) in admin.execute(mine)]
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def test_what_was_in_the_middle_of_a_transaction_is_done_once(postgres_server: PostgresServer) -> None:
    """Another session holds the audit, so that the commit stands still behind its first statements."""
    url = postgres_server.fresh_url()
    with PostgresStore(url, on_outage=Told()) as store, ThreadPoolExecutor(1) as thread:
        create(store)
        store.backend.link.connection().execute("SET statement_timeout = '1s'")
        address = read_address(url)
        with psycopg.connect(**address.options) as holder:
            holder.execute(f"SET search_path = {address.schema}".encode())
            holder.execute("SELECT last FROM audit_end FOR UPDATE")
            done = thread.submit(store.commit, "r-1", step_row(2), pointer(2), audit={"what": "x"})
            with pytest.raises(StoreError, match=r"took too long|is locked"):
                done.result(60)
        store.backend.link.connection().execute("SET statement_timeout = '60s'")
        store.commit("r-1", step_row(2), pointer(2), audit={"what": "x"})
        assert ([row.seq for row in store.rows("r-1")], len(store.audit())) == ([1, 2], 1)


def test_who_asks_for_the_queue_of_workers_is_told_of_an_outage_too() -> None:
    with silence() as port:
        queue = WorkerQueue(soon(f"postgresql://127.0.0.1:{port}/x"))
        with pytest.raises(StoreUnreachable, match="does not answer"):
            queue.runs()


def test_the_connection_of_a_worker_asks_again_on_another_session(
    postgres_server: PostgresServer,
) -> None:
    told: list[str] = []
    url = postgres_server.fresh_url()
    PostgresStore(url).close()

    async def ask() -> list[dict[str, Any]]:
        link = PatientConnector(read_address(url), told.append)
        try:
            await link.ask("SELECT 1 AS one")
            assert link._connection is not None
            with standing_still(postgres_server, link._connection):
                return await link.ask("SELECT 2 AS two")
        finally:
            await link.close_async()

    assert asyncio.run(ask()) == [{"two": 2}]
    assert ("does not answer" in told[0], "answers again" in told[1], len(told)) == (True, True, 2)


@pytest.mark.parametrize("connected", [True, False])
def test_a_screen_waits_less_long(postgres_server: PostgresServer, connected: bool) -> None:
    told = Told(patient=False)
    with PostgresStore(postgres_server.fresh_url(), on_outage=told) as store:
        if not connected:
            store.backend.link.drop()
        store.answer_within(20)
        assert store.backend.link.connection().patience == 20
        with standing_still(postgres_server, store.backend.link.connection()):
            assert store.versions() == {}
        assert store.backend.link.connection().patience == 20


# Redis


@pytest.mark.parametrize("moment", ["silent", "silent after"])
def test_a_commit_that_a_redis_never_answers_is_recorded_once(shared_redis: RedisServer, moment: str) -> None:
    with cut_off(shared_redis) as (cutter, url), RedisStore(soon(url), on_outage=Told()) as store:
        cutter.script = [moment]
        create(store)
        assert not cutter.script
        cutter.script = [moment]
        store.commit("r-1", step_row(2), pointer(2), audit={"what": "x"})
        assert not cutter.script
        assert ([row.seq for row in store.rows("r-1")], len(store.audit())) == ([1, 2], 1)
        with pytest.raises(Conflict):
            store.commit("r-1", step_row(2), pointer(2))
        with pytest.raises(RunExists):
            create(store)


def test_a_screen_waits_less_long_for_a_redis(shared_redis: RedisServer) -> None:
    told = Told(patient=False)
    with cut_off(shared_redis) as (cutter, url), RedisStore(url, on_outage=told) as store:
        store.answer_within(0.2)
        cutter.script = ["silent"] * 2
        with pytest.raises(StoreUnreachable, match="does not answer in time"):
            create(store)
    assert len(told) == 1


# The address


@pytest.mark.parametrize("given", ["", "0", "-1", "nan", "inf", "soon", "1e9", "30s"])
def test_no_time_to_answer_is_refused(given: str) -> None:
    with pytest.raises(StoreError, match="answers_within") as caught:
        PostgresStore(f"postgresql://ana:secret-word@127.0.0.1:1/0?answers_within={given}")
    assert "secret-word" not in f"{caught.value.message}{caught.value.hint}"


@pytest.mark.parametrize(
    "query", ["answers_within=7&schema=x", "schema=x&answers_within=7", "sslmode=prefer&answers_within=7"]
)
def test_the_time_to_answer_is_read_wherever_it_stands(query: str) -> None:
    address = read_address(f"postgresql://h/d?{query}")
    assert (address.answers_within, "answers_within" in address.options) == (7.0, False)
    assert read_address("postgresql://h/d").answers_within == ANSWERS_WITHIN
