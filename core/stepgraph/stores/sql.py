"""A backend in tables: the statements that SQLite and PostgreSQL share, and what is made of them.

The statements are PostgreSQL's; ``sqlite`` writes its parameters and lists of values in its own way. The id
of a row is its run's number * 2^32 + its sequence number, so a run's rows lie together.
"""
# ruff: noqa: S608  # they are put together from constants

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any

from ..values.json_values import dumps
from . import encoding
from .audit import link_from
from .backend import AuditEnd, Changes, Entries, Found, Overtaken, Stale, StoredPlace, WayStep
from .base import AuditEntry, Damage, Listing, StoredReview, StoredRun
from .encoding import (
    SEQ_BITS,
    SEQ_MASK,
    Columns,
    Damaged,
    digest,
    moved_version,
    require,
    require_end,
    row_digest,
    row_id,
    row_name,
    row_seq,
    snapshot_digest,
    whole_columns,
    whole_row,
    whole_run,
)
from .ledger import RowKind, RunHead, RunStatus, hashes_in, is_id
from .opening import no_review
from .snapshots import Snapshot

ROW = f"{encoding.LEDGER}, digest"
RUN = f"no, {encoding.RUN}, digest"
SNAPSHOT = f"{encoding.SNAPSHOT}, digest, body, body_digest"
_ALL = 1 << 62
"""A limit that is none."""
_LIST = "IN (SELECT value FROM json_array_elements_text($2::json))"


def _of(table: str, columns: str) -> str:
    return ", ".join(f"{table}.{column}" for column in columns.split(", "))


def _values(columns: str) -> str:
    return ", ".join(f"${number}" for number, _ in enumerate(columns.split(","), 1))


INSERT_RUN = f"INSERT INTO runs({RUN}) VALUES ({_values(RUN)}) ON CONFLICT(id) DO NOTHING RETURNING no"
INSERT_ROW = f"INSERT INTO ledger({ROW}) VALUES ({_values(ROW)})"
INSERT_SNAPSHOT = f"INSERT INTO snapshots({SNAPSHOT}) VALUES ({_values(SNAPSHOT)})"
INSERT_BIG = "INSERT INTO big_values(run, hash, seq, body) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING"
DEFINE = "INSERT INTO definitions(hash, body, digest) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"
ADD_LINK = "INSERT INTO audit(number, entry, previous, hash) VALUES ($1, $2, $3, $4)"

PLACE = "SELECT no, version FROM runs WHERE id = $1"
VERSIONS = "SELECT id, version FROM runs"
FIND = f"""
SELECT {_of("r", RUN)}, l.id, l.kind, l.step FROM runs r LEFT JOIN ledger l ON l.id = (
    SELECT max(id) FROM ledger WHERE id BETWEEN r.no << {SEQ_BITS} AND r.no << {SEQ_BITS} | {SEQ_MASK}
) WHERE r.id = $1"""
RUN_OF = f"SELECT {RUN} FROM runs WHERE no = $1"
RUNS = f"""
SELECT {RUN} FROM runs WHERE status = $1 OR status NOT IN ('ready', 'paused', 'ended', 'failed')
ORDER BY updated_at DESC, no DESC LIMIT $2"""
ALL_RUNS = f"SELECT {RUN} FROM runs ORDER BY updated_at DESC, no DESC LIMIT $1"
DEFINITION = "SELECT body, digest FROM definitions WHERE hash = $1"

