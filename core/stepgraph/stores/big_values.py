"""Big values: what a row brings that is over a limit is kept once beside its run, and the row refers to it.

A reference is the hash of the value's JSON, or of a long output, in its place. That it is one is in the
row's ops: they are a table where the row has all it needs, and a list where it refers to something, so that
no text of a user is ever taken for a reference. The body of a snapshot is such a list likewise. A snapshot
refers only to what rows have put: it brings no big value of its own.

Rows about a review stay whole, for reviews are listed over many runs at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Any, Literal, NamedTuple, TypeAlias, TypeGuard, TypeVar, cast

from ..values.json_values import Json, dumps
from ..values.state import Op
from .base import BigValue
from .encoding import Columns, Damaged, loads, row_columns, row_from, table
from .ledger import Row

LIMIT = 64 * 1024
"""A value of more characters of JSON is big: what people write stays in its row, documents do not."""

Bodies: TypeAlias = dict[str, str]
"""The texts of big values by their hashes."""

_T = TypeVar("_T")
_UPDATES, _OPS, _OUTPUT = 7, 8, 9
_PUT = (None, "set")
_Place: TypeAlias = tuple[dict[str, Any], str]  # a table and a key in it
_Form = Literal["text", "value"]


def is_big(value: object) -> TypeGuard[BigValue]:
    """Check whether a value of an outline is one that was left out of it."""
    return type(value) is BigValue


class Kept(NamedTuple):
    """The big values of a run, to be read where they are needed."""

    run: str
    """Whose they are, in words."""
    fetch: Callable[[list[str]], Iterable[tuple[str, str]]]
    """Reads some: the hash and the text of each that is there."""
    weigh: Callable[[list[str]], Iterable[tuple[str, int]]]
    """Finds how large some are, and reads none: the hash of each that is there, and how many bytes it has."""


class _Reference(NamedTuple):
    """What is in the place of a value until it is read: no JSON value is of this type."""

    hash: str


class Referring(NamedTuple):
    """What the ops of a row say that refers to something."""

    ops: dict[str, Op] | None
    names: list[str]
    """The keys of which the updates have only the hash."""
    output: _Form | None
    """Whether the output is a hash: of the text itself, or of the JSON of the text."""


def hash_of(text: str) -> str:
    """Name a big value by its text."""
    return sha256(text.encode()).hexdigest()


def columns_of(no: int, row: Row, limit: int) -> tuple[Columns, Bodies]:
    """Turn a row into the values of the LEDGER columns, and what is big of it into texts beside them.

    Args:
        no: The number of its run.
        row: The row.
        limit: The most characters that stay in it.
    """
    columns = row_columns(no, row)
    updates, output = columns[_UPDATES], columns[_OUTPUT]
    if (updates is None or len(updates) <= limit) and (output is None or len(output) <= limit):
        return columns, {}
    if row.review is not None:
        return columns, {}
    given, ops = row.updates or {}, row.ops or {}
    big = _texts({name: value for name, value in given.items() if ops.get(name) in _PUT}, limit)
    bodies = {hash_of(text): text for text in big.values()}
    form: _Form | None = None
    if output is not None and len(output) > limit:
        as_json = dumps(output)
        form = "value" if hash_of(as_json) in bodies else "text"
        text = as_json if form == "value" else output
        output = hash_of(text)
        bodies[output] = text
    if not bodies:
        return columns, {}
    if big:
        updates = dumps({**given, **{name: hash_of(text) for name, text in big.items()}})
    referring = dumps(Referring(row.ops, [*big], form))
    return (*columns[:_UPDATES], updates, referring, output, *columns[_OUTPUT + 1 :]), bodies


def body_of(values: Mapping[str, Json], limit: int, known: Callable[[list[str]], Iterable[str]]) -> str:
    """Write a state as the body of a snapshot, which refers to the big values that the run has already.

    Args:
        values: The state.
        limit: See ``columns_of``.
        known: Tells which of some hashes the run has big values of.
    """
    body = dumps(values)
    big = _texts(values, limit) if len(body) > limit else {}
    hashes = {name: hash_of(text) for name, text in big.items()}
    there = set(known([*hashes.values()])) if hashes else set()
    kept = {name: hash_ for name, hash_ in hashes.items() if hash_ in there}
    return dumps([{**values, **kept}, [*kept]]) if kept else body


def _texts(values: Mapping[str, Json], limit: int) -> dict[str, str]:
    """Write those values as JSON that are over the limit."""
    texts = ((name, dumps(value)) for name, value in values.items())
    return {name: text for name, text in texts if len(text) > limit}


def rows_from(stored: Iterable[Columns], kept: Kept) -> list[Row]:
    """Read rows from their LEDGER columns, and the big values that they refer to, all of these in one go.

    Args:
        stored: The columns of rows of one run, each as it was written.
        kept: The run's big values.

    Raises:
        Damaged: They are no rows, or a big value is missing or is another one than was written.
    """
    rows: list[Row] = []
    referring: list[tuple[Row, Referring]] = []
    for columns in stored:
        if not refers(columns[_OPS]):
            rows.append(row_from(columns))
            continue
        found = read_references(columns[_OPS])
        row = row_from((*columns[:_OPS], None, *columns[_OPS + 1 :]))
        row.ops = found.ops
        mark(cast("dict[str, Any]", row.updates), found.names)
        rows.append(row)
        referring.append((row, found))
    if referring:
        _complete(referring, kept)
    return rows


def _complete(referring: list[tuple[Row, Referring]], kept: Kept) -> None:
    """Resolve the references in rows; equal values are read once, for nobody changes what is in a row."""
    places = [(row.updates or {}, name) for row, parts in referring for name in parts.names]
    outputs = [(row, row.output or "", parts.output) for row, parts in referring if parts.output is not None]
    bodies = fetched([_hash_at(*place) for place in places] + [hash_ for _, hash_, _ in outputs], kept)
    parsed: dict[str, Any] = {}
    for updates, name in places:
        hash_ = _hash_at(updates, name)
        if hash_ not in parsed:
            parsed[hash_] = loads(bodies[hash_])
        updates[name] = parsed[hash_]
    for row, hash_, form in outputs:
        row.output = bodies[hash_] if form == "text" else loads(bodies[hash_])


def body_from(text: str | None) -> dict[str, Any]:
    """Read the body of a snapshot; what it refers to has yet to be read."""
    if not refers(text):
        return table(text) or {}
    values, names = _parts(text, 2)
    mark(values, names)
    found: dict[str, Any] = values
    return found


def read_references(ops: str | None) -> Referring:
    """Read the ops of a row, and what they say of references; there are none where they are a table.

    Raises:
        Damaged: They cannot be read.
    """
    if not refers(ops):
        return Referring(cast("dict[str, Op] | None", table(ops)), [], None)
    found = Referring(*_parts(ops, 3))
    if found.ops is not None and type(found.ops) is not dict:
        raise Damaged("a row does not say how its updates merge")
    return found


def mark(values: dict[str, Any], names: list[str]) -> None:
    """Mark the values of some keys as references.

    Raises:
        Damaged: There are none.
    """
    for name in names:
        try:
            values[name] = _Reference(values[name] + "")
        except (KeyError, TypeError):
            raise Damaged(f"there is no reference to a big value in {name!r:.60}") from None


def hashes_of(updates: str | None, ops: str | None, output: str | None) -> list[str]:
    """Find what a row refers to, out of the texts of its columns."""
    if not refers(ops):
        return []
    found, values = read_references(ops), table(updates) or {}
    mark(values, found.names)
    return [_hash_at(values, name) for name in found.names] + ([output or ""] if found.output else [])


def resolve(values: dict[str, Any], rows: Iterable[Row], kept: Kept, whole: bool) -> None:
    """Read the big values that a past state really needs: others are overwritten before anybody sees them.

    Args:
        values: The state before the rows, which is changed.
        rows: The rows since, of which the updates are changed.
        kept: The run's big values.
        whole: False where it is enough to know of big values how large they are.

    Raises:
        Damaged: One is missing, or is another one than was written.
    """
    needed, remaining = _find_references(values, rows)
    if whole:
        needed += remaining
    elif remaining:
        sizes = _there([_hash_at(*place) for place in remaining], kept.weigh, kept.run)
        for where, name in remaining:
            where[name] = BigValue(_hash_at(where, name), sizes[_hash_at(where, name)])
    if needed:
        bodies = fetched([_hash_at(*place) for place in needed], kept)
        for where, name in needed:
            where[name] = loads(bodies[_hash_at(where, name)])


def _find_references(values: dict[str, Any], rows: Iterable[Row]) -> tuple[list[_Place], list[_Place]]:
    """Find the references that something is merged into or appended to, and those that are in the end."""
    remaining = {name: values for name, value in values.items() if type(value) is _Reference}
    needed: list[_Place] = []
    for row in rows:
        updates: dict[str, Any] = row.updates or {}
        ops = row.ops or {}
        for name, value in updates.items():
            op = ops.get(name)
            if op in ("append", "merge"):
                if name in remaining:
                    needed.append((remaining.pop(name), name))
            elif type(value) is _Reference:
                remaining[name] = updates
            elif op != "same":
                remaining.pop(name, None)
    return needed, [(where, name) for name, where in remaining.items()]


def refers(text: str | None) -> bool:
    """Check whether the ops of a row, or the body of a snapshot, refer to something."""
    return type(text) is str and text[:1] == "["


def _parts(text: str | None, count: int) -> list[Any]:
    parts = loads(text or "")
    if type(parts) is not list or len(parts) != count or type(parts[1]) is not list:
        raise Damaged("what refers to big values cannot be read")
    return parts


def _hash_at(values: Mapping[str, Any], name: str) -> str:
    hash_: str = values[name].hash
    return hash_


def big_value(hash_: str, kept: Kept) -> Json:
    """Read one big value.

    Raises:
        Damaged: It is missing, or is another one than was written.
    """
    value: Json = loads(fetched([hash_], kept)[hash_])
    return value


def fetched(hashes: list[str], kept: Kept) -> Bodies:
    """Read big values, each once.

    Raises:
        Damaged: One is missing, or its text is not the one that its hash names.
    """
    bodies = _there(hashes, kept.fetch, kept.run)
    for hash_, text in bodies.items():
        if type(text) is not str or hash_of(text) != hash_:
            raise Damaged(f"the big value {hash_:.16} of {kept.run} is not as it was written")
    return bodies


def _there(
    hashes: list[str], find: Callable[[list[str]], Iterable[tuple[str, _T]]], run: str
) -> dict[str, _T]:
    """Find something of big values, of each once; each must be there."""
    found = dict(find([*dict.fromkeys(hashes)]))
    for hash_ in hashes:
        if hash_ not in found:
            raise Damaged(f"the big value {hash_:.16} of {run} is missing")
    return found
