"""What a store knows of a run that it moves, and the snapshots that are due."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ...stores.audit import GENESIS, chained
from ...stores.base import AuditEntry
from ...stores.big_values import Bodies
from ...stores.encoding import Columns, loads
from ...stores.ledger import Row
from ...stores.snapshots import SnapshotPolicy, Track, first_rows, snapshot
from ...values.json_values import Json
from . import commits as texts
from . import scripts
from .commits import number_from, place_from
from .scripted_commit import ScriptedCommit
from .server import RedisServer

if TYPE_CHECKING:
    from ...stores.serving import Turns


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


def write_commit(
    server: RedisServer, turns: Turns, commit: ScriptedCommit, entry: Mapping[str, Json] | None
) -> str | None:
    """Write a commit, with an entry of the audit; where the run is not as expected, give its version."""
    while True:
        attempt = commit
        if entry is not None:
            attempt = commit.without_entry()
            attempt.add_entry(chained(_last_link(server), entry))
        turns.sent = True
        failed = server.commit(attempt)
        if failed is None:
            return None
        if failed[0] == 1:
            return failed[1]


def delete_runs(
    server: RedisServer, turns: Turns, versions: Mapping[str, int], entries: Mapping[str, Mapping[str, Json]]
) -> list[str]:
    """Delete runs that are still at these versions; an entry is added if the run that it tells of is deleted.

    Returns:
        Those that were deleted.
    """
    while True:
        there = versions_of(server) if entries else {}
        told = [run_id for run_id in entries if versions.get(run_id, 0) == there.get(run_id)]
        links = [_last_link(server)] if told else []
        for run_id in told:
            links.append(chained(links[-1], entries[run_id]))
        added = [word for link in links[1:] for word in (link.number, texts.entry_text(link))]
        runs = [*told, *(run_id for run_id in versions if run_id not in entries)]
        words = [word for run_id in runs for word in (run_id, versions[run_id])]
        turns.sent = True
        gone: list[str] | int = server.run(
            scripts.DELETE, links[0].number if links else "", len(told), *added, *words
        )
        if not isinstance(gone, int):
            return gone


def versions_of(server: RedisServer) -> dict[str, int]:
    """Find the version of every run."""
    lines = iter(server.run(scripts.VERSIONS).split("\n"))
    return {run_id: place_from(run_id, entry)[1] for run_id, entry in zip(lines, lines, strict=False)}


def _last_link(server: RedisServer) -> AuditEntry:
    """Read the last entry of the audit, with the number of the last one that was ever written.

    What comes next goes behind that one: where some were cut off, they stay missing.
    """
    written, text = server.run(scripts.LAST_ENTRY)
    last = texts.entry_from(text) if text else AuditEntry(0, {}, "", GENESIS)
    return last._replace(number=number_from(written))
