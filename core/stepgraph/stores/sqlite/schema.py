"""The tables of a SQLite store, and how files of older versions and other writers are carried forward."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

import apsw

from ...values.errors import StoreDamaged, StoreError
from ...values.json_values import Json
from .. import encoding
from ..audit import GENESIS, chained, entry_of, is_entered
from ..base import AuditEntry
from ..encoding import SEQ_BITS, SEQ_MASK, row_id
from ..opening import BACKUP, REPAIR, damaged
from ..sql import link_columns

_ENTERED = (
    f"SELECT {encoding.LEDGER}, digest FROM ledger"  # noqa: S608  # constant columns
    " WHERE kind IN ('decision', 'edit', 'stop') ORDER BY at, id"
)
_ASKED = "SELECT review FROM ledger WHERE kind = 'review' AND id BETWEEN ? AND ?"
_RUN = f"SELECT no, {encoding.RUN}, digest FROM runs WHERE no = ?"  # noqa: S608  # constant


def last_entry_number(db: apsw.Connection) -> int:
    """Read the number of the last entry that was ever written."""
    found = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'audit'").fetchone()
    return found[0] if found is not None and type(found[0]) is int else 0


def _add(db: apsw.Connection, link: AuditEntry) -> None:
    query = "INSERT INTO audit(number, entry, previous, hash) VALUES(?,?,?,?)"
    db.execute(query, link_columns(link))


def _append(db: apsw.Connection, entry: Mapping[str, Json]) -> None:
    last = db.execute("SELECT number, previous, hash FROM audit ORDER BY number DESC LIMIT 1").fetchone()
    number, previous, hash_ = last or (0, "", GENESIS)
    _add(db, chained(AuditEntry(max(number, last_entry_number(db)), {}, previous, hash_), entry))


def take_over(db: apsw.Connection, links: Iterable[AuditEntry], last: int) -> None:
    """Copy the audit of the store that a new one is a copy of into it, as it is; call it in a transaction.

    Args:
        db: The new store.
        links: The links; where there are none, the decisions are entered that there are now.
        last: The number of the last one that was ever written there.
    """
    for link in links:
        _add(db, link)
    if last > last_entry_number(db):
        db.execute("DELETE FROM sqlite_sequence WHERE name = 'audit'")
        db.execute("INSERT INTO sqlite_sequence(name, seq) VALUES('audit', ?)", (last,))
    if last == 0:  # it is of a version without one
        enter_decisions(db)


def enter_decisions(db: apsw.Connection) -> None:
    """Add an audit entry for each decision of a file that had no audit, marked as carried over.

    So are the edits and stops entered by which a review was withdrawn.
    """
    rows: list[encoding.Columns] = db.execute(_ENTERED).fetchall()
    for columns in rows:
        no = columns[0] >> SEQ_BITS
        run: encoding.Columns | None = db.execute(_RUN, (no,)).fetchone()
        if run is None:
            continue
        try:
            row, head = encoding.whole_row(columns), encoding.whole_run(run).head
        except encoding.Damaged:
            continue  # it is reported as damaged, and is no evidence of anything
        asked = {id_ for (id_,) in db.execute(_ASKED, (row_id(no, 0), row_id(no, SEQ_MASK)))}
        if is_entered(row, asked):
            _append(db, {**entry_of(head, row), "carried": True})


class Transaction:
    """A block whose writes all happen or none of them; it may be used again and again.

    It takes the write lock at its beginning (IMMEDIATE): a transaction that reads first and asks
    for the lock later can find the file changed meanwhile, which no waiting cures. apsw's own
    ``with connection`` would hide a full disk, for SQLite has rolled back by itself then.
    """

    __slots__ = ("_connection", "_execute")

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._execute = connection.cursor().execute  # a cursor that stays: to make one costs as much as BEGIN

    def __enter__(self) -> None:
        self._execute("BEGIN IMMEDIATE")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            roll_back(self._connection)
            return
        try:
            self._execute("COMMIT")
        except BaseException:
            roll_back(self._connection)
            raise


def roll_back(connection: apsw.Connection) -> None:
    """End the transaction of a connection, where there is one, and undo what it has written."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


