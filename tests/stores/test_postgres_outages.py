"""PostgreSQL goes away under use: what was acknowledged stays, and what was asked is done once."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event, Semaphore
from typing import Any

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.extras.postgres.address import read_address
from stepgraph.extras.postgres.connection import Link, translated
from stepgraph.extras.postgres.store import PostgresStore
from stepgraph.stores.snapshots import SnapshotPolicy
from stepgraph.values.errors import Conflict, RunExists, StoreError, StoreUnreachable
from tests.examples import examples
from tests.servers.postgres import PostgresServer
from tests.stores.building import Writer, create, pointer, step_row
from tests.stores.hearing import Told


def kill_sessions(server: PostgresServer) -> None:
    """End the sessions of all stores on the server, as an administrator would."""
    with psycopg.connect(server.url(), autocommit=True) as admin:
        admin.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE application_name = 'stepgraph'"
        )


@pytest.fixture
def stopped(postgres_server: PostgresServer) -> Iterator[Callable[[], None]]:
    """A function that stops the server as if it crashed; it runs again after the test at the latest."""
    stops: list[bool] = []

    def stop() -> None:
        postgres_server.stop()
        stops.append(True)

    yield stop
    if stops and not postgres_server.is_running():
        postgres_server.start()


def test_a_store_goes_on_when_its_server_is_stopped_and_started_again(
    postgres_server: PostgresServer, stopped: Callable[[], None]
) -> None:
    told = Told()
    with PostgresStore(postgres_server.fresh_url(), on_outage=told) as store:
        writer = Writer(store, {"n": 0, "log": []}, {"log": "append"})
        for number in range(60):
            writer.step({"n": number, "log": [number]})
        stopped()
        with ThreadPoolExecutor(1) as thread:

            def go_on() -> None:
                for number in range(60, 70):
                    writer.step({"n": number, "log": [number]})

            going_on = thread.submit(go_on)
            assert told.heard.wait(60)
            assert not going_on.done()
            postgres_server.start()
            going_on.result(60)
        assert {seq: store.values("r-1", seq) for seq in (1, 61, 71)} == {
            seq: writer.expected[seq] for seq in (1, 61, 71)
        }
        assert [row.seq for row in store.rows("r-1")] == [*range(1, 72)]
    assert "does not answer: " in told[0].what
    assert {outage.url for outage in told} == {store.url}
    assert [outage.over for outage in told] == [*[False] * (len(told) - 1), True]
    assert [outage.tries for outage in told[:-1]] == [*range(2, len(told) + 1)]


def test_what_asks_a_server_that_stays_away_is_told_so(
    postgres_server: PostgresServer, stopped: Callable[[], None]
) -> None:
    told = Told(patient=False)
    with PostgresStore(postgres_server.fresh_url(), on_outage=told) as store:
        create(store)
        stopped()
        for ask in (
            store.runs,
            store.stamp,
            lambda: store.commit("r-1", step_row(2), pointer(2)),
            lambda: store.values("r-1", 1),
            lambda: store.delete_runs({"r-1": 1}),
            lambda: create(store, "r-2"),
        ):
            with pytest.raises(StoreUnreachable, match="does not answer") as caught:
                ask()
            assert "start the server" in caught.value.hint
        postgres_server.start()
        store.commit("r-1", step_row(2), pointer(2))
        assert [run.head.id for run in store.runs()] == ["r-1"]
    assert len(told) == 6


def test_opening_a_server_that_is_down_waits_only_where_somebody_listens(
    postgres_server: PostgresServer, stopped: Callable[[], None]
) -> None:
    url = postgres_server.fresh_url()
    stopped()
    with pytest.raises(StoreUnreachable, match="does not answer"):
        PostgresStore(url)
    told = Told()
    with ThreadPoolExecutor(1) as thread:
        opening = thread.submit(lambda: PostgresStore(url, on_outage=told))
        assert told.heard.wait(60)
        postgres_server.start()
        with opening.result(60) as store:
            create(store)


def test_closing_a_store_ends_its_waiting(
    postgres_server: PostgresServer, stopped: Callable[[], None]
) -> None:
    told = Told()
    store = PostgresStore(postgres_server.fresh_url(), on_outage=told)
    stopped()
    with ThreadPoolExecutor(1) as thread:
        asked = thread.submit(store.runs)
        assert told.heard.wait(60)
        store.close()
        with pytest.raises(StoreUnreachable):
            asked.result(60)
    with pytest.raises(StoreError, match="is closed"):
        store.runs()


def test_sessions_that_are_ended_all_the_time_lose_and_double_nothing(
    postgres_server: PostgresServer,
) -> None:
    told = Told()
    with PostgresStore(postgres_server.fresh_url(), on_outage=told, snapshots=SnapshotPolicy(3, 3)) as store:
        writer = Writer(store, {"n": 0, "log": []}, {"log": "append"})
        asked, done = Semaphore(0), Event()

        def kill_at_each_step() -> None:
            while asked.acquire() and not done.is_set():
                kill_sessions(postgres_server)

        with ThreadPoolExecutor(1) as thread:
            killing = thread.submit(kill_at_each_step)
            try:
                for number in range(60):
                    asked.release()  # somewhere in the middle of what comes now
                    writer.step({"n": number, "log": [number]})
            finally:
                done.set()
                asked.release()
            killing.result(60)
        assert [row.seq for row in store.rows("r-1")] == [*range(1, writer.seq + 1)]
        assert {seq: store.values("r-1", seq) for seq in writer.expected} == writer.expected


# Cuts at a moment of choice


class Cutter:
    """Cuts the connection before or after what a store writes in one go, as a script says."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.script: list[str] = []
        self.then: Callable[[], None] = lambda: None
        real = Link.current
        monkeypatch.setattr(Link, "current", lambda link: _Cut(real(link), self))


