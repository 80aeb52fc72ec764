"""Runs in a PostgreSQL database."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from typing import Any, Self

import psycopg

from ...stores import encoding
from ...stores.backend import Changes, Entries, Overtaken, StoredPlace
from ...stores.encoding import Columns, Damaged, row_digest
from ...stores.keeping import Ledger
from ...stores.ledger import RunStatus
from ...stores.serving import Claim, ClaimLost, OutageListener, ServedBackend, ServedStore, Unanswered
from ...stores.snapshots import SnapshotPolicy
from ...stores.sql import ROW, SqlBackend, moved_columns
from ...values.errors import StoreError
from .address import PostgresAddress, read_address
from .connection import CHANNEL, Link, outage, plain, refused, translated

_OFTEN = 1.0
"""After how many seconds the server is asked for news in any case: a notification may be lost."""

_KEEP = "SELECT pg_advisory_xact_lock_shared(1398032208, hashtext(current_schema()))"
"""Nobody deletes a definition while one is being referred to."""
_DELETE = "SELECT pg_advisory_xact_lock(1398032208, hashtext(current_schema()))"
_TELL = f"SELECT pg_notify('{CHANNEL}', current_schema())"  # constant
_NOW = "SELECT extract(epoch FROM clock_timestamp())::float8"
_MOMENT = "SELECT pg_current_snapshot()::text"
_AUDIT_END = "SELECT last FROM audit_end"
_MOVE_AUDIT_END = "UPDATE audit_end SET last = $1"

_TEXTS = "text", "text", "text"
_ROW_TYPES = (
    *("bigint", "text", "bigint", "text", "bigint", "float8", "float8"),
    *(*_TEXTS, "text", "bigint", *_TEXTS, "bigint"),
)
_POINTER_TYPES = (
    *("bigint", *_TEXTS, "bigint", "bigint", "float8"),
    *("text", "bigint", "text", "text", "float8", "bigint"),
)


def _values(types: Sequence[str], first: int = 1) -> str:
    """Write the placeholders of some columns; with their types, for a NULL has none of its own."""
    return ", ".join(f"${number}::{type_}" for number, type_ in enumerate(types, first))


@cache
def _moving(tells: bool, claim: str) -> str:
    """Write what moves a run by a row: one statement costs one journey to the server, a transaction three.

    None comes back where it is another run, or at another version. A claim's row is locked after the run's,
    in the order in which a stop locks the two, so that there is no deadlock; the next holder waits for
    the commit.

    Args:
        tells: Whether others are notified.
        claim: The row that must be there, too (see ``Claim.rows``); empty for none.
    """
    row_at = len(_POINTER_TYPES) + 5
    place = "no = ${} AND version = ${} AND id = ${} AND created_at = ${}".format(*range(row_at - 4, row_at))
    held, holds = "", ""
    if claim:
        first = row_at + len(_ROW_TYPES)
        row = claim.format(*(f"${number}::bigint" for number in range(first, first + claim.count("{"))))
        held = f"""run AS MATERIALIZED (SELECT no FROM runs WHERE {place} FOR NO KEY UPDATE
), held AS MATERIALIZED (SELECT FROM {row} AND EXISTS (SELECT FROM run) FOR SHARE
), """  # noqa: S608  # constants
        holds = " AND EXISTS (SELECT FROM held)"
    return f"""
