"""The statements of a store in PostgreSQL: each method is one of them wherever it can be.

A statement sees one moment by itself, and costs one journey to the server; a transaction costs three.
"""
# ruff: noqa: S608  # they are put together from constants

from __future__ import annotations

from functools import cache

from ...stores import encoding
from ...stores.encoding import SEQ_BITS, SEQ_MASK
from ...stores.listing import REVIEW_ROW, REVIEW_RUN
from .connection import CHANNEL

_ROW_TYPES = ("bigint", "text", "bigint", "text", "bigint", "float8", "float8", *("text",) * 4, "bigint")
_LEDGER_TYPES = (*_ROW_TYPES, *("text",) * 3, "bigint")
_HEAD_TYPES = ("text", "text", "float8", "text", "text")
_POINTER_TYPES = (
    "bigint",
    *("text",) * 3,
    "bigint",
    "bigint",
    "float8",
    "text",
    "bigint",
    "text",
    "text",
    "float8",
)
_SNAPSHOT_TYPES = ("bigint", "bigint", "text", "text", "bigint", "text", "bigint")


def _values(types: tuple[str, ...], first: int = 1) -> str:
    """Write the placeholders of some columns; with their types, for a NULL has none of its own."""
    return ", ".join(f"${number}::{type_}" for number, type_ in enumerate(types, first))


_ROW = f"{encoding.LEDGER}, digest"
_SNAPSHOT = f"{encoding.SNAPSHOT}, digest, body, body_digest"
_RUN = f"no, {encoding.RUN}, digest"


def _of(table: str, columns: str) -> str:
    return ", ".join(f"{table}.{column.strip()}" for column in columns.split(","))


# Writing

NEXT_NUMBER = "SELECT nextval('run_numbers')"

KEEP_DEFINITIONS = "SELECT pg_advisory_xact_lock_shared(1398032208, hashtext(current_schema()))"
"""Nobody deletes a definition while one is being referred to."""
DELETE_DEFINITIONS = "SELECT pg_advisory_xact_lock(1398032208, hashtext(current_schema()))"

TELL = f"SELECT pg_notify('{CHANNEL}', current_schema())"  # constant

INSERT_RUN = (
    f"INSERT INTO runs({_RUN}) VALUES ({_values(('bigint', *_HEAD_TYPES, *_POINTER_TYPES, 'bigint'))})"
)
INSERT_ROW = f"INSERT INTO ledger({_ROW}) VALUES ({_values(_LEDGER_TYPES)})"
INSERT_SNAPSHOT = f"INSERT INTO snapshots({_SNAPSHOT}) VALUES ({_values(_SNAPSHOT_TYPES)})"
INSERT_BIG = """
INSERT INTO big_values(run, hash, seq, body) VALUES ($1::bigint, $2, $3::bigint, $4) ON CONFLICT DO NOTHING"""
DEFINE = "INSERT INTO definitions(hash, body, digest) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"

_MOVED = len(_POINTER_TYPES) + 1
_CLAIM = _MOVED + 5 + len(_LEDGER_TYPES)


@cache
def move(tells: bool, claim: str = "") -> str:
    """Write what moves a run by a row; none comes back where it is another run, or at another version.

    A claim's row is locked after the run's, in the order in which a stop locks the two, so that there is no
    deadlock; who takes the run over waits for the commit.

    Args:
        tells: Whether others are notified.
        claim: The row that must be there, too (see ``Claim.rows``); empty for none.
    """
    no, version, id_, created_at = range(_MOVED + 1, _MOVED + 5)
    place = f"no = ${no} AND version = ${version} AND id = ${id_} AND created_at = ${created_at}"
    held, holds = "", ""
    if claim:
        numbers = range(_CLAIM, _CLAIM + claim.count("{"))
        row = claim.format(*(f"${number}::bigint" for number in numbers))
        held = f"""run AS MATERIALIZED (SELECT no FROM runs WHERE {place} FOR NO KEY UPDATE
), held AS MATERIALIZED (SELECT FROM {row} AND EXISTS (SELECT FROM run) FOR SHARE
), """
        holds = " AND EXISTS (SELECT FROM held)"
    return f"""
WITH {held}moved AS (
    UPDATE runs SET ({encoding.POINTER}, digest) = ROW({_values((*_POINTER_TYPES, "bigint"))})
    WHERE {place}{holds} RETURNING no
), added AS (
    INSERT INTO ledger({_ROW}) SELECT {_values(_LEDGER_TYPES, _MOVED + 5)} FROM moved
) SELECT no{f", pg_notify('{CHANNEL}', current_schema())" if tells else ""} FROM moved"""


# Reading

