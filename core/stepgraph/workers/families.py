"""A process with all that it has started: found by parents and sessions, and ended."""

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


def started_by(leader: int, known: frozenset[int] = frozenset()) -> set[int]:
    """Find what the leader of a session has started and still runs, whatever session it is in by now.

    What was set free on purpose, in a session of its own whose starter has ended, is not found; nor is
    anything on a system without ``/proc``.

    Args:
        leader: The leader; it may have ended.
        known: What was found before, which may have ended since: what it has started is found, too.
    """
    processes = _all_processes()
    found = {leader, *known}  # a session has the number of its leader
    before = 0
    while len(found) > before:
        before = len(found)
        found |= {each.pid for each in processes if each.parent in found or each.session in found}
    return {each.pid for each in processes if each.pid in found and each.state != "Z"} - {leader}


def end_started(leader: int) -> None:
    """Kill what the leader of a session has started, until nothing more of it is there."""
    killed: frozenset[int] = frozenset()
    while new := started_by(leader, killed) - killed:
        for pid in new:
            _signal(pid, signal.SIGKILL)
        killed |= new


def end_family(leader: int) -> None:
    """Kill the leader of a session with all that it has started."""
    _signal(leader, signal.SIGSTOP)  # it starts nothing more
    end_started(leader)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def ask_to_end(leader: int) -> None:
    """Send SIGTERM to what the leader of a session has started."""
    for pid in started_by(leader):
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
