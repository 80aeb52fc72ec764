"""The audit of a store on Redis: what brings an entry is written while the entry before it is the last."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...values.json_values import Json
from ..audit import GENESIS, chained
from ..base import AuditEntry
from . import scripts, texts
from .replies import number_from, place_from
from .scripted_commit import ScriptedCommit

if TYPE_CHECKING:
    from ..serving import Turns
    from .server import RedisServer


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
