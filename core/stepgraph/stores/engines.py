"""Engines: what drives runs beside the process that started them, and who drives which run.

The queue of workers is in a store on PostgreSQL itself; Temporal is a server beside any store that others
reach. Which one new runs are handed to, ``STEPGRAPH_ENGINE`` says. Nothing else knows which it is.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Literal, Protocol, cast
from urllib.parse import quote

from ..values.errors import Conflict, StoreError

if TYPE_CHECKING:
    from .base import StateStore

ENGINE = "STEPGRAPH_ENGINE"
"""The environment variable that names the engine: ``queue`` or ``temporal://HOST:PORT/NAMESPACE``."""

_QUEUE = "..extras.workers.queue", "procrastinate", "postgres"
_TEMPORAL = "..extras.temporal.engine", "temporalio", "temporal"

JobState = Literal["todo", "doing", "failed"]


@dataclass(frozen=True, slots=True)
class DrivenRun:
    """A run that workers drive, as their engine has it."""

    run: str
    job: JobState | None
    """``todo``: it waits for a worker; ``doing``; ``failed``: none could read it; None: nothing is to do."""
    worker: str | None
    """Who is at it; None where nobody is, or nothing was heard of it for its lease."""
    wait: float = 0.0
    """In how many seconds it is tried again, where a worker could not run it; 0 for at once."""
    trouble: str = ""
    """What kept a worker from running it, and which one; empty for nothing."""
    engine: str = "the queue"
    """What drives it, as people call it."""

    @property
    def words(self) -> str:
        """How it is there, in words; empty where nothing is to do."""
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
    where: str
    """Its host, its process and how many runs it advances at once, in words; empty where nobody has told."""
    silent: float
    """For how many seconds nothing was heard of it."""
    lease: float
    runs: tuple[str, ...]
    """What it is at; empty where only the runs tell."""

    @property
    def is_lost(self) -> bool:
        """Whether others take its runs over."""
        return self.silent > self.lease


class Engine(Protocol):
    """What runs can be handed to; every method may raise ``StoreError``: it does not answer."""

    def prepare(self) -> None:
        """Prepare it for runs to be handed over."""
        ...

    def enroll(self, run_id: str) -> None:
        """Hand a run to the workers, which drive it from now on; a run that is theirs already is left alone.

        Raises:
            Conflict: Another engine drives it.
        """
        ...

    def retry(self, run_id: str, version: int) -> None:
        """Ask a worker to retry a run that has failed at a version."""
        ...

    def withdraw(self, run_id: str) -> bool:
        """Withdraw a run from the workers; False where they do not drive it.

        Raises:
            Conflict: One of them is at it.
        """
        ...

    def wake(self, run_id: str) -> None:
        """Notify the engine that a run was decided, stopped or changed."""
        ...

    def run_of(self, run_id: str) -> DrivenRun | None:
        """Find how a run stands; None where they do not drive it."""
        ...

    def ids(self) -> Collection[str]:
        """List the runs that workers drive."""
        ...

    def runs(self) -> dict[str, DrivenRun]:
        """Find how each run stands that workers drive."""
        ...

    def workers(self) -> list[LivingWorker]:
        """List the workers."""
        ...


def engine_name() -> str:
    """Find which engine was named; empty for none."""
    return os.environ.get(ENGINE, "").strip()


def is_temporal(name: str) -> bool:
    """Check whether an engine's name is that of Temporal: ``temporal``, alone or as an address."""
    return name.partition(":")[0].lower() == "temporal"


@contextmanager
def named_engine(name: str | None, queue: str | None) -> Iterator[None]:
    """Set the named engine, here and in what is started from here.

    Args:
        name: Its name; what was named before when None.
        queue: The task queue of Temporal's that runs are handed to; the one of the name when None.

    Raises:
        StoreError: A task queue was given, and the engine has none.
    """
    before = engine_name()
    wanted = before if name is None else name
    if queue is not None:
        if not is_temporal(wanted):
            raise StoreError(
                "only Temporal has task queues", hint="add --engine temporal, or leave out --queue"
            )
        base = wanted.partition("?")[0]
        wanted = f"{base}{'' if ':' in base else ':'}?queue={quote(queue, safe='')}"
    os.environ[ENGINE] = wanted
    try:
        yield
    finally:
        os.environ[ENGINE] = before


