"""What everybody may ask of the workers of a store: to drive a run, and which of them is at what."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import metadata
from math import inf
from pathlib import Path
from typing import Any

import psycopg
from procrastinate.connector import BaseAsyncConnector, Notify
from procrastinate.schema import SchemaManager
from psycopg import sql
from psycopg.rows import DictRow, dict_row

from ...stores.engines import DrivenRun, LivingWorker, at_work
from ...stores.serving import unreachable
from ...values.errors import Conflict, StoreError
from ..postgres.address import PostgresAddress, read_address
from ..postgres.connection import (
    AnsweringAsyncConnection,
    AnsweringConnection,
    is_cut,
    outage,
    patience_for,
    refused,
    translated,
)

_FIRST_WAIT = 0.1
_LONGEST_WAIT = 2.0

_Connection = AnsweringAsyncConnection[DictRow]


class PatientConnector(BaseAsyncConnector):
    """What procrastinate's job manager asks the database through: one connection, made again when it is cut.

    What was asked when it was cut is asked again, so it must bear to be done twice.

    Args:
        address: Where to.
        tell: Hears that the server does not answer, and that it does again.
        patience: After how many seconds without a word another connection is tried at the latest.
    """

    def __init__(self, address: PostgresAddress, tell: Callable[[str], None], patience: float = inf) -> None:
        self._address, self._tell = address, tell
        self._patience = min(patience_for(address.answers_within), patience)
        self._connection: _Connection | None = None
        self._turn = asyncio.Lock()
        self._is_down = False

    async def execute_query_async(self, query: Any, **arguments: Any) -> None:
        """Ask for nothing but that it is done."""
        await self.ask(query, arguments)

    async def execute_query_one_async(self, query: Any, **arguments: Any) -> dict[str, Any]:
        """Ask for one row."""
        return (await self.ask(query, arguments))[0]

    async def execute_query_all_async(self, query: Any, **arguments: Any) -> list[dict[str, Any]]:
        """Ask for all rows."""
        return await self.ask(query, arguments)

    async def ask(self, query: Any, arguments: dict[str, Any] | None = None) -> list[dict[str, Any]]:
        """Ask the server, however long it takes to answer again.

        Raises:
            psycopg.Error: It refuses what it was asked.
        """
        wait = _FIRST_WAIT
        while True:
            async with self._turn:
                connection = self._connection
                try:
                    if connection is None:
                        connection = self._connection = await self._connect()
                    cursor = await connection.execute(query, arguments)
                    rows = await cursor.fetchall() if cursor.description else []
                except psycopg.Error as error:
                    if connection is not None and not connection.closed:
                        raise
                    self._connection = None
                    self._tell_down(error)
                else:
                    self._tell_up()
                    return rows
            await asyncio.sleep(wait)
            wait = min(2 * wait, _LONGEST_WAIT)

    async def listen_notify(self, on_notification: Notify, channels: Iterable[str]) -> None:
        """Listen for notifications of the server, until the connection is cut and it answers again."""
        try:
            async with await self._connect() as connection:
                for channel in channels:
                    await connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
                while True:
                    async for notice in connection.notifies(timeout=self._patience / 2):
                        await on_notification(channel=notice.channel, payload=notice.payload)
                    await connection.execute("SELECT 1")  # silent for long: does it still answer?
        except psycopg.Error:
            await asyncio.sleep(_FIRST_WAIT)
            await self.ask("SELECT 1")

    async def close_async(self) -> None:
        """Close the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    async def _connect(self) -> _Connection:
        options = {**self._address.options, "client_encoding": "utf8"}
        connection = await _Connection.connect(**options, autocommit=True, row_factory=dict_row)
        connection.patience = self._patience
        await connection.execute(sql.SQL("SET search_path = {}").format(sql.Identifier(self._address.schema)))
        return connection

    def _tell_down(self, error: psycopg.Error) -> None:
        if not self._is_down:
            self._is_down = True
            self._tell(f"waiting for the store {self._address.shown}: it {outage(error)}")

    def _tell_up(self) -> None:
        if self._is_down:
            self._is_down = False
            self._tell(f"the store {self._address.shown} answers again")


_LOCK = 0x53544757
"""``STGW``: whoever makes the tables holds this lock."""

