"""The tables of a store in PostgreSQL, and how older ones are carried forward."""

from __future__ import annotations

import psycopg
from psycopg import errors, sql

from ...values.errors import StoreError
from .address import PostgresAddress

OLDEST_SERVER = 13
"""The oldest PostgreSQL that has all that is used here."""

_LOCK = 0x53544750
"""``STGP``: who makes or changes tables holds this lock, so that two that open a new store do not collide."""

_TABLES = "SELECT FROM pg_tables WHERE schemaname = $1 AND tablename = 'schema_version'"

MIGRATIONS = (
    """
    -- JSON is text here and nothing else: jsonb sorts keys, rounds numbers, and refuses NUL.
    CREATE TABLE runs(
        no bigint PRIMARY KEY,
        id text NOT NULL UNIQUE,
        graph text NOT NULL,
        created_at double precision NOT NULL,
        source text,
        origin text,
        version bigint NOT NULL,
        definition text NOT NULL,
        status text NOT NULL,
        current text,
        step bigint NOT NULL,
        step_limit bigint NOT NULL,
        seconds double precision NOT NULL,
        outcome text,
        flagged bigint NOT NULL,
        review text,
        error text,
        updated_at double precision NOT NULL,
        digest bigint
    ) WITH (fillfactor = 70);  -- each commit changes its row: there is room for that on the same page
    CREATE SEQUENCE run_numbers MAXVALUE 2147483647;
    CREATE INDEX runs_paused ON runs(no) WHERE status = 'paused';
    -- The id of a row is its run's number * 2^32 + its sequence number: a run's rows lie together.
    CREATE TABLE ledger(
        id bigint PRIMARY KEY,
        kind text NOT NULL,
        step bigint NOT NULL,
        node text,
        visit bigint NOT NULL,
        at double precision NOT NULL,
        duration double precision NOT NULL,
        updates text,
        ops text,
        output text,
        next text,
        edge bigint,
        error text,
        review text,
        data text,
        digest bigint
    );
    CREATE INDEX ledger_review ON ledger(review) WHERE review IS NOT NULL;
    CREATE TABLE snapshots(
        id bigint PRIMARY KEY,
        base bigint NOT NULL,
        lengths text,
        tails text,
        digest bigint,
        body text NOT NULL,
        body_digest bigint
    );
    CREATE TABLE definitions(hash text PRIMARY KEY, body text NOT NULL, digest bigint);
    CREATE TABLE audit(
        number bigint PRIMARY KEY,
        entry text NOT NULL,
        previous text NOT NULL,
        hash text NOT NULL
    );
    -- The number of the last entry that was written: those that are cut off are missed.
    CREATE TABLE audit_end(last bigint NOT NULL);
    INSERT INTO audit_end VALUES (0);
    CREATE FUNCTION audit_keeps_entries() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'an entry of the audit is never changed or deleted'; END
    $$;
    CREATE TRIGGER audit_keeps_entries BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
        FOR EACH STATEMENT EXECUTE FUNCTION audit_keeps_entries();
    """,
    """
    -- What rows refer to, by the hash of its text. A fork before the row that first put it does not need it.
    CREATE TABLE big_values(
        run bigint NOT NULL,
        hash text NOT NULL,
        seq bigint NOT NULL,
        body text NOT NULL,
        PRIMARY KEY(run, hash)
    );
    """,
)
"""What brings the tables from version n to n + 1. Only ever added to: there are stores of every version."""


def check_server(connection: psycopg.Connection, address: PostgresAddress) -> None:
    """Refuse a server that is too old, or a database that cannot hold every text.

    Raises:
        StoreError: It is one of those.
    """
    version = connection.info.server_version // 10_000
    if version < OLDEST_SERVER:
        raise StoreError(
            f"the store {address.shown} is on PostgreSQL {version}, which is too old",
            hint=f"Stepgraph needs PostgreSQL {OLDEST_SERVER} or later",
        )
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise StoreError(
            f"the store {address.shown} is in a database of the encoding {encoding}, which lacks characters",
            hint="create one with UTF8: createdb --encoding=UTF8 --template=template0 NAME",
        )


def make_current(connection: psycopg.Connection, address: PostgresAddress) -> None:
    """Make the tables, or carry older ones forward, where they are not the current ones.

    Raises:
        StoreError: A newer Stepgraph has made them, or the user may not make them.
    """
    if _version(connection, address) == latest():
        return
    try:
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock($1)", (_LOCK,))
            found = _version(connection, address)  # somebody else may have made them meanwhile
            if not found:
                _make_schema(connection, address.schema)
            for script in MIGRATIONS[found:]:
                connection.execute(script.encode())
            connection.execute("UPDATE schema_version SET version = $1", (latest(),))
    except errors.InsufficientPrivilege as error:
        raise StoreError(
            f"the store {address.shown} cannot be set up: {error.diag.message_primary}",
            hint=_who_may(connection, address.schema),
        ) from error


def latest() -> int:
    """Count the versions up to the one that this Stepgraph writes."""
    return len(MIGRATIONS)


def _version(connection: psycopg.Connection, address: PostgresAddress) -> int:
    """Read the version of the tables; 0 where there are none."""
    # Not by to_regclass, which may not know yet what somebody else has just made.
    if not connection.execute(_TABLES, (address.schema,)).fetchall():
        return 0
    read = sql.SQL("SELECT version FROM {}.schema_version").format(sql.Identifier(address.schema))
    row = connection.execute(read).fetchone()
    version = 0 if row is None else int(row[0])
    if version > latest():
        raise StoreError(
            f"the store {address.shown} was written by a newer Stepgraph"
            f" (its schema is version {version}, this one knows {latest()})",
            hint="upgrade Stepgraph, or choose another store with --store or STEPGRAPH_STORE",
        )
    return version


def _make_schema(connection: psycopg.Connection, name: str) -> None:
    """Make the schema, unless an administrator has made it for us, and the table of its version."""
    if not connection.execute("SELECT FROM pg_namespace WHERE nspname = $1", (name,)).fetchall():
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(name)))
    connection.execute(b"CREATE TABLE schema_version(version integer NOT NULL)")
    connection.execute(b"INSERT INTO schema_version VALUES (0)")


def _who_may(connection: psycopg.Connection, schema: str) -> str:
    user = connection.info.user
    return f"have the database's owner run: CREATE SCHEMA {schema} AUTHORIZATION {user}"
