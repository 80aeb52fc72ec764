"""Opening a store by its address."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast, runtime_checkable
from urllib.parse import unquote

from ..values.errors import CommitsLost, Conflict, RunExists, StoreDamaged, StoreError, UnknownRun
from ..values.folders import data_folder
from ..values.problems import did_you_mean
from .base import StateStore

_QUERY = r"(?:\?(?:[^@=]+=.*)?)?$"
_AFTER_THE_USER = re.compile(
    r"(?P<user>^[^:/?#]*:/{0,2}(?:[^:/?#@\[][^:?#@]*)?)"  # a [ begins an address like [::1]
    rf":(?!\d*(?:[/,][^@?#]*)?{_QUERY})"  # that is a port
    # Whoever writes a password without escaping it, or leaves the host out, shall not see it everywhere.
    rf"(?:[^?#]*(?P<at>@)(?=[^?#@]*{_QUERY})|.*(?P<last>@)|.*)",
    re.DOTALL,
)
_SETTING = re.compile(r"(?<=[?&])([^=&]*+)(=[^&]*&?)?")
_SECRET = re.compile(r"pas(?!sfile)|pwd|secret|token", re.IGNORECASE)


def without_password(address: str) -> str:
    """Leave the password out of a server's address, wherever in it one may stand."""
    shown = _AFTER_THE_USER.sub(_user_alone, address, count=1)
    kept = _SETTING.sub(_unless_secret, shown)
    return kept.rstrip("?&") if kept != shown else shown


def _unless_secret(setting: re.Match[str]) -> str:
    return "" if setting[2] and _SECRET.search(unquote(setting[1])) else setting[0]


def _user_alone(found: re.Match[str]) -> str:
    return found["user"] + ("@" if found["at"] or found["last"] else ":...")


ADDRESSES = (
    "write memory:, sqlite:///path/to/runs.db, postgresql://user@host/database, redis://host,"
    " or just the path of a file"
)
"""The forms of a store's address, as a hint."""

ALONE = "remove the files next to it that end in -wal, -shm and -last first"
"""What to do before a file is put in the place of a store's: a log that is left would be applied to it."""

BACKUP = f"put a backup in its place ({ALONE})"
"""How to go on with a copy of a store's file."""

REPAIR = "`stepgraph doctor` lists what is damaged, and `stepgraph doctor --repair` saves the rest"
"""What to do next about a store that is damaged."""

SERVER_BACKUP = "`stepgraph doctor` lists what is damaged; restore a backup of the database"
"""What to do next about a store that a server keeps."""

UNCHANGED = "nothing was changed"
"""How a hint begins where what was refused has left the store as it was."""


def is_served(url: str) -> bool:
    """Check whether a server keeps the store of an address: there is no file of it to be copied."""
    return "://" in url and not url.startswith("sqlite:")


def mending(url: str) -> str:
    """Describe what to do next about a store that is damaged, by its address or file."""
    return SERVER_BACKUP if is_served(url) else REPAIR


def damaged(store: object, what: object) -> StoreDamaged:
    """Build the error for a store whose content is damaged.

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


def version_conflict(run_id: str, expected: int, found: int) -> Conflict | CommitsLost:
    """Refuse to move a run that is the same, and at another version than the caller started from."""
    if found < expected:
        return commits_lost(run_id, f"is at version {found} and was at {expected}")
    return conflict(run_id, expected, found)


def commits_lost(run_id: str, how: str) -> CommitsLost:
    """Refuse to move a run of which the store had more.

    Args:
        run_id: The run.
        how: What is there instead, in words that go on after its id.
    """
    return CommitsLost(
        f"run {run_id!r:.200} {how}: the store has lost what it had recorded",
        hint="nothing was changed; find out what happened before the run continues, because nodes that have "
        "run would run again (`stepgraph check --explain S008`)",
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
        hint="nothing was changed; load the run again and continue from there",
    )


def no_definition(hash_: str, url: str) -> StoreError:
    """Build the error for a missing definition, which only a damaged store can lack."""
    return damaged(url, f"it has no definition {hash_!r}")


def no_review(review_id: str) -> str:
    """Build the error for a missing review that a run waits for; only a damaged store can lack it."""
    return f"there is no review {review_id!r} in this store"


_BUILT_IN = {
    "memory": ".memory:open_memory",
    "postgres": "..extras.postgres:open_postgres",
    "postgresql": "..extras.postgres:open_postgres",
    "redis": "..extras.redis:open_redis",
    "rediss": "..extras.redis:open_redis",
    "unix": "..extras.redis:open_redis",
    "sqlite": ".sqlite:open_sqlite",
}
"""Our own stores by the scheme of their addresses: what opens one, given the whole address."""

GROUP = "stepgraph.stores"
"""The entry-point group of other stores: the name is the scheme of their addresses, and what it
points to is called with the whole address and returns the store."""

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")  # two letters or more: C: is a drive


def default_store_url() -> str:
    """Find the address of the store that is used when none is named.

    STEPGRAPH_STORE when it is set, otherwise ``runs.db`` in the user's data folder.
    """
    named = os.environ.get("STEPGRAPH_STORE", "")
    return named or f"sqlite:///{data_folder() / 'runs.db'}"


def store_file(address: str) -> Path | None:
    """Find the file of a store's address; None for stores that are no files."""
    if address.lower().startswith("sqlite:///"):
        return Path(address[len("sqlite:///") :]).expanduser()
    return None if _SCHEME.match(address) or not address.strip() else Path(address).expanduser()