_MIGRATIONS = (
    """
    CREATE TABLE worker_runs(  -- the runs that workers drive
        run text PRIMARY KEY REFERENCES runs(id) ON DELETE CASCADE,
        trouble text  -- JSON: what kept a worker from advancing it
    );
    CREATE TABLE workers(
        id bigint PRIMARY KEY REFERENCES procrastinate_workers(id) ON DELETE CASCADE,
        name text NOT NULL,
        host text NOT NULL,
        pid bigint NOT NULL,
        processes bigint NOT NULL,
        lease double precision NOT NULL  -- the seconds after which others take its runs over
    );
    CREATE FUNCTION defer_run(run_id text, how jsonb) RETURNS void
        LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
        PERFORM procrastinate_defer_jobs_v1(ARRAY[ROW(
            current_schema(), 'stepgraph.advance', 0, run_id, run_id, how, NULL
        )]::procrastinate_job_to_defer_v1[]);
    EXCEPTION WHEN unique_violation THEN NULL;  -- it waits for a worker already
    END $$;
    -- Only of the worker that has it, or had it when it was looked for: another one may have taken it since.
    CREATE FUNCTION put_back(job bigint, worker bigint, seconds double precision) RETURNS boolean
        LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
        UPDATE procrastinate_jobs
            SET status = 'todo', worker_id = NULL, abort_requested = false, attempts = attempts + 1,
                scheduled_at = now() + make_interval(secs => seconds)
            WHERE id = job AND status = 'doing' AND worker_id IS NOT DISTINCT FROM worker;
        RETURN FOUND;
    EXCEPTION WHEN unique_violation THEN  -- another job of the run waits already
        DELETE FROM procrastinate_jobs
            WHERE id = job AND status = 'doing' AND worker_id IS NOT DISTINCT FROM worker;
        RETURN FOUND;
    END $$;
    -- Whoever makes a run ready (a decision, more steps) hands it to the workers in the same transaction.
    CREATE FUNCTION run_moved() RETURNS trigger
        LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
        IF NEW.status = 'ready' THEN
            PERFORM defer_run(run, '{}') FROM worker_runs WHERE run = NEW.id;
        ELSIF NEW.outcome = 'stopped' THEN
            PERFORM procrastinate_cancel_job_v1(id, true, true) FROM procrastinate_jobs
                WHERE lock = NEW.id AND status IN ('todo', 'doing');
        END IF;
        RETURN NULL;
    END $$;
    CREATE TRIGGER run_moved AFTER UPDATE OF status ON runs
        FOR EACH ROW WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION run_moved();
    CREATE FUNCTION run_enrolled() RETURNS trigger
        LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
        PERFORM defer_run(id, '{}') FROM runs WHERE id = NEW.run AND status = 'ready';
        RETURN NULL;
    END $$;
    CREATE TRIGGER run_enrolled AFTER INSERT ON worker_runs
        FOR EACH ROW EXECUTE FUNCTION run_enrolled();
    """,
)


def has_workers(connection: psycopg.Connection[DictRow], address: PostgresAddress) -> bool:
    """Check whether the store has the tables of workers: no worker was ever started on one that has not."""
    # No to_regclass: within a transaction it may go on to say that there is none when somebody has made it.
    table = "SELECT FROM pg_tables WHERE schemaname = %s AND tablename = 'worker_schema'"
    return connection.execute(table, (address.schema,)).fetchone() is not None


def make_worker_tables(connection: psycopg.Connection[DictRow], address: PostgresAddress) -> None:
    """Create the tables of workers, and procrastinate's, or migrate those of older versions.

    Raises:
        StoreError: A newer Stepgraph or procrastinate has made them, or the user may not make them.
    """
    found, queue = _versions(connection, address)
    if found == len(_MIGRATIONS) and not migrations_since(queue):
        return
    try:
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            found, queue = _versions(connection, address)  # somebody else may have made them meanwhile
            if not found:
                connection.execute(SchemaManager.get_schema().encode())
                connection.execute("CREATE TABLE worker_schema(version integer NOT NULL, procrastinate text)")
                connection.execute("INSERT INTO worker_schema VALUES (0, %s)", (_migrations()[-1].name,))
            for script in _MIGRATIONS[found:]:
                connection.execute(script.encode())
            connection.execute("UPDATE worker_schema SET version = %s", (len(_MIGRATIONS),))
        _carry_queue_forward(connection, address)
    except psycopg.errors.InsufficientPrivilege as error:
        raise StoreError(
            f"the tables of workers cannot be made in {address.shown}: {error.diag.message_primary}",
            hint=f"start a worker once as the owner of the schema {address.schema}",
        ) from error