class _Cut:
    """A connection that is cut where the script says."""

    def __init__(self, connection: psycopg.Connection[Any], cutter: Cutter) -> None:
        self._connection = connection
        self._cutter = cutter
        self._inside = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def execute(self, statement: Any, *args: Any) -> Any:
        if isinstance(statement, bytes) and b"UPDATE runs SET" in statement:
            with self._write():
                return self._connection.execute(statement, *args)
        return self._connection.execute(statement, *args)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._write(), self._connection.transaction():
            yield

    @contextmanager
    def pipeline(self) -> Iterator[None]:
        with self._write(), self._connection.pipeline():
            yield

    @contextmanager
    def _write(self) -> Iterator[None]:
        if self._inside or not self._cutter.script:
            yield
            return
        cut, self._inside = self._cutter.script.pop(0), True
        if cut == "before":
            self._end()
        yield
        if cut == "inside":
            self._end()
        if cut == "after":
            self._end()
            self._connection.execute("SELECT 1")

    def _end(self) -> None:
        with socket.socket(fileno=os.dup(self._connection.fileno())) as wire:
            wire.shutdown(socket.SHUT_RDWR)
        self._cutter.then()


def test_who_cannot_know_whether_a_commit_is_recorded_is_told_so(
    postgres_server: PostgresServer, stopped: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    with PostgresStore(postgres_server.fresh_url(), on_outage=Told(patient=False)) as store:
        create(store)
        cutter = Cutter(monkeypatch)
        cutter.script = ["after"]
        cutter.then = stopped
        with pytest.raises(StoreUnreachable) as caught:
            store.commit("r-1", step_row(2), pointer(2))
        assert "whether what was asked last is recorded" in caught.value.hint
        postgres_server.start()
        with pytest.raises(Conflict):
            store.commit("r-1", step_row(2), pointer(2))


def test_a_run_that_was_created_before_the_cut_is_not_refused(
    postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with PostgresStore(postgres_server.fresh_url(), on_outage=Told()) as store:
        cutter = Cutter(monkeypatch)
        for run_id, cut in (("r-1", "before"), ("r-2", "after")):
            cutter.script = [cut]
            create(store, run_id, {"n": 1})
            assert not cutter.script
            with pytest.raises(RunExists):
                create(store, run_id)
        assert [len(store.rows(run_id)) for run_id in ("r-1", "r-2")] == [1, 1]


def test_a_cut_writes_nothing_on_the_screen(
    postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [])  # as in a program that sets up no logs
    with PostgresStore(postgres_server.fresh_url(), on_outage=Told()) as store:
        cutter = Cutter(monkeypatch)
        for run_id, cut in (("r-1", "before"), ("r-2", "after"), ("r-3", "inside")):
            cutter.script = [cut]
            create(store, run_id, {"n": 1})
    assert capfd.readouterr() == ("", "")


def test_runs_that_were_deleted_before_the_cut_are_told_as_deleted(
    postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with PostgresStore(postgres_server.fresh_url(), on_outage=Told()) as store:
        for run_id in ("r-1", "r-2", "r-3"):
            create(store, run_id)
        cutter = Cutter(monkeypatch)
        for run_id, cut in (("r-1", "before"), ("r-2", "after")):
            cutter.script = [cut]
            assert store.delete_runs({run_id: 1, "r-3": 9}) == [run_id]
        assert [*store.versions()] == ["r-3"]


cuts = st.lists(st.sampled_from(["", "before", "after"]), max_size=8)


@examples(25)
@given(script=cuts, due=st.booleans())
def test_each_row_is_there_once_wherever_the_connection_is_cut(
    postgres_server: PostgresServer, script: list[str], due: bool
) -> None:
    policy = SnapshotPolicy(2, 2, big=20) if due else SnapshotPolicy(big=20)
    with pytest.MonkeyPatch.context() as monkeypatch:
        cutter = Cutter(monkeypatch)
        with PostgresStore(postgres_server.fresh_url(), snapshots=policy, on_outage=Told()) as store:
            writer = Writer(store, {"n": 0, "log": []}, {"log": "append"})
            cutter.script = script
            for number in range(8):
                writer.step({"n": number, "log": [number], "doc": "d" * (17 + number // 2)})
            assert not script
            assert [row.seq for row in store.rows("r-1")] == [*range(1, 10)]
            assert {seq: store.values("r-1", seq) for seq in writer.expected} == writer.expected


@pytest.mark.parametrize(
    ("message", "hint"),
    [
        (
            "stopped that on an administrator's request: canceling statement due to user request",
            "; try again",
        ),
        ("has stopped that: storniere Anfrage", "where it took too long, give it longer"),
    ],
)
def test_what_an_administrator_cancels_is_not_told_as_a_time_out(message: str, hint: str) -> None:
    """A server tells both by the same code; what it says in another language, nobody reads."""
    error = psycopg.errors.QueryCanceled(message.partition(": ")[2])
    told = translated(error, read_address("postgresql://ana@host/runs"))
    assert told.message == f"the store postgresql://ana@host/runs {message}"
    assert told.hint.startswith("nothing was changed")
    assert hint in told.hint


@pytest.mark.parametrize(("how", "version"), [("pg_cancel_backend", 1), ("pg_terminate_backend", 2)])
def test_a_commit_that_an_administrator_cancels_changes_nothing_and_a_cut_one_is_made_again(
    postgres_server: PostgresServer, how: str, version: int
) -> None:
    url = postgres_server.fresh_url()
    address = read_address(url)
    with PostgresStore(url, on_outage=Told()) as store, ThreadPoolExecutor(1) as thread:
        create(store)
        pid = store.backend.link.connection().info.backend_pid
        with psycopg.connect(**address.options) as holder:
            holder.execute(f"SET search_path = {address.schema}".encode())
            holder.execute("SELECT last FROM audit_end FOR UPDATE")
            done = thread.submit(store.commit, "r-1", step_row(2), pointer(2), audit={"what": "x"})
            while (
                holder.execute("SELECT FROM pg_locks WHERE NOT granted AND pid = %s", (pid,)).fetchone()
                is None
            ):
                assert not done.done()
            holder.execute(f"SELECT {how}(%s)".encode(), (pid,))
            if version == 1:
                with pytest.raises(StoreError, match="stopped that on an administrator's request"):
                    done.result(60)
        if version == 2:
            done.result(60)
        assert store.load("r-1").pointer.version == version
        assert len(store.audit()) == version - 1
