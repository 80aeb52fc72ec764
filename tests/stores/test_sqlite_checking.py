"""Every row of a store is looked at: what is damaged is named, and what is whole is copied."""

from __future__ import annotations

from contextlib import closing
from enum import IntEnum, StrEnum
from pathlib import Path

import apsw
import pytest

from stepgraph import END, Decision, Executor, NodeResult, Reviews, SqliteStore, StateGraph
from stepgraph.stores.encoding import SUM_MASK, digest, place, row_id
from stepgraph.stores.sqlite import file_damages, repair
from stepgraph.testing import FakeClock
from stepgraph.values.errors import StoreDamaged, StoreError
from tests.fuzz.stored_runs import APP, PAGE, edited, good_store
from tests.stores.forging import forged

AT = "id = (1 << 32) +"  # the rows of the first run, "long", are numbered from there


def changed(path: Path, statement: str) -> Path:
    path.write_bytes(edited(statement))
    return path


def told(path: Path) -> list[str]:
    return [str(damage) for damage in file_damages(path)]


DAMAGES = [
    ("DELETE FROM ledger WHERE {at} 20", "run 'long', row 20: row 20 is missing", 19),
    ("UPDATE ledger SET {at} 99 WHERE {at} 20", "run 'long', row 20: row 20 is missing", 19),
    ("UPDATE ledger SET node = 'ask' WHERE {at} 5", "run 'long', row 5: the row is damaged", 4),
    ("UPDATE ledger SET updates = '{{}}' WHERE {at} 5", "run 'long', row 5: the row is damaged", 4),
    ("UPDATE ledger SET digest = NULL WHERE {at} 5", "run 'long', row 5: the row is damaged", 4),
    ("DELETE FROM ledger WHERE {at} 61", "run 'long', row 60: the run is at version 61", 60),
    ("UPDATE runs SET step = 7 WHERE id = 'long'", "run 'long': where it stands is not as it was", 61),
    ("UPDATE runs SET status = 'ready' WHERE id = 'waits'", "run 'waits': where it stands is not as", 5),
]


@pytest.mark.parametrize(("statement", "what", "rows"), DAMAGES)
def test_a_damage_is_named_by_run_and_row_and_what_is_whole_is_copied(
    tmp_path: Path, statement: str, what: str, rows: int
) -> None:
    damaged = changed(tmp_path / "runs.db", statement.format(at=AT))
    before = damaged.read_bytes()
    lines = told(damaged)
    assert any(line.startswith(what) for line in lines), lines
    done = repair(damaged, tmp_path / "new.db")
    assert len(done.whole) == 4
    assert len(done.cut) == 1
    assert done.left == []
    assert damaged.read_bytes() == before
    assert sorted(part.name for part in tmp_path.iterdir()) == ["new.db", "runs.db"]
    assert told(done.path) == []
    run_id = what.split("'")[1]
    with SqliteStore(done.path) as store:
        kept = store.load(run_id).pointer
        assert kept.version == rows
        Executor(APP, store, clock=FakeClock()).run(Executor(APP, store).load(run_id))


def test_an_emptied_snapshot_is_named_and_costs_no_run(tmp_path: Path) -> None:
    damaged = changed(tmp_path / "runs.db", "UPDATE snapshots SET body = '{}'")
    assert any("row 11: the snapshot is damaged" in line for line in told(damaged))
    assert len(repair(damaged, tmp_path / "new.db").whole) == 5


@pytest.mark.parametrize(
    "statement",
    ["DELETE FROM definitions", "UPDATE definitions SET body = replace(body, 'n == 3', 'n == 4')"],
)
def test_a_definition_that_is_gone_or_another_one_is_named(tmp_path: Path, statement: str) -> None:
    damaged = changed(tmp_path / "runs.db", statement)
    assert sum("its definition" in line for line in told(damaged)) == 5
    done = repair(damaged, tmp_path / "new.db")
    assert len(done.left) == 5
    assert done.lines()[0] == f"no run copied, but the audit (1 entry), to {done.path}"
    with SqliteStore(done.path) as store:
        assert store.runs() == []
        assert [link.entry["run"] for link in store.audit()] == ["decided"]


def test_rows_of_no_run_are_named(tmp_path: Path) -> None:
    lines = told(changed(tmp_path / "runs.db", "DELETE FROM runs WHERE id = 'long'"))
    assert any("the rows of run number 1 belong to no run" in line for line in lines)


def test_a_review_that_waited_waits_in_the_copy(tmp_path: Path) -> None:
    damaged = changed(tmp_path / "runs.db", "UPDATE runs SET seconds = 9 WHERE id = 'waits'")
    with SqliteStore(repair(damaged, tmp_path / "new.db").path) as store:
        assert Reviews(store).decide("a-1", Decision.approve(by="ana")).status == "decided"


