"""Files of every version stay readable, and those of the future are refused."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from stepgraph import END, RunStatus
from stepgraph.stores.sqlite import SqliteStore, schema
from stepgraph.values.errors import StoreError
from tests.stores.building import Writer, create, pointer, step_row

NEXT = "ALTER TABLE runs ADD COLUMN mood TEXT; CREATE TABLE moods(id INTEGER PRIMARY KEY)"


def written(path: Path) -> Writer:
    with SqliteStore(path) as store:
        writer = Writer(store, {"n": 0}, {"log": "append"})
        for number in range(120):
            writer.step({"n": number, "log": number})
    return writer


def version(path: Path) -> int:
    connection = apsw.Connection(str(path))
    try:
        return int(connection.pragma("user_version"))
    finally:
        connection.close()


def tables(path: Path) -> set[str]:
    connection = apsw.Connection(str(path))
    try:
        return {
            str(name) for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        }
    finally:
        connection.close()


def test_an_old_file_is_carried_forward_and_keeps_its_runs(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = written(path)
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, NEXT))
    with SqliteStore(path) as store:
        assert {seq: store.values("r-1", seq) for seq in writer.expected} == writer.expected
        writer.store = store
        writer.step({"n": -1})
        assert store.values("r-1", writer.seq)["n"] == -1
    assert version(path) == len(schema.MIGRATIONS)
    assert "moods" in tables(path)


def test_a_migration_that_fails_leaves_the_file_as_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = written(path)
    broken = "CREATE TABLE moods(x); CREATE TABLE runs(x)"
    with monkeypatch.context() as patched:
        patched.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, NEXT, broken))
        with pytest.raises(StoreError, match="table moods already exists"):
            SqliteStore(path)
    assert version(path) == len(schema.MIGRATIONS)
    assert "moods" not in tables(path)
    with SqliteStore(path) as store:
        assert store.values("r-1", 121) == writer.expected[121]


def test_a_newer_file_is_refused_and_left_alone(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, NEXT))
        written(path)
    before = path.read_bytes()
    with pytest.raises(StoreError, match="newer Stepgraph") as caught:
        SqliteStore(path)
    assert (
        f"version {len(schema.MIGRATIONS) + 1}, this one knows {len(schema.MIGRATIONS)}"
        in caught.value.message
    )
    assert str(path) in caught.value.message
    assert "upgrade" in caught.value.hint
    assert path.read_bytes() == before


def test_a_new_file_is_marked_as_ours(path: Path) -> None:
    SqliteStore(path).close()
    connection = apsw.Connection(str(path))
    assert connection.pragma("application_id") == schema.APPLICATION_ID
    assert connection.pragma("user_version") == len(schema.MIGRATIONS)
    assert connection.pragma("journal_mode") == "wal"
    connection.close()


def test_the_end_in_an_old_file_is_the_end_of_today(path: Path) -> None:
    with SqliteStore(path) as store:
        create(store)
        store.commit("r-1", step_row(2, next="__END__"), pointer(2, RunStatus.ENDED))
        assert [row.next for row in store.rows("r-1")] == [None, END]
