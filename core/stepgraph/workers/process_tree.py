"""The processes that a session leader has started, found by parent and by session, and how they are ended."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple


class _Process(NamedTuple):
    pid: int
    state: str
    parent: int
    session: int


def descendants_of(leader: int, known: frozenset[int] = frozenset()) -> set[int]:
    """Find the running descendants of a session leader, whatever session they are in by now.

    A daemon, in a session of its own whose starter has ended, is not found; nor is anything on a system
    without ``/proc``.

    Args:
        leader: The leader; it may have ended.
        known: Descendants that were found before and may have ended since: their children are found, too.
    """
    processes = _all_processes()
    found = {leader, *known}  # a session has the number of its leader
    before = 0
    while len(found) > before:
        before = len(found)
        found |= {each.pid for each in processes if each.parent in found or each.session in found}
    return {each.pid for each in processes if each.pid in found and each.state != "Z"} - {leader}


def kill_descendants(leader: int) -> None:
    """Kill all descendants of a session leader, those that are started meanwhile included."""
    killed: frozenset[int] = frozenset()
    while new := descendants_of(leader, killed) - killed:
        for pid in new:
            _signal(pid, signal.SIGKILL)
        killed |= new


def kill_tree(leader: int) -> None:
    """Kill a session leader, its descendants and its process group.

    The leader may have ended. Without ``/proc`` its process group is all that is found.
    """
    _signal(leader, signal.SIGSTOP)  # it starts nothing more
    kill_descendants(leader)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def terminate_descendants(leader: int) -> None:
    """Send SIGTERM to the descendants of a session leader."""
    for pid in descendants_of(leader):
        _signal(pid, signal.SIGTERM)


def _signal(pid: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _all_processes() -> list[_Process]:
    found = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended meanwhile
            state, parent, _, session = file.read_text("utf-8", "replace").rpartition(")")[2].split()[:4]
            found.append(_Process(int(file.parent.name), state, int(parent), int(session)))
    return found
