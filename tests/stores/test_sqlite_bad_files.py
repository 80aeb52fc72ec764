"""A file that cannot be used: always a StoreError that names the file, what is wrong and what to do."""

from __future__ import annotations

import os
import resource
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
import pytest

from stepgraph.stores.base import StoredRun
from stepgraph.stores.refusals import damaged
from stepgraph.stores.snapshots import SnapshotPolicy
from stepgraph.stores.sqlite import SqliteStore, file_damages, schema
from stepgraph.stores.sqlite.checksums import checking_vfs
from stepgraph.values.errors import StoreDamaged, StoreError
from tests.crash.children import ask
from tests.stores.building import DEFINITION, Writer, create, head, pointer, step_row

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


def test_an_empty_file_becomes_a_store(path: Path) -> None:
    path.touch()
    with SqliteStore(path) as store:
        create(store)


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


def test_damaged_pages_are_told(path: Path) -> None:
    filled(path)
    content = bytearray(path.read_bytes())
    for page in range(3, len(content) // 4096):
        content[page * 4096 : page * 4096 + 200] = b"\xff" * 200
    path.write_bytes(content)
    error = refused(path)
    assert "is damaged" in error.message
    assert "backup" in error.hint


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


@pytest.mark.parametrize(
    "change",
    [
        "CREATE TRIGGER flip AFTER INSERT ON ledger BEGIN UPDATE ledger SET data = '{}'; END",
        "CREATE INDEX slow ON ledger(length(hex(zeroblob(kind))))",
        "ALTER TABLE runs RENAME TO old; CREATE VIEW runs AS SELECT * FROM old",
        "ALTER TABLE ledger RENAME TO old; CREATE TABLE ledger AS SELECT * FROM old",
    ],
)
def test_tables_that_act_by_themselves_are_refused_before_anything_is_written(
    path: Path, change: str
) -> None:
    filled(path)
    other = apsw.Connection(str(path))
    other.execute(change)
    other.close()
    assert "is not what Stepgraph made" in refused(path).message


def test_a_table_of_somebody_elses_does_no_harm(path: Path) -> None:
    filled(path)
    other = apsw.Connection(str(path))
    other.execute("CREATE TABLE theirs(x); CREATE INDEX their_index ON theirs(x)")
    other.close()
    read(path)


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


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("snapshots", "base = 'start'"),
        ("snapshots", "base = 1.5"),
        ("snapshots", "base = NULL"),
        ("snapshots", "body = NULL"),
        ("ledger", "kind = NULL"),
        ("ledger", "visit = 'often'"),
    ],
)
def test_a_fork_takes_over_nothing_that_no_stepgraph_has_written(path: Path, table: str, change: str) -> None:
    with SqliteStore(path, snapshots=SnapshotPolicy(1, 1)) as store:
        writer = Writer(store, {"log": []}, {"log": "append"})
        for number in range(3):
            writer.step({"log": number})
    with loosened(path, table) as other:
        other.execute(f"UPDATE {table} SET {change} WHERE id & 0xFFFFFFFF = 3")  # noqa: S608  # from above
    assert ("r-1", 3) in {(found.run, found.row) for found in file_damages(path)}
    with SqliteStore(path) as store:
        with pytest.raises(StoreDamaged):
            store.create(StoredRun(head("r-2"), pointer(4)), [], DEFINITION, ("r-1", 4))
        assert [run.head.id for run in store.runs()] == ["r-1"]


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    error = refused(tmp_path)
    assert "it is a folder" in error.message
    assert str(tmp_path / "runs.db") in error.hint


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


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A folder that everybody can get to, with a store in it."""
    folder = tmp_path
    while folder != Path(tempfile.gettempdir()) and folder.stat().st_uid == os.getuid():
        folder.chmod(folder.stat().st_mode | 0o111)
        folder = folder.parent
    filled(tmp_path / "runs.db")
    return tmp_path


def as_nobody(work: Callable[[], None]) -> str:
    """What a StoreError says to a user without any rights here."""

    def try_it(tell: Callable[[str], None]) -> None:
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        try:
            work()
        except StoreError as error:
            tell(str(error))

    return "".join(ask(try_it))


def test_a_file_that_may_not_be_read_is_told(foreign: Path) -> None:
    path = foreign / "runs.db"
    path.chmod(0o000)
    said = as_nobody(lambda: SqliteStore(path).close())
    assert f"the store {path} cannot be opened: you may not read and write the file" in said


def test_a_folder_that_may_not_be_written_is_told(foreign: Path) -> None:
    foreign.chmod(0o555)
    for path in (foreign / "new.db", foreign / "folder" / "new.db"):
        said = as_nobody(lambda path=path: SqliteStore(path).close())  # type: ignore[misc]  # a default for a lambda
        assert f"the store {path} cannot be opened" in said
        assert "change its permissions" in said or "check the path and its permissions" in said


def test_a_read_only_store_is_told(foreign: Path) -> None:
    path = foreign / "runs.db"
    path.chmod(0o444)
    foreign.chmod(0o555)

    def write() -> None:
        with SqliteStore(path) as store:
            create(store, "r-2")

    said = as_nobody(write)
    assert str(path) in said
    assert "read-only" in said or "cannot be opened" in said


def test_a_full_disk_is_told_and_loses_nothing(path: Path) -> None:
    with SqliteStore(path) as store:
        writer = Writer(store, {"n": 0})
        writer.step({"n": 1})
        pages = store._db.pragma("page_count")
        store._db.pragma("max_page_count", pages + 2)
        with pytest.raises(StoreError, match="the disk is full") as caught:
            store.commit("r-1", step_row(3, {"big": "x" * 100_000}), pointer(3), {"n": 1})
        assert "what was committed is safe" in caught.value.hint
        assert store.load("r-1").pointer.version == 2
        assert [row.seq for row in store.rows("r-1")] == [1, 2]
        store._db.pragma("max_page_count", 2**30)
        writer.step({"n": 2})
        assert store.values("r-1", 3) == {"n": 2}


def test_a_file_size_limit_is_told_and_loses_nothing(path: Path) -> None:
    filled(path)

    def write(tell: Callable[[str], None]) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
        store = SqliteStore(path)
        for seq in range(52, 200):
            try:
                store.commit("r-1", step_row(seq, {"text": "x" * 10_000}), pointer(seq))
            except StoreError as error:
                tell(str(error))
                return
            tell(str(seq))

    *committed, said = ask(write)
    assert "cannot be read or written" in said
    assert "file size limits" in said
    with SqliteStore(path) as store:
        assert store.load("r-1").pointer.version == int(committed[-1])
        assert store._db.pragma("integrity_check") == "ok"
        store.commit("r-1", step_row(int(committed[-1]) + 1), pointer(int(committed[-1]) + 1))


def test_a_store_that_another_connection_holds_is_told_after_the_timeout(path: Path) -> None:
    with SqliteStore(path, busy_timeout=0.05) as store, SqliteStore(path) as other:
        create(store)
        with other._transaction:
            with pytest.raises(StoreError, match=r"is locked: another process has held it for 0.05 seconds"):
                store.commit("r-1", step_row(2, {"n": 1}), pointer(2), {"n": 1})
            assert store.load("r-1").pointer.version == 1, "reading goes on"
        store.commit("r-1", step_row(2, {"n": 1}), pointer(2), {"n": 1})
        assert store.values("r-1", 2) == {"n": 1}


def test_opening_a_store_that_is_held_is_told(path: Path) -> None:
    other = apsw.Connection(str(path))
    other.execute("BEGIN EXCLUSIVE")
    assert "is locked" in refused(path).message
    other.close()


def test_after_a_failed_commit_nothing_of_it_is_remembered(path: Path) -> None:
    from stepgraph.stores.snapshots import SnapshotPolicy

    with SqliteStore(path, snapshots=SnapshotPolicy(1, 1)) as store, SqliteStore(path) as other:
        writer = Writer(store, {}, {"log": "append"})
        writer.step({"log": "a"})
        store._db.set_commit_hook(lambda: True)
        with pytest.raises(StoreError, match="failed"):
            store.commit(
                "r-1",
                step_row(3, {"log": "lost"}, ops={"log": "append"}),
                pointer(3),
                {"log": ["a", "lost"]},
                writer.append_keys,
            )
        store._db.set_commit_hook(None)
        writer.store = other
        writer.step({"log": ["b", "c"]})
        writer.store = store
        writer.step({"log": "d"})
        assert store.values("r-1", 4) == {"log": ["a", "b", "c", "d"]}


def test_only_its_owner_may_read_a_store_that_we_make(tmp_path: Path) -> None:
    path = tmp_path / "new" / "runs.db"
    with SqliteStore(path) as store:
        create(store)
        assert {item.stat().st_mode & 0o777 for item in path.parent.iterdir()} == {0o600}
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_a_store_that_was_shared_stays_shared(path: Path) -> None:
    path.touch()
    path.chmod(0o664)
    with SqliteStore(path) as store:
        create(store)
    assert path.stat().st_mode & 0o777 == 0o664


def test_what_is_no_plain_file_is_refused_without_waiting_for_it(path: Path) -> None:
    os.mkfifo(path)
    assert "not a regular file" in refused(path).message