def left_log(file: Path) -> Path | None:
    """Find the write-ahead log that is left of a store whose file is gone or was emptied; None for none.

    SQLite would begin a new store, and throw that log away.
    """
    real = Path(os.path.realpath(file))
    log = real.with_name(f"{real.name}-wal")
    try:
        if not log.stat().st_size:
            return None
        return None if real.exists() and real.stat().st_size else log
    except (OSError, ValueError):
        return None


def open_store(url: str | None = None) -> StateStore:
    """Open the store at an address.

    Args:
        url: ``memory:`` (a new, empty one), ``sqlite:///path`` (a relative path; an absolute one has
            a fourth slash), the plain path of a SQLite file, ``postgresql://user@host/database``,
            ``redis://host`` (``rediss://`` encrypted, ``unix:///path`` of a socket), or ``scheme:…`` of a
            store that another package brings. ``default_store_url()`` when None.

    Raises:
        StoreError: There is no such kind of store, or it cannot be opened.
    """
    address = default_store_url() if url is None else url
    if not address.strip():
        raise StoreError("the store address is empty", hint=ADDRESSES)
    match = _SCHEME.match(address)
    scheme = match[1].lower() if match is not None else "sqlite"
    if scheme not in _BUILT_IN:
        return _other(scheme, address)(address)
    module, _, opener = _BUILT_IN[scheme].partition(":")
    store: StateStore = getattr(import_module(module, __package__), opener)(address)
    return store


def _other(scheme: str, address: str) -> Callable[[str], StateStore]:
    """Find what opens a store that another package brings."""
    from importlib.metadata import entry_points

    others = {entry.name: entry for entry in entry_points(group=GROUP)}
    entry = others.get(scheme)
    if entry is None:
        hint = did_you_mean(scheme, [*_BUILT_IN, *others], listing="there are")
        shown = without_password(address)
        raise StoreError(
            f"there is no kind of store {scheme!r} (in {shown!r})",
            hint=f"{hint}; a file of that name is written ./{shown}",
        )
    try:
        return cast(Callable[[str], StateStore], entry.load())
    except Exception as error:  # another package's import may raise anything
        raise StoreError(
            f"the store {entry.name!r} of {entry.value} cannot be loaded: {type(error).__name__}: {error}",
            hint="reinstall the package that brings it",
        ) from error


@dataclass(slots=True)
class Salvage:
    """What was copied to a new store, and what was not."""

    path: Path
    """The new store."""
    whole: list[str] = field(default_factory=list)
    """The runs that were copied."""
    left: list[str] = field(default_factory=list)
    """Of each run that is not whole: which it is, and why."""
    entries: int = 0
    """How many entries of the audit were copied."""

    @property
    def is_made(self) -> bool:
        """True when there is a new store: a run or an entry could be copied."""
        return bool(self.whole or self.entries)

    @property
    def is_whole(self) -> bool:
        """True when nothing is missing from the new store."""
        return self.is_made and not self.left

    def lines(self) -> list[str]:
        """Describe it, one line for each run that was left out."""
        audit = f"the audit ({self.entries:,} {'entry' if self.entries == 1 else 'entries'})"
        if self.whole:
            first = f"{len(self.whole):,} run{'' if len(self.whole) == 1 else 's'} copied to {self.path}"
            first += f", and {audit}" if self.entries else ""
        elif self.entries:
            first = f"no run copied, but {audit}, to {self.path}"
        else:
            first = "nothing could be copied, and no new store was made"
            first += "" if self.left else ": no run was found"
        return [first, *(f"left out: {line}" for line in self.left)]


@runtime_checkable
class RescuableStore(Protocol):
    """A store that can be lost while it is open, and still save what it has in hand.

    A store that raises StoreLost offers this beside the methods of ``StateStore``; those that cannot be lost
    have no need of it.
    """

    def rescue(self, path: str | Path | None = None) -> Salvage:
        """Save what the store still has open to a new file: after StoreLost, or as a copy.

        Args:
            path: The new file; None chooses a name beside the store, else in the folder for temporary files.

        Raises:
            StoreError: It cannot be written, or there is a file of that name already.
        """
        ...