PLACE = "SELECT no, version FROM runs WHERE id = $1"
VERSIONS = "SELECT id, version FROM runs"
NOW = "SELECT extract(epoch FROM clock_timestamp())::float8"
MOMENT = "SELECT pg_current_snapshot()::text"
DEFINITION = "SELECT body, digest FROM definitions WHERE hash = $1"
RECORDED = f"SELECT {_ROW} FROM ledger WHERE id = (SELECT no FROM runs WHERE id = $1) << {SEQ_BITS} | $2"
BIG_VALUES = "SELECT hash, body FROM big_values WHERE run = $1::bigint AND hash = ANY($2::text[])"
BIG_VALUE_SIZES = """
SELECT hash, octet_length(body) FROM big_values WHERE run = $1::bigint AND hash = ANY($2::text[])"""
KNOWN_BIG = "SELECT hash FROM big_values WHERE run = $1::bigint AND hash = ANY($2::text[])"
OPS = "SELECT DISTINCT ops FROM ledger WHERE id BETWEEN $1 AND $2 AND ops IS NOT NULL"

RUN = f"""
SELECT {_of("r", _RUN)}, l.id, l.kind, l.step FROM runs r LEFT JOIN LATERAL (
    SELECT id, kind, step FROM ledger
    WHERE id BETWEEN r.no << {SEQ_BITS} AND r.no << {SEQ_BITS} | {SEQ_MASK} ORDER BY id DESC LIMIT 1
) l ON true WHERE r.id = $1"""
"""A run, and the last row of its ledger."""

RUNS = f"""
SELECT {_RUN} FROM runs
WHERE $1::text IS NULL OR status = $1 OR status NOT IN ('ready', 'paused', 'ended', 'failed')
ORDER BY updated_at DESC, no DESC LIMIT $2::bigint"""

REVIEW = f"""
SELECT {_of("r", _RUN)}, {_of("l", _ROW)} FROM ledger l LEFT JOIN runs r ON r.no = l.id >> {SEQ_BITS}
WHERE l.review = $1 ORDER BY l.id"""

_PENDING = """
    SELECT runs.no AS no, runs.review AS review, asked.at AS at, asked.id AS last
    FROM runs LEFT JOIN LATERAL (  -- so that each is looked up by the index, whatever is known of the tables
        SELECT at, id FROM ledger WHERE review = runs.review AND kind = 'review' ORDER BY id LIMIT 1
    ) asked ON true WHERE runs.status = 'paused' ORDER BY at NULLS FIRST, last LIMIT $1::bigint"""
_OTHERS = f"""
    SELECT min(ledger.id) >> {SEQ_BITS} AS no, ledger.review AS review,
        -max(ledger.at) AS at, -max(ledger.id) AS last
    FROM ledger LEFT JOIN runs ON runs.no = ledger.id >> {SEQ_BITS}
    WHERE ledger.review IS NOT NULL
        AND (runs.status IS DISTINCT FROM 'paused' OR runs.review IS DISTINCT FROM ledger.review)
    GROUP BY ledger.review ORDER BY at, last LIMIT $1::bigint"""
_REVIEWS = f"""
WITH wanted AS MATERIALIZED (%s)
SELECT wanted.review, wanted.no, {REVIEW_RUN}, {REVIEW_ROW}
FROM wanted LEFT JOIN runs ON runs.no = wanted.no LEFT JOIN ledger ON ledger.review = wanted.review
ORDER BY wanted.at NULLS FIRST, wanted.last, ledger.id"""
PENDING_REVIEWS = _REVIEWS % _PENDING
OTHER_REVIEWS = _REVIEWS % _OTHERS

# The audit

AUDIT_END = "SELECT last FROM audit_end FOR UPDATE"
"""The number of the last entry; whoever adds one holds it until the commit, so that they form one chain."""
LAST_LINK = "SELECT number, previous, hash FROM audit ORDER BY number DESC LIMIT 1"
ADD_LINK = """
WITH moved AS (UPDATE audit_end SET last = $1::bigint)
INSERT INTO audit(number, entry, previous, hash) VALUES ($1::bigint, $2, $3, $4)"""
LINKS = """
SELECT number, entry, previous, hash FROM audit WHERE number > $1 ORDER BY number LIMIT $2::bigint"""

# Parts of a ledger, and past states

_PART = f"""
WITH run AS (
    SELECT no, version, no << {SEQ_BITS} | $2::bigint AS first, no << {SEQ_BITS} | $3::bigint AS last
    FROM runs WHERE id = $1
), whole AS (
    SELECT run.*, l.* FROM run CROSS JOIN LATERAL (
        SELECT count(*) AS rows, sum(id - first)::bigint AS total FROM ledger
        WHERE id BETWEEN first AND last
    ) l
)"""
"""A part of a run's ledger, and whether it is whole: how many rows it has, and their sum."""

ROWS = f"""{_PART}
SELECT no, version, rows, total, {_of("l", _ROW)} FROM whole LEFT JOIN ledger l
ON l.id BETWEEN first AND last AND ($4::text[] IS NULL OR l.kind = ANY($4)) ORDER BY l.id"""

VISITS = f"""{_PART}
SELECT no, version, rows, total, l.id, l.node FROM whole LEFT JOIN ledger l
ON l.id BETWEEN first AND last AND l.kind = 'step' ORDER BY l.id"""

