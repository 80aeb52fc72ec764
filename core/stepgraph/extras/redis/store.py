"""Runs on a Redis server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self

import redis

from ...stores import encoding
from ...stores.backend import AuditEnd, Changes, Entries, Found, Overtaken, Stale, StoredPlace, WayStep
from ...stores.base import AuditEntry, Listing, StoredReview, StoredRun
from ...stores.encoding import Columns, Damaged
from ...stores.keeping import Ledger
from ...stores.ledger import RowKind, RunStatus
from ...stores.serving import OutageListener, ServedBackend, ServedStore
from ...stores.snapshots import Snapshot, SnapshotPolicy
from . import scripts, texts
from .server import RedisAddress, RedisServer, read_address, translated


class RedisBackend(ServedBackend):
    """The keys behind one prefix; each method is one script or command."""

    def __init__(self, address: RedisAddress, on_outage: OutageListener | None) -> None:
        super().__init__(address.shown, on_outage)
        self.server = RedisServer(address)
        self.open(on_outage is not None)

    def answer_within(self, seconds: float) -> None:
        """Set the seconds of silence after which the server counts as unreachable."""
        self.server.set_patience(seconds)

    def _connect(self) -> None:
        self.server.connect()

    def _disconnect(self) -> None:
        self.server.close()

    def _disconnect_child(self) -> None:
        self.server.close()

    @contextmanager
    def _translating(self) -> Iterator[None]:
        """Raise the errors of redis-py as StoreErrors, and as Unanswered where the connection was cut."""
        try:
            yield
        except (redis.RedisError, Damaged, UnicodeError, OSError) as error:
            raise translated(error, self.url) from error

    def write(self, changes: Changes) -> None:
        """Write changes by one script."""
        self.turns.sent = True
        refused = self.server.run(scripts.COMMIT, *texts.CommitWords(changes, self.server.prefix))
        if refused:
            raise Overtaken if refused == 1 else Stale

    def delete(
        self, versions: Mapping[str, int], audited: Sequence[str], entries: Entries | None
    ) -> list[str]:
        """Delete runs by one script."""
        links = entries.links if entries is not None else []
        added = [word for link in links for word in (link.number, texts.entry_text(link))]
        runs = [*audited, *(run_id for run_id in versions if run_id not in audited)]
        words = [word for run_id in runs for word in (run_id, versions[run_id])]
        self.turns.sent = True
        written = "" if entries is None else entries.written
        gone: list[str] | int = self.server.run(scripts.DELETE, written, len(links), *added, *words)
        if isinstance(gone, int):
            raise Stale
        return gone

    def new_number(self) -> int:
        """Return the next number."""
        return int(self.server.command("INCR", "made"))

    def place(self, run_id: str) -> StoredPlace | None:
        """Find a run; None for none."""
        entry = self.server.command("HGET", "versions", run_id)
        return None if entry is None else texts.place_from(run_id, entry)

    def find(self, run_id: str) -> Found | None:
        """Read a run, and check it against its last row; None for none."""
        found = self.server.run(scripts.RUN, run_id)
        return texts.found_run(run_id, *found) if found else None

    def runs(self, status: RunStatus | None, limit: int | None) -> Listing[StoredRun]:
        """List the runs, the last changed first, and those that are damaged."""
        if limit == 0:
            return Listing()
        statuses = scripts.STATUSES if status is None else (status.value,)
        return texts.runs_from(self.server.run(scripts.RUNS, limit or 0, *statuses), limit)

    def versions(self) -> dict[str, int]:
        """Find the version of every run."""
        lines = iter(self.server.run(scripts.VERSIONS).split("\n"))
        entries = zip(lines, lines, strict=False)
        return {run_id: texts.place_from(run_id, entry).version for run_id, entry in entries}

    def rows(
        self,
        no: int,
        first: int,
        last: int,
        kinds: Sequence[RowKind] | None = None,
        with_data: bool = False,
    ) -> Iterable[Columns]:
        """Read rows, each as it was written."""
        if kinds is not None and "step" not in kinds:
            found = self.server.run(scripts.ROWS, no, first, last, f",{','.join(kinds)},")
            numbered: Iterable[tuple[int, str]] = _numbered(found)
        elif last < first:
            return ()
        else:
            numbered = enumerate(self.server.command("LRANGE", f"rows:{no}", first - 1, last - 1), first)
        rows = (texts.row_columns(no, seq, stored) for seq, stored in numbered)
        if with_data:
            rows = (columns for columns in rows if columns[-1] is not None)
        return rows if kinds is None else (columns for columns in rows if columns[1] in kinds)

    def changes(self, no: int, first: int, last: int) -> list[tuple[str | None, str | None]]:
        """Read updates and ops."""
        return [columns[7:9] for columns in self.rows(no, first, last)]

    def way(self, no: int, last: int) -> list[WayStep]:
        """Read what rows say of the run's way."""
        return [texts.step_from(text) for text in self.server.run(scripts.WAY, no, last)] if last > 0 else []

    def count(self, no: int, first: int, last: int) -> int:
        """Count rows."""
        there: int = self.server.command("LLEN", f"rows:{no}")
        return max(min(there, last) - first + 1, 0)

    def snapshot(self, no: int, upto: int) -> Snapshot | None:
        """Read the last snapshot up to a row; None for none."""
        found = self.server.run(scripts.SNAPSHOT, no, upto)
        return texts.snapshot_from(no, *found) if found else None

    def lists(self, no: int, first: int, last: int) -> list[tuple[str | None, str | None]]:
        """Read lengths and tails of snapshots."""
        found = _numbered(self.server.run(scripts.LISTS, no, first, last))
        return [texts.lists_from(no, seq, stored) for seq, stored in found]

    def big_values(self, no: int, hashes: list[str]) -> Iterable[tuple[str, str]]:
        """Read big values of a run."""
        found = self.server.command("HMGET", f"big:{no}", *hashes)
        return ((hash_, text) for hash_, text in zip(hashes, found, strict=True) if text is not None)

    def big_sizes(self, no: int, hashes: list[str]) -> Iterable[tuple[str, int]]:
        """Find how many bytes big values of a run have."""
        found = self.server.run(scripts.SIZES, no, *hashes)
        return ((hash_, size) for hash_, size in zip(hashes, found, strict=True) if size)

    def review(self, review_id: str) -> StoredReview | None:
        """Read a review and its run, both by one script."""
        found = self.server.run(scripts.REVIEW, review_id)
        return texts.review_from(review_id, found) if found else None

    def reviews(self, pending: bool, limit: int | None) -> Listing[StoredReview]:
        """List reviews by one script."""
        if limit == 0:
            return Listing()
        found = self.server.run(scripts.REVIEWS, int(pending), limit or 0)
        return texts.reviews_from(found, pending, limit)

    def definition(self, hash_: str) -> str | None:
        """Read the text of a definition; None for none."""
        stored = self.server.command("HGET", "definitions", hash_)
        if stored is None:
            return None
        text = texts.unsealed(stored, 0, f"the definition {hash_!r:.40}")
        return encoding.definition_from(hash_, text, encoding.digest((hash_, text)))

    def links(self, after: int, limit: int | None) -> list[AuditEntry]:
        """Read entries of the audit."""
        most = -1 if limit is None else limit
        found = self.server.command("ZRANGEBYSCORE", "audit", f"({after}", "+inf", "LIMIT", 0, most)
        return [texts.entry_from(text) for text in found]

    def audit_end(self) -> AuditEnd:
        """Find where the audit ends."""
        written, text = self.server.run(scripts.LAST_ENTRY)
        return AuditEnd(texts.number_from(written), texts.entry_from(text) if text else None)

    def is_deleted(self, no: int | None) -> bool | None:
        """Check whether a run that is gone was deleted."""
        return None if no is None else bool(self.server.command("GETBIT", "deleted", no))

    def now(self) -> float | None:
        """Read the server's clock; None without the right to."""
        return self.server.now()

    def stamp(self) -> object:
        """Return how often anything was written."""
        return self.server.command("GET", "changes")

    def about(self) -> dict[str, str]:
        """Describe which server it is, and what a power cut may lose."""
        return self.server.about()


class RedisStore(ServedStore[RedisBackend], Ledger[RedisBackend]):
    """A store on a Redis server that any number of processes on any number of machines may use.

    It has one connection, on which its methods take turns. A cut connection is made again, and what was asked
    is asked again; a commit is looked up first.

    Args:
        address: ``redis://...``, ``rediss://...`` or ``unix:///...``; ``?prefix=`` is what keys begin with.
        on_outage: See the attribute.
        snapshots: When to write snapshots; for tests.

    Raises:
        StoreError: The address cannot be read, or the server cannot be used; the message says why.
        StoreUnreachable: The server does not answer.
    """

    def __init__(
        self,
        address: str,
        *,
        on_outage: OutageListener | None = None,
        snapshots: SnapshotPolicy | None = None,
    ) -> None:
        super().__init__(RedisBackend(read_address(address), on_outage), snapshots)
        self._given = address

    def another(self) -> Self:
        """Open another connection to the same server, as the same user."""
        return type(self)(self._given, snapshots=self._policy)


def _numbered(flat: Sequence[Any]) -> Iterator[tuple[int, str]]:
    """Read what comes as numbers and texts in turns."""
    return ((int(flat[at]), flat[at + 1]) for at in range(0, len(flat), 2))
