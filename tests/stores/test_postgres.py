"""What is PostgreSQL's own: addresses, what the server refuses, tables of other versions, processes, news."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from threading import Barrier

import psycopg
import pytest

from stepgraph.extras.postgres import connection as schema
from stepgraph.extras.postgres.address import read_address
from stepgraph.extras.postgres.store import PostgresStore
from stepgraph.stores import open_store
from stepgraph.stores.audit import broken_links
from stepgraph.stores.checking import store_damages
from stepgraph.stores.snapshots import SnapshotPolicy
from stepgraph.values.errors import StoreDamaged, StoreError
from tests.servers.postgres import PostgresServer
from tests.stores.building import Writer, create, paused, pointer, step_row

names = count(1)


@contextmanager
def administrator(server: PostgresServer, database: str = "postgres") -> Iterator[psycopg.Connection]:
    with psycopg.connect(server.url(database), autocommit=True) as connection:
        yield connection


def role(server: PostgresServer) -> str:
    """A user who may do nothing."""
    name = f"user_{next(names)}"
    with administrator(server) as db:
        db.execute(f"CREATE ROLE {name} LOGIN".encode())
    return name


@pytest.fixture
def url(postgres_server: PostgresServer) -> str:
    """The address of a store that is not there yet."""
    return postgres_server.fresh_url()


def forge(url: str, statement: str) -> None:
    """Change the tables of a store behind its back."""
    address = read_address(url)
    with psycopg.connect(**address.options, autocommit=True) as db:
        db.execute(f"SET search_path = {address.schema}".encode())
        assert db.execute(statement.encode()).rowcount, statement


# Opening


@pytest.mark.parametrize(
    ("address", "said", "hint"),
    [
        ("postgresql://ana:s3cret@h:1/runs?schema=Runs", "names no schema", "?schema=stepgraph"),
        ("postgresql://ana:s3cret@h:1/runs?schema=pg_x", "names no schema", "?schema=stepgraph"),
        ("postgresql://ana:s3cret@h:1/runs?schema=a;b", "names no schema", "?schema=stepgraph"),
        ("postgresql://ana:s3/cret@h/runs", "cannot be read", "%40 for @"),
        ("postgresql://ana:s3cret@x@h/runs", "cannot be read", "%40 for @"),
        ("postgresql:ana:s3cret", "cannot be read", "postgresql://user@host"),
        ("postgresql://ana:s3%cret@h/runs", "cannot be read", "percent"),
        ("postgresql://ana:s3cret@h/runs?nonsense=1", "cannot be read", "question mark"),
        (
            "postgresql://ana:s3cret@127.0.0.1:1/runs",
            "does not answer: Connection refused",
            "start the server",
        ),
        ("postgresql://ana:s3cret@127.0.0.1:x/runs", "cannot be read", "check the port"),
        ("postgresql://ana:s3cret", "cannot be read", "check the port"),
        ("postgresql://ana:s3cret/runs", "cannot be read", "check the port"),
        ("postgresql://ana:s3cret@/runs?host=/nowhere", "does not answer", "check the address"),
    ],
)
def test_a_wrong_address_is_explained_and_its_password_never_told(address: str, said: str, hint: str) -> None:
    with pytest.raises(StoreError, match=said) as caught:
        open_store(address)
    assert hint in caught.value.hint
    error: BaseException | None = caught.value
    while error is not None:
        assert "s3cret" not in str(error)
        assert "cret" not in str(error)
        error = error.__cause__


def test_without_psycopg_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StoreError, match="need psycopg") as caught:
        open_store("postgresql://h/runs")
    assert 'pip install "stepgraph[postgres]"' in caught.value.hint


# What the server refuses


def test_an_unknown_database_or_user_is_told(postgres_server: PostgresServer) -> None:
    with pytest.raises(StoreError, match='is not there: database "nowhere" does not exist') as caught:
        open_store(postgres_server.url("nowhere"))
    assert "createdb" in caught.value.hint
    with pytest.raises(StoreError, match='does not let that user in: role "nobody_known" does') as caught:
        open_store(postgres_server.url(user="nobody_known"))
    assert "correct the user" in caught.value.hint


def test_who_may_not_make_the_tables_is_told_what_the_owner_does(postgres_server: PostgresServer) -> None:
    name = role(postgres_server)
    url = postgres_server.url(user=name, schema=name)
    with pytest.raises(StoreError, match="cannot be set up: permission denied for database") as caught:
        open_store(url)
    says, _, statement = caught.value.hint.partition(": ")
    assert "owner" in says
    with administrator(postgres_server) as db:
        db.execute(statement.encode())
    with open_store(url) as store:
        create(store)


def test_who_may_not_use_the_tables_is_told_what_the_owner_grants(
    postgres_server: PostgresServer, url: str
) -> None:
    with open_store(url) as owners:
        create(owners)
    name = role(postgres_server)
    theirs = url.replace("owner@", f"{name}@")
    with pytest.raises(StoreError, match="does not allow that: permission denied for schema") as caught:
        open_store(theirs)
    with administrator(postgres_server) as db:
        for statement in caught.value.hint.partition(": ")[2].split("; "):
            db.execute(statement.encode())
    with open_store(theirs) as store:
        create(store, "r-2")
        store.commit("r-1", step_row(2), pointer(2), audit={"by": "ana"})
        store.delete_runs({"r-1": 2})
        assert [run.head.id for run in store.runs()] == ["r-2"]


def test_a_database_of_another_encoding_is_refused(postgres_server: PostgresServer) -> None:
    with administrator(postgres_server) as db:
        db.execute("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    with pytest.raises(StoreError, match="of the encoding LATIN1") as caught:
        open_store(postgres_server.url("latin"))
    assert "--encoding=UTF8" in caught.value.hint


def test_a_server_that_is_too_old_is_refused(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "OLDEST_SERVER", 99)
    with pytest.raises(StoreError, match=r"PostgreSQL \d+, which is too old") as caught:
        open_store(url)
    assert "needs PostgreSQL 99 or later" in caught.value.hint


def test_a_store_of_a_newer_version_is_refused(url: str) -> None:
    open_store(url).close()
    forge(url, "UPDATE schema_version SET version = 99")
    with pytest.raises(StoreError, match="by a newer Stepgraph"):
        open_store(url)


def test_many_that_open_a_new_store_at_once_make_one(url: str) -> None:
    together = Barrier(6, timeout=60)

    def opened(number: int) -> None:
        together.wait()
        with open_store(url) as store:
            create(store, f"r-{number}")

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(opened, range(6)))
    with open_store(url) as store:
        assert sorted(store.versions()) == [f"r-{number}" for number in range(6)]


# Several that use one store


def test_decisions_about_many_runs_at_once_form_one_chain(url: str) -> None:
    together = Barrier(4, timeout=60)

    def decide(number: int) -> None:
        with open_store(url) as mine:
            create(mine, f"r-{number}")
            for seq in range(2, 12):
                together.wait()
                mine.commit(f"r-{number}", step_row(seq), pointer(seq), audit={"run": number, "seq": seq})

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(decide, range(4)))
    with open_store(url) as store:
        links = store.audit()
        assert [link.number for link in links] == [*range(1, 41)]
        assert broken_links(links) == []


def test_a_stamp_tells_of_what_others_commit(url: str) -> None:
    with PostgresStore(url, poll=0) as here, PostgresStore(url) as there:
        steps: list[Callable[[], object]] = [
            lambda: create(there),
            lambda: there.commit("r-1", step_row(2), pointer(2)),
            lambda: there.commit("r-1", step_row(3), paused("a-1", 3)),
            lambda: there.delete_runs({"r-1": 3}),
        ]
        stamps = [here.stamp()]
        for step in steps:
            step()
            stamps.append(here.stamp())
            assert here.stamp() == stamps[-1]
        assert len(set(stamps)) == 5


# Damage


def read_all(store: PostgresStore, run_id: str) -> None:
    run = store.load(run_id)
    store.rows(run_id)
    store.values(run_id, 4)
    store.definition(run.pointer.definition)


@pytest.mark.parametrize(
    ("forgery", "said"),
    [
        (
            "UPDATE ledger SET updates = '{\"n\":99}' WHERE id & 4294967295 = 3",
            "row 3 of run number 1 is not as",
        ),
        ("UPDATE ledger SET updates = 'x' WHERE id & 4294967295 = 3", "is not JSON|not as it was written"),
        (
            "UPDATE ledger SET kind = 'dance' WHERE id & 4294967295 = 3",
            "row 3 of run number 1 is not as it was written",
        ),
        ("DELETE FROM ledger WHERE id & 4294967295 = 3", "has gaps"),
        ("DELETE FROM ledger WHERE id & 4294967295 = 6", "the last row of its ledger is 5"),
        ("UPDATE snapshots SET body = '{\"n\":99}'", "snapshot at row . of run number 1 is not as it was"),
        ("UPDATE runs SET status = 'asleep'", "the entry of run 'r-1' cannot be read"),
        ("UPDATE runs SET seconds = 9", "the entry of run 'r-1' is not as it was written"),
        ("DELETE FROM definitions", "no definition"),
        ("UPDATE definitions SET body = '{}'", "the definition .* is not as it was written"),
    ],
)
def test_what_is_damaged_is_refused_and_named(url: str, forgery: str, said: str) -> None:
    with PostgresStore(url, snapshots=SnapshotPolicy(2, 2)) as store:
        writer = Writer(store, {"n": 0})
        for number in range(5):
            writer.step({"n": number})
        create(store, "r-2")
        assert list(store_damages(store)) == []
        forge(url, f"{forgery}{' AND' if 'WHERE' in forgery else ' WHERE'} true")
        found = [str(damage) for damage in store_damages(store)]
        assert re.search(said, found[0])
        with pytest.raises(StoreDamaged, match="restore a backup of the database"):
            read_all(store, "r-1")