WITH {held}moved AS (
    UPDATE runs SET ({encoding.POINTER}, digest) = ROW({_values(_POINTER_TYPES)})
    WHERE {place}{holds} RETURNING no
), added AS (
    INSERT INTO ledger({ROW}) SELECT {_values(_ROW_TYPES, row_at)} FROM moved
) SELECT no{f", pg_notify('{CHANNEL}', current_schema())" if tells else ""} FROM moved"""  # noqa: S608


class PostgresBackend(ServedBackend, SqlBackend):
    """A schema of a database."""

    def __init__(self, address: PostgresAddress, on_outage: OutageListener | None, poll: float) -> None:
        super().__init__(address.shown, on_outage)
        self.claims: dict[str, Claim] = {}
        self.address = address
        self.link = Link(address)
        self._poll = poll
        self._moment: str | None = None
        self._asked_at = 0.0
        self.open(on_outage is not None)

    def answer_within(self, seconds: float) -> None:
        """Set the seconds of silence after which the server counts as unreachable."""
        self.link.set_patience(seconds)

    def _connect(self) -> None:
        self.link.connection()

    def _disconnect(self) -> None:
        self.link.drop()

    def _disconnect_child(self) -> None:
        self.link.leave_to_parent()

    def _refusal(self, error: Unanswered) -> StoreError:
        cause = error.__cause__
        return refused(cause, self.address) if isinstance(cause, psycopg.Error) else super()._refusal(error)

    @contextmanager
    def _translating(self) -> Iterator[None]:
        """Raise the errors of psycopg as StoreErrors, and as Unanswered where the connection was cut."""
        try:
            self.link.connection()
            yield
        except psycopg.Error as error:
            if not self.link.is_cut_by(error):
                raise translated(error, self.address) from error
            self.link.drop()
            raise Unanswered(outage(error)) from error
        except (Damaged, OverflowError, UnicodeError) as error:
            raise translated(error, self.address) from error
        except Exception:
            raise
        except BaseException:  # a Ctrl-C may leave half of an answer behind
            self.link.drop()
            raise

    def _all(self, statement: str, *values: Any) -> list[Columns]:
        return list(map(plain, self._db.execute(statement.encode(), values)))

    def _many(self, statement: str, rows: Iterable[Columns]) -> None:
        for values in rows:  # not executemany, which a Ctrl-C leaves in pieces
            self._db.execute(statement.encode(), values)

    def _transaction(self) -> AbstractContextManager[object]:
        return self._db.transaction()

    @property
    def _db(self) -> psycopg.Connection[Any]:
        return self.link.current()

    def write(self, changes: Changes) -> None:
        """Write changes; a step alone is one statement."""
        db = self._db
        self.turns.sent = True
        if changes.is_plain:
            self._move(changes)
        else:
            with db.pipeline() if changes.before is None else nullcontext(), db.transaction():
                self._write(changes)
                if changes.before is None:
                    db.execute(_TELL)
        self.link.news = True

    def _move(self, changes: Changes) -> None:
        pointer, (columns,) = changes.pointer, changes.rows
        # Whoever notifies waits for all others that do, until they are on the disk: steps on the way do not.
        tells = columns[1] != "step" or pointer.status is not RunStatus.READY
        rows, values = self.claims.get(changes.head.id, ("", ()))
        moved = (*moved_columns(changes), *columns, row_digest(columns), *values)
        if not self._all(_moving(tells, rows), *moved):
            raise Overtaken

    def _hold_definitions(self, *, delete: bool = False) -> None:
        self._db.execute(_DELETE if delete else _KEEP)

    def _add_entries(self, entries: Entries | None) -> None:
        super()._add_entries(entries)
        if entries is not None and entries.links:
            self._many(_MOVE_AUDIT_END, [(entries.links[-1].number,)])

    def delete(
        self, versions: Mapping[str, int], audited: Sequence[str], entries: Entries | None
    ) -> list[str]:
        """Delete runs, and tell others."""
        db = self._db
        self.turns.sent = True
        with db.transaction():
            gone = self._delete(versions, audited, entries)
            db.execute(_TELL)
        self.link.news = True
        return gone

    def new_number(self) -> int:
        """Return the next number."""
        return int(self._one("SELECT nextval('run_numbers')"))

    def _last_entry(self, *, hold: bool = False) -> int:
        return int(self._one(f"{_AUDIT_END} FOR UPDATE" if hold else _AUDIT_END) or 0)

    def _one(self, statement: str) -> Any:
        """Return the one value that a statement selects."""
        found = self._all(statement)
        return found[0][0] if found else None

    def is_deleted(self, no: int | None) -> bool | None:
        """Check that a missing run was deleted, unless the server was away and may have lost it."""
        return True if self.link.made == 1 else None

    def now(self) -> float | None:
        """Read the server's clock."""
        return float(self._one(_NOW))

    def stamp(self) -> object:
        """Return what each commit changes; the server is asked when it has told of one, and now and then."""
        self.link.listen()
        now = time.monotonic()
        if self.link.news or now - self._asked_at >= self._poll:
            self.link.news = False
            self._moment = self._one(_MOMENT)
            self._asked_at = now
        return self._moment

    def about(self) -> dict[str, str]:
        """Report the server's version, the schema and what a power cut may lose."""
        version = self._one("SELECT version FROM schema_version")
        return {
            "server": f"PostgreSQL {self._db.info.parameter_status('server_version')}",
            "schema": f"{self.address.schema}, version {version}",
            "durability": self._durability(),
        }

    def _durability(self) -> str:
        """Describe what a power cut may lose, as the server is set."""
        if self._one("SELECT current_setting('fsync')") == "off":
            return "none: a power cut may destroy the whole database (fsync is off)"
        commit = self._one("SELECT current_setting('synchronous_commit')")
        if commit == "off":
            return "a power cut may lose the last commits (synchronous_commit is off)"
        return f"a power cut loses no commit (synchronous_commit is {commit})"


class PostgresStore(ServedStore[PostgresBackend], Ledger[PostgresBackend]):
    """A store in a database that any number of processes on any number of machines may use.

    It has one connection, on which its methods take turns, and no transaction is open between them. A cut
    connection is made again, and what was asked is asked again; a commit is looked up first.

    Args:
        address: ``postgresql://user@host/database``; ``?schema=NAME`` is where its tables are.
        on_outage: See the attribute.
        snapshots: When to write snapshots; for tests.
        poll: After how many seconds ``stamp`` asks the server, without having been notified.

    Raises:
        StoreError: The address cannot be read, or the database cannot be used; the message says why.
        StoreUnreachable: The server does not answer.
    """

    def __init__(
        self,
        address: str,
        *,
        on_outage: OutageListener | None = None,
        snapshots: SnapshotPolicy | None = None,
        poll: float = _OFTEN,
    ) -> None:
        super().__init__(PostgresBackend(read_address(address), on_outage, poll), snapshots)
        self._given, self._poll = address, poll

    @property
    def address(self) -> PostgresAddress:
        """Where it is, for other connections to the same database."""
        return self.backend.address

    @property
    def claims(self) -> dict[str, Claim]:
        """The claims of whoever drives runs over this store, by run: commits need them."""
        return self.backend.claims

    def another(self) -> Self:
        """Open another connection to the same schema, as the same user."""
        return type(self)(self._given, snapshots=self._policy, poll=self._poll)

    def _refusal(self, run_id: str, no: int | None, expected: int, there: StoredPlace | None) -> StoreError:
        if there is not None and there.version == expected and run_id in self.claims:
            return claim_lost(run_id)
        return super()._refusal(run_id, no, expected, there)


def claim_lost(run_id: str) -> ClaimLost:
    """Refuse a commit whose claim is lost."""
    return ClaimLost(
        f"run {run_id!r} now belongs to another worker",
        hint="what its node has just done is not recorded, and the node is executed again",
    )
