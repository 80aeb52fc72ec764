"""A file that cannot be used: always a StoreError that names the file, what is wrong and what to do."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
import pytest

from stepgraph.stores.opening import damaged
from stepgraph.stores.sqlite import SqliteStore, schema
from stepgraph.stores.sqlite.opening import checking_vfs
from stepgraph.values.errors import StoreDamaged, StoreError
from tests.stores.building import Writer, create

FITTING = {
    *((name, text) for name in ("id", "graph", "definition") for text in ("'{'", "'[1]'", "-1", "9e999")),
    *((name, number) for name in ("created_at", "seconds", "at", "visit", "flagged") for number in ("-1",)),
    *((name, "NULL") for name in ("outcome", "error", "updates", "ops", "data")),
}
"""Columns and values that are nothing special for them."""


def read(path: Path) -> None:
    with SqliteStore(path, busy_timeout=0.05) as store:
        runs = store.runs()
        for damage in runs.damages:
            raise damaged(path, damage)
        for run in runs:
            store.rows(run.head.id)
            store.values(run.head.id, run.pointer.version)


def refused(path: Path) -> StoreError:
    """The error that opening the file and reading all of it gives."""
    with pytest.raises(StoreError) as caught:
        read(path)
    assert str(path) in caught.value.message
    assert caught.value.hint
    assert type(caught.value) in (StoreError, StoreDamaged)
    if type(caught.value) is StoreDamaged:
        assert "`stepgraph doctor --repair`" in caught.value.hint
        assert "-wal, -shm and -last" in caught.value.hint
    return caught.value


def filled(path: Path) -> None:
    with SqliteStore(path, durability="normal") as store:
        writer = Writer(store, {})
        for number in range(50):
            writer.step({"text": f"{number}" * 1000})


@pytest.mark.parametrize("content", [b"name = 'a graph file'\n" * 100, b"x", b"\0" * 5000, os.urandom(9000)])
def test_a_file_that_is_no_database_is_refused_and_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert "is not an SQLite database" in refused(path).message
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "mark", ["CREATE TABLE theirs(x)", "PRAGMA application_id = 7", "PRAGMA user_version = 3"]
)
def test_another_programs_database_is_refused_and_left_alone(path: Path, mark: str) -> None:
    other = apsw.Connection(str(path))
    other.execute(mark)
    other.close()
    before = path.read_bytes()
    error = refused(path)
    assert "another program's SQLite database" in error.message
    assert "STEPGRAPH_STORE" in error.hint
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_file_that_lost_its_end_is_told(path: Path) -> None:
    filled(path)
    path.write_bytes(path.read_bytes()[:9000])
    assert "is damaged" in refused(path).message


def test_a_file_that_lost_a_table_is_told(path: Path) -> None:
    filled(path)
    other = apsw.Connection(str(path))
    other.execute("DROP TABLE ledger")
    other.close()
    assert "what it has as 'ledger', 'ledger_review' is not what Stepgraph made" in refused(path).message


@contextmanager
def loosened(path: Path, table: str) -> Iterator[apsw.Connection]:
    """Open a store with a table that takes anything: who edits a file by hand can break every promise."""
    other = apsw.Connection(str(path), vfs=checking_vfs())
    strict = other.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (table,)).get
    loose = strict.replace(" NOT NULL", "").replace(" STRICT", "")
    other.execute("PRAGMA writable_schema = ON")
    for sql in (loose, strict):
        other.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (sql, table))
        other.pragma("writable_schema", "RESET")
        other.pragma("writable_schema", "ON")
        if sql == loose:
            yield other
    other.close()


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        (table, column, value)
        for table, columns in {
            "runs": "id graph created_at version definition status step seconds outcome flagged error",
            "ledger": "kind visit at updates ops data",
        }.items()
        for column in columns.split()
        for value in ("NULL", "x'ff'", "'{'", "'[1]'", "-1", "9e999")
        if (column, value) not in FITTING
    ],
)
def test_values_that_no_stepgraph_has_written_are_told(
    path: Path, table: str, column: str, value: str
) -> None:
    filled(path)
    with loosened(path, table) as other:
        other.execute(f"UPDATE {table} SET {column} = {value}")  # noqa: S608  # from the list above
        schema._write_digests(other, 1)
    assert "is damaged" in refused(path).message


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert f"{tmp_path / 'file'} is a file, not a folder" in refused(tmp_path / "file" / "runs.db").message


@pytest.mark.parametrize("name", ["x" * 300, "a\0b"])
def test_an_impossible_name_is_refused(tmp_path: Path, name: str) -> None:
    assert "cannot be opened" in refused(tmp_path / name / "runs.db").message
    assert "cannot be opened" in refused(tmp_path / name).message


def test_the_home_of_nobody_is_refused() -> None:
    assert "it names no home folder" in refused(Path("~nobody-of-that-name/runs.db")).message


@pytest.mark.parametrize("column", ["runs SET graph", "runs SET id", "ledger SET updates", "ledger SET node"])
def test_a_text_that_is_no_unicode_is_damage(path: Path, column: str) -> None:
    filled(path)
    with closing(apsw.Connection(str(path), vfs=checking_vfs())) as other:
        other.execute(f"UPDATE {column} = CAST(x'62ff' AS TEXT)")
    assert "is damaged" in refused(path).message


def test_a_run_id_that_is_no_unicode_is_refused(path: Path) -> None:
    with SqliteStore(path) as store, pytest.raises(StoreError, match="not Unicode"):
        create(store, "r-\ud800")


def test_what_is_no_plain_file_is_refused_without_waiting_for_it(path: Path) -> None:
    os.mkfifo(path)
    assert "not a regular file" in refused(path).message
