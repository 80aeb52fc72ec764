"""Several threads, connections and processes on one file."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import apsw
import pytest

from stepgraph.stores import snapshots
from stepgraph.stores.base import StateStore
from stepgraph.stores.sqlite import SqliteStore, opening
from stepgraph.values.errors import Conflict
from tests.crash.children import Child
from tests.stores.building import Writer, create, pointer, step_row


def in_threads(count: int, work: Callable[[int], None]) -> None:
    """Run ``work`` in so many threads; what one of them raises is raised here."""
    raised: list[BaseException] = []

    def guarded(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if raised:
        raise raised[0]


# acceptance 128
def test_threads_share_a_store(store: StateStore) -> None:
    def drive(number: int) -> None:
        writer = Writer(store, {"n": -1}, run_id=f"r-{number}")
        for step in range(30):
            writer.step({"n": step})
            assert store.values(writer.run_id, writer.seq) == {"n": step}

    in_threads(6, drive)
    assert {run.head.id: run.pointer.version for run in store.runs()} == {f"r-{n}": 31 for n in range(6)}


# acceptance 90, 122
def test_of_many_that_commit_the_same_row_one_wins(store: StateStore) -> None:
    create(store)
    won: list[int] = []
    together = threading.Barrier(6)

    def race(number: int) -> None:
        for seq in range(2, 12):
            together.wait()
            try:
                store.commit("r-1", step_row(seq, {"by": number}), pointer(seq), {"by": number})
            except Conflict:
                continue
            won.append(seq)

    in_threads(6, race)
    assert sorted(won) == list(range(2, 12))
    assert [row.seq for row in store.rows("r-1")] == list(range(1, 12))


def test_one_connection_sees_what_another_wrote(path: Path) -> None:
    with SqliteStore(path) as one, SqliteStore(path) as other:
        writer = Writer(one, {"n": 0})
        writer.step({"n": 1})
        assert other.load("r-1") == one.load("r-1")
        writer.store = other
        writer.step({"n": 2})
        assert one.values("r-1", 3) == {"n": 2}
        with pytest.raises(Conflict, match="at version 3 and not at 2"):
            one.commit("r-1", step_row(3, {"n": 9}), pointer(3), {"n": 9})


def test_processes_create_the_same_store_at_the_same_moment(tmp_path: Path) -> None:
    for attempt in range(5):
        path = tmp_path / str(attempt) / "folder" / "runs.db"

        def work(tell: Callable[[str], None], path: Path = path) -> None:
            with SqliteStore(path) as store:
                tell(f"{len(store.runs())}")

        children = [Child(work) for _ in range(5)]
        assert [child.wait() for child in children] == [["0"]] * 5


def test_a_store_that_another_has_made_meanwhile_is_taken_as_it_is(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = opening._make_current
    with ExitStack() as others:

        def overtaken(connection: apsw.Connection, path: Path) -> None:
            monkeypatch.setattr(opening, "_make_current", make)
            others.enter_context(SqliteStore(path))  # and uses it from now on
            make(connection, path)

        monkeypatch.setattr(opening, "_make_current", overtaken)
        with SqliteStore(path, busy_timeout=1.0) as store:
            assert store.runs() == []


# acceptance 128
def test_processes_write_to_one_store(path: Path) -> None:
    def work(number: int) -> Callable[[Callable[[str], None]], None]:
        def drive(tell: Callable[[str], None]) -> None:
            with SqliteStore(path, durability="normal") as store:
                writer = Writer(store, {"n": -1}, run_id=f"r-{number}")
                for step in range(100):
                    writer.step({"n": step})
            tell("done")

        return drive

    children = [Child(work(number)) for number in range(4)]
    assert [child.wait() for child in children] == [["done"]] * 4
    with SqliteStore(path) as store:
        assert [store.values(f"r-{number}", 101) for number in range(4)] == [{"n": 99}] * 4
        assert store.backend.db.pragma("integrity_check") == "ok"


def test_the_last_one_to_close_leaves_a_single_file(path: Path) -> None:
    one, other = SqliteStore(path), SqliteStore(path)
    create(one)
    one.close()
    assert len(list(path.parent.iterdir())) > 1
    other.close()
    assert list(path.parent.iterdir()) == [path]


def test_a_store_remembers_only_so_many_runs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "MAX_TRACKS", 2)
    with SqliteStore(path) as store:
        writers = [Writer(store, {"n": 0}, run_id=f"r-{number}") for number in range(5)]
        for step in range(3):
            for writer in writers:
                writer.step({"n": step})
        assert len(store._tracks) == 2
        assert [store.values(writer.run_id, 4) for writer in writers] == [{"n": 2}] * 5


def test_a_transaction_that_an_interruption_left_open_is_undone(path: Path) -> None:
    with SqliteStore(path) as store:
        create(store, values={"n": 0})
        store.backend.db.execute("BEGIN IMMEDIATE")
        store.backend.db.execute("DELETE FROM runs")
        store.commit("r-1", step_row(2, {"n": 1}), pointer(2), {"n": 1})
        assert store.values("r-1", 2) == {"n": 1}


# acceptance 117
@pytest.mark.parametrize(("durability", "level"), [("full", 2), ("normal", 1)])
def test_durability_is_what_was_asked_for(path: Path, durability: str, level: int) -> None:
    with SqliteStore(path, durability=durability) as store:  # type: ignore[arg-type]  # one of the two
        assert store.backend.db.pragma("synchronous") == level
        assert store.backend.db.pragma("journal_mode") == "wal"
