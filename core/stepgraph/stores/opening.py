"""Opening a store by its address."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import cast

from ..values.errors import StoreError
from ..values.folders import data_folder
from ..values.problems import did_you_mean
from .addresses import without_password
from .base import StateStore
from .refusals import ADDRESSES

_BUILT_IN = {
    "memory": ".memory:open_memory",
    "postgres": ".postgres:open_postgres",
    "postgresql": ".postgres:open_postgres",
    "redis": ".redis:open_redis",
    "rediss": ".redis:open_redis",
    "unix": ".redis:open_redis",
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
