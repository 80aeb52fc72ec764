"""Snapshots: when one is written, what is in it, and how a past state is rebuilt.

A snapshot has every key of the state in full, except for the lists of ``append`` keys: of these
it has only what was added since the snapshot before. So an item is stored twice at most, in its
row and in one snapshot, and rebuilding a state reads about as much as the state itself weighs,
however long the run is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..values.json_values import Json, dumps
from . import big_values
from .encoding import Damaged, loads
from .ledger import Row, RunHead, replay

MAX_TRACKS = 1_000
"""How many runs a store remembers."""


@dataclass(frozen=True, slots=True)
class SnapshotPolicy:
    """When a snapshot is worth its room, and what is too big to be in it or in a row."""

    min_rows: int = 50
    """Never sooner than this many rows after the last one."""
    max_rows: int = 2_000
    """After this many rows also when it outweighs the changes, as long as it is small."""
    small: int = 128 * 1024
    """What is small, in characters of JSON."""
    big: int = big_values.LIMIT
    """Over how many characters of JSON a value is kept once beside the run."""

    def may_pay(self, rows: int, changed: int, estimate: int) -> bool:
        """Check whether it is time to weigh a snapshot, going by the estimate of its weight."""
        return rows >= self.min_rows and self.pays(rows, changed, estimate)

    def pays(self, rows: int, changed: int, weight: int) -> bool:
        """Check whether the changes since the last snapshot weigh as much as this one."""
        return changed >= weight or (rows >= self.max_rows and weight < self.small)


@dataclass(slots=True)
class Track:
    """A run as a store remembers it, to tell quickly whether a snapshot is due."""

    no: int
    head: RunHead
    version: int = 0
    """The version for which the rest holds: another process may have moved the run on."""
    last: int = 1
    """The row of the last snapshot; the first row serves as one."""
    base: int = 1
    """The oldest snapshot that the lists of the last one need."""
    lengths: dict[str, int] = field(default_factory=dict)
    """How long the lists of the append keys were in the last snapshot."""
    changed: int = 0
    """What the rows since have changed, in characters of JSON."""
    estimate: int = 0
    """What the next snapshot will weigh at least."""


class Tracks:
    """What a store remembers of the runs that were moved last."""

    def __init__(self) -> None:
        self._tracks: dict[str, Track] = {}
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._tracks)

    def get(self, run_id: str, version: int) -> Track | None:
        """Return what is known of a run at a version; None when somebody else has moved it."""
        track = self._tracks.get(run_id)
        return None if track is None or track.version != version else track

    def remember(self, run_id: str, track: Track) -> None:
        """Keep what is known of a run; of too many the first one goes."""
        if len(self._tracks) >= MAX_TRACKS:
            self._tracks.pop(next(iter(self._tracks)))
        self._tracks[run_id] = track
        self.note(run_id, track.no)

    def note(self, run_id: str, no: int) -> None:
        """Keep the number of a run, which outlives the rest: it shows whether an id names another one."""
        self._numbers.pop(run_id, None)
        self._numbers[run_id] = no
        if len(self._numbers) > MAX_TRACKS:
            self._numbers.pop(next(iter(self._numbers)))

    def number(self, run_id: str) -> int | None:
        """Find the number under which a run was last seen; None for none."""
        return self._numbers.get(run_id)

    def forget(self, run_id: str) -> None:
        """Know nothing of a run any more."""
        self._tracks.pop(run_id, None)


class Snapshot(NamedTuple):
    """A snapshot as a store keeps it."""

    seq: int
    """The version that it is of."""
    base: int
    """The oldest snapshot that its lists need."""
    lengths: str | None
    """The length of each list of an append key, as JSON; None when there is no such list."""
    tails: str | None
    """What was added to each of them since the snapshot before."""
    body: str
    """The rest of the state."""


def snapshot(
    track: Track,
    values: Mapping[str, Json],
    append_keys: frozenset[str],
    policy: SnapshotPolicy,
    ops_since: Callable[[], Iterable[str | None]],
    known: Callable[[list[str]], Iterable[str]],
) -> Snapshot | None:
    """Build a snapshot of the state at the track's version, unless it turns out too heavy.

    Args:
        track: The run; it is moved on.
        values: The whole state.
        append_keys: Rows that touch one must say so in their ops, from the last snapshot on.
        policy: What a snapshot may weigh.
        ops_since: Reads the ops of the rows since the last snapshot, as JSON.
        known: Tells which of some hashes the run has big values of.
    """
    rows = track.version - track.last
    lists = {name: items for name in append_keys if type(items := values.get(name)) is list}
    rest = {name: None if name in lists else value for name, value in values.items()}
    body = big_values.body_of(rest, policy.big, known)
    weight = len(body)
    lengths, tails, base = None, None, track.version
    if lists and policy.pays(rows, track.changed, weight):
        # Lists that did anything but grow are stored in full.
        reset = {
            name
            for text in set(ops_since())
            for name, op in (big_values.read_references(text).ops or {}).items()
            if op != "append"
        }
        kept = {name: 0 if name in reset else track.lengths.get(name, 0) for name in lists}
        tails = dumps({name: items[kept[name] :] for name, items in lists.items()})
        lengths = dumps({name: len(items) for name, items in lists.items()})
        weight += len(tails)
        if any(kept.values()):
            base = track.base
    if not policy.pays(rows, track.changed, weight):
        track.estimate = max(weight, track.changed + track.changed // 4)
        return None
    track.last, track.base, track.changed, track.estimate = track.version, base, 0, len(body)
    track.lengths = {name: len(items) for name, items in lists.items()}
    return Snapshot(track.version, base, lengths, tails, body)


def rebuild(
    body: str | None,
    lists: Iterable[tuple[Any, ...]],
    changes: Iterable[tuple[Any, ...]],
    kept: big_values.Kept,
    whole: bool = True,
) -> dict[str, Json]:
    """Rebuild a past state.

    Args:
        body: The rest of the state in the last snapshot before it, if there is one.
        lists: The lengths and tails of the snapshots from that one's base on, in order.
        changes: The updates and ops of the rows since.
        kept: The run's big values.
        whole: Whether these are read, or a BigValue stands for each.

    Raises:
        Damaged: They do not add up to a state.
    """
    try:
        changes = list(changes)
        values, rows = big_values.body_from(body) | _lists(lists), _rows(changes)
        if big_values.refers(body) or any(big_values.refers(ops) for _, ops in changes):
            big_values.resolve(values, rows, kept, whole)
        return replay(values, rows)
    except (AttributeError, LookupError, TypeError, ValueError) as error:  # what replaying nonsense raises
        raise Damaged(f"its changes do not add up to a state ({error})") from error


def _lists(parts: Iterable[tuple[Any, ...]]) -> dict[str, Json]:
    """Join the lists of the append keys, snapshot by snapshot."""
    lists: dict[str, list[Json]] = {}
    for lengths_text, tails_text in parts:
        before, lists = lists, {}
        lengths = loads(lengths_text)
        for name, tail in loads(tails_text).items():
            kept = lengths[name] - len(tail)
            lists[name] = tail
            if kept:
                lists[name] = before[name]
                if len(lists[name]) != kept:
                    raise Damaged(f"a snapshot with items of {name!r:.60} is missing")
                lists[name] += tail
    return {**lists}


def _rows(changes: list[tuple[Any, ...]]) -> list[Row]:
    """Read the changes as rows; all are parsed in one go, and equal ops only once."""
    known: dict[str | None, big_values.Referring] = {}
    parsed = loads("[" + ",".join([updates for updates, _ in changes]) + "]")
    rows = []
    for updates, (_, ops) in zip(parsed, changes, strict=True):
        if ops not in known:
            known[ops] = big_values.read_references(ops)
        parts = known[ops]
        big_values.mark(updates, parts.names)
        rows.append(Row(0, "step", 0, updates=updates, ops=parts.ops))
    return rows
