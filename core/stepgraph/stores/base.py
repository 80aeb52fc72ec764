"""What a store does: keep runs, their ledgers and their definitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import NamedTuple, Protocol, Self, TypeVar

from ..values.json_values import Json
from .ledger import Pointer, Row, RowKind, RunHead, RunStatus


class StoredRun(NamedTuple):
    """A run as the store has it, without its ledger."""

    head: RunHead
    pointer: Pointer


class Damage(NamedTuple):
    """Something in a store that is not as it was written."""

    what: str
    run: str | None = None
    """The run, where it is one's and its id can be read."""
    row: int | None = None
    """The row of the run's ledger."""
    in_audit: bool = False
    """True where the audit is broken, which no repair mends."""

    def __str__(self) -> str:
        row = "" if self.row is None else f", row {self.row}"
        return self.what if self.run is None else f"run {self.run!r}{row}: {self.what}"


_T = TypeVar("_T")


class Listing(list[_T]):
    """What a store lists: all that can be read, and beside it what cannot.

    Args:
        found: What can be read.
        damages: What cannot: one damaged run hides no other one.
    """

    def __init__(self, found: Iterable[_T] = (), damages: Iterable[Damage] = ()) -> None:
        super().__init__(found)
        self.damages = list(damages)


class StoredReview(NamedTuple):
    """A review as the store has it, with its run as it stood at the same moment."""

    run: StoredRun
    rows: list[Row]
    """The review row and, in order, what was recorded about it: in the end the decision."""


class AuditEntry(NamedTuple):
    """An entry of the audit, with its place in the chain."""

    number: int
    """From 1 on, without gaps."""
    entry: dict[str, Json]
    """What happened: see ``audit.entry_of``."""
    previous: str
    """The hash of the entry before it; zeros in the first one."""
    hash: str
    """The hash of all of the above."""


class BigValue(NamedTuple):
    """Stands for a big value in an outline of a state; its hash loads it."""

    hash: str
    size: int
    """How many bytes its JSON has."""


