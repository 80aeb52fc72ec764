"""What a backend does: keep rows, pointers, texts and a chain, and move a run by one compare-and-swap.

Everything else that a store does is done once, in ``Ledger``. A backend checks what it reads against the
checksums that it wrote with it, and raises ``Damaged`` for what does not fit. Its methods run one at a time,
inside ``take``. They may see different moments: rows never change, so whoever reads the pointer first and no
row after it sees one moment anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

from .base import AuditEntry, Listing, StoredReview, StoredRun
from .big_values import Bodies
from .encoding import Columns
from .ledger import Pointer, RowKind, RunHead, RunStatus
from .snapshots import Snapshot

_T = TypeVar("_T")


class StoredPlace(NamedTuple):
    """Where a run stands, without reading it."""

    no: int
    """Its number, which no other run is ever given."""
    version: int


class Found(NamedTuple):
    """A run that was read, whose ledger ends where it says."""

    no: int
    run: StoredRun


WayStep: TypeAlias = "tuple[RowKind, str | None, float]"
"""What a row says of its place on a run's way: its kind, its node, and how long that took, in seconds."""


class AuditEnd(NamedTuple):
    """Where the audit ends."""

    written: int
    """The number of the last entry that was ever written."""
    last: AuditEntry | None
    """The last entry that there is."""


class Entries(NamedTuple):
    """What the audit goes on with."""

    written: int
    """The number of the last entry that had ever been written when these were made."""
    links: list[AuditEntry]


@dataclass(slots=True)
class Changes:
    """A run that is placed somewhere, and what is written with it: all of it, or nothing."""

    no: int
    head: RunHead
    before: int | None
    """The version that the run must be at; None for a run that there must not be yet."""
    pointer: Pointer
    rows: list[Columns] = field(default_factory=list)
    """The LEDGER columns of each row."""
    bodies: Bodies = field(default_factory=dict)
    """Big values that the rows refer to, by their hashes; those that the run has already stay."""
    snapshots: list[Snapshot] = field(default_factory=list)
    definition: str | None = None
    """The text of the pointer's definition; None where the store has it."""
    entries: Entries | None = None

    @property
    def is_plain(self) -> bool:
        """True for one row and nothing else: a step, most of the time."""
        return not (
            self.before is None
            or self.bodies
            or self.snapshots
            or self.entries
            or self.definition is not None
            or len(self.rows) != 1
        )


class Overtaken(Exception):
    """The run is not at the version that it must be at, or there is one already; nothing was changed."""


class Stale(Exception):
    """Another process has added to the audit, or made a run, meanwhile: prepare the change again."""


class Backend(Protocol):
    """What a store is kept in. Seldom asked, it may be slow; ``write`` is what every step waits for."""

    url: str
    """See ``StateStore.url``."""
    loses: bool
    """Whether it may come back without what it had acknowledged, as a server may; such a file is refused."""

    @property
    def tries(self) -> int:
        """How many attempts there were before this one at what is asked now: one may have been recorded."""
        ...

    def take(self, method: Callable[[], _T]) -> _T:
        """Run a function while no other thread does; raise what goes wrong as a StoreError.

        A backend that waits for its server does it again after an outage.
        """
        ...

    def write(self, changes: Changes) -> None:
        """Write changes in one transaction.

        Raises:
            Overtaken: The run is not as they need it.
            Stale: The audit has gone on since, or the number of a new run is another one's by now.
        """
        ...

    def delete(
        self, versions: Mapping[str, int], audited: Sequence[str], entries: Entries | None
    ) -> list[str]:
        """Delete those runs with all that is theirs that are at these versions, in one transaction.

        Definitions that no other run needs go too. A damaged run can be deleted.

        Args:
            versions: The runs.
            audited: Those that the entries are about.
            entries: What the audit goes on with.

        Returns:
            Those that were deleted.

        Raises:
            Stale: The audit has gone on since, or one of ``audited`` is not to be deleted.
        """
        ...

    def new_number(self) -> int:
        """Choose the number of a new run: above that of every run that there ever was."""
        ...

    def place(self, run_id: str) -> StoredPlace | None:
        """Find a run; None for none."""
        ...

    def find(self, run_id: str) -> Found | None:
        """Read a run, and check it against its last row; None for none."""
        ...

    def runs(self, status: RunStatus | None, limit: int | None) -> Listing[StoredRun]:
        """See ``StateStore.runs``."""
        ...

    def versions(self) -> dict[str, int]:
        """See ``StateStore.versions``."""
        ...

    def rows(
        self,
        no: int,
        first: int,
        last: int,
        kinds: Sequence[RowKind] | None = None,
        with_data: bool = False,
    ) -> Iterable[Columns]:
        """Read the LEDGER columns of the rows from one to another, in order: of some kinds, or with data."""
        ...

    def changes(self, no: int, first: int, last: int) -> list[tuple[str | None, str | None]]:
        """Read the updates and ops of these rows, in order."""
        ...

    def way(self, no: int, last: int) -> list[WayStep]:
        """Read what the rows up to one say of the run's way, in order."""
        ...

    def count(self, no: int, first: int, last: int) -> int:
        """Count these rows."""
        ...

    def snapshot(self, no: int, upto: int) -> Snapshot | None:
        """Read the last snapshot up to a row; None for none."""
        ...

    def lists(self, no: int, first: int, last: int) -> list[tuple[str | None, str | None]]:
        """Read the lengths and tails of the snapshots from one row to another, in order."""
        ...

    def big_values(self, no: int, hashes: list[str]) -> Iterable[tuple[str, str]]:
        """Read big values of a run: the hash and the text of each that is there."""
        ...

    def big_sizes(self, no: int, hashes: list[str]) -> Iterable[tuple[str, int]]:
        """Find how many bytes some big values of a run have: the hash and the size of each that is there."""
        ...

    def review(self, review_id: str) -> StoredReview | None:
        """Read a review and its run, both at one moment; None for none."""
        ...

    def reviews(self, pending: bool, limit: int | None) -> Listing[StoredReview]:
        """See ``StateStore.reviews``."""
        ...

    def definition(self, hash_: str) -> str | None:
        """Read the text of a definition; None for none."""
        ...

    def links(self, after: int, limit: int | None) -> list[AuditEntry]:
        """See ``StateStore.audit``."""
        ...

    def audit_end(self) -> AuditEnd:
        """Find where the audit ends."""
        ...

    def is_deleted(self, no: int | None) -> bool | None:
        """Check whether a run that is gone was deleted: False when it was lost, None when nobody knows."""
        ...

    def now(self) -> float | None:
        """See ``StateStore.now``."""
        ...

    def stamp(self) -> object:
        """See ``StateStore.stamp``."""
        ...

    def close(self) -> None:
        """Close everything; closing twice does nothing."""
        ...