_BETWEEN = "WHERE id BETWEEN $1 AND $2"
_ROWS = f"SELECT {ROW} FROM ledger {_BETWEEN}"
_OF_KINDS = "AND kind IN (SELECT value FROM json_array_elements_text($3::json))"
_WITH_DATA = "AND data IS NOT NULL"
CHANGES = f"SELECT updates, ops FROM ledger {_BETWEEN} ORDER BY id"
WAY = f"SELECT kind, node, duration FROM ledger {_BETWEEN} ORDER BY id"
COUNT = f"SELECT count(*) FROM ledger {_BETWEEN}"
LAST_SNAPSHOT = f"SELECT {SNAPSHOT} FROM snapshots {_BETWEEN} ORDER BY id DESC LIMIT 1"
LISTS = f"SELECT {encoding.SNAPSHOT}, digest FROM snapshots {_BETWEEN} ORDER BY id"
BIG_VALUES = f"SELECT hash, body FROM big_values WHERE run = $1 AND hash {_LIST}"
BIG_SIZES = f"SELECT hash, octet_length(body) FROM big_values WHERE run = $1 AND hash {_LIST}"

_PENDING = """
    SELECT no, review, at, last FROM (
        SELECT no, review,
            (SELECT min(id) FROM ledger WHERE review = runs.review AND kind = 'review') AS last
        FROM runs WHERE status = 'paused'
    ) paused LEFT JOIN (SELECT id, at FROM ledger) asked ON asked.id = last
    ORDER BY at NULLS FIRST, last LIMIT $1"""
_OTHERS = f"""
    SELECT min(ledger.id) >> {SEQ_BITS} AS no, ledger.review AS review,
        -max(ledger.at) AS at, -max(ledger.id) AS last
    FROM ledger LEFT JOIN runs ON runs.no = ledger.id >> {SEQ_BITS}
    WHERE ledger.review IS NOT NULL
        AND (runs.status IS DISTINCT FROM 'paused' OR runs.review IS DISTINCT FROM ledger.review)
    GROUP BY ledger.review ORDER BY at, last LIMIT $1"""
_ONE = f"""
    SELECT min(id) >> {SEQ_BITS} AS no, review, 0 AS at, 0 AS last
    FROM ledger WHERE review = $1 GROUP BY review"""
_REVIEWS = f"""
WITH wanted AS MATERIALIZED (%s)
SELECT wanted.review, wanted.no, {_of("runs", RUN)}, {_of("ledger", ROW)}
FROM wanted LEFT JOIN runs ON runs.no = wanted.no LEFT JOIN ledger ON ledger.review = wanted.review
ORDER BY wanted.at NULLS FIRST, wanted.last, ledger.id"""
REVIEW, PENDING_REVIEWS, OTHER_REVIEWS = (_REVIEWS % wanted for wanted in (_ONE, _PENDING, _OTHERS))
_ROW_AT = 2 + len(RUN.split(","))

LINKS = "SELECT number, entry, previous, hash FROM audit WHERE number > $1 ORDER BY number LIMIT $2"
LAST_LINK = "SELECT number, entry, previous, hash FROM audit ORDER BY number DESC LIMIT 1"

DELETE_RUN = "DELETE FROM runs WHERE id = $1 AND version = $2 RETURNING no, definition"
ADOPTED = f"SELECT data FROM ledger {_BETWEEN} AND kind = 'adopt' AND data IS NOT NULL"
DELETE_ROWS = f"DELETE FROM ledger {_BETWEEN}"
DELETE_SNAPSHOTS = f"DELETE FROM snapshots {_BETWEEN}"
DELETE_BIG = "DELETE FROM big_values WHERE run = $1"
DELETE_UNUSED = """
DELETE FROM definitions WHERE hash = $1 AND hash NOT IN (SELECT definition FROM runs)
AND NOT EXISTS (SELECT 1 FROM ledger WHERE kind = 'adopt' AND data LIKE '%' || $1 || '%')"""
"""Seldom, for it reads through the ledger: a fork may still begin before its run adopted another one."""