MEASURE = f"""{_PART}
SELECT no, version, whole.rows, total, count(l.id),
    coalesce(sum(l.duration) FILTER (WHERE l.kind = 'step'), 0)
FROM whole LEFT JOIN ledger l ON l.id BETWEEN first AND last AND l.kind = ANY($4)
GROUP BY no, version, whole.rows, total"""

_BEFORE = f"""LEFT JOIN LATERAL (
    SELECT * FROM snapshots WHERE id BETWEEN r.no << {SEQ_BITS} AND r.no << {SEQ_BITS} | $2
    ORDER BY id DESC LIMIT 1
) s ON true"""

VALUES = f"""
WITH run AS MATERIALIZED (SELECT no, version FROM runs WHERE id = $1),
last AS MATERIALIZED (SELECT s.* FROM run r {_BEFORE} WHERE s.id IS NOT NULL)
SELECT 0, no, version, NULL, NULL, NULL::bigint, NULL, NULL::bigint FROM run
UNION ALL SELECT 1, {_SNAPSHOT} FROM last
UNION ALL SELECT 2, {_of("s", encoding.SNAPSHOT)}, s.digest, NULL, NULL FROM snapshots s, last
    WHERE last.lengths IS NOT NULL AND s.id BETWEEN last.id - (last.id & {SEQ_MASK}) + last.base AND last.id
UNION ALL SELECT 3, l.id, NULL, l.updates, l.ops, NULL, NULL, NULL FROM run, ledger l
    WHERE l.id > coalesce((SELECT id FROM last), no << {SEQ_BITS}) AND l.id <= (no << {SEQ_BITS} | $2)
"""
"""All that a past state is made of: the run, the last snapshot before it, lists, and the changes since."""

TRACK = f"""
SELECT {_of("r", f"no, {encoding.HEAD}, version")}, s.id, s.base, s.lengths, length(s.body), (
    SELECT coalesce(sum(length(updates) + coalesce(length(ops), 0)), 0)::bigint FROM ledger
    WHERE id > coalesce(s.id, r.no << {SEQ_BITS} | 1) AND id <= (r.no << {SEQ_BITS} | $2)
), (
    SELECT coalesce(length(updates), 0) FROM ledger WHERE id = r.no << {SEQ_BITS} | 1
) FROM runs r {_BEFORE} WHERE r.id = $1"""
"""What is known of a run at a version, to tell when its next snapshot is due."""

# Forking

ORIGIN = "SELECT no FROM runs WHERE id = $1 FOR KEY SHARE"
"""The number of a run that nobody may delete for a while."""
LEFT_OUT = f"SELECT {_ROW} FROM ledger WHERE id BETWEEN $1 AND $2 AND kind <> ALL($3) ORDER BY id"
SNAPSHOTS_BETWEEN = "SELECT id, base FROM snapshots WHERE id BETWEEN $1 AND $2"
_REST = encoding.LEDGER.removeprefix("id, ")
COPY_ROWS = (
    f"INSERT INTO ledger(id, {_REST}, digest)"
    f" SELECT id + $3, {_REST}, (digest + $4) & {encoding.SUM_MASK} FROM ledger WHERE id BETWEEN $1 AND $2"
)
COPY_SNAPSHOT = (
    "INSERT INTO snapshots(id, base, lengths, tails, body, digest, body_digest)"
    f" SELECT $2, $3, lengths, tails, body, (digest + $4) & {encoding.SUM_MASK}, body_digest"
    " FROM snapshots WHERE id = $1"
)
COPY_BIG = """
INSERT INTO big_values(run, hash, seq, body)
SELECT $1::bigint, hash, 1, body FROM big_values WHERE run = $2::bigint AND seq <= $3::bigint"""
"""A fork has them from its start on: which row of its own puts one first, nobody asks."""

# Deleting

DELETE_RUNS = """
DELETE FROM runs USING unnest($1::text[], $2::bigint[]) AS seen(id, version)
WHERE runs.id = seen.id AND runs.version = seen.version RETURNING runs.id, no, definition"""
DELETE_ROWS = f"""
WITH gone AS (
    DELETE FROM ledger USING unnest($1::bigint[]) AS of(no)
    WHERE id BETWEEN no << {SEQ_BITS} AND no << {SEQ_BITS} | {SEQ_MASK} RETURNING kind, data
) SELECT data FROM gone WHERE kind = 'adopt' AND data IS NOT NULL"""
DELETE_SNAPSHOTS = f"""
DELETE FROM snapshots USING unnest($1::bigint[]) AS of(no)
WHERE id BETWEEN no << {SEQ_BITS} AND no << {SEQ_BITS} | {SEQ_MASK}"""
DELETE_BIG = "DELETE FROM big_values WHERE run = ANY($1::bigint[])"
DELETE_UNUSED = """
DELETE FROM definitions d WHERE hash = ANY($1::text[]) AND hash NOT IN (SELECT definition FROM runs)
AND NOT EXISTS (SELECT FROM ledger WHERE kind = 'adopt' AND strpos(data, d.hash) > 0)"""