@cache
def adapted(statement: str) -> str:
    """Write a statement of ``stores.sql`` as SQLite reads it."""
    return statement.replace("$", "?").replace("json_array_elements_text", "json_each").replace("::json", "")


APPLICATION_ID = 0x53544750
"""``STGP``: tells a Stepgraph store from another program's SQLite file."""

MIGRATIONS = (
    """
    CREATE TABLE runs(
        no INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        graph TEXT NOT NULL,
        created_at REAL NOT NULL,
        source TEXT,
        origin TEXT,
        version INTEGER NOT NULL,
        definition TEXT NOT NULL,
        status TEXT NOT NULL,
        current TEXT,
        step INTEGER NOT NULL,
        step_limit INTEGER NOT NULL,
        seconds REAL NOT NULL,
        outcome TEXT,
        flagged INTEGER NOT NULL,
        review TEXT,
        error TEXT,
        updated_at REAL NOT NULL
    ) STRICT;
    -- The id of a row is its run's number * 2^32 + its sequence number: a run's rows lie together.
    CREATE TABLE ledger(
        id INTEGER PRIMARY KEY,
        kind TEXT NOT NULL,
        step INTEGER NOT NULL,
        node TEXT,
        visit INTEGER NOT NULL,
        at REAL NOT NULL,
        duration REAL NOT NULL,
        updates TEXT,
        ops TEXT,
        output TEXT,
        next TEXT,
        edge INTEGER,
        error TEXT,
        review TEXT,
        data TEXT
    ) STRICT;
    CREATE INDEX ledger_review ON ledger(review) WHERE review IS NOT NULL;
    -- The same id; the small columns come first, so that reading them does not touch the body.
    CREATE TABLE snapshots(
        id INTEGER PRIMARY KEY,
        base INTEGER NOT NULL,
        lengths TEXT,
        tails TEXT,
        body TEXT NOT NULL
    ) STRICT;
    CREATE TABLE definitions(hash TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT;
    """,
    """
    ALTER TABLE runs ADD COLUMN digest INTEGER;
    ALTER TABLE ledger ADD COLUMN digest INTEGER;
    -- Of all but the body, which has its own: reading lists does not touch it.
    ALTER TABLE snapshots ADD COLUMN digest INTEGER;
    ALTER TABLE snapshots ADD COLUMN body_digest INTEGER;
    ALTER TABLE definitions ADD COLUMN digest INTEGER;
    """,
    # The tables stay: a row's place is no more among what its checksum is computed of, but added to it.
    "",
    """
    -- AUTOINCREMENT, for SQLite remembers the last number then: entries that are cut off are missed.
    CREATE TABLE audit(
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        entry TEXT NOT NULL,
        previous TEXT NOT NULL,
        hash TEXT NOT NULL
    ) STRICT;
    CREATE TRIGGER audit_keeps_entries BEFORE DELETE ON audit
    BEGIN SELECT RAISE(ABORT, 'an entry of the audit is never deleted'); END;
    CREATE TRIGGER audit_keeps_texts BEFORE UPDATE ON audit
    BEGIN SELECT RAISE(ABORT, 'an entry of the audit is never changed'); END;
    -- Else INSERT OR REPLACE would delete one.
    CREATE TRIGGER audit_goes_on BEFORE INSERT ON audit
    WHEN NEW.number <= (SELECT seq FROM sqlite_sequence WHERE name = 'audit')
    BEGIN SELECT RAISE(ABORT, 'an entry of the audit comes after the others'); END;
    """,
    """
    -- What rows refer to, by the hash of its text. A fork before the row that first put it does not need it.
    CREATE TABLE big_values(
        run INTEGER NOT NULL,
        hash TEXT NOT NULL,
        seq INTEGER NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY(run, hash)
    ) STRICT;
    """,
)
"""What brings a file from version n to n + 1. Only ever added to: files of every version are out there."""


