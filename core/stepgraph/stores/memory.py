"""Runs that live as long as the process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, Self, cast

from ..locks import Lock
from ..values.errors import StoreError
from ..values.json_values import Json, copy_json
from .audit import chained, entries_of
from .base import AuditEntry, BigValue, Damage, Listing, StoredReview, StoredRun
from .ledger import FORKED, Pointer, Row, RowKind, RunHead, RunStatus, definitions_named, replay
from .opening import closed, conflict, damaged, deleted, no_definition, no_review, run_exists, unknown_run
from .process_forks import register


def open_memory(address: str) -> MemoryStore:
    """Open a new, empty store; its address is ``memory:`` alone.

    Raises:
        StoreError: The address says more.
    """
    if address.partition(":")[2].strip("/"):
        raise StoreError(f"the store address {address!r} says more than memory:", hint="write memory: alone")
    return MemoryStore()


class _Run:
    """A run as it is kept: rows and pointers by reference, since nobody changes them afterwards."""

    __slots__ = ("head", "number", "pointer", "rows")

    def __init__(self, head: RunHead, pointer: Pointer, rows: list[Row], number: int) -> None:
        self.head = head
        self.pointer = pointer
        self.rows = rows
        self.number = number


class MemoryStore:
    """A store in memory: for tests, for trying out, and for runs that nobody needs tomorrow.

    It is gone with the process, and each one is a world of its own. A commit keeps a reference to
    the row and to the pointer and copies nothing; what is read is a copy.

    A Ctrl-C may come at any moment. So a step is recorded by one assignment, that of the pointer: rows
    after it count for nothing. Any other change is noted as a whole, by one assignment too, and then made;
    where it is cut off, the next call makes it again, before all else. To make one twice is to make it once.
    """

    url = "memory:"

    def __init__(self) -> None:
        self._lock = Lock()
        self._runs: dict[str, _Run] = {}
        self._definitions: dict[str, str] = {}
        self._reviews: dict[str, tuple[str, list[Row]]] = {}  # the run of each, and its rows
        self._audit: list[AuditEntry] = []
        self._changes = 0
        self._made = 0
        self._change: tuple[Callable[..., None], tuple[Any, ...]] | None = None
        """The change that is being made, and its arguments."""
        self._closed = False
        register(self)

    def before_fork(self) -> None:
        """Do nothing: the child's copy can continue from any point."""

    def after_fork(self, is_child: bool) -> None:
        """Take another lock in the child, whose copy is a store of its own from now on."""
        if is_child:
            self._lock = Lock()

    def create(
        self,
        run: StoredRun,
        rows: Sequence[Row],
        definition: str,
        forked: tuple[str, int] | None = None,
    ) -> None:
        """Add a run with its first rows; RunExists when there is one of that id."""
        head, pointer = run
        taken = [] if forked is None else self._forked(*forked)
        moved = (row if row.seq == seq else replace(row, seq=seq) for seq, row in enumerate(taken, 1))
        rows = [*moved, *rows]
        with self._lock:
            self._begin()
            if head.id in self._runs:
                raise run_exists(head.id)
            self._made += 1
            self._make(self._add, _Run(head, pointer, rows, self._made), definition)

    def _add(self, run: _Run, definition: str) -> None:
        self._runs[run.head.id] = run
        for row in run.rows:
            self._note_review(run.head.id, row)
        self._definitions[run.pointer.definition] = definition
        self._changes += 1

    def commit(
        self,
        run_id: str,
        row: Row,
        pointer: Pointer,
        values: Mapping[str, Json] | None = None,
        append_keys: frozenset[str] = frozenset(),
        definition: str | None = None,
        audit: Mapping[str, Json] | None = None,
    ) -> None:
        """Append one row and move the run, or raise Conflict or UnknownRun and change nothing."""
        with self._lock:
            if self._change is not None or self._closed:
                self._begin()
            run = self._runs.get(run_id)
            if run is None:
                raise deleted(run_id)
            if run.pointer.version != row.seq - 1:
                raise conflict(run_id, row.seq - 1, run.pointer.version)
            if row.review is None and definition is None and audit is None:
                run.rows[row.seq - 1 :] = (row,)
                self._changes += 1
                run.pointer = pointer
                return
            self._make(
                self._move, run, row, pointer, definition, [] if audit is None else self._links([audit])
            )

    def _move(
        self, run: _Run, row: Row, pointer: Pointer, definition: str | None, links: list[AuditEntry]
    ) -> None:
        run.rows[row.seq - 1 :] = (row,)
        run.pointer = pointer
        self._note_review(run.head.id, row)
        if definition is not None:
            self._definitions[pointer.definition] = definition
        self._enter(links)
        self._changes += 1

    def _make(self, change: Callable[..., None], *values: Any) -> None:
        """Apply a change, or leave it to the next call."""
        self._change = change, values
        change(*values)
        self._change = None

    def _begin(self) -> None:
        """Apply a change first that an interrupt has cut off; a closed store is refused.

        Raises:
            StoreError: The store is closed.
        """
        if self._change is not None:
            change, values = self._change
            self._make(change, *values)
        if self._closed:
            raise closed(self.url)

    def _links(self, entries: Iterable[Mapping[str, Json]]) -> list[AuditEntry]:
        """Build the links that continue the audit."""
        links = self._audit[-1:]
        for entry in entries:
            links.append(chained(links[-1] if links else None, _copied_table(entry)))
        return [link for link in links if link.number > len(self._audit)]

    def _enter(self, links: Iterable[AuditEntry]) -> None:
        self._audit += [link for link in links if link.number > len(self._audit)]

    def load(self, run_id: str) -> StoredRun:
        """Read the run's head and pointer."""
        with self._lock:
            run = self._run(run_id)
            return _stored(run)

    def values(self, run_id: str, seq: int) -> dict[str, Json]:
        """Rebuild the state after row ``seq`` from the first row on."""
        replayed = replay({}, self._rows(run_id, 0, seq))
        return cast(dict[str, Json], copy_json(replayed))

    def outline(self, run_id: str, seq: int) -> dict[str, Json | BigValue]:
        """Rebuild the state after row ``seq``: nothing is too big for what is in memory already."""
        return {**self.values(run_id, seq)}

    def big_value(self, run_id: str, hash_: str) -> Json:
        """Refuse every hash, for no outline has one."""
        raise damaged(self.url, f"the big value {hash_:.16} of run {run_id!r} is missing")

    def rows(
        self,
        run_id: str,
        after: int = 0,
        upto: int | None = None,
        kinds: Iterable[RowKind] | None = None,
        with_data: bool = False,
    ) -> list[Row]:
        """Copy the rows with ``after < seq <= upto``, of the given kinds, or those with data."""
        wanted = None if kinds is None else frozenset(kinds)
        found = self._rows(run_id, after, upto)
        return [
            _copied(row)
            for row in found
            if (wanted is None or row.kind in wanted) and (row.data is not None or not with_data)
        ]

    def measure_fork(self, run_id: str, upto: int) -> tuple[int, float]:
        """Count the rows that a fork takes over, and sum up how long their nodes ran."""
        rows = self._forked(run_id, upto)
        return len(rows), sum(row.duration for row in rows if row.kind == "step")

    def visits(self, run_id: str) -> dict[str, list[int]]:
        """Find for each visited node the sequence numbers of its step rows."""
        visits: dict[str, list[int]] = {}
        for row in self._rows(run_id, 0, None):
            if row.kind == "step":
                visits.setdefault(row.node or "", []).append(row.seq)
        return visits

    def runs(self, status: RunStatus | None = None, limit: int | None = None) -> Listing[StoredRun]:
        """List the runs, the last changed first."""
        with self._lock:
            self._begin()
            found = [run for run in self._runs.values() if status is None or run.pointer.status is status]
            found.sort(key=lambda run: (run.pointer.updated_at, run.number), reverse=True)
            return Listing(map(_stored, found[:limit]))

    def now(self) -> float | None:
        """Return None: there is no server, and so no clock but this machine's."""
        return None

    def stamp(self) -> object:
        """Return how many changes there were."""
        with self._lock:
            self._begin()
            return self._changes

    def versions(self) -> dict[str, int]:
        """Find the version of every run."""
        with self._lock:
            self._begin()
            return {run_id: run.pointer.version for run_id, run in self._runs.items()}

    def delete_runs(
        self, versions: Mapping[str, int], audit: Mapping[str, Mapping[str, Json]] | None = None
    ) -> list[str]:
        """Delete the runs that are still at these versions, with all that is theirs."""
        with self._lock:
            self._begin()
            found = {run_id: self._runs.get(run_id) for run_id in versions}
            gone = [
                run_id
                for run_id, run in found.items()
                if run is not None and run.pointer.version == versions[run_id]
            ]
            if gone:
                self._make(self._drop, gone, self._links(entries_of(gone, audit)))
            return gone

    def _drop(self, run_ids: list[str], links: Sequence[AuditEntry]) -> None:
        for run_id in run_ids:
            self._runs.pop(run_id, None)
        self._enter(links)
        self._reviews = {id_: kept for id_, kept in self._reviews.items() if kept[0] in self._runs}
        self._drop_unused_definitions()
        self._changes += 1

    def _drop_unused_definitions(self) -> None:
        used = {run.pointer.definition for run in self._runs.values()}
        for run in self._runs.values():
            used.update(hash_ for row in run.rows for hash_ in definitions_named(row))
        self._definitions = {hash_: text for hash_, text in self._definitions.items() if hash_ in used}

    def review(self, review_id: str) -> StoredReview | None:
        """Read a review's rows and where its run stands, both at one moment; None for none."""
        with self._lock:
            self._begin()
            found = self._reviews.get(review_id)
            if found is None:
                return None
            run_id, rows = found
            return StoredReview(_stored(self._runs[run_id]), [_copied(row) for row in rows])

    def reviews(self, pending: bool = True, limit: int | None = None) -> Listing[StoredReview]:
        """List the reviews that paused runs wait for, or all the others."""
        with self._lock:
            self._begin()
            waiting = {
                run.pointer.review or "": run
                for run in self._runs.values()
                if run.pointer.status is RunStatus.PAUSED
            }
            found = [
                (self._runs[run_id], rows)
                for id_, (run_id, rows) in self._reviews.items()
                if pending == (id_ in waiting and waiting[id_].head.id == run_id)
            ]
            if pending:
                found.sort(key=lambda item: (item[1][0].at, item[0].number))
            else:
                found.sort(key=lambda item: (item[1][-1].at, item[0].number, item[1][-1].seq), reverse=True)
            lost = [
                Damage(no_review(id_), run.head.id)
                for id_, run in waiting.items()
                if pending and id_ not in self._reviews
            ]
            reviews = [
                StoredReview(_stored(run), [_copied(row) for row in rows]) for run, rows in found[:limit]
            ]
            return Listing(reviews, lost)

    def audit(self, after: int = 0, limit: int | None = None) -> list[AuditEntry]:
        """Copy the entries of the audit after a number."""
        with self._lock:
            self._begin()
            links = self._audit[max(after, 0) :][:limit]
            return [link._replace(entry=_copied_table(link.entry)) for link in links]

    def audit_end(self) -> int:
        """Count the entries of the audit."""
        with self._lock:
            self._begin()
            return len(self._audit)

    def definition(self, hash_: str) -> str:
        """Read the JSON text of a definition."""
        with self._lock:
            self._begin()
            try:
                return self._definitions[hash_]
            except KeyError:
                raise no_definition(hash_, self.url) from None

    def close(self) -> None:
        """Forget everything; the store cannot be used afterwards."""
        with self._lock:
            self._closed = True
            self._runs.clear()
            self._definitions.clear()
            self._reviews.clear()
            self._audit.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _rows(self, run_id: str, after: int, upto: int | None) -> list[Row]:
        with self._lock:
            run = self._run(run_id)
            version = run.pointer.version
            return run.rows[after : version if upto is None else min(upto, version)]

    def _forked(self, run_id: str, upto: int) -> list[Row]:
        return [row for row in self._rows(run_id, 0, upto) if row.kind in FORKED]

    def _note_review(self, run_id: str, row: Row) -> None:
        if row.review is not None:
            rows = self._reviews.setdefault(row.review, (run_id, []))[1]
            if not rows or rows[-1].seq < row.seq:
                rows.append(row)

    def _run(self, run_id: str) -> _Run:
        self._begin()
        run = self._runs.get(run_id)
        if run is None:
            raise unknown_run(run_id)
        return run


def _stored(run: _Run) -> StoredRun:
    pointer = replace(run.pointer)
    pointer.error = None if pointer.error is None else _copied_table(pointer.error)
    return StoredRun(run.head, pointer)


def _copied(row: Row) -> Row:
    copied = replace(row)
    if row.updates is not None:
        copied.updates = _copied_table(row.updates)
    if row.ops is not None:
        copied.ops = row.ops.copy()
    if row.error is not None:
        copied.error = _copied_table(row.error)
    if row.data is not None:
        copied.data = _copied_table(row.data)
    return copied


def _copied_table(table: Mapping[str, Json]) -> dict[str, Json]:
    return cast(dict[str, Json], copy_json(dict(table)))
