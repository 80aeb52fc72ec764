"""What is PostgreSQL's own: addresses, what the server refuses, tables of other versions, processes, news."""

from __future__ import annotations

import os
import re
import select
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import chain, count
from threading import Barrier

import psycopg
import pytest

from stepgraph.stores import open_store
from stepgraph.stores.audit import broken_links
from stepgraph.stores.base import StoredRun
from stepgraph.stores.checking import store_damages
from stepgraph.stores.ledger import Row, RunHead
from stepgraph.stores.postgres import schema
from stepgraph.stores.postgres.address import read_address
from stepgraph.stores.postgres.store import PostgresStore
from stepgraph.stores.snapshots import SnapshotPolicy
from stepgraph.values.errors import Conflict, StoreDamaged, StoreError, StoreUnreachable, UnknownRun
from tests.servers.postgres import PostgresServer
from tests.stores.building import DEFINITION, Writer, create, paused, pointer, start_row, step_row

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


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "PostgreSQL"])
def test_a_store_is_opened_by_its_address(url: str, scheme: str) -> None:
    address = url.replace("postgresql", scheme, 1)
    with open_store(address) as store:
        create(store)
        assert isinstance(store, PostgresStore)
        assert store.url == address
    with open_store(store.url) as again:
        assert [run.head.id for run in again.runs()] == ["r-1"]


def test_the_tables_are_in_a_schema_of_their_own(postgres_server: PostgresServer) -> None:
    with administrator(postgres_server) as db:
        db.execute("CREATE DATABASE plain")
    with open_store(postgres_server.url("plain")) as store:
        create(store)
    with administrator(postgres_server, "plain") as db:
        found = db.execute("SELECT DISTINCT schemaname FROM pg_tables WHERE tablename IN ('runs', 'ledger')")
        assert found.fetchall() == [("stepgraph",)]


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


def let_in(db: psycopg.Connection, schema: str) -> None:
    """Let the one user in who needs a password, which is ``right``, with a schema for their tables."""
    with suppress(psycopg.errors.DuplicateObject):
        db.execute("CREATE ROLE guarded LOGIN PASSWORD 'right'")
    db.execute(f"CREATE SCHEMA {schema} AUTHORIZATION guarded".encode())


def test_a_password_that_is_missing_or_wrong_is_told(
    postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with administrator(postgres_server) as db:
        let_in(db, "guarded")
    url = postgres_server.url(user="guarded", schema="guarded")
    for wrong in (url, url.replace("guarded@", "guarded:s3cret@")):
        with pytest.raises(StoreError, match="refuses the password") as caught:
            open_store(wrong)
        assert not isinstance(caught.value, StoreUnreachable)
        assert "~/.pgpass" in caught.value.hint
        assert "s3cret" not in str(caught.value)
    with open_store(url.replace("guarded@", "guarded:right@")) as store:
        assert store.url == url
        create(store)
    monkeypatch.setenv("PGPASSWORD", "right")
    with open_store(url) as store:
        assert len(store.runs()) == 1


def test_an_unknown_database_or_user_is_told(postgres_server: PostgresServer) -> None:
    with pytest.raises(StoreError, match='is not there: database "nowhere" does not exist') as caught:
        open_store(postgres_server.url("nowhere"))
    assert "createdb" in caught.value.hint
    with pytest.raises(StoreError, match='lets nobody in by that name: role "nobody_known" does') as caught:
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


def test_a_server_that_only_reads_is_told(postgres_server: PostgresServer, url: str) -> None:
    open_store(url).close()
    read_only = url + "&options=" + "-c%20default_transaction_read_only%3Don"
    with open_store(read_only) as store:
        assert store.runs() == []
        with pytest.raises(StoreError, match="cannot be written") as caught:
            create(store)
    assert "primary server" in caught.value.hint


def test_a_store_of_a_newer_version_is_refused(url: str) -> None:
    open_store(url).close()
    forge(url, "UPDATE schema_version SET version = 99")
    with pytest.raises(StoreError, match="by a newer Stepgraph"):
        open_store(url)


def test_a_store_of_the_first_version_is_carried_forward(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as older:
        older.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:1])
        with open_store(url) as store:
            create(store, values={"n": 1})
    with open_store(url) as store:
        store.commit("r-1", step_row(2, {"doc": "d" * 70_000}), pointer(2))
        assert store.values("r-1", 2) == {"n": 1, "doc": "d" * 70_000}


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


def test_threads_may_share_a_store(url: str) -> None:
    with PostgresStore(url, snapshots=SnapshotPolicy(2, 2)) as store:

        def write(name: str) -> Writer:
            writer = Writer(store, {"log": []}, {"log": "append"}, run_id=name)
            for number in range(20):
                writer.step({"log": [number]})
                store.stamp()
            return writer

        with ThreadPoolExecutor(4) as threads:
            writers = list(threads.map(write, ["r-1", "r-2", "r-3", "r-4"]))
        for writer in writers:
            assert {seq: store.values(writer.run_id, seq) for seq in writer.expected} == writer.expected


