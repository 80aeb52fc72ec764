"""Files of every version stay readable, and those of the future are refused."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from stepgraph import END, Decision, Reviews, RunStatus
from stepgraph.runs.operations import extend
from stepgraph.runs.views import open_run
from stepgraph.stores.sqlite import SqliteStore, file_damages, repair, schema
from stepgraph.stores.sqlite.checksums import checking_vfs
from stepgraph.values.errors import StoreDamaged, StoreError
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


def of_version(number: int, path: Path) -> None:
    """Make a store as an older version did, closed."""
    connection = apsw.Connection(str(path), vfs=checking_vfs())
    if number > 1:
        connection.reserve_bytes("main", 8)
    connection.pragma("journal_mode", "WAL")
    for script in schema.MIGRATIONS[:number]:
        connection.execute(script)
    rows = Path(__file__).with_name(f"version_{number}.sql").read_text(encoding="utf-8")
    connection.execute(rows)
    connection.pragma("application_id", schema.APPLICATION_ID)
    connection.pragma("user_version", number)
    connection.close()


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_store_of_an_older_version_goes_on(path: Path, number: int) -> None:
    of_version(number, path)
    assert list(file_damages(path)) == []
    with SqliteStore(path) as store:
        assert store.values("capped", 10)["log"] == list(range(5, 14))
        assert store.values("capped", 6) == {"n": 10, "log": [5, 6, 7, 8, 9]}
        assert Reviews(store).decide("a-1", Decision.approve(by="ana")).status == "decided"
        run = open_run(store, "capped")
        assert run.history[8].row.updates == {"n": 14, "log": [13]}
        extend(run, 3, 1_800_000_001.0)
        create(store, "new", {"doc": "d" * 70_000})
        assert store.values("new", 1) == {"doc": "d" * 70_000}
        assert len(store._db.execute("SELECT hash FROM big_values").fetchall()) == 1
    assert version(path) == len(schema.MIGRATIONS)
    assert list(file_damages(path)) == []


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_store_of_an_older_version_that_somebody_has_open_waits(path: Path, number: int) -> None:
    of_version(number, path)
    older = apsw.Connection(str(path))
    older.execute("SELECT * FROM runs").fetchall()
    with pytest.raises(StoreError, match="is locked"):
        SqliteStore(path, busy_timeout=0.05)
    assert version(path) == number
    older.close()
    SqliteStore(path).close()


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_what_is_whole_of_a_store_of_an_older_version_is_copied(path: Path, number: int) -> None:
    of_version(number, path)
    connection = apsw.Connection(str(path), vfs=checking_vfs())
    connection.execute("DELETE FROM ledger WHERE id = (2 << 32) + 4")
    connection.close()
    done = repair(path, path.with_name("new.db"))
    assert done.whole == (["waits", "paid", "refused", "dropped"] if number >= 3 else ["waits"])
    assert done.cut == ["run 'capped', ready after step 2 now: row 4: row 4 is missing"]
    assert version(path) == number


@pytest.mark.parametrize(
    ("damage", "row"),
    [
        ("ledger SET visit = 9 WHERE id = (2 << 32) + 4", 4),
        ("ledger SET digest = digest + 1 WHERE id = (2 << 32) + 5", 5),
        ("snapshots SET lengths = '{\"log\":2}' WHERE id = (2 << 32) + 4", 4),
        ("snapshots SET digest = NULL WHERE id = (2 << 32) + 7", 7),
        ("snapshots SET body = '{}' WHERE id = (2 << 32) + 7", 7),
    ],
)
def test_what_is_damaged_in_an_older_file_is_so_when_it_was_carried_forward(
    path: Path, damage: str, row: int
) -> None:
    of_version(2, path)
    connection = apsw.Connection(str(path), vfs=checking_vfs())
    connection.execute(f"UPDATE {damage}")  # from the list above
    connection.close()
    before = [(found.run, found.row) for found in file_damages(path)]
    assert ("capped", row) in before
    SqliteStore(path).close()
    assert version(path) == len(schema.MIGRATIONS)
    assert [(found.run, found.row) for found in file_damages(path)] == before


@pytest.mark.parametrize(
    ("was", "now", "runs"),
    [
        (b'"n":13,', b'"n":31,', {"waits"}),
        (b'"log":[1]', b'"log":[7]', {"capped"}),
        (b'"default":[]', b'"default":{}', set()),
    ],
)
def test_a_damaged_page_of_an_older_file_never_gets_a_checksum_that_fits(
    path: Path, was: bytes, now: bytes, runs: set[str]
) -> None:
    of_version(2, path)
    content = path.read_bytes()
    assert was in content
    path.write_bytes(content.replace(was, now))
    for _ in range(2):
        with pytest.raises(StoreDamaged, match=r"the row is damaged|its definition"):
            SqliteStore(path)
    assert version(path) == 2
    assert set(repair(path, path.with_name("new.db")).whole) == runs


@pytest.mark.parametrize("damage", ["", "UPDATE ledger SET visit = 9 WHERE id = (2 << 32) + 4"])
def test_a_copy_of_an_older_file_that_another_tool_made_is_a_store_when_its_rows_are_whole(
    path: Path, damage: str
) -> None:
    of_version(2, path)
    copy = path.with_name("copy.db")
    connection = apsw.Connection(str(path))
    connection.execute(damage)
    connection.execute("VACUUM INTO ?", (str(copy),))
    connection.close()
    if damage:
        with pytest.raises(StoreDamaged, match="row 4"):
            SqliteStore(copy)
        assert version(copy) == 2
    else:
        with SqliteStore(copy) as store:
            assert store.values("capped", 10)["log"] == list(range(5, 14))
        assert list(file_damages(copy)) == []


def test_the_tables_of_each_version_have_the_names_that_are_known() -> None:
    made = {number: schema._fingerprint(schema._made(number)) for number in schema.FINGERPRINTS}
    assert made == schema.FINGERPRINTS
    assert len(made) == len(schema.MIGRATIONS)


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