class SqlBackend(ABC):
    """A backend in tables; how to ask for them, and what only one database has, its subclasses say."""

    url: str
    loses = False

    @abstractmethod
    def _all(self, statement: str, *values: Any) -> list[Columns]:
        """Run a statement, and return all rows."""

    @abstractmethod
    def _many(self, statement: str, rows: Iterable[Columns]) -> None:
        """Run a statement that finds nothing once for each row of values."""

    @abstractmethod
    def _transaction(self) -> AbstractContextManager[object]:
        """Open a block whose writes all happen or none of them."""

    @abstractmethod
    def new_number(self) -> int:
        """Choose the number of a new run."""

    @abstractmethod
    def _last_entry(self, *, hold: bool = False) -> int:
        """Read the number of the last entry of the audit ever written; ``hold`` it until the commit."""

    def _hold_definitions(self, *, delete: bool = False) -> None:  # noqa: B027  # who locks it all need not
        """See to it that nobody deletes a definition while another process begins to use it."""

    def write(self, changes: Changes) -> None:
        """Write changes in one transaction."""
        with self._transaction():
            self._write(changes)

    def _write(self, changes: Changes) -> None:
        self._place_run(changes)
        if changes.bodies:
            no, seq = changes.no, row_seq(changes.rows[0]) if changes.before else 1
            self._many(INSERT_BIG, [(no, hash_, seq, text) for hash_, text in changes.bodies.items()])
        for taken in changes.snapshots:
            columns = (row_id(changes.no, taken.seq), *taken[1:4])
            sums = snapshot_digest(columns), digest((taken.body,))
            self._many(INSERT_SNAPSHOT, [(*columns, sums[0], taken.body, sums[1])])
        if changes.definition is not None:
            self._hold_definitions()
            defined = (changes.pointer.definition, changes.definition)
            self._many(DEFINE, [(*defined, digest(defined))])
        self._add_entries(changes.entries)  # last: others may wait for it

    def _place_run(self, changes: Changes) -> None:
        """Insert or move the run, and add its rows."""
        if changes.before is not None:
            self._move(changes)
            return
        columns = run_columns(changes)
        if not self._all(INSERT_RUN, *columns, encoding.run_digest(columns)):
            raise Overtaken
        self._many(INSERT_ROW, ((*columns, row_digest(columns)) for columns in changes.rows))

    @abstractmethod
    def _move(self, changes: Changes) -> None:
        """Move the run by its one new row.

        Raises:
            Overtaken: It is not at the version that it must be at.
        """

    def _add_entries(self, entries: Entries | None) -> None:
        """Append to the audit.

        Raises:
            Stale: Another process has added to it meanwhile.
        """
        if entries is None:
            return
        if self._last_entry(hold=True) != entries.written:
            raise Stale
        self._many(ADD_LINK, map(link_columns, entries.links))

    def delete(
        self, versions: Mapping[str, int], audited: Sequence[str], entries: Entries | None
    ) -> list[str]:
        """Delete runs that are at these versions, in one transaction."""
        with self._transaction():
            return self._delete(versions, audited, entries)

    def _delete(
        self, versions: Mapping[str, int], audited: Sequence[str], entries: Entries | None
    ) -> list[str]:
        """Delete runs; what is deleted is not read as rows, so that damaged ones can be."""
        gone: dict[str, int] = {}
        let_go: set[str] = set()
        for run_id, version in versions.items():
            for no, definition in self._all(DELETE_RUN, run_id, version):
                gone[run_id] = no
                let_go.add(definition)
        if any(run_id not in gone for run_id in audited):
            raise Stale
        spans = [(row_id(no, 0), row_id(no, SEQ_MASK)) for no in gone.values()]
        for span in spans:
            let_go.update(name for (data,) in self._all(ADOPTED, *span) for name in hashes_in(str(data)))
        self._many(DELETE_ROWS, spans)
        self._many(DELETE_SNAPSHOTS, spans)
        self._many(DELETE_BIG, [(no,) for no in gone.values()])
        self._note_deleted([*gone.values()])
        self._hold_definitions(delete=True)  # behind the runs: whoever makes one takes them in this order too
        self._many(DELETE_UNUSED, [(hash_,) for hash_ in let_go])
        self._add_entries(entries)
        return [*gone]

    def _note_deleted(self, numbers: list[int]) -> None:  # noqa: B027  # a sequence remembers
        """See to it that these numbers are not given again."""

    def place(self, run_id: str) -> StoredPlace | None:
        """Find a run; None for none."""
        for no, version in self._all(PLACE, run_id):
            return StoredPlace(no, moved_version(no, version))
        return None

    def find(self, run_id: str) -> Found | None:
        """Read a run, and check it against its last row; None for none."""
        for *columns, last, kind, step in self._all(FIND, run_id):
            run = whole_run(tuple(columns))
            require_end(run, 0 if last is None else last & SEQ_MASK, kind, step)
            return Found(columns[0], run)
        return None

    def runs(self, status: RunStatus | None, limit: int | None) -> Listing[StoredRun]:
        """List the runs, the last changed first, and those that are damaged."""
        most = _ALL if limit is None else limit
        asked = (ALL_RUNS, most) if status is None else (RUNS, status.value, most)
        found: Listing[StoredRun] = Listing()
        for columns in self._all(*asked):
            add_run(found, columns)
        return found

    def versions(self) -> dict[str, int]:
        """Find the version of every run."""
        versions: dict[str, Any] = {id_: version for id_, version in self._all(VERSIONS) if is_id(id_)}
        return versions

    def rows(
        self,
        no: int,
        first: int,
        last: int,
        kinds: Sequence[RowKind] | None = None,
        with_data: bool = False,
    ) -> Iterable[Columns]:
        """Read rows, each as it was written."""
        asked: list[object] = [row_id(no, first), row_id(no, last)]
        asked += [] if kinds is None else [dumps([*kinds])]
        some, columns = "" if kinds is None else _OF_KINDS, _WITH_DATA if with_data else ""
        return map(whole_columns, self._all(f"{_ROWS} {some} {columns} ORDER BY id", *asked))

    def changes(self, no: int, first: int, last: int) -> list[tuple[str | None, str | None]]:
        """Read updates and ops, unchecked: they add up to a state, or do not."""
        found: list[Any] = self._all(CHANGES, row_id(no, first), row_id(no, last))
        return found

    def way(self, no: int, last: int) -> list[WayStep]:
        """Read what rows say of the run's way."""
        found: list[Any] = self._all(WAY, row_id(no, 1), row_id(no, last))
        return found

    def count(self, no: int, first: int, last: int) -> int:
        """Count rows."""
        ((count,),) = self._all(COUNT, row_id(no, first), row_id(no, last))
        return int(count)

    def snapshot(self, no: int, upto: int) -> Snapshot | None:
        """Read the last snapshot up to a row; None for none."""
        for *columns, sum_, body, body_sum in self._all(LAST_SNAPSHOT, row_id(no, 0), row_id(no, upto)):
            lengths, tails = _whole_lists(tuple(columns), sum_)
            require(body_sum, digest((body,)), f"the snapshot at {row_name(columns[0])}")
            return Snapshot(row_seq(tuple(columns)), columns[1], lengths, tails, body)
        return None

    def lists(self, no: int, first: int, last: int) -> list[tuple[str | None, str | None]]:
        """Read lengths and tails of snapshots."""
        found = self._all(LISTS, row_id(no, first), row_id(no, last))
        return [_whole_lists(columns[:-1], columns[-1]) for columns in found]

    def big_values(self, no: int, hashes: list[str]) -> Iterable[tuple[str, str]]:
        """Read big values of a run."""
        found: list[Any] = self._all(BIG_VALUES, no, dumps(hashes))
        return found

    def big_sizes(self, no: int, hashes: list[str]) -> Iterable[tuple[str, int]]:
        """Find how many bytes big values of a run have."""
        found: list[Any] = self._all(BIG_SIZES, no, dumps(hashes))
        return found

    def review(self, review_id: str) -> StoredReview | None:
        """Read a review and its run, both by one statement."""
        found = reviews_from(self._all(REVIEW, review_id))
        for damage in found.damages:
            raise Damaged(damage.what)
        return found[0] if found else None

    def reviews(self, pending: bool, limit: int | None) -> Listing[StoredReview]:
        """List reviews by one statement."""
        return reviews_from(
            self._all(PENDING_REVIEWS if pending else OTHER_REVIEWS, _ALL if limit is None else limit)
        )

    def definition(self, hash_: str) -> str | None:
        """Read the text of a definition; None for none."""
        for columns in self._all(DEFINITION, hash_):
            return encoding.definition_from(hash_, *columns)
        return None

    def links(self, after: int, limit: int | None) -> list[AuditEntry]:
        """Read entries of the audit; of one that cannot be read the text is its entry."""
        return [link_from(columns) for columns in self._all(LINKS, after, _ALL if limit is None else limit)]

    def audit_end(self) -> AuditEnd:
        """Find where the audit ends."""
        written = self._last_entry()  # first: whoever adds one meanwhile makes the change stale
        last = [link_from(columns) for columns in self._all(LAST_LINK)]
        return AuditEnd(written, last[0] if last else None)


