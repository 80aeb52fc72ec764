"""Deleting runs: all that is theirs goes, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from stepgraph import Reviews
from stepgraph.graphs.definition import definition_hash
from stepgraph.stores.base import StateStore, StoredRun
from stepgraph.stores.checking import store_damages
from stepgraph.stores.ledger import Row, RunHead, RunStatus
from stepgraph.stores.memory import MemoryStore
from stepgraph.stores.sqlite import SnapshotPolicy, SqliteStore
from stepgraph.stores.sqlite.checking import file_damages
from stepgraph.values.errors import Conflict, StoreError, UnknownRun
from tests.engine.terms import Bench
from tests.stores.building import DEFINITION, DEFINITION_HASH, Writer, create, pointer, start_row, step_row
from tests.stores.forging import forged

OTHER = '{"name":"other"}'
OTHER_HASH = definition_hash({"name": "other"})


def move(store: StateStore, run_id: str = "r-1", seq: int = 2) -> None:
    store.commit(run_id, step_row(seq, {"n": seq}), pointer(seq))


def test_a_deleted_run_is_gone_with_its_rows_and_its_reviews(store: StateStore) -> None:
    create(store)
    create(store, "r-2", {"kept": 1})
    for run_id in ("r-1", "r-2"):
        row = Row(2, "review", 1, "work", review=f"a-{run_id}", data={"request": {}})
        store.commit(run_id, row, pointer(2, RunStatus.PAUSED, review=f"a-{run_id}"))
    assert store.delete_runs({"r-1": 2}) == ["r-1"]
    assert [run.head.id for run in store.runs()] == ["r-2"]
    assert store.review("a-r-1") is None
    for ask in (store.load, store.rows, store.visits, lambda id_: store.values(id_, 1)):
        with pytest.raises(UnknownRun):
            ask("r-1")
    assert store.review("a-r-2") is not None
    assert len(store.rows("r-2")) == 2
    assert store.values("r-2", 2) == {"kept": 1}


def test_a_run_that_moved_since_it_was_seen_stays(store: StateStore) -> None:
    create(store)
    create(store, "r-2")
    move(store)
    assert store.delete_runs({"r-1": 1, "r-2": 1, "r-9": 1}) == ["r-2"]
    assert store.load("r-1").pointer.version == 2
    assert store.delete_runs({}) == []


def test_who_drives_a_deleted_run_is_told_by_the_next_commit(store: StateStore) -> None:
    create(store)
    move(store)
    store.delete_runs({"r-1": 2})
    with pytest.raises(UnknownRun, match="no run 'r-1' in this store any more: somebody has deleted it"):
        move(store, seq=3)
    assert store.runs() == []


def test_a_fork_is_whole_when_its_origin_is_deleted(store: StateStore) -> None:
    writer = Writer(store, {"log": []}, {"log": "append"})
    for number in range(130):
        writer.step({"log": [number], "n": number})
    store.create(
        StoredRun(RunHead("r-2", "demo", 1.0, None, "r-1@130"), pointer(131)),
        [],
        DEFINITION,
        ("r-1", 131),
    )
    states = [store.values("r-1", seq) for seq in (1, 60, 131)]
    rows = store.rows("r-1")
    store.delete_runs({"r-1": 131})
    assert [store.values("r-2", seq) for seq in (1, 60, 131)] == states
    assert store.rows("r-2") == rows
    assert store.definition(DEFINITION_HASH) == DEFINITION


def test_a_definition_goes_with_the_last_run_that_needs_it(store: StateStore) -> None:
    create(store)
    create(store, "r-2")
    store.delete_runs({"r-1": 1})
    assert store.definition(DEFINITION_HASH) == DEFINITION
    store.delete_runs({"r-2": 1})
    with pytest.raises(StoreError, match="no definition"):
        store.definition(DEFINITION_HASH)


def test_a_definition_stays_that_a_run_went_by_before_it_adopted_another(store: StateStore) -> None:
    for run_id in ("r-1", "r-2"):
        create(store, run_id)
        data = {"from": DEFINITION_HASH, "to": OTHER_HASH}
        row = Row(2, "adopt", 0, "work", data=dict(data))
        store.commit(run_id, row, pointer(2, definition=OTHER_HASH), {}, definition=OTHER)
    store.delete_runs({"r-1": 2})
    assert store.definition(DEFINITION_HASH) == DEFINITION
    assert store.definition(OTHER_HASH) == OTHER
    store.delete_runs({"r-2": 2})
    for hash_ in (DEFINITION_HASH, OTHER_HASH):
        with pytest.raises(StoreError, match="no definition"):
            store.definition(hash_)


@pytest.mark.parametrize("method", ["load", "definition", "rows", "values"])
def test_a_run_that_is_deleted_while_it_is_checked_is_no_damage(
    store: StateStore, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    create(store)
    delete_before(store, monkeypatch, method)
    assert list(store_damages(store)) == []
    assert store.runs() == []


@pytest.mark.parametrize("method", ["rows", "review"])
@pytest.mark.parametrize("look", [Reviews.pending, Reviews.expire])
def test_a_run_that_is_deleted_while_reviews_are_looked_at_hides_no_other(
    store: StateStore, monkeypatch: pytest.MonkeyPatch, method: str, look: Callable[[Reviews], object]
) -> None:
    bench = Bench(store, "before", allow_self=False, deadline=60.0, on_timeout="reject")
    bench.paused("r-1")
    bench.clock.advance(60)
    bench.paused("r-2")
    delete_before(store, monkeypatch, method, {"r-1": 2})
    look(bench.reviews)
    monkeypatch.undo()
    waiting = bench.reviews.pending()
    assert ([review.run_id for review in waiting], waiting.damages) == (["r-2"], [])


def delete_before(
    store: StateStore, monkeypatch: pytest.MonkeyPatch, method: str, versions: dict[str, int] | None = None
) -> None:
    """Have somebody else delete runs just before a method is called."""
    real = getattr(store, method)

    def late(*args: object, **named: object) -> object:
        store.delete_runs(versions or store.versions())
        return real(*args, **named)

    monkeypatch.setattr(store, method, late)


def test_an_id_can_be_given_again(store: StateStore) -> None:
    create(store, values={"n": 1})
    move(store)
    store.delete_runs({"r-1": 2})
    create(store, values={"other": True})
    assert store.values("r-1", 1) == {"other": True}
    assert len(store.rows("r-1")) == 1


def test_each_change_is_told_by_stamp_and_versions(store: StateStore) -> None:
    stamps = [store.stamp()]
    assert store.versions() == {}
    create(store)
    stamps.append(store.stamp())
    assert store.versions() == {"r-1": 1}
    move(store)
    stamps.append(store.stamp())
    assert store.versions() == {"r-1": 2}
    store.load("r-1"), store.runs(), store.rows("r-1")
    assert store.stamp() == stamps[-1], "reading changes nothing"
    store.delete_runs({"r-1": 2})
    stamps.append(store.stamp())
    assert all(one != other for at, one in enumerate(stamps) for other in stamps[at + 1 :])
    assert store.versions() == {}


def test_a_closed_store_deletes_nothing() -> None:
    store = MemoryStore()
    store.close()
    for ask in (store.stamp, store.versions, lambda: store.delete_runs({"r-1": 1})):
        with pytest.raises(StoreError, match="closed"):
            ask()


# What a file shares between processes


def test_a_stamp_tells_of_other_connections(path: Path) -> None:
    with SqliteStore(path) as here, SqliteStore(path) as there:
        before = here.stamp()
        create(there)
        assert here.stamp() != before
        assert here.versions() == {"r-1": 1}


def test_the_number_of_a_deleted_run_leads_nobody_to_the_run_that_has_it_now(path: Path) -> None:
    with SqliteStore(path) as driver, SqliteStore(path) as other:
        create(driver, values={"mine": 1})
        move(driver)
        other.delete_runs({"r-1": 2})
        create(other, "r-2", {"theirs": 1})  # it gets the number that is free again
        move(other, "r-2")
        with pytest.raises(UnknownRun):
            move(driver, seq=3)
        for ask in (driver.rows, driver.visits, lambda id_: driver.values(id_, 2)):
            with pytest.raises(UnknownRun):
                ask("r-1")
        assert other.values("r-2", 2) == {"theirs": 1, "n": 2}
    assert list(file_damages(path)) == []


def test_a_run_of_the_same_id_is_not_moved_in_place_of_the_deleted_one(path: Path) -> None:
    with SqliteStore(path) as driver, SqliteStore(path) as other:
        create(driver)
        other.delete_runs({"r-1": 1})
        new = RunHead("r-1", "demo", 999.0)
        other.create(StoredRun(new, pointer(1)), [start_row()], DEFINITION)
        with pytest.raises(Conflict, match="not the one that was loaded"):
            move(driver)
        assert other.load("r-1") == StoredRun(new, pointer(1))
    assert list(file_damages(path)) == []


def test_deleting_leaves_no_row_behind(path: Path) -> None:
    with SqliteStore(path, snapshots=SnapshotPolicy(min_rows=2)) as store:
        writer = Writer(store, {"log": []}, {"log": "append"})
        for number in range(40):
            writer.step({"log": [number]})
        create(store, "r-2")
        store.delete_runs({"r-1": 41, "r-2": 1})
    db = apsw.Connection(str(path))
    for table in ("runs", "ledger", "snapshots", "definitions"):
        assert db.execute(f"SELECT count(*) FROM {table}").get == 0, table  # noqa: S608  # names of tables
    db.close()


def test_a_damaged_run_can_be_deleted(path: Path) -> None:
    with SqliteStore(path) as store:
        create(store)
        create(store, "r-2")
    with forged(path) as db:
        db.execute("UPDATE runs SET status = 'asleep' WHERE id = 'r-1'")
    with SqliteStore(path) as store:
        with pytest.raises(StoreError):
            store.load("r-1")
        assert store.delete_runs({"r-1": store.versions()["r-1"]}) == ["r-1"]
        assert [run.head.id for run in store.runs()] == ["r-2"]
    assert list(file_damages(path)) == []