FINGERPRINTS = {
    1: "5cd6ae8cf2383012",
    2: "286817a2a4c81781",
    3: "286817a2a4c81781",
    4: "38b180f1e88cca9c",
    5: "7ee205e77c9507a5",
}
"""Names of the tables of each version: a good file need not be compared with one that is made again."""
_TABLES = frozenset({"runs", "ledger", "snapshots", "definitions", "audit", "big_values"})
_AUDITED = 4
"""The first version with an audit."""
_COLUMNS = {
    "runs": f"no, {encoding.RUN}, digest",
    "ledger": f"{encoding.LEDGER}, digest",
    "snapshots": f"{encoding.SNAPSHOT}, body, digest, body_digest",
    "definitions": f"{encoding.DEFINITION}, digest",
}


def _renewed(columns: str, digest: str) -> str:
    """Convert a checksum of version 2; one that does not fit must not fit afterwards either."""
    return f"CASE WHEN digest = digest({columns}) THEN {digest} END"


_ROW = f"row_digest({encoding.LEDGER})"
_SNAPSHOT = f"snapshot_digest({encoding.SNAPSHOT})"
_DIGESTS: dict[int, dict[str, dict[str, str]]] = {
    1: {
        "runs": {"digest": f"run_digest(no, {encoding.RUN})"},
        "ledger": {"digest": _ROW},
        "snapshots": {"digest": _SNAPSHOT, "body_digest": "digest(body)"},
        "definitions": {"digest": f"digest({encoding.DEFINITION})"},
    },
    2: {
        "ledger": {"digest": _renewed(encoding.LEDGER, _ROW)},
        "snapshots": {"digest": _renewed(encoding.SNAPSHOT, _SNAPSHOT)},
    },
}
"""How the checksums that this version goes by are made of what is in a file of each older one, by table."""


class _Marks(NamedTuple):
    application: int
    version: int
    tables: int
    pages: int

    @property
    def is_new(self) -> bool:
        return self[:3] == (0, 0, 0)


class _Part(NamedTuple):
    """A table, or what belongs to one."""

    table: str
    kind: str
    sql: str | None

    @property
    def acts(self) -> bool:
        return self.kind in ("trigger", "index")  # an index may compute anything for each row


def check(connection: apsw.Connection, path: Path) -> bool:
    """Refuse a file that is not ours, or that a newer version wrote; nothing is changed.

    Returns:
        Whether it has the current schema: a new or older one has yet to be migrated.

    Raises:
        StoreError: It is one of those, or it was emptied.
    """
    marks = _marks(connection)
    if not marks.is_new and marks.application != APPLICATION_ID:
        raise StoreError(
            f"{path} is another program's SQLite database, not a Stepgraph store",
            hint="nothing in it was changed; choose another file with --store or STEPGRAPH_STORE",
        )
    if marks.is_new and marks.pages > 1:
        raise damaged(path, f"it has been emptied (it has {marks.pages:,} pages, and no tables any more)")
    if marks.version > latest():
        raise StoreError(
            f"the store {path} was written by a newer Stepgraph"
            f" (its schema is version {marks.version}, this one knows {latest()})",
            hint="upgrade Stepgraph, or choose another file with --store or STEPGRAPH_STORE",
        )
    if not marks.is_new:
        _check_tables(connection, path, marks.version)
    return marks.version == latest()


def latest() -> int:
    """Count the versions up to the one that this Stepgraph writes."""
    return len(MIGRATIONS)


def is_empty(connection: apsw.Connection) -> bool:
    """Check whether a file has nothing in it yet."""
    return _marks(connection).is_new


def _check_tables(connection: apsw.Connection, path: Path, version: int) -> None:
    """Refuse tables that are not ours as we made them, and what would act when we write to them."""
    found = _schema(connection)
    if _fingerprint(found) == FINGERPRINTS.get(version):
        return
    made = _parts_of(version)
    odd = [name for name, part in made.items() if found.get(name) != part]
    ours = {part.table for part in made.values()}
    odd += [name for name, part in found.items() if part.acts and part.table in ours and name not in made]
    if odd:
        what = f"what it has as {', '.join(map(repr, odd[:5]))} is not what Stepgraph made"
        raise StoreDamaged(
            f"the store {path} is damaged, or another program changed it: {what}",
            what,
            hint=f"{REPAIR}; or {BACKUP}",
        )


