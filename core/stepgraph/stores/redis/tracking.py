"""What a store knows of a run that it moves, and the snapshots that are due."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...values.json_values import Json
from ..big_values import Bodies
from ..encoding import Columns, loads
from ..ledger import Row
from ..snapshots import SnapshotPolicy, Track, first_rows, snapshot
from . import scripts, texts
from .replies import place_from
from .scripted_commit import ScriptedCommit
from .server import RedisServer


def read_track(server: RedisServer, run_id: str, version: int) -> tuple[Track | None, str]:
    """Read what is known of a run at ``version``.

    Returns:
        That, and the run's entry; the first is None at another version, and the second empty for no run.
    """
    past = server.run(scripts.PAST, run_id, version, 0)
    if not past:
        return None, ""
    entry, last, weight, lists, rows = past
    no, found = place_from(run_id, entry)
    if found != version:
        return None, entry
    track = Track(no, version)
    weights = [len(updates or "") + len(ops or "") for updates, ops in texts.changes_from(no, last + 1, rows)]
    if last:
        track.last, track.base, track.estimate = last, last, int(weight)
    elif weights:
        track.estimate = weights.pop(0)
    if lists:
        track.base, text = texts.snapshot_part(no, last, lists[1])
        track.lengths = loads(text.partition("\n")[0])
    track.changed = sum(weights)
    return track, entry


def add_first_rows(commit: ScriptedCommit, policy: SnapshotPolicy, track: Track, rows: Sequence[Row]) -> None:
    """Append a new run's first rows, which may bring snapshots."""
    left = iter(rows)

    def insert(columns: Columns, bodies: Bodies) -> None:
        commit.add_row(next(left), columns, bodies)

    def write(track: Track, values: Mapping[str, Json]) -> None:
        taken = snapshot(track, values, frozenset(), policy, lambda: (), commit.hashes.intersection)
        if taken is not None:
            commit.add_snapshot(track.version, taken)

    first_rows(track, policy, rows, insert, write)


def take_snapshot(
    server: RedisServer,
    commit: ScriptedCommit,
    policy: SnapshotPolicy,
    track: Track,
    run_id: str,
    columns: Columns,
    values: Mapping[str, Json],
    append_keys: frozenset[str],
) -> None:
    """Write a snapshot of the state at the track's version with the row that leads to it, if it pays."""

    def ops() -> set[str]:
        first = track.last + 1
        _, rows = server.run(scripts.ROWS, run_id, first, track.version - 1) or ("", [])
        changes = [*texts.changes_from(track.no, first, rows), columns[7:9]]
        return {text for _, text in changes if text is not None}

    def known(hashes: list[str]) -> set[str]:
        there = server.run(scripts.KNOWN, track.no, *hashes)
        return commit.hashes.union(there)

    taken = snapshot(track, values, append_keys, policy, ops, known)
    if taken is not None:
        commit.add_snapshot(track.version, taken)