def test_a_damaged_page_costs_no_more_than_its_rows(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    content = bytearray(good_store())
    content[3 * PAGE + PAGE - 9] ^= 1  # the last byte of a row, before the page's checksum
    path.write_bytes(content)
    assert told(path)[0].startswith("a page of the file is not as Stepgraph wrote it")
    assert len(repair(path, tmp_path / "new.db").whole) >= 4


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


def test_nothing_is_written_over(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    path.write_bytes(good_store())
    with pytest.raises(StoreError, match="already"):
        repair(path, path)
    (tmp_path / "text").write_text("a" * 5000)
    with pytest.raises(StoreError, match="nothing of the store"):
        repair(tmp_path / "text", tmp_path / "new.db")


@pytest.mark.parametrize("way", ["backup", "VACUUM INTO ?", "theirs"])
def test_a_copy_that_another_tool_made_is_a_store(tmp_path: Path, way: str) -> None:
    path, copy = tmp_path / "runs.db", tmp_path / "copy.db"
    path.write_bytes(good_store())
    with closing(apsw.Connection(str(path))) as other:
        if way == "backup":
            with closing(apsw.Connection(str(copy))) as target, target.backup("main", other, "main") as work:
                while not work.done:
                    work.step()
        elif way == "theirs":
            other.execute("CREATE TABLE theirs(x)")
            copy = path
        else:
            other.execute(way, (str(copy),))
    for _ in range(2):
        with SqliteStore(copy) as store:
            assert len(store.runs()) == 5
            assert store.load("long").pointer.version == 61
    assert told(copy) == []


def test_a_copy_with_a_changed_row_is_none(tmp_path: Path) -> None:
    path, copy = tmp_path / "runs.db", tmp_path / "copy.db"
    path.write_bytes(edited("UPDATE ledger SET updates = '{}' WHERE step = 4"))
    with closing(apsw.Connection(str(path))) as other:
        other.execute("VACUUM INTO ?", (str(copy),))
    with pytest.raises(StoreError, match="run 'long', row 5: the row is damaged"):
        SqliteStore(copy)


class Name(StrEnum):
    ID = "run-1"
    GRAPH = "graph"
    NODE = "node"
    OUTPUT = "said"


class Whole(IntEnum):
    LIMIT = 7


def test_what_only_looks_like_a_text_or_number_is_whole_when_it_is_read(tmp_path: Path) -> None:
    graph = StateGraph(Name.GRAPH, start=Name.NODE, max_steps=Whole.LIMIT)
    graph.add_node(Name.NODE, lambda state: NodeResult({"n": 1}, output=Name.OUTPUT))
    graph.add_edge(Name.NODE, END)
    clock = FakeClock(1_800_000_000)  # a whole number
    with SqliteStore(tmp_path / "runs.db") as store:
        executor = Executor(graph.compile(), store, clock=clock)
        executor.run(executor.start({}, run_id=Name.ID))
        run = executor.load("run-1")
        assert (run.status, run.history[0].node, run.history[0].output) == ("ended", "node", "said")
    assert told(tmp_path / "runs.db") == []


def test_checksums_stay_the_same_whatever_python_computes_them() -> None:
    columns = (
        1 << 32,
        "step",
        None,
        0.1,
        1_800_000_000.123456,
        "\U0001fae8 \u0378 \x00 'é'",
        '{"n":-1.5e-7}',
    )
    assert digest(columns) == 4149263389
    assert digest(columns[2:], digest(columns[:2])) == 4149263389


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
    assert any("is not as it was written" in line for line in lines), lines


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


def test_every_damaged_entry_is_listed_by_itself(tmp_path: Path) -> None:
    whole = {"long", "waits", "decided", "forked", "failed"}
    for statement, runs in (
        ("UPDATE runs SET seconds = 9 WHERE id IN ('long', 'failed')", {"long", "failed"}),
        ("UPDATE runs SET flagged = 1", whole),
    ):
        with SqliteStore(changed(tmp_path / "runs.db", statement)) as store:
            found = store.runs()
            assert {run.head.id for run in found} == whole - runs
            assert {damage.run for damage in found.damages} == runs
            assert [run.head.id for run in store.runs(limit=1)] == [run.head.id for run in found[:1]]
            assert {damage.run for damage in Reviews(store).pending().damages} >= runs


def test_a_run_that_waits_for_a_review_that_is_gone_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    path.write_bytes(good_store())
    with forged(path) as connection:
        connection.execute("UPDATE runs SET review = 'a-9' WHERE id = 'waits'")
    with SqliteStore(path) as store:
        waiting = Reviews(store).pending()
        assert waiting == []
        assert [damage.run for damage in waiting.damages] == ["waits"]


def test_what_was_read_unchecked_is_checked_when_it_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    content = bytearray(good_store())
    for page in range(2, len(content) // PAGE):
        content[page * PAGE + PAGE - 9] ^= 1  # a byte of a row, or none that is used
    path.write_bytes(content)
    with SqliteStore(path) as store:
        store.rescue(tmp_path / "copy.db")
        with pytest.raises(StoreDamaged):
            store.values("long", 60)
