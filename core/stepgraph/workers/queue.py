"""What everybody may ask of the workers of a store: to drive a run, and which of them is at what."""
# ruff: noqa: S608  # they are put together from constants

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql
from psycopg.rows import DictRow, dict_row

from ..stores.outages import unreachable
from ..stores.postgres.address import PostgresAddress, read_address
from ..stores.postgres.answering import AnsweringConnection, patience_for
from ..stores.postgres.errors import is_cut, outage, refused, translated
from ..values.errors import Conflict
from .schema import has_workers, make_worker_tables

_HEARD_OF = """(
    SELECT workers.id, name FROM workers JOIN procrastinate_workers AS heard USING (id)
    WHERE heard.last_heartbeat >= now() - make_interval(secs => lease)
) AS worker"""
"""The workers whose lease is not over: the runs of others are soon taken over."""
_RUNS = f"""
SELECT worker_runs.run, runs.status, trouble, worker.name AS worker, job.status AS job,
    extract(epoch FROM greatest(job.scheduled_at - now(), interval '0')) AS wait
FROM worker_runs JOIN runs ON runs.id = worker_runs.run
LEFT JOIN procrastinate_jobs AS job
    ON job.lock = worker_runs.run AND job.status IN ('todo', 'doing', 'failed')
LEFT JOIN {_HEARD_OF} ON worker.id = job.worker_id AND job.status = 'doing'
ORDER BY job.status DESC"""  # what is being done comes last, and so is what is said of a run
_WORKERS = """
SELECT workers.id, name, host, pid, processes, extract(epoch FROM now() - last_heartbeat) AS silent, lease,
    array(SELECT lock FROM procrastinate_jobs WHERE worker_id = workers.id AND status = 'doing') AS runs
FROM workers JOIN procrastinate_workers USING (id) ORDER BY name, id"""

_AT_IT = f"""
SELECT name FROM procrastinate_jobs LEFT JOIN {_HEARD_OF} ON worker.id = worker_id WHERE lock = %s"""


@dataclass(frozen=True, slots=True)
class QueuedRun:
    """A run that workers drive, as the queue has it."""

    run: str
    status: str
    """The run's own status."""
    job: str | None
    """``todo``: it waits for a worker; ``doing``; ``failed``: none could read it; None: nothing is to do."""
    worker: str | None
    """Who is at it; None where nobody is, or nothing was heard of it for its lease."""
    wait: float
    """In how many seconds it is tried again, where a worker could not run it; 0 for at once."""
    trouble: str
    """What kept a worker from running it, and which one; empty for nothing."""

    @property
    def words(self) -> str:
        """How it stands in the queue, in words; empty where nothing is to do."""
        if self.job == "doing":
            gone = "its worker is gone; another one takes it over"
            return f"running on worker {self.worker}" if self.worker else gone
        if self.job == "failed":
            return "no worker can read it"
        if self.job == "todo":
            return f"tried again in {self.wait:.0f} s" if self.wait else "waits for a worker"
        return ""


@dataclass(frozen=True, slots=True)
class LivingWorker:
    """A worker that has not said that it left."""

    name: str
    host: str
    pid: int
    processes: int
    silent: float
    """For how many seconds nothing was heard of it."""
    lease: float
    runs: tuple[str, ...]
    """What it is at."""

    @property
    def is_lost(self) -> bool:
        """Whether others take its runs over."""
        return self.silent > self.lease


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
        """Make the tables of workers where there are none, beside those of the store, which was opened.

        Raises:
            StoreError: The database cannot be used.
        """
        with self._connected() as connection:
            make_worker_tables(connection, self._address)

    def enroll(self, run_id: str) -> None:
        """Hand a run to the workers, which drive it from now on; once it is theirs this changes nothing.

        Raises:
            StoreError: The database cannot be used.
        """
        with self._connected() as connection:
            make_worker_tables(connection, self._address)
            connection.execute("INSERT INTO worker_runs(run) VALUES (%s) ON CONFLICT DO NOTHING", (run_id,))

    def retry(self, run_id: str, version: int) -> None:
        """Have a worker retry a run that has failed at a version."""
        with self._connected() as connection:
            make_worker_tables(connection, self._address)
            with connection.transaction():
                insert = "INSERT INTO worker_runs(run) VALUES (%s) ON CONFLICT DO NOTHING"
                connection.execute(insert, (run_id,))
                how = json.dumps({"failed_at": version})
                connection.execute("SELECT defer_run(%s, %s)", (run_id, how))

    def withdraw(self, run_id: str) -> bool:
        """Take a run from the workers; False where they do not drive it.

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
                ends = f"end it with `stepgraph runs stop {run_id}`"
                if found["name"] is None:
                    message = f"the worker that was at run {run_id!r} is gone; nothing was changed"
                    raise Conflict(message, hint=f"start a worker, which takes it over, or {ends}")
                raise Conflict(
                    f"worker {found['name']} is at run {run_id!r}; nothing was changed",
                    hint=f"wait until it pauses or ends, or {ends}",
                )
            connection.execute("DELETE FROM worker_runs WHERE run = %s", (run_id,))
            return True

    def runs(self) -> dict[str, QueuedRun]:
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


def _queued(row: dict[str, Any]) -> QueuedRun:
    trouble = json.loads(row["trouble"]) if row["trouble"] else None
    told = f"worker {trouble['worker']}: {trouble['what']}" if trouble else ""
    return QueuedRun(row["run"], row["status"], row["job"], row["worker"], float(row["wait"] or 0), told)


def _worker(row: dict[str, Any]) -> LivingWorker:
    numbers = int(row["pid"]), int(row["processes"]), float(row["silent"]), float(row["lease"])
    return LivingWorker(row["name"], row["host"], *numbers, tuple(row["runs"]))
