"""One connection to the server: made when it is needed, and again when it was cut; no fork shares it."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Generator
from typing import Any, TypeVar

import psycopg
from psycopg import errors, sql
from psycopg.pq import TransactionStatus
from psycopg.rows import Row
from psycopg.types.numeric import Int8BinaryDumper
from psycopg.types.string import StrDumperUnknown

from ...stores.encoding import Damaged
from ...stores.opening import UNCHANGED, damaged, too_large
from ...stores.serving import unreachable
from ...values.errors import StoreError
from .address import PostgresAddress

_T = TypeVar("_T")
_LATER = 1.2
"""How much longer is waited than the server lets a statement take: one that is only slow says so itself."""


class Silence(psycopg.OperationalError):
    """The server took what it was asked, and has said nothing for too long."""


def wait_for_server(work: Generator[Any, Any, _T], patience: float) -> Generator[Any, Any, _T]:
    """Wait as psycopg asks, until the server is silent for too long.

    Args:
        work: It yields what is waited for, and is sent what of that is ready; each moment, that nothing is.
        patience: After how many seconds without a word.

    Raises:
        Silence: The server does not answer any more.
    """
    silent_since: float | None = None
    try:
        wanted = next(work)
        while True:
            ready = yield wanted
            if ready:
                silent_since = None
            elif silent_since is None:
                silent_since = time.monotonic()
            elif time.monotonic() - silent_since >= patience:
                raise Silence(f"it has said nothing for {patience:.3g} s")
            wanted = work.send(ready)
    except StopIteration as done:
        result: _T = done.value
        return result


class AnsweringConnection(psycopg.Connection[Row]):
    """A connection that is closed when the server says nothing for too long."""

    patience = float("inf")
    """After how many seconds without a word."""

    def wait(self, gen: Any, *args: Any, **named: Any) -> Any:
        """Wait as psycopg does, and no longer than that.

        Raises:
            Silence: The server said nothing for too long.
        """
        try:
            return super().wait(wait_for_server(gen, self.patience), *args, **named)
        except Silence:
            self.pgconn.finish()
            raise


class AnsweringAsyncConnection(psycopg.AsyncConnection[Row]):
    """The same for code that awaits."""

    patience = float("inf")

    async def wait(self, gen: Any, *args: Any, **named: Any) -> Any:
        """Wait as psycopg does, and no longer than ``patience`` for a word.

        Raises:
            Silence: The server said nothing for too long.
        """
        try:
            return await super().wait(wait_for_server(gen, self.patience), *args, **named)
        except Silence:
            self.pgconn.finish()
            raise


def limit_statements(answers_within: float) -> str:
    """Write what has the server give up a statement by itself, unless it is set to do so already."""
    limit = f"set_config('statement_timeout', '{max(1, round(answers_within * 1000))}', false)"
    return f"SELECT {limit} WHERE current_setting('statement_timeout') = '0'"  # a number


def patience_for(answers_within: float) -> float:
    """Return the seconds of silence after which a server counts as unreachable."""
    return answers_within * _LATER


_SAFE = "what was committed is safe"
_NOT_NOW = ("starting up", "shutting down", "recovery mode", "too many clients", "connection slots")


def said_by(error: psycopg.Error) -> str:
    """Return what the server or libpq says, in one line, without what Stepgraph says itself."""
    lines = str(error.diag.message_primary or error).splitlines()
    line = next((line for line in lines if "failed: " in line), lines[0] if lines else type(error).__name__)
    return line.rpartition("failed: ")[2].removeprefix("FATAL:").strip() or type(error).__name__


def is_cut(error: psycopg.Error, connection: psycopg.BaseConnection[Any] | None) -> bool:
    """Check whether an error means that there is no connection any more, or that none could be made.

    What the server refuses has a state, and says so where it goes away; what fails on the way has none.

    Args:
        error: What was raised.
        connection: The connection; None where none could be made.
    """
    if connection is not None and connection.closed:
        return True
    if error.sqlstate:
        return error.sqlstate.startswith(("08", "57P"))
    return isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError))


def outage(error: psycopg.Error) -> str:
    """Describe why a server does not answer, in words that continue "the store URL"."""
    return f"does not answer: {said_by(error)}"


def refused(error: psycopg.Error, address: PostgresAddress) -> StoreError:
    """Explain why a connection could not be made for the first time."""
    text = str(error)
    reason = said_by(error)
    turned_away = "FATAL" in text and not any(words in text for words in _NOT_NOW)
    if "no password" in text or "password authentication failed" in text:
        what, hint = (
            f"refuses the password: {reason}",
            ("put the right one into ~/.pgpass, PGPASSWORD or the address in STEPGRAPH_STORE"),
        )
    elif turned_away and "database" in text and "does not exist" in text:
        what, hint = f"is not there: {reason}", "create it (`createdb NAME`), or correct the address"
    elif turned_away:
        what, hint = (
            f"does not let that user in: {reason}",
            ("correct the user in the address, or have the server's administrator let it in"),
        )
    else:
        return unreachable(address.shown, outage(error))
    return StoreError(f"the store {address.shown} {what}", hint=hint)


def translated(error: Exception, address: PostgresAddress) -> StoreError:
    """Turn an error of psycopg, or of decoding what was read, into a StoreError."""
    if isinstance(error, UnicodeError):
        return StoreError(f"a text is not Unicode: {error}", hint="remove its lone surrogates")
    if isinstance(error, OverflowError):
        return too_large(address.shown)
    if isinstance(error, Damaged):
        return damaged(address.shown, error)
    assert isinstance(error, psycopg.Error)  # noqa: S101  # for the type checker
    reason = said_by(error)
    if isinstance(
        error,
        (errors.DataCorrupted, errors.IndexCorrupted, errors.UndefinedTable, errors.UndefinedColumn),
    ):
        return damaged(address.shown, reason)
    what, hint = _words(error, reason, address)
    return StoreError(f"the store {address.shown} {what}", hint=hint)


def _words(error: psycopg.Error, reason: str, address: PostgresAddress) -> tuple[str, str]:
    user, schema = address.options.get("user", "the user"), address.schema
    if isinstance(error, errors.InsufficientPrivilege):
        return f"does not allow that: {reason}", (
            f"its owner grants it: GRANT USAGE ON SCHEMA {schema} TO {user};"
            f" GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {user};"
            f" GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {user}"
        )
    if isinstance(error, errors.ReadOnlySqlTransaction):
        return f"cannot be written: {reason}", "name the primary server in the address, not a standby"
    if isinstance(error, (errors.LockNotAvailable, errors.DeadlockDetected)):
        return f"is locked: {reason}", f"{UNCHANGED}; try again when the other process is done"
    if isinstance(error, errors.QueryCanceled):
        longer = (
            "give it longer in the address, ?answers_within=120 (seconds), unless the server's own"
            " statement_timeout is shorter"
        )
        if "user request" in reason:  # the server may say it in another language
            return f"stopped that on an administrator's request: {reason}", f"{UNCHANGED}; try again"
        if "timeout" in reason:
            return f"took too long: {reason}", f"{UNCHANGED}; {longer}"
        return f"has stopped that: {reason}", f"{UNCHANGED}; try again, or, where it took too long, {longer}"
    if isinstance(error, (errors.DiskFull, errors.OutOfMemory)):
        return f"cannot grow: {reason}", f"free some space on the server and try again; {_SAFE}"
    if isinstance(error, (errors.ProgramLimitExceeded, errors.DataError)):
        return f"cannot hold that: {reason}", "keep big data in files, and their paths in the state"
    return f"failed: {type(error).__name__}: {reason}", f"look at the server's log; {_SAFE}"


OLDEST_SERVER = 13
"""The oldest PostgreSQL that has all that is used here."""

_LOCK = 0x53544750
"""``STGP``: making or changing tables takes this lock, so that two that open a new store do not collide."""

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
    """Create the tables, or migrate older ones, where they are not the current ones.

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
    """Create the schema, unless an administrator has, and the table of its version."""
    if not connection.execute("SELECT FROM pg_namespace WHERE nspname = $1", (name,)).fetchall():
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(name)))
    connection.execute(b"CREATE TABLE schema_version(version integer NOT NULL)")
    connection.execute(b"INSERT INTO schema_version VALUES (0)")