def _fingerprint(schema: dict[str, _Part]) -> str:
    """Compute a short name of our tables and what belongs to them."""
    ours = sorted(((name, *part) for name, part in schema.items() if part.table in _TABLES), key=repr)
    return sha256(repr(ours).encode()).hexdigest()[:16]


@cache
def _parts_of(version: int) -> dict[str, _Part]:
    """List the tables and indexes of a file of some version."""
    with closing(apsw.Connection(":memory:")) as connection:
        for script in MIGRATIONS[:version]:
            connection.execute(script)
        return _schema(connection)


def _schema(connection: apsw.Connection) -> dict[str, _Part]:
    rows = connection.execute("SELECT name, tbl_name, type, sql FROM sqlite_schema")
    return {name: _Part(*rest) for name, *rest in rows}


def migrate(connection: apsw.Connection) -> None:
    """Carry a new or older file forward to the current schema, in one transaction."""
    with Transaction(connection):
        before = _read_marks(connection).version
        if before == latest():
            return
        for script in MIGRATIONS[before:]:
            connection.execute(script)
        _write_digests(connection, before)
        if before < _AUDITED:
            enter_decisions(connection)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {latest()}")


def _write_digests(connection: apsw.Connection, version: int) -> None:
    """Write this version's checksums into the rows of an older file."""
    _know_digests(connection)
    for table, digests in _DIGESTS.get(version, {}).items():
        values = ", ".join(f"{column} = {digest}" for column, digest in digests.items())
        connection.execute(f"UPDATE {table} SET {values}")  # noqa: S608  # constant columns


def show_as_current(connection: apsw.Connection) -> None:
    """Show the tables of an older file as this version would have them, where nothing may be written."""
    _know_digests(connection)
    for table, digests in _DIGESTS.get(_marks(connection).version, {}).items():
        columns = ", ".join(f"{digests.get(name, name)} AS {name}" for name in _COLUMNS[table].split(", "))
        connection.execute(f"CREATE TEMP VIEW {table} AS SELECT {columns} FROM main.{table}")  # noqa: S608


@contextmanager
def shown_as_current(connection: apsw.Connection) -> Iterator[None]:
    """Show the tables of an older file as this version would have them, for a while."""
    show_as_current(connection)
    try:
        yield
    finally:
        for table in _DIGESTS.get(_marks(connection).version, {}):
            connection.execute(f"DROP VIEW temp.{table}")


def has_digests(connection: apsw.Connection) -> bool:
    """Check whether the rows of a file have checksums; those of the first version have none."""
    return _marks(connection).version > 1


def has_audit(connection: apsw.Connection) -> bool:
    """Check whether a file has an audit; one of an older version has none."""
    return _marks(connection).version >= _AUDITED


def _know_digests(connection: apsw.Connection) -> None:
    """Register the checksum function with SQL."""
    connection.create_scalar_function("digest", lambda *columns: encoding.digest(columns))
    connection.create_scalar_function("row_digest", lambda *columns: encoding.row_digest(columns))
    connection.create_scalar_function("snapshot_digest", lambda *columns: encoding.snapshot_digest(columns))
    connection.create_scalar_function("run_digest", lambda *columns: encoding.run_digest(columns))


def _marks(connection: apsw.Connection) -> _Marks:
    if connection.in_transaction:
        return _read_marks(connection)
    connection.execute("BEGIN")  # one look at all three: another process may be creating the tables
    try:
        return _read_marks(connection)
    finally:
        with suppress(apsw.SQLError):  # an error of reading has ended it
            connection.execute("ROLLBACK")


def _read_marks(connection: apsw.Connection) -> _Marks:
    return _Marks(
        connection.pragma("application_id"),
        connection.pragma("user_version"),
        connection.execute("SELECT count(*) FROM sqlite_schema WHERE name <> 'sqlite_sequence'").get,
        connection.pragma("page_count"),
    )
