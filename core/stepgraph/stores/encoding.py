"""Rows, heads and pointers as the columns of a database, there and back."""

from __future__ import annotations

import hashlib
import json
import math
import re
from typing import Any, NoReturn, TypeAlias, get_args
from zlib import crc32

from ..values.json_values import canonical, dumps
from .base import StoredRun
from .ledger import Outcome, Pointer, Row, RowKind, RunHead, RunStatus, is_id

Columns: TypeAlias = tuple[Any, ...]

_TEXT = (str, type(None))
_WHOLE = (int, type(None))
_ROW_TYPES: tuple[Any, ...] = (int, str, int, _TEXT, int, float, float, *(_TEXT,) * 4, _WHOLE, *(_TEXT,) * 3)
_RUN_TYPES: tuple[Any, ...] = (
    str,
    str,
    float,
    _TEXT,
    _TEXT,
    int,
    str,
    str,
    _TEXT,
    int,
    int,
    float,
    _TEXT,
    int,
    _TEXT,
    _TEXT,
    float,
)
_KINDS = frozenset(get_args(RowKind))
_DEFINITION_HASH = re.compile("[0-9a-f]{32}")
_FIELD = "%s\x1f"  # not repr: how that writes a character depends on the version of Python
_ORIGIN = re.compile("(.+)@[0-9]+([+][0-9]+)?")

SEQ_BITS = 32
SEQ_MASK = (1 << SEQ_BITS) - 1

SUM_MASK = 0xFFFFFFFF
"""The bits of a checksum."""
_RUNS_APART = 0x9E3779B9  # 2^32 by the golden ratio, of whose multiples none come near each other for long
_BASES_APART = 0x85EBCA6B  # any odd number

LEDGER = "id, kind, step, node, visit, at, duration, updates, ops, output, next, edge, error, review, data"
"""The columns of a row, in the order of ``row_columns``."""
HEAD = "id, graph, created_at, source, origin"
"""The columns of a head, in the order of ``head_columns``."""
POINTER = (
    "version, definition, status, current, step, step_limit, seconds,"
    " outcome, flagged, review, error, updated_at"
)
"""The columns of a pointer, in the order of ``pointer_columns``."""
RUN = f"{HEAD}, {POINTER}"
SNAPSHOT = "id, base, lengths, tails"
"""The columns of a snapshot, but for its body."""
DEFINITION = "hash, body"


class Damaged(Exception):
    """The store holds what no Stepgraph has written: it is damaged, or somebody else made it."""


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


_decode = json.JSONDecoder(parse_constant=_no_number).decode