def _who_may(connection: psycopg.Connection, schema: str) -> str:
    user = connection.info.user
    return f"have the database's owner run: CREATE SCHEMA {schema} AUTHORIZATION {user}"


CHANNEL = "stepgraph"
"""The channel that announces commits; the payload is the schema."""

_SESSION = """\
SET search_path = {schema};
SET default_transaction_isolation = 'read committed';
SET extra_float_digits = 1;
SET jit = off;
SET lock_timeout = '10s';
SET idle_in_transaction_session_timeout = '60s'"""

_ESCAPE = "\x10"
_ESCAPED = re.compile("\x10(.)")
_PLAIN = {"0": "\x00", "1": _ESCAPE}

# A pipeline that was cut is reported as an outage; psycopg's own warning would land on the app's screen.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

_inherited: list[psycopg.Connection[Any]] = []
"""Connections of the process that this one is a fork of: to close one would end that process's session."""


class _TextDumper(StrDumperUnknown):
    """Writes NUL, which PostgreSQL refuses in texts, as two other characters; ``plain`` reads them back."""

    def dump(self, obj: str) -> bytes:
        """Encode a text; JSON has no control characters, and stays as it is."""
        if "\x00" in obj or _ESCAPE in obj:
            obj = obj.replace(_ESCAPE, _ESCAPE + "1").replace("\x00", _ESCAPE + "0")
        return obj.encode()


