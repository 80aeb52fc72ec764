"""What every store says when it refuses a call."""

from __future__ import annotations

from ..values.errors import CommitsLost, Conflict, RunExists, StoreDamaged, StoreError, UnknownRun

ADDRESSES = (
    "write memory:, sqlite:///path/to/runs.db, postgresql://user@host/database, redis://host,"
    " or just the path of a file"
)
"""The forms of a store's address, as a hint."""

ALONE = "take away the files beside it that end in -wal, -shm and -last first"
"""What to do before a file is put in the place of a store's: a log that is left would be applied to it."""

BACKUP = f"put a backup in its place ({ALONE})"
"""How to go on with a copy of a store's file."""

REPAIR = "`stepgraph doctor` tells what is damaged, and `stepgraph doctor --repair` saves the rest"
"""What to do next about a store that is damaged."""

SERVER_BACKUP = "`stepgraph doctor` tells what is damaged; restore a backup of the database"
"""What to do next about a store that a server keeps."""

UNCHANGED = "nothing was changed"
"""How a hint begins where what was refused has left the store as it was."""


def is_served(url: str) -> bool:
    """Tell whether a server keeps the store of an address: there is no file of it to be copied."""
    return "://" in url and not url.startswith("sqlite:")


def mending(url: str) -> str:
    """Say what to do next about a store that is damaged, by its address or file."""
    return SERVER_BACKUP if is_served(url) else REPAIR


def damaged(store: object, what: object) -> StoreDamaged:
    """Say that a store is not as it was written.

    Args:
        store: Its address or file.
        what: What of it.
    """
    hint = mending(str(store)) + ("" if is_served(str(store)) else f"; or {BACKUP}")
    return StoreDamaged(f"the store {store} is damaged: {what}", str(what), hint=hint)


def closed(url: str) -> StoreError:
    """Refuse a store that is used after ``close()``."""
    return StoreError(f"the store {url} is closed", hint="open it again")


def too_large(url: str) -> StoreError:
    """Refuse a number that a database has no room for; those in a state are texts, and may be of any size."""
    return StoreError(
        f"the store {url} was asked for a number that it cannot hold",
        hint="give a whole number below 2 ** 63",
    )


def unknown_run(run_id: str) -> UnknownRun:
    """Refuse an id of no run."""
    return UnknownRun(
        f"there is no run {run_id!r:.200} in this store", str(run_id), hint="is it the right store?"
    )


def run_exists(run_id: str) -> RunExists:
    """Refuse the id of a run that is there already."""
    return RunExists(f"there is a run {run_id!r} already", hint="choose another id, or load that run")


def deleted(run_id: str, *, surely: bool = True) -> UnknownRun:
    """Refuse to move a run that was there before.

    Args:
        run_id: The run.
        surely: False where its store cannot know whether it has lost the run.
    """
    return UnknownRun(
        f"there is no run {run_id!r:.200} in this store any more: it was deleted"
        + ("" if surely else ", or its server, which was away meanwhile, has lost it"),
        hint="what it has done since its last step is not recorded",
    )


def moved(run_id: str, expected: int, found: int) -> Conflict | CommitsLost:
    """Refuse to move a run that is the same, and at another version than the caller started from."""
    if found < expected:
        return lost(run_id, f"is at version {found} and was at {expected}")
    return conflict(run_id, expected, found)


def lost(run_id: str, how: str) -> CommitsLost:
    """Refuse to move a run of which the store had more.

    Args:
        run_id: The run.
        how: What is there instead, in words that go on after its id.
    """
    return CommitsLost(
        f"run {run_id!r:.200} {how}: the store has lost what it had recorded",
        hint="nothing was changed; find out what happened before the run goes on, for nodes that have run"
        " would run again (`stepgraph check --explain S008`)",
    )


def replaced(run_id: str) -> Conflict:
    """Refuse to move a run whose id names another run by now."""
    return Conflict(
        f"run {run_id!r} is not the one that was loaded: that one was deleted, and its id reused",
        hint="nothing was changed; load the run again to see the new one",
    )


def conflict(run_id: str, expected: int, found: int) -> Conflict:
    """Refuse to move a run that is not at the version that the caller started from.

    Versions only grow, so one that is behind is of another run, unless a server has lost something.
    """
    if found < expected:
        return replaced(run_id)
    return Conflict(
        f"run {run_id!r} is at version {found} and not at {expected}: another process has advanced it",
        hint="nothing was changed; load the run again and go on from there",
    )


def no_definition(hash_: str, url: str) -> StoreError:
    """Say that the store lacks a definition, which only a damaged store can."""
    return damaged(url, f"it has no definition {hash_!r}")


def no_review(review_id: str) -> str:
    """Say that a run waits for a review that the store lacks, which only a damaged store can."""
    return f"there is no review {review_id!r} in this store"
