"""Runs on a Redis server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NoReturn, Self, TypeVar

import redis

from ...stores import encoding
from ...stores.base import AuditEntry, BigValue, Listing, StoredReview, StoredRun
from ...stores.big_values import Kept, big_value, columns_of, rows_from
from ...stores.encoding import Damaged
from ...stores.ledger import FORKED, Pointer, Row, RowKind, RunStatus
from ...stores.opening import deleted, lost, moved, no_definition, replaced, run_exists, unknown_run
from ...stores.serving import OutageListener, ServedStore, served
from ...stores.snapshots import SnapshotPolicy, Track
from ...values.errors import Conflict, RunExists, StoreError
from ...values.json_values import Json
from . import commits as texts
from . import scripts
from .commits import (
    listed_run,
    number_from,
    pairs,
    place_from,
    require_count,
    reviews_from,
    runs_from,
    state_from,
    visits_from,
)
from .scripted_commit import ScriptedCommit, TakenOver, take_over
from .server import RedisServer, read_address, translated
from .tracking import add_first_rows, delete_runs, read_track, take_snapshot, versions_of, write_commit

_T = TypeVar("_T")


class RedisStore(ServedStore):
    """A store on a Redis server that any number of processes on any number of machines may use.

    It has one connection, on which its methods take turns; each of them is one script. A cut connection is
    made anew, and what was asked is asked again; a commit is looked up first.

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
        read = read_address(address)
        super().__init__(read.shown, on_outage, snapshots)
        self._given = address
        self._server = RedisServer(read)
        self._open(on_outage is not None)

    def another(self) -> Self:
        """Open another connection to the same server, as the same user."""
        return type(self)(self._given, snapshots=self._policy)

    def answer_within(self, seconds: float) -> None:
        """Take the server for one that does not answer once it has said nothing for so long."""
        self._server.set_patience(seconds)

    def _connect(self) -> None:
        self._server.connect()

    def _disconnect(self) -> None:
        self._server.close()

    def _heed_fork(self) -> None:
        self._server.close()
        super()._heed_fork()

    @contextmanager
    def _translating(self) -> Iterator[None]:
        """Raise the errors of redis-py as StoreErrors, and as Unanswered where the connection was cut."""
        try:
            yield
        except (redis.RedisError, Damaged, UnicodeError, OSError) as error:
            raise translated(error, self.url) from error

    @served
    def create(
        self,
        run: StoredRun,
        rows: Sequence[Row],
        definition: str,
        forked: tuple[str, int] | None = None,
    ) -> None:
        """Add a run with its first rows; RunExists when there is one of that id."""
        try:
            self._create(run, rows, definition, forked)
        except RunExists:
            if not (self.turns.tries and self._load(run.head.id) == run):  # it was ours that was cut off
                raise

    def _create(
        self, run: StoredRun, rows: Sequence[Row], definition: str, forked: tuple[str, int] | None
    ) -> None:
        head, pointer = run
        no = int(self._server.command("INCR", "made"))
        commit = ScriptedCommit(self._server.prefix, no, head.id, None, pointer)
        commit.begin(head)
        commit.define(pointer.definition, definition)
        track = Track(no, 0)
        if forked is None:
            add_first_rows(commit, self._policy, track, rows)
        else:
            commit.take_over(self._taken_over(no, *forked))
            for row in rows:
                commit.add_row(row, *columns_of(no, row, self._policy.big))
        self.turns.sent = True
        if self._server.commit(commit) is not None:
            raise run_exists(head.id)
        self._tracks.note(head.id, no)
        if forked is None:
            self._tracks.remember(head.id, track)

    def _taken_over(self, no: int, origin: str, upto: int) -> TakenOver:
        entry, rows, bodies, lists = self._server.run(scripts.ORIGIN, origin, upto) or self._unknown(origin)
        of_origin, version = place_from(origin, entry)
        require_count(origin, rows, min(upto, version))
        taken = take_over(no, of_origin, rows, dict(pairs(bodies)), dict(pairs(lists)))
        if taken.hashes:
            taken.big_values.update(self._big_values(origin, entry).fetch([*taken.hashes]))
        return taken

    @served
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
        try:
            self._commit(run_id, row, pointer, values, append_keys, definition, audit)
        except Conflict:
            if not (self.turns.tries and self._has(run_id, row)):  # it was ours that was cut off
                raise

    def _commit(
        self,
        run_id: str,
        row: Row,
        pointer: Pointer,
        values: Mapping[str, Json] | None,
        append_keys: frozenset[str],
        definition: str | None,
        audit: Mapping[str, Json] | None,
    ) -> None:
        before = row.seq - 1
        track = self._track(run_id, before)
        no, (columns, bodies) = track.no, columns_of(track.no, row, self._policy.big)
        self._tracks.forget(run_id)  # until the commit has succeeded nothing of it is certain
        commit = ScriptedCommit(self._server.prefix, no, run_id, before, pointer)
        commit.add_row(row, columns, bodies)
        if definition is not None:
            commit.define(pointer.definition, definition)
        track.version = row.seq
        track.changed += encoding.weight(columns)
        if values is not None and self._policy.may_pay(row.seq - track.last, track.changed, track.estimate):
            of_row = (self._policy, track, run_id, columns)
            take_snapshot(self._server, commit, *of_row, values, append_keys)
        if (found := write_commit(self._server, self.turns, commit, audit)) is not None:
            raise self._overtaken(run_id, no, before, found)
        self._tracks.remember(run_id, track)

    def _has(self, run_id: str, row: Row) -> bool:
        """Check whether a run has this very row."""
        found = self._server.run(scripts.ROWS, run_id, row.seq, row.seq)
        if not found or not found[1]:
            return False
        no, _ = place_from(run_id, found[0])
        return bool(found[1][0] == texts.row_text(columns_of(no, row, self._policy.big)[0]))

    @served
    def load(self, run_id: str) -> StoredRun:
        """Read the run's head and pointer."""
        return self._load(run_id)

    def _load(self, run_id: str) -> StoredRun:
        entry, *rest = self._server.run(scripts.RUN, run_id) or self._unknown(run_id)
        self._tracks.note(run_id, place_from(run_id, entry)[0])
        return listed_run(run_id, entry, *rest)

    @served
    def values(self, run_id: str, seq: int) -> dict[str, Json]:
        """Rebuild the state after row ``seq``: the last snapshot before it, and the rows since."""
        return self._values(run_id, seq, whole=True)

    def _values(self, run_id: str, seq: int, whole: bool) -> dict[str, Json]:
        past = self._server.run(scripts.PAST, run_id, seq, 1) or self._unknown(run_id)
        return state_from(run_id, seq, past, self._big_values(run_id, past[0]), whole)

    @served
    def outline(self, run_id: str, seq: int) -> dict[str, Json | BigValue]:
        """Rebuild the state after row ``seq`` and leave big values where they are."""
        return {**self._values(run_id, seq, whole=False)}

    @served
    def big_value(self, run_id: str, hash_: str) -> Json:
        """Read a big value that an outline has left out."""
        entry = self._server.command("HGET", "versions", run_id)
        return big_value(hash_, self._big_values(run_id, entry or self._unknown(run_id)))

    @served
    def rows(
        self, run_id: str, after: int = 0, upto: int | None = None, kinds: Iterable[RowKind] | None = None
    ) -> list[Row]:
        """Read the rows with ``after < seq <= upto`` in order, of the given kinds."""
        wanted = None if kinds is None else set(kinds)
        last = encoding.SEQ_MASK if upto is None else upto
        if wanted is not None and "step" not in wanted:
            entry, pairs = self._others(run_id, after, last, wanted)
            no, _ = place_from(run_id, entry)
        else:
            entry, found = self._server.run(scripts.ROWS, run_id, after + 1, last) or self._unknown(run_id)
            no, version = place_from(run_id, entry)
            require_count(run_id, found, min(last, version) - after)
            pairs = enumerate(found, after + 1)
        columns = (texts.row_columns(no, seq, stored) for seq, stored in pairs)
        rows = rows_from(columns, self._big_values(run_id, entry))
        return rows if wanted is None else [row for row in rows if row.kind in wanted]

    def _others(
        self, run_id: str, after: int, last: int, kinds: set[RowKind]
    ) -> tuple[str, Iterable[tuple[int, str]]]:
        """Read rows that are not steps, and the run's entry."""
        named = f",{','.join(kinds)},"
        entry, found = self._server.run(scripts.ROWS, run_id, after + 1, last, named) or self._unknown(run_id)
        return entry, pairs(found)

    def _big_values(self, run_id: str, entry: str) -> Kept:
        """Return what reads big values of a run; these go with it when somebody deletes it meanwhile."""
        no, _ = place_from(run_id, entry)

        def answered(hashes: list[str], found: list[_T | None]) -> Iterator[tuple[str, _T]]:
            if None in found:
                there = self._server.command("HGET", "versions", run_id)
                if there is None or place_from(run_id, there)[0] != no:
                    self._unknown(run_id)
            return ((hash_, each) for hash_, each in zip(hashes, found, strict=True) if each is not None)

        def fetch(hashes: list[str]) -> Iterator[tuple[str, str]]:
            return answered(hashes, self._server.command("HMGET", f"big:{no}", *hashes))

        def weigh(hashes: list[str]) -> Iterator[tuple[str, int]]:
            return answered(hashes, [size or None for size in self._server.run(scripts.SIZES, no, *hashes)])

        return Kept(f"run {run_id!r}", fetch, weigh)

    @served
    def measure_fork(self, run_id: str, upto: int) -> tuple[int, float]:
        """Count the rows that a fork takes over, and sum up how long their nodes ran."""
        entry, found = self._server.run(scripts.ROWS, run_id, 1, upto) or self._unknown(run_id)
        no, version = place_from(run_id, entry)
        require_count(run_id, found, min(upto, version))
        rows = [texts.row_columns(no, seq, stored) for seq, stored in enumerate(found, 1)]
        taken = [columns for columns in rows if columns[1] in FORKED]
        return len(taken), sum(columns[6] for columns in taken if columns[1] == "step")

    @served
    def visits(self, run_id: str) -> dict[str, list[int]]:
        """Find for each visited node the sequence numbers of its step rows."""
        return visits_from(run_id, *(self._server.run(scripts.NODES, run_id) or self._unknown(run_id)))

    @served
    def runs(self, status: RunStatus | None = None, limit: int | None = None) -> Listing[StoredRun]:
        """List the runs, the last changed first, and those that are damaged, whatever their status may be."""
        if limit == 0:
            return Listing()
        statuses = scripts.STATUSES if status is None else (status.value,)
        return runs_from(self._server.run(scripts.RUNS, limit or 0, *statuses), limit)

    @served
    def now(self) -> float | None:
        """Read the server's clock; None without the right to."""
        return self._server.now()

    @served
    def stamp(self) -> object:
        """Return how often anything was written."""
        return self._server.command("GET", "changes")

    @served
    def versions(self) -> dict[str, int]:
        """Find the version of every run."""
        return versions_of(self._server)

    @served
    def delete_runs(
        self, versions: Mapping[str, int], audit: Mapping[str, Mapping[str, Json]] | None = None
    ) -> list[str]:
        """Delete the runs that are still at these versions, with all that is theirs."""
        gone = delete_runs(self._server, self.turns, versions, audit or {})
        for run_id in gone:
            self._tracks.forget(run_id)
        if self.turns.tries:  # those that are not there any more were deleted by what was cut off
            there = set(versions_of(self._server))
            gone = [run_id for run_id in versions if run_id not in there]
        return gone

    @served
    def review(self, review_id: str) -> StoredReview | None:
        """Read a review's rows and where its run stands, both at one moment; None for none."""
        found = self._server.run(scripts.REVIEW, review_id)
        return texts.review_from(review_id, found) if found else None

    @served
    def reviews(self, pending: bool = True, limit: int | None = None) -> Listing[StoredReview]:
        """List the reviews that paused runs wait for, or all the others, by one script."""
        if limit == 0:
            return Listing()
        found = self._server.run(scripts.REVIEWS, int(pending), limit or 0)
        return reviews_from(found, pending, limit)

    @served
    def audit(self, after: int = 0, limit: int | None = None) -> list[AuditEntry]:
        """Read the entries of the audit behind a number."""
        most = -1 if limit is None else limit
        found = self._server.command("ZRANGEBYSCORE", "audit", f"({after}", "+inf", "LIMIT", 0, most)
        return [texts.entry_from(text) for text in found]

    @served
    def audit_end(self) -> int:
        """Read the number of the last entry that was ever written."""
        return number_from(self._server.command("GET", "audited"))

    @served
    def definition(self, hash_: str) -> str:
        """Read the JSON text of a definition."""
        stored = self._server.command("HGET", "definitions", hash_)
        if stored is None:
            raise no_definition(hash_, self.url)
        text = texts.unsealed(stored, 0, f"the definition {hash_!r:.40}")
        return encoding.definition_from(hash_, text, encoding.digest((hash_, text)))

    @served
    def about(self) -> dict[str, str]:
        """Describe which server it is, and what a power cut may lose."""
        return self._server.about()

    def _unknown(self, run_id: str) -> NoReturn:
        """Refuse an id of no run."""
        raise unknown_run(run_id)

    def _overtaken(self, run_id: str, no: int | None, expected: int, entry: str) -> StoreError:
        """Make the error for a run that could not be moved.

        Args:
            run_id: The run.
            no: Its number, where that is known.
            expected: The version at which it was.
            entry: What the server has under its id: another version, another run, or nothing.
        """
        if entry:
            found, version = place_from(run_id, entry)
            if no in (None, found):
                return moved(run_id, expected, version)
        if no is not None and not self._server.command("GETBIT", "deleted", no):
            return lost(run_id, "is another one by that id" if entry else "is not there, and was not deleted")
        return replaced(run_id) if entry else deleted(run_id, surely=no is not None)

    def _track(self, run_id: str, version: int) -> Track:
        """Find what is known of a run at ``version``; asks the server when another process moved it."""
        track = self._tracks.known(run_id, version)
        if track is None:
            no = self._tracks.number(run_id)
            track, entry = read_track(self._server, run_id, version)
            if track is None or no not in (None, track.no):
                raise self._overtaken(run_id, no, version, entry)
            self._tracks.remember(run_id, track)
        return track