def _carry_queue_forward(connection: psycopg.Connection[DictRow], address: PostgresAddress) -> None:
    """Apply those of procrastinate's migrations that its tables lack, one after the other.

    Each is a transaction of its own: one may add a value to a type, which only the next one can use.
    """
    while True:
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            _, queue = _versions(connection, address)
            pending = migrations_since(queue)
            if not pending:
                return
            connection.execute(pending[0].read_text(encoding="utf-8").encode())
            connection.execute("UPDATE worker_schema SET procrastinate = %s", (pending[0].name,))


def migrations_since(queue: str) -> list[Path]:
    """List the migrations that tables of procrastinate lack, in order.

    Args:
        queue: Their last migration, or the version of procrastinate that has made them.
    """
    return [path for path in _migrations() if _place(path.name) > _place(queue)]


@cache
def _migrations() -> list[Path]:
    """List the migrations that the procrastinate on this machine brings along."""
    return sorted(Path(SchemaManager.get_migrations_path()).glob("*.sql"), key=lambda path: _place(path.name))


def _place(named: str) -> tuple[float, ...]:
    """Find the place of a migration (``03.04.00_50_...``), or after those of a version (``3.10.0``)."""
    version, _, rest = named.partition("_")
    number = rest.partition("_")[0]
    parts = [int(part) if part.isdigit() else 0 for part in version.split(".")[:3]]
    return (*parts, *[0] * (3 - len(parts)), int(number) if number.isdigit() else inf)


def _versions(connection: psycopg.Connection[DictRow], address: PostgresAddress) -> tuple[int, str]:
    """Read the version of our tables, 0 where there are none, and how far procrastinate's are.

    Raises:
        StoreError: Either is newer than what is installed here.
    """
    installed = metadata.version("procrastinate")
    if not has_workers(connection, address):
        return 0, installed
    row = connection.execute("SELECT version, procrastinate FROM worker_schema").fetchone()
    version, queue = (0, installed) if row is None else (int(row["version"]), str(row["procrastinate"] or ""))
    if version > len(_MIGRATIONS):
        raise StoreError(
            f"the tables of workers in {address.shown} were made by a newer Stepgraph"
            f" (version {version}, this one knows {len(_MIGRATIONS)})",
            hint="upgrade Stepgraph on this machine",
        )
    if _place(queue) > _place(installed):
        raise StoreError(
            f"the queue of workers in {address.shown} is of a newer procrastinate"
            f" ({queue.partition('_')[0]}, this machine has {installed})",
            hint="upgrade it on this machine: pip install -U procrastinate",
        )
    return version, queue


# ruff: noqa: S608  # they are put together from constants


_HEARD_OF = """(
    SELECT workers.id, name FROM workers JOIN procrastinate_workers AS heard USING (id)
    WHERE heard.last_heartbeat >= now() - make_interval(secs => lease)
) AS worker"""
"""The workers whose lease is not over: the runs of others are soon taken over."""
_RUNS = f"""
SELECT worker_runs.run, trouble, worker.name AS worker, job.status AS job,
    extract(epoch FROM greatest(job.scheduled_at - now(), interval '0')) AS wait
FROM worker_runs JOIN runs ON runs.id = worker_runs.run
LEFT JOIN procrastinate_jobs AS job
    ON job.lock = worker_runs.run AND job.status IN ('todo', 'doing', 'failed')
LEFT JOIN {_HEARD_OF} ON worker.id = job.worker_id AND job.status = 'doing'
ORDER BY job.status DESC"""  # what is being done comes last, and so decides what a run is reported as
_WORKERS = """
SELECT workers.id, name, host, pid, processes, extract(epoch FROM now() - last_heartbeat) AS silent, lease,
    array(SELECT lock FROM procrastinate_jobs WHERE worker_id = workers.id AND status = 'doing') AS runs
FROM workers JOIN procrastinate_workers USING (id) ORDER BY name, id"""

_AT_IT = f"""
SELECT name FROM procrastinate_jobs LEFT JOIN {_HEARD_OF} ON worker.id = worker_id WHERE lock = %s"""