def engine_for(address: str) -> Engine:
    """Find what runs of a store are handed to.

    Args:
        address: The store's address, with its password.

    Raises:
        StoreError: There is no such engine, or it cannot drive the runs of this store.
    """
    name = engine_name()
    if is_temporal(name):
        if address.startswith("memory:"):
            raise StoreError(
                "runs in memory cannot be handed over: no other process reaches them",
                hint="name a store with --store or STEPGRAPH_STORE",
            )
        return _open_engine(_TEMPORAL, name, address)
    if name not in ("", "queue"):
        raise StoreError(
            f"there is no engine {name!r}", hint="give --engine queue or temporal://HOST:PORT/NAMESPACE"
        )
    if not _has_queue(address):
        raise StoreError(
            "workers need a store on PostgreSQL, where all of them can reach it",
            hint="name one with --store postgresql://user@host/database or STEPGRAPH_STORE;"
            " or let Temporal drive the runs of any store: --engine temporal",
        )
    return _open_engine(_QUEUE, address)


def engines_of(url: str, address: object = None) -> list[Engine]:
    """List what may drive runs of a store: its queue, and the engine that was named.

    Args:
        url: The store's address.
        address: What its queue is reached by, where the address has no password.

    Raises:
        StoreError: An engine was named that cannot be used.
    """
    found = list[Engine]()
    if _has_queue(url):
        queue = _queue(address or url)
        found += [] if queue is None else [queue]
    if is_temporal(engine_name()):
        found.append(engine_for(url))
    return found


def engines_at(store: StateStore) -> list[Engine]:
    """List what may drive runs of an open store.

    Raises:
        StoreError: An engine was named that cannot be used.
    """
    return engines_of(store.url, getattr(store, "address", None))


def may_be_driven(url: str) -> bool:
    """Check, without loading anything, whether an engine may drive runs of a store."""
    return _has_queue(url) or is_temporal(engine_name())


def at_work(worker: str | None, run_id: str) -> Conflict:
    """Refuse to take a run from a worker that is at it."""
    return Conflict(
        f"worker {worker} is at run {run_id!r}; nothing was changed",
        hint=f"wait until it pauses or ends, or end it with `stepgraph runs stop {run_id}`",
    )


def hand_over(store: StateStore, engine: Engine, run_id: str, failed_at: int | None = None) -> None:
    """Hand a run to an engine, which drives it from now on.

    Args:
        store: The run's store.
        engine: What is to drive it.
        run_id: The run.
        failed_at: The version at which it has failed, and is to be retried; None for one that goes on.

    Raises:
        Conflict: Another engine drives it.
        StoreError: It does not answer.
    """
    for other in engines_at(store):
        if type(other) is not type(engine) and (theirs := other.run_of(run_id)) is not None:
            raise Conflict(
                f"{theirs.engine} drives run {run_id!r} already; nothing was changed",
                hint=f"take it back first, with `stepgraph resume {run_id}`",
            )
    if failed_at is None:
        engine.enroll(run_id)
    else:
        engine.retry(run_id, failed_at)


def is_driven(store: StateStore, run_id: str) -> bool:
    """Check whether workers drive a run: then nobody else is to.

    Raises:
        StoreError: Their engine does not answer.
    """
    return any(engine.run_of(run_id) is not None for engine in engines_at(store))


def driven(store: StateStore) -> Collection[str]:
    """List the runs that workers drive.

    Raises:
        StoreError: Their engine does not answer.
    """
    return {run for engine in engines_at(store) for run in engine.ids()}


def take_over(store: StateStore, run_id: str) -> bool:
    """Withdraw a run from the workers, so that whoever asks may drive it; False where they do not drive it.

    Raises:
        Conflict: One of them is at it.
        StoreError: Their engine does not answer.
    """
    return any(engine.withdraw(run_id) for engine in engines_at(store))


def wake(run_id: str) -> None:
    """Notify the named engine that a run was moved; without it the engine notices later."""
    name = engine_name()
    if name and is_temporal(name):
        with suppress(StoreError):
            _open_engine(_TEMPORAL, name, "").wake(run_id)


def _has_queue(address: str) -> bool:
    return address.lower().startswith(("postgresql:", "postgres:"))


def _queue(address: object) -> Engine | None:
    """Open the queue of a store; None without procrastinate: nobody here has handed anything over."""
    try:
        import_module(_QUEUE[0], __package__)
    except ImportError:
        return None
    return _open_engine(_QUEUE, address)


def _open_engine(engine: tuple[str, str, str], *addresses: object) -> Engine:
    module, package, extra = engine
    try:
        return cast(Engine, import_module(module, __package__).engine_at(*addresses))
    except ImportError as error:
        raise StoreError(
            f"workers need {package}, which cannot be imported: {error}",
            hint=f'pip install "stepgraph[{extra}]"',
        ) from error