def loads(text: str) -> Any:
    """Read a JSON text of the store.

    Raises:
        Damaged: It is not JSON.
    """
    try:
        return _decode(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise Damaged(f"it has a text that is not JSON: {error}") from None


def table(text: str | None) -> dict[str, Any] | None:
    """Read a JSON text of the store that is a table; None stays None.

    Raises:
        Damaged: It is not a table.
    """
    if text is None:
        return None
    value = loads(text)
    if type(value) is not dict:
        raise Damaged(f"it has {text[:60]!r} where a table should be")
    return value


def digest(columns: Columns, before: int = 0) -> int:
    """Compute the checksum of some columns, from which a store tells that they are as they were written.

    It finds damage, and edits by other programs; it is not a secret, and stops nobody who recomputes it.

    Args:
        columns: Texts, whole numbers, floats and None, of exactly these types.
        before: The checksum of what comes before them.
    """
    return crc32((_FIELD * len(columns) % columns).encode(), before)


def place(id_: int, base: int = 0) -> int:
    """Return what a row's place adds to its checksum, so that rows which change places are noticed.

    It is added and not computed in, as every version since the second one does. Of two rows that add the
    same, the runs and the rows within them are far apart: the one number times the other is more than a
    thousand million.

    Args:
        id_: The row's id.
        base: Of a snapshot, the oldest one that it needs.

    Raises:
        Damaged: That is not a number.
    """
    if type(base) is not int:
        raise Damaged(f"the snapshot at {row_name(id_)} is not as it was written")
    return id_ + (id_ >> SEQ_BITS) * _RUNS_APART + base * _BASES_APART


def row_digest(columns: Columns) -> int:
    """Compute the checksum of a row's LEDGER columns: of all but its id, and its place is added."""
    return digest(columns[1:]) + place(columns[0]) & SUM_MASK


def snapshot_digest(columns: Columns) -> int:
    """Compute the checksum of the SNAPSHOT columns: of its lists, and its place is added."""
    return digest(columns[2:]) + place(columns[0], columns[1]) & SUM_MASK


def run_digest(columns: Columns) -> int:
    """Compute the checksum of a run's number and RUN columns: that of the head goes before the pointer's."""
    return digest(columns[6:], digest(columns[:6]))


def require(stored: object, computed: int, what: str) -> None:
    """Check the checksum that was read with something against the one that it has.

    Raises:
        Damaged: It is not as it was written.
    """
    if stored != computed:
        raise Damaged(f"{what} is not as it was written")


def definition_from(hash_: str, text: str, stored: object) -> str:
    """Check that a definition is the one that its hash names, and return it.

    Raises:
        Damaged: It is another one, or none.
    """
    document = table(text)
    require(stored, digest((hash_, text)), f"the definition {hash_!r:.40}")
    if hashlib.sha256(canonical(document).encode()).hexdigest()[:32] != hash_:
        raise Damaged(f"the definition {hash_!r:.40} was changed")
    return text


def row_id(no: int, seq: int) -> int:
    """Number row ``seq`` of run number ``no`` so that a run's rows lie together, in order.

    Raises:
        Damaged: No run has that number.
    """
    if not 0 < no < 1 << 31:
        raise Damaged(f"a run has the number {no}")
    return no << SEQ_BITS | seq


def row_name(id_: int) -> str:
    """Describe which row of which run a row's id names, where nothing else tells."""
    return f"row {id_ & SEQ_MASK} of run number {id_ >> SEQ_BITS}"


def _text(text: str | None) -> str | None:
    """Return a text as the store returns it: of a subclass, such as an enum's member, the text alone."""
    return text if text is None or type(text) is str else str.__str__(text)


def row_columns(no: int, row: Row) -> Columns:
    """Turn a row into the values of the LEDGER columns; empty parts are NULL, which takes no room."""
    return (
        no << SEQ_BITS | row.seq,
        row.kind,
        row.step,
        _text(row.node),
        row.visit,
        row.at + 0.0,  # as the store gives it back: a float, and never -0.0
        row.duration + 0.0,
        None if row.updates is None else dumps(row.updates),
        None if row.ops is None else dumps(row.ops),
        _text(row.output),
        _text(row.next),
        row.edge,
        None if row.error is None else dumps(row.error),
        _text(row.review),
        None if row.data is None else dumps(row.data),
    )


def row_seq(columns: Columns) -> int:
    """Read the sequence number of a row from its LEDGER columns."""
    seq: int = columns[0] & SEQ_MASK
    return seq


def weight(updates: str | None, ops: str | None) -> int:
    """Count what a row changed, in characters of JSON."""
    if updates is None:
        return 0
    return len(updates) if ops is None else len(updates) + len(ops)


def row_from(columns: Columns) -> Row:
    """Read a row from the values of the LEDGER columns.

    Raises:
        Damaged: They are no row.
    """
    kind, step, node, visit, at, duration = columns[1:7]
    updates, ops, output, next_, edge, error, review, data = columns[7:]
    fits = all(map(isinstance, columns, _ROW_TYPES)) and kind in _KINDS
    if not fits or not math.isfinite(at + duration) or (kind == "step" and node is None):
        raise Damaged(f"{row_name(columns[0])} cannot be read")
    if review is not None and not is_id(review):
        raise Damaged(f"{row_name(columns[0])} names no review")
    return Row(
        columns[0] & SEQ_MASK,
        kind,
        step,
        node,
        visit,
        at,
        duration,
        table(updates),
        table(ops),
        output,
        "END" if next_ == "__END__" else next_,  # as the first versions wrote it
        edge,
        table(error),
        review,
        table(data),
    )


def head_columns(head: RunHead) -> Columns:
    """Turn a head into the values of the HEAD columns."""
    id_, graph, source, origin = map(_text, (head.id, head.graph, head.source, head.origin))
    return (id_, graph, head.created_at + 0.0, source, origin)


def pointer_columns(pointer: Pointer) -> Columns:
    """Turn a pointer into the values of the POINTER columns."""
    return (
        pointer.version,
        pointer.definition,
        pointer.status.value,
        _text(pointer.current),
        pointer.step,
        int(pointer.limit),
        pointer.seconds + 0.0,
        None if pointer.outcome is None else pointer.outcome.value,
        int(pointer.flagged),
        _text(pointer.review),
        None if pointer.error is None else dumps(pointer.error),
        pointer.updated_at + 0.0,
    )


def whole_run(columns: Columns) -> StoredRun:
    """Read a run from its number, the RUN columns and their checksum.

    Raises:
        Damaged: They are no run, or another one than was written.
    """
    run = run_from(columns[1:-1])
    if columns[-1] != run_digest(columns[:-1]):
        raise Damaged(f"the entry of run {run.head.id!r} is not as it was written")
    return run


def whole_columns(columns: Columns) -> Columns:
    """Return the LEDGER columns without their checksum, once that is verified.

    Raises:
        Damaged: They are not.
    """
    require(columns[-1], row_digest(columns[:-1]), row_name(columns[0]))
    return columns[:-1]


def whole_row(columns: Columns) -> Row:
    """Read a row that has all it needs from the LEDGER columns and their checksum.

    Raises:
        Damaged: They are no row, or another one than was written.
    """
    return row_from(whole_columns(columns))


def run_from(columns: Columns) -> StoredRun:
    """Read a run from the values of the RUN columns.

    Raises:
        Damaged: They are no run.
    """
    status, current, step, limit, seconds, outcome, flagged, review, error, updated = columns[7:]
    try:
        fits = all(map(isinstance, columns, _RUN_TYPES)) and 1 <= columns[5] <= SEQ_MASK and step >= 0
        if not fits or not math.isfinite(columns[2] + seconds + updated) or not _names_fit(columns):
            raise ValueError
        pointer = Pointer(
            columns[5],
            columns[6],
            RunStatus(status),
            current,
            step,
            limit,
            seconds,
            None if outcome is None else Outcome(outcome),
            bool(flagged),
            review,
            table(error),
            updated,
        )
    except ValueError:
        raise Damaged(f"the entry of run {columns[0]!r:.200} cannot be read") from None
    return StoredRun(RunHead(*columns[:5]), pointer)


def _names_fit(columns: Columns) -> bool:
    """Check whether a run's ids and hashes are of the form that they are made in."""
    origin, definition, review = columns[4], columns[6], columns[14]
    forked = None if origin is None else _ORIGIN.fullmatch(origin)
    return bool(
        is_id(columns[0])
        and (origin is None or (forked is not None and is_id(forked[1])))
        and _DEFINITION_HASH.fullmatch(definition)
        and (review is None or is_id(review))
    )


def require_end(run: StoredRun, last: int, kind: str | None, step: int | None) -> None:
    """Check where a run stands against the last row of its ledger.

    Args:
        run: The run.
        last: The last row's sequence number; 0 for none.
        kind: Its kind.
        step: Its step.

    Raises:
        Damaged: They do not fit.
    """
    id_, pointer = run.head.id, run.pointer
    if last != pointer.version:
        raise Damaged(
            f"run {id_!r} is at version {pointer.version}, and the last row of its ledger is {last}"
        )
    if kind in ("step", "route") and step != pointer.step:
        raise Damaged(f"run {id_!r} is at step {pointer.step}, and its ledger at step {step}")


def moved_version(no: int, version: object) -> int:
    """Check the version of a run that is to be moved.

    Raises:
        Damaged: It is none that a run can be moved on from.
    """
    if type(version) is not int or not 1 <= version < SEQ_MASK:
        raise Damaged(f"its run number {no} has no version")
    return version