def plain(columns: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the texts that were read as they were written (see ``_TextDumper``)."""
    if any(type(value) is str and _ESCAPE in value for value in columns):
        return tuple(map(_unescaped, columns))
    return columns


def _unescaped(value: Any) -> Any:
    return _ESCAPED.sub(lambda found: _PLAIN.get(found[1], found[0]), value) if type(value) is str else value


class Link:
    """The connection of a store.

    Args:
        address: Where to.
    """

    def __init__(self, address: PostgresAddress) -> None:
        self.news = True
        """Whether somebody else may have committed something since this was last set to False."""
        self._address = address
        self._patience = patience_for(address.answers_within)
        self._connection: AnsweringConnection[Any] | None = None
        self._listens = False
        self.made = 0
        """How many connections there were: a server that may have lost something has cut the one before."""

    def set_patience(self, seconds: float) -> None:
        """Set the seconds of silence after which the connection is given up."""
        self._patience = seconds
        if self._connection is not None:
            self._connection.patience = seconds

    def is_cut_by(self, error: psycopg.Error) -> bool:
        """Check whether an error means that there is no connection any more, or that none could be made."""
        return is_cut(error, self._connection)

    def connection(self) -> AnsweringConnection[Any]:
        """Return the connection, and make one where there is none.

        Raises:
            psycopg.Error: The server does not answer.
            StoreError: It is too old, or its tables are of a newer version.
        """
        connection = self._connection
        if connection is None:
            connection = self._connection = self._connect()
        elif connection.info.transaction_status is not TransactionStatus.IDLE:
            connection.rollback()  # a Ctrl-C between BEGIN and the block leaves one open
        return connection

    def current(self) -> AnsweringConnection[Any]:
        """Return the connection as it is: there may be a transaction on it."""
        return self._connection or self.connection()

    def drop(self) -> None:
        """Close the connection; the next one who needs it makes another."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def leave_to_parent(self) -> None:
        """Forget the connection in a forked process, without a word to the server."""
        if self._connection is not None:
            _inherited.append(self._connection)
            self._connection = None

    def listen(self) -> None:
        """Take what the server has told meanwhile, from the first call on; it is not asked."""
        connection = self.connection()
        if not self._listens:
            connection.execute(f'LISTEN "{CHANNEL}"'.encode())
            self._listens = self.news = True
        connection.pgconn.consume_input()
        while (notice := connection.pgconn.notifies()) is not None:
            self._hear(notice.be_pid, notice.extra)

    def _connect(self) -> AnsweringConnection[Any]:
        address = self._address
        connection: AnsweringConnection[Any] = AnsweringConnection.connect(
            **{**address.options, "client_encoding": "utf8"},
            autocommit=True,
            prepare_threshold=2,
            cursor_factory=psycopg.RawCursor,
        )
        connection.patience = self._patience
        try:
            connection.adapters.register_dumper(str, _TextDumper)
            connection.adapters.register_dumper(int, Int8BinaryDumper)
            check_server(connection, address)
            connection.execute(sql.SQL(_SESSION).format(schema=sql.Identifier(address.schema)))
            connection.execute(limit_statements(address.answers_within).encode())
            make_current(connection, address)
        except BaseException:
            connection.close()
            raise
        connection.add_notify_handler(
            lambda told: self._hear(told.pid, told.payload.encode())
        )  # what comes along with an answer
        self.news, self._listens = True, False
        self.made += 1
        return connection

    def _hear(self, pid: int, payload: bytes) -> None:
        connection = self._connection
        if payload.decode() == self._address.schema and (
            connection is None or pid != connection.pgconn.backend_pid
        ):
            self.news = True