def test_of_many_that_move_a_run_one_wins(url: str) -> None:
    with open_store(url) as store:
        create(store)
    together = Barrier(4, timeout=60)

    def decide(by: int) -> list[int]:
        won = []
        with open_store(url) as mine:
            for seq in range(2, 12):
                together.wait()
                try:
                    row = Row(seq, "decision", 1, "work", review=f"a-{seq}", data={"by": by})
                    mine.commit("r-1", row, pointer(seq), audit={"seq": seq, "by": by})
                    won.append(seq)
                except Conflict:
                    continue
        return won

    with ThreadPoolExecutor(4) as threads:
        won = list(threads.map(decide, range(4)))
    assert sorted(chain.from_iterable(won)) == [*range(2, 12)]
    with open_store(url) as store:
        links = store.audit()
        assert [link.number for link in links] == [*range(1, 11)]
        assert [row.data for row in store.rows("r-1", 1)] == [{"by": link.entry["by"]} for link in links]
        assert list(store_damages(store)) == []


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


def test_a_forked_process_has_a_connection_of_its_own(url: str) -> None:
    with PostgresStore(url) as store:
        create(store)
        session = store._link.connection().pgconn.backend_pid
        child = os.fork()
        if not child:
            status = 1
            try:
                store.commit("r-1", step_row(2, {"n": 2}), pointer(2))
                store.close()
                status = 0
            finally:
                os._exit(status)
        assert os.waitpid(child, 0)[1] == 0
        store.commit("r-1", step_row(3, {"n": 3}), pointer(3), {"n": 3})
        assert store.values("r-1", 3) == {"n": 3}
        assert store._link.connection().pgconn.backend_pid == session, "the child has not ended it"


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


@pytest.mark.parametrize("cut", [False, True])
def test_who_listens_hears_of_reviews_without_asking(url: str, cut: bool) -> None:
    with PostgresStore(url, poll=10**9) as here, PostgresStore(url) as there:
        here.stamp()
        if cut:
            there._link.connection().execute(
                "SELECT pg_terminate_backend($1::int, 5000)", (here._link.connection().pgconn.backend_pid,)
            )
        before = here.stamp()
        create(there)
        there.commit("r-1", Row(2, "review", 1, "work", review="a-1"), paused("a-1", 2))
        heard = here._link.connection().pgconn  # the server tells after the commit: wait for its word
        while here.stamp() == before:
            select.select([heard.socket], [], [], 1)
        assert [run.head.id for run in here.runs()] == ["r-1"]


def test_the_number_of_a_deleted_run_is_not_given_again(url: str) -> None:
    with PostgresStore(url) as driver, PostgresStore(url) as other:
        create(driver)
        other.delete_runs({"r-1": 1})
        new = RunHead("r-1", "demo", 999.0)
        other.create(StoredRun(new, pointer(1)), [start_row()], DEFINITION)
        with pytest.raises(Conflict, match="not the one that was loaded"):
            driver.commit("r-1", step_row(2), pointer(2))
        other.delete_runs({"r-1": 1})
        with pytest.raises(UnknownRun, match="somebody has deleted it"):
            driver.commit("r-1", step_row(2), pointer(2))


def test_deleting_leaves_no_row_behind(url: str) -> None:
    with PostgresStore(url, snapshots=SnapshotPolicy(min_rows=2)) as store:
        writer = Writer(store, {"log": []}, {"log": "append"})
        for number in range(40):
            writer.step({"log": [number]})
        create(store, "r-2")
        store.delete_runs({"r-1": 41, "r-2": 1})
        for table in ("runs", "ledger", "snapshots", "definitions"):
            found = store._link.connection().execute(f"SELECT count(*) FROM {table}".encode()).fetchone()  # noqa: S608
            assert found == (0,), table


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


def test_entries_of_the_audit_can_be_neither_changed_nor_deleted(url: str) -> None:
    with PostgresStore(url) as store:
        create(store)
        store.commit("r-1", step_row(2), pointer(2), audit={"by": "ana"})
        for statement in ("UPDATE audit SET entry = '{}'", "DELETE FROM audit", "TRUNCATE audit"):
            with pytest.raises(psycopg.Error, match="never changed or deleted"):
                forge(url, statement)
        assert [link.entry for link in store.audit()] == [{"by": "ana"}]


def test_what_doctor_is_told_of_the_server(postgres_server: PostgresServer, url: str) -> None:
    with PostgresStore(url) as store:
        about = store.about()
        assert about["server"].startswith("PostgreSQL ")
        assert about["schema"] == f"{read_address(url).schema}, version {schema.latest()}"
        assert "fsync is off" in about["durability"]