class StateStore(Protocol):
    """A place where runs live. Every method is one short transaction and holds nothing afterwards.

    What is passed in is never changed by the store, and what comes out shares nothing that a
    caller could change with what is kept. Methods may be called from several threads.

    Every method raises StoreError when the store cannot be read or written.
    """

    url: str
    """How to open it again, safe to print: ``memory:``, ``sqlite:///path``, a server's less its password."""

    def create(
        self,
        run: StoredRun,
        rows: Sequence[Row],
        definition: str,
        forked: tuple[str, int] | None = None,
    ) -> None:
        """Add a run with its first rows: one ``start`` row, or what comes after those that a fork takes over.

        Args:
            run: Its head and pointer; the pointer's version is the last row's sequence number.
            rows: Rows 1, 2, 3, …; those of a fork go on where the ones it takes over end.
            definition: The definition's JSON text; stored once by ``run.pointer.definition``.
            forked: The run that it is forked from, and the sequence number up to which its rows of the kinds
                FORKED are taken over, renumbered.

        Raises:
            RunExists: There is a run of that id.
        """
        ...

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
        """Append one row and move the run from version ``row.seq - 1`` to ``row.seq``, or change nothing.

        Args:
            run_id: The run.
            row: The next row.
            pointer: Where the run is after it.
            values: The whole state after it, from which a store may write a snapshot; not to be kept.
                None for a row that changes no state and brings no snapshot (a decision, say).
            append_keys: The keys whose reducer is ``append``; a row that touches one says so in its ops.
            definition: The JSON text of a definition that the pointer newly refers to.
            audit: What to append to the store's audit, in the same transaction.

        Raises:
            Conflict: The run is at another version.
            UnknownRun: No such run.
        """
        ...

    def load(self, run_id: str) -> StoredRun:
        """Read the run's head and pointer.

        Raises:
            UnknownRun: No such run.
        """
        ...

    def values(self, run_id: str, seq: int) -> dict[str, Json]:
        """Rebuild the state after row ``seq``; the containers are the caller's own."""
        ...

    def outline(self, run_id: str, seq: int) -> dict[str, Json | BigValue]:
        """Rebuild the state after row ``seq``, and leave big values where they are: to look around."""
        ...

    def big_value(self, run_id: str, hash_: str) -> Json:
        """Read one that an outline has left out.

        Raises:
            StoreDamaged: It is not there any more.
        """
        ...

    def rows(
        self,
        run_id: str,
        after: int = 0,
        upto: int | None = None,
        kinds: Iterable[RowKind] | None = None,
        with_data: bool = False,
    ) -> list[Row]:
        """Read the rows with ``after < seq <= upto`` in order, of the given kinds (all when None).

        ``with_data`` leaves out those without ``data``: most steps of a run that asks no live model.
        """
        ...

    def measure_fork(self, run_id: str, upto: int) -> tuple[int, float]:
        """Count the rows that a fork at a sequence number takes over, and sum up how long their nodes ran."""
        ...

    def visits(self, run_id: str) -> dict[str, list[int]]:
        """Find for each visited node the sequence numbers of its step rows, in order."""
        ...

    def runs(self, status: RunStatus | None = None, limit: int | None = None) -> Listing[StoredRun]:
        """List the runs, the last changed first, and those that are damaged, whatever their status may be."""
        ...

    def now(self) -> float | None:
        """Read the server's clock, in seconds since 1970; None without a server, or the right to."""
        ...

    def stamp(self) -> object:
        """Return what stays equal as long as nobody commits anything; it costs next to nothing."""
        ...

    def versions(self) -> dict[str, int]:
        """Find the version of every run: to see which were made, moved or deleted since the last look."""
        ...

    def delete_runs(
        self, versions: Mapping[str, int], audit: Mapping[str, Mapping[str, Json]] | None = None
    ) -> list[str]:
        """Delete runs with all that is theirs, those that nobody has moved since, in one transaction.

        Their rows, snapshots and reviews go, and definitions that no other run needs. Forks of them have rows
        of their own, and stay as they are. Whoever drives a deleted run learns so from its next commit.

        Args:
            versions: The runs, each at the version that the caller has seen.
            audit: What to append to the audit for some of them, in the same transaction, if they are deleted
                (see ``stepgraph.reviews.inbox``).

        Returns:
            Those that were deleted: the others are gone already, or at another version.
        """
        ...

    def review(self, review_id: str) -> StoredReview | None:
        """Read a review's rows and where its run stands, both at one moment; None for none."""
        ...

    def reviews(self, pending: bool = True, limit: int | None = None) -> Listing[StoredReview]:
        """List reviews with their runs, all of one moment, and those that are damaged beside them.

        Args:
            pending: Those that paused runs wait for, the oldest first; else all that no longer wait, those
                about which something was recorded last first.
            limit: The most of them.
        """
        ...

    def audit(self, after: int = 0, limit: int | None = None) -> list[AuditEntry]:
        """Read the entries of the audit whose number is greater than ``after``, in order.

        The audit is the store's, not the runs': deleting a run deletes none of its entries. What cannot be
        read of an entry is given as it is, for the chain to tell that it was changed.
        """
        ...

    def audit_end(self) -> int:
        """Read the number of the last entry that was ever written: what was cut off is missed by it."""
        ...

    def definition(self, hash_: str) -> str:
        """Read the JSON text of a definition.

        Raises:
            StoreError: There is none of that hash.
        """
        ...

    def close(self) -> None:
        """Close the store; closing twice does nothing."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


_AT_ONCE = 2_000  # rows that are read to be forgotten


def each_row(
    store: StateStore,
    run_id: str,
    after: int = 0,
    upto: int | None = None,
    kinds: Iterable[RowKind] | None = None,
    with_data: bool = False,
) -> Iterator[Row]:
    """Read the rows of a run one by one, as ``StateStore.rows`` gives them; only few are in memory.

    Args:
        store: Where the run lives.
        run_id: The run.
        after: The row after which to begin.
        upto: The last row; where the run stands when None.
        kinds: Which rows; all of them when None.
        with_data: Leave out rows without ``data``.
    """
    end = store.load(run_id).pointer.version if upto is None else upto
    kinds = None if kinds is None else tuple(kinds)
    for first in range(after, end, _AT_ONCE):
        yield from store.rows(run_id, first, min(first + _AT_ONCE, end), kinds, with_data)


def rows_backwards(
    store: StateStore, run_id: str, upto: int, kinds: Sequence[RowKind], after: int = 0
) -> Iterator[Row]:
    """Read the rows of a run from the last one back; not many more than somebody looks at are read.

    Args:
        store: Where the run lives.
        run_id: The run.
        upto: The last row.
        kinds: Which rows.
        after: The row behind which the search ends.
    """
    window = 16
    while upto > after:
        first = max(after, upto - window)
        yield from reversed(store.rows(run_id, first, upto, kinds))
        upto, window = first, window * 4


_CALLING: tuple[RowKind, ...] = ("step", "attempt", "review")


def rows_with_calls(store: StateStore, run_id: str, after: int = 0, upto: int | None = None) -> Iterator[Row]:
    """Read the rows of a run in which models or tools answered, one by one; no other is taken from the store.

    Args:
        store: Where the run lives.
        run_id: The run.
        after: The row after which to begin.
        upto: The last row; where the run stands when None.
    """
    rows = each_row(store, run_id, after, upto, _CALLING, with_data=True)
    return (row for row in rows if row.data is not None and "calls" in row.data)