def add_run(found: Listing[StoredRun], columns: Columns) -> None:
    """List a run, or that it is damaged, out of its number, RUN columns and checksum."""
    try:
        found.append(whole_run(columns))
    except Damaged as error:
        run_id = columns[1] if is_id(columns[1]) else None
        found.damages.append(Damage(f"its entry is damaged: {error}", run_id))


def run_columns(changes: Changes) -> Columns:
    """Return the number and RUN columns of a new run."""
    return (*head_columns(changes.no, changes.head), *encoding.pointer_columns(changes.pointer))


def moved_columns(changes: Changes) -> Columns:
    """Return the POINTER columns, their checksum, and number, version, id and start of the run to move."""
    no, head = changes.no, changes.head
    placed = encoding.pointer_columns(changes.pointer)
    return (
        *placed,
        digest(placed, _head_digest(no, head)),
        no,
        changes.before,
        head.id,
        head.created_at + 0.0,
    )


def head_columns(no: int, head: RunHead) -> Columns:
    """Return the number and HEAD columns of a run."""
    return (no, *encoding.head_columns(head))


@lru_cache(64)
def _head_digest(no: int, head: RunHead) -> int:
    return digest(head_columns(no, head))


def link_columns(link: AuditEntry) -> Columns:
    """Return the parameters of ADD_LINK."""
    return (link.number, dumps(link.entry), link.previous, link.hash)


