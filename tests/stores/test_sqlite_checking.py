"""Every row of a store is looked at: what is damaged is named, and what is whole is copied."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepgraph import Decision, Executor, Reviews, SqliteStore, StateGraph, StoreDamaged
from stepgraph.stores.encoding import SUM_MASK, place, row_id
from stepgraph.stores.sqlite import file_damages, repair
from stepgraph.testing import FakeClock
from tests.fuzz.stored_runs import APP, edited, good_store

AT = "id = (1 << 32) +"  # the rows of the first run, "long", are numbered from there


def changed(path: Path, statement: str) -> Path:
    path.write_bytes(edited(statement))
    return path


def told(path: Path) -> list[str]:
    return [str(damage) for damage in file_damages(path)]


def test_an_emptied_snapshot_is_named_and_costs_no_run(tmp_path: Path) -> None:
    damaged = changed(tmp_path / "runs.db", "UPDATE snapshots SET body = '{}'")
    assert any("the snapshot at row 61 of run number 1 is not as it was" in line for line in told(damaged))
    assert len(repair(damaged, tmp_path / "new.db").whole) == 5


@pytest.mark.parametrize(
    "statement",
    ["DELETE FROM definitions", "UPDATE definitions SET body = replace(body, 'n == 3', 'n == 4')"],
)
def test_a_definition_that_is_gone_or_another_one_is_named(tmp_path: Path, statement: str) -> None:
    damaged = changed(tmp_path / "runs.db", statement)
    assert sum("definition" in line for line in told(damaged)) == 5
    done = repair(damaged, tmp_path / "new.db")
    assert len(done.left) == 5
    assert done.lines()[0] == f"no run copied, but the audit (1 entry), to {done.path}"
    with SqliteStore(done.path) as store:
        assert store.runs() == []
        assert [link.entry["run"] for link in store.audit()] == ["decided"]


def test_a_review_that_waited_waits_in_the_copy(tmp_path: Path) -> None:
    damaged = changed(tmp_path / "runs.db", "UPDATE runs SET seconds = 9 WHERE id = 'long'")
    with SqliteStore(repair(damaged, tmp_path / "new.db").path) as store:
        assert Reviews(store).decide("a-1", Decision.approve(by="ana")).status == "decided"


def test_looking_can_be_stopped(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    path.write_bytes(good_store())

    def stop(rows: int) -> None:
        if rows:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(file_damages(path, stop))
    with pytest.raises(KeyboardInterrupt):
        repair(path, tmp_path / "new.db", stop)
    assert [part.name for part in tmp_path.iterdir()] == ["runs.db"]


def test_a_long_run_is_looked_at_piece_by_piece(tmp_path: Path) -> None:
    graph = StateGraph("loop", start="a", max_steps=2_500)
    graph.add_node("a", lambda state: {"n": state.step})
    graph.add_edge("a", "a")
    with SqliteStore(tmp_path / "runs.db", durability="normal") as store:
        executor = Executor(graph.compile(), store)
        executor.run(executor.start({}))
    heard: list[int] = []
    assert list(file_damages(tmp_path / "runs.db", heard.append)) == []
    assert [rows for rows in heard if rows] == [1_000, 2_000, 2_501]


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM ledger WHERE id = (2 << 32) + 3; UPDATE ledger SET id = (2 << 32) + 3 WHERE {at} 3",
        "DELETE FROM ledger WHERE {at} 60; UPDATE ledger SET id = id - 1 WHERE {at} 61",
        "UPDATE ledger SET id = -id WHERE {at} 4; UPDATE ledger SET id = id - 1 WHERE {at} 5;"
        " UPDATE ledger SET {at} 5 WHERE -{at} 4",
        "UPDATE snapshots SET id = id + 1 WHERE {at} 11",
        "UPDATE snapshots SET base = base + 1 WHERE {at} 11",
        "UPDATE snapshots SET id = id + 1, base = base - 1 WHERE {at} 11",
    ],
)
def test_what_is_whole_and_stands_in_another_place_is_damaged(tmp_path: Path, statement: str) -> None:
    lines = told(changed(tmp_path / "runs.db", statement.format(at=AT)))
    assert any("is not as it was written" in line or "the last row" in line for line in lines), lines


@pytest.mark.parametrize("runs", [0, 1, 2, 3, 610, 987, 1597, 46_368, 65_536])
def test_rows_near_each_other_never_add_the_same_to_their_checksums(runs: int) -> None:
    apart = place(row_id(1 + runs, 1)) - place(row_id(1, 1)) & SUM_MASK
    nearest = min(apart, SUM_MASK + 1 - apart)
    assert nearest * runs > 10**9 if runs else nearest == 0
    assert place(row_id(1, 9)) - place(row_id(1, 8)) == 1


def test_a_run_that_another_process_moves_meanwhile_is_not_damaged(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    path.write_bytes(good_store())
    moved = 0

    def move(rows: int) -> None:
        nonlocal moved
        if not moved:
            moved += 1
            with SqliteStore(path) as store:
                Executor(APP, store, clock=FakeClock()).fork("long", at=3, new_run_id="new")

    with SqliteStore(path):  # its write-ahead log is open, as in an app
        assert list(file_damages(path, move)) == []
    assert moved


def test_a_damaged_run_is_not_forked_behind_its_damage(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    path.write_bytes(good_store())
    with SqliteStore(path) as store:
        store.backend.db.execute("UPDATE ledger SET updates = '{}' WHERE id = ?", (row_id(1, 5),))
        executor = Executor(APP, store, clock=FakeClock())
        with pytest.raises(StoreDamaged, match="is damaged"):
            executor.fork("long", at=9, new_run_id="new")
        assert "new" not in store.versions()
