"""The tables of workers: procrastinate's and ours, beside those of the store."""

from __future__ import annotations

from functools import cache
from importlib import metadata
from math import inf
from pathlib import Path

import psycopg
from procrastinate.schema import SchemaManager
from psycopg.rows import DictRow

from ..stores.postgres.address import PostgresAddress
from ..values.errors import StoreError

_LOCK = 0x53544757
"""``STGW``: who makes the tables holds this lock."""

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
    """Tell whether the store has the tables of workers: no worker was ever started on one that has not."""
    # No to_regclass: within a transaction it may go on to say that there is none when somebody has made it.
    table = "SELECT FROM pg_tables WHERE schemaname = %s AND tablename = 'worker_schema'"
    return connection.execute(table, (address.schema,)).fetchone() is not None


def make_worker_tables(connection: psycopg.Connection[DictRow], address: PostgresAddress) -> None:
    """Make the tables of workers, and procrastinate's, or carry those of older versions forward.

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
    """Find the place of a migration (``03.04.00_50_...``), or behind those of a version (``3.10.0``)."""
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