def reviews_from(found: Iterable[Columns]) -> Listing[StoredReview]:
    """Read reviews, and take note of those that are damaged.

    Args:
        found: For each row about a review, those of one review together and in order: the review's id, its
            run's number, the run's columns and the row's, in which everything is None that is not there.
    """
    listed: Listing[StoredReview] = Listing()
    for (review_id, no), group in groupby(found, itemgetter(0, 1)):
        rows = [(columns[2:_ROW_AT], columns[_ROW_AT:]) for columns in group]
        try:
            listed.append(_review_from(review_id, no, rows))
        except (Damaged, UnicodeError) as error:
            run_id: Any = rows[0][0][1]
            listed.damages.append(Damage(str(error), run_id if is_id(run_id) else None))
    return listed


def _review_from(review_id: str, no: int, rows: list[tuple[Columns, Columns]]) -> StoredReview:
    run, first = rows[0]
    if first[0] is None:
        raise Damaged(no_review(review_id))
    if run[0] is None or any(row[0] >> SEQ_BITS != no for _, row in rows):
        raise Damaged(f"the rows of review {review_id!r} belong to no run, or to several")
    return StoredReview(whole_run(run), [whole_row(row) for _, row in rows])


def _whole_lists(columns: Columns, stored: object) -> tuple[str | None, str | None]:
    """Return the lengths and tails of a snapshot, once their checksum is verified."""
    require(stored, snapshot_digest(columns), f"the snapshot at {row_name(columns[0])}")
    return columns[2], columns[3]