class WorkerQueue:
    """The queue of a store on PostgreSQL.

    Args:
        address: The store's address, with its password.

    Raises:
        StoreError: The address cannot be read.
    """

    def __init__(self, address: str | PostgresAddress) -> None:
        self._address = read_address(address) if isinstance(address, str) else address

    def prepare(self) -> None:
        """Create the tables of workers where there are none, beside those of the store, which was opened.

        Raises:
            StoreError: The database cannot be used.
        """
        with self._connected() as connection:
            make_worker_tables(connection, self._address)

    def enroll(self, run_id: str) -> None:
        """Hand a run to the workers, which drive it from now on; a run that is theirs already is left alone.

        Raises:
            StoreError: The database cannot be used.
        """
        with self._connected() as connection:
            make_worker_tables(connection, self._address)
            connection.execute("INSERT INTO worker_runs(run) VALUES (%s) ON CONFLICT DO NOTHING", (run_id,))

    def retry(self, run_id: str, version: int) -> None:
        """Ask a worker to retry a run that has failed at a version."""
        with self._connected() as connection:
            make_worker_tables(connection, self._address)
            with connection.transaction():
                insert = "INSERT INTO worker_runs(run) VALUES (%s) ON CONFLICT DO NOTHING"
                connection.execute(insert, (run_id,))
                how = json.dumps({"failed_at": version})
                connection.execute("SELECT defer_run(%s, %s)", (run_id, how))

    def withdraw(self, run_id: str) -> bool:
        """Withdraw a run from the workers; False where they do not drive it.

        Raises:
            Conflict: One of them is at it.
        """
        with self._connected() as connection, connection.transaction():
            if not has_workers(connection, self._address):
                return False
            theirs = "SELECT run FROM worker_runs WHERE run = %s FOR UPDATE"
            if connection.execute(theirs, (run_id,)).fetchone() is None:
                return False
            connection.execute(
                "DELETE FROM procrastinate_jobs WHERE lock = %s AND status <> 'doing'", (run_id,)
            )
            found = connection.execute(_AT_IT, (run_id,)).fetchone()
            if found is not None:
                if found["name"] is not None:
                    raise at_work(found["name"], run_id)
                raise Conflict(
                    f"the worker that was at run {run_id!r} is gone; nothing was changed",
                    hint="start a worker, which takes it over,"
                    f" or end it with `stepgraph runs stop {run_id}`",
                )
            connection.execute("DELETE FROM worker_runs WHERE run = %s", (run_id,))
            return True

    def wake(self, run_id: str) -> None:
        """Do nothing: the database itself notifies the workers when a run is moved."""

    def run_of(self, run_id: str) -> DrivenRun | None:
        """Find how a run stands; None where workers do not drive it."""
        return self.runs().get(run_id)

    def ids(self) -> Collection[str]:
        """List the runs that workers drive."""
        return self.runs().keys()

    def runs(self) -> dict[str, DrivenRun]:
        """Find how each run stands that workers drive."""
        with self._connected() as connection:
            if not has_workers(connection, self._address):
                return {}
            return {row["run"]: _queued(row) for row in connection.execute(_RUNS)}

    def workers(self) -> list[LivingWorker]:
        """List the workers."""
        with self._connected() as connection:
            if not has_workers(connection, self._address):
                return []
            rows = connection.execute(_WORKERS).fetchall()
        return [_worker(row) for row in rows]

    @contextmanager
    def _connected(self) -> Iterator[psycopg.Connection[DictRow]]:
        address = self._address
        options: dict[str, Any] = {**address.options, "client_encoding": "utf8"}
        try:
            connection = AnsweringConnection.connect(**options, autocommit=True, row_factory=dict_row)
        except psycopg.Error as error:
            raise refused(error, address) from error
        connection.patience = patience_for(address.answers_within)
        try:
            with connection:
                connection.execute(sql.SQL("SET search_path = {}").format(sql.Identifier(address.schema)))
                yield connection
        except psycopg.Error as error:
            if is_cut(error, connection):
                raise unreachable(address.shown, outage(error)) from error
            raise translated(error, address) from error


def _queued(row: dict[str, Any]) -> DrivenRun:
    trouble = json.loads(row["trouble"]) if row["trouble"] else None
    text = f"worker {trouble['worker']}: {trouble['what']}" if trouble else ""
    return DrivenRun(row["run"], row["job"], row["worker"], float(row["wait"] or 0), text)


def _worker(row: dict[str, Any]) -> LivingWorker:
    where = f"{row['host']}, process {row['pid']}, runs {row['processes']} at once"
    return LivingWorker(row["name"], where, float(row["silent"]), float(row["lease"]), tuple(row["runs"]))


def engine_at(address: str | PostgresAddress) -> WorkerQueue:
    """Build the queue of a store."""
    return WorkerQueue(address)
