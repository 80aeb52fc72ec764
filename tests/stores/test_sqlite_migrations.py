"""Files of every version stay readable, and those of the future are refused."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from stepgraph.stores.sqlite import SqliteStore, repair, schema
from stepgraph.stores.sqlite.opening import checking_vfs
from stepgraph.values.errors import StoreError
from tests.stores.building import Writer

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
    (left,) = done.left
    assert left.startswith("run 'capped': ")
    assert version(path) == number


def test_the_tables_of_each_version_have_the_names_that_are_known() -> None:
    made = {number: schema._fingerprint(schema._parts_of(number)) for number in schema.FINGERPRINTS}
    assert made == schema.FINGERPRINTS
    assert len(made) == len(schema.MIGRATIONS)


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
