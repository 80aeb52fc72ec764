"""What ``audit_damages`` finds in any store, also in those that are no file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from stepgraph import Decision, Executor, MemoryStore, Reviews, SqliteStore
from stepgraph.extras.postgres.address import read_address
from stepgraph.extras.postgres.store import PostgresStore
from stepgraph.extras.redis.store import RedisStore
from stepgraph.stores.audit import audit_damages
from stepgraph.stores.base import StateStore
from stepgraph.testing import FakeClock
from tests.stores.asking import asking_graph, decide, waiting
from tests.stores.test_sqlite_audit import tampered

Tamper = Callable[[str, int], None]
"""Forges who has decided in an entry, for ``forge``, or cuts off all from one on, for ``cut``."""
Damaged = tuple[StateStore, Tamper]


def sql(what: str, number: int) -> str:
    if what == "cut":
        return f"DELETE FROM audit WHERE number >= {number}"  # noqa: S608  # a number
    return f"UPDATE audit SET entry = replace(entry, 'ana', 'eve') WHERE number = {number}"  # noqa: S608


@pytest.fixture(params=["memory", "sqlite", "postgres", "redis"])
def damaged(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """A store of each kind with three decisions, and a way to tamper with its audit behind its back."""
    store, tamper = getattr(Tampering, request.param)(request, tmp_path)
    with store:
        for number, review in enumerate(waiting(store, 3), 1):
            decide(store, review, at=1_800_000_000.0 + number)
        assert audit_damages(store) == []
        yield store, tamper


class Tampering:
    """Each kind of store with its own way in."""

    @staticmethod
    def memory(request: pytest.FixtureRequest, folder: Path) -> Damaged:
        store = MemoryStore()

        def tamper(what: str, number: int) -> None:
            if what == "cut":
                del store._audit[number - 1 :]
            else:
                store._audit[number - 1].entry["by"] = "eve"

        return store, tamper

    @staticmethod
    def sqlite(request: pytest.FixtureRequest, folder: Path) -> Damaged:
        path = folder / "runs.db"
        return SqliteStore(path), lambda what, number: void(tampered(path, sql(what, number)))

    @staticmethod
    def postgres(request: pytest.FixtureRequest, folder: Path) -> Damaged:
        url = request.getfixturevalue("postgres_server").fresh_url()

        def tamper(what: str, number: int) -> None:
            address = read_address(url)
            with psycopg.connect(**address.options, autocommit=True) as db:
                db.execute(f"SET search_path = {address.schema}".encode())
                db.execute("ALTER TABLE audit DISABLE TRIGGER ALL")
                db.execute(sql(what, number).encode())

        return PostgresStore(url), tamper

    @staticmethod
    def redis(request: pytest.FixtureRequest, folder: Path) -> Damaged:
        server = request.getfixturevalue("shared_redis")
        url = server.fresh_url()
        key = url.partition("prefix=")[2].replace("%3A", ":") + "audit"

        def tamper(what: str, number: int) -> None:
            with server.client() as client:
                if what == "cut":
                    client.zremrangebyscore(key, number, "+inf")
                    return
                (was,) = client.zrangebyscore(key, number, number)
                client.zrem(key, was)
                client.zadd(key, {was.replace("ana", "eve"): number})

        return RedisStore(url), tamper


def void(_: object) -> None:
    """Give nothing back."""


def told(store: StateStore) -> list[str]:
    return [str(damage) for damage in audit_damages(store)]


def test_an_entry_that_was_changed_is_named(damaged: Damaged) -> None:
    store, tamper = damaged
    tamper("forge", 2)
    assert told(store) == ["audit entry 2 was changed"]


@pytest.mark.parametrize("number", [2, 3])
def test_what_was_cut_off_at_the_end_is_named_also_when_its_run_is_deleted(
    damaged: Damaged, number: int
) -> None:
    store, tamper = damaged
    tamper("cut", number)
    lost = [
        f"run 'r-{each}', row 3: its decision about review a-{each} has no entry in the audit:"
        " cut off at the end of it"
        for each in range(3, number - 1, -1)
    ]
    if isinstance(store, MemoryStore):  # it has nothing apart from the entries that counts them
        assert told(store) == lost
        return
    names = "entry 3 is" if number == 3 else "entries 2 to 3 are"
    assert told(store) == [f"audit {names} cut off at the end of the audit", *lost]
    store.delete_runs(store.versions())
    assert told(store) == [f"audit {names} cut off at the end of the audit"]


def test_a_decision_that_was_made_while_doctor_looked_is_no_damage(
    damaged: Damaged, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, _ = damaged
    executor = Executor(asking_graph(), store, clock=FakeClock(), ids=lambda _: "a-later")
    executor.run(executor.start({}, "later"))
    reviews = store.reviews

    def meanwhile(pending: bool = True, limit: int | None = None) -> Any:
        if pending and store.load("later").pointer.version == 2:
            Reviews(store).decide("a-later", Decision.approve(by="bo"))
        return reviews(pending, limit)

    monkeypatch.setattr(store, "reviews", meanwhile)
    assert told(store) == []
    assert store.audit_end() == 4
