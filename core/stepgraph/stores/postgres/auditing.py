"""The audit of a store in PostgreSQL: a table that is only added to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import psycopg

from ...values.json_values import Json, dumps
from ..audit import GENESIS, chained, link_from
from ..base import AuditEntry
from . import statements


def append_entry(db: psycopg.Connection[Any], entry: Mapping[str, Json]) -> None:
    """Add an entry; to be called in a transaction, behind all that others may wait for."""
    written = written_links(db, statements.AUDIT_END)
    number, previous, hash_ = db.execute(statements.LAST_LINK).fetchone() or (0, "", GENESIS)
    # Behind those that were cut off: their numbers stay missing.
    link = chained(AuditEntry(max(number, written), {}, previous, hash_), entry)
    db.execute(statements.ADD_LINK, (link.number, dumps(link.entry), link.previous, link.hash))


def read_links(db: psycopg.Connection[Any], after: int, limit: int | None) -> list[AuditEntry]:
    """Read the links behind a number, in order; of one that cannot be read the text is its entry."""
    return [link_from(columns) for columns in db.execute(statements.LINKS, (after, limit))]


def written_links(db: psycopg.Connection[Any], statement: str = "SELECT last FROM audit_end") -> int:
    """Read the number of the last entry that was ever written."""
    found = db.execute(statement).fetchone()
    return 0 if found is None else int(found[0])
